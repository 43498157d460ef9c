"""`certify`: whether an attention (q, k, v) -> out is ALiBi as declared, without looking into it.

Notable choices:
- Values that are one-hot show the weights; their logarithms are the scores, up to a constant of the row. Where all queries
  are equal, and all keys, what is left is the bias, also of normalised queries, and beside a sink.
- Weights of far keys are smaller than any float. So the content lifts them: q·k grows with the distance as fast as the
  declared bias falls, and every key that may be seen has the same weight. A window, a clamp or a number format shows there.
- What is neither shown nor hidden is “unknown”, never “equal”.
- Then random content and values: the output must be softmax(q·k/√d + bias) v.
- Texts of a batch are judged one by one, and a few last queries too, as beside a cache.
- Shapes: B texts, H heads, Hkv heads of keys, Tq queries, Tk keys, d width of a head.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from alibi_viz.checks import whole_number
from alibi_viz.pitfalls.judge import Grid, Precision, fitted_heads, judge, of_texts
from alibi_viz.pitfalls.verdict import Check, Declared, Finding, Weight, distinct, said
from alibi_viz.rules import slopes

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
TEXTS, TOKENS, FEW, LEAST = 2, 256, 5, 8  # texts in a batch; tokens; queries beside a cache; the fewest tokens
SAME, SAME_16 = 1e-4, 2**-6  # of the output, a weight or its logarithm, in float32 and in 16 bits
OF_SLOPE = 1e-3  # a share by which a measured slope may be off
REACH, TINY = 80.0, 2e-38  # float32 shows weights down to e^-87


@torch.no_grad()
def certify(
    attention: Attention,
    heads: int,
    *,
    head_dim: int = 64,
    kv_heads: int | None = None,
    tokens: int = TOKENS,
    max_bias: float = 8.0,
    causal: bool = True,
    window: int | None = None,
    mask: Tensor | np.ndarray | None = None,
    dtype: torch.dtype = torch.float32,
    device: str | torch.device = "cpu",
) -> Check:
    """Does attention(q, k, v) -> out equal ALiBi as it is declared? q and out [B, H, Tq, d], k and v [B, Hkv, Tk, d].

    mask: bool [Tq, Tk] or [2, Tq, Tk], True where a query may attend, of a prefix or documents; it says all that is hidden.
    Raises ValueError for a declaration out of range; what the attention itself raises is said in the verdict.

    >>> from torch.nn.functional import scaled_dot_product_attention
    >>> from alibi_viz import bias
    >>> def attention(q, k, v):
    ...     allowed = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
    ...     return scaled_dot_product_attention(q, k, v, bias(8, *allowed.shape).masked_fill(~allowed, -torch.inf))
    >>> certify(attention, heads=8).status
    'clean'
    """
    kv_heads = heads if kv_heads is None else kv_heads
    for name, number in (("heads", heads), ("head_dim", head_dim), ("kv_heads", kv_heads), ("tokens", tokens)):
        whole_number(number, name)
    if heads % kv_heads or head_dim < 4 or tokens < LEAST:
        raise ValueError(f"heads are a multiple of kv_heads, head_dim is at least 4, and tokens at least {LEAST}.")
    allowed = None if mask is None else torch.as_tensor(mask).cpu().numpy()
    if allowed is not None and allowed.ndim == 3 and len(allowed) != TEXTS:
        raise ValueError(f"A mask of texts is one of {TEXTS} texts.")
    probe = Probe(attention, Declared(heads, max_bias, causal, window, allowed), head_dim, kv_heads, dtype, device)
    try:
        whole = probe.certified(*((tokens, tokens) if allowed is None else allowed.shape[-2:]))
    except Exception as error:  # of any kind: the code is somebody's own
        return Check((Finding("attention_fails", {"error": said(error)}, weight="open"),))
    tried = {"texts": TEXTS, "heads": heads, "tokens": probe.tried, "format": str(dtype)[6:]}
    findings, beside = [*whole.findings], [Finding("tried", tried)]
    if allowed is None:
        try:
            few = probe.certified(FEW, tokens)
            findings += [found for found in few.findings if found.weight != "note" or found.pitfall]
            beside.append(Finding("few_queries", {"queries": FEW}))
        except Exception:
            beside.append(Finding("few_untried"))
    return replace(whole, findings=(*distinct(findings), *beside))


@dataclass
class Probe:
    """An attention and what it is declared to be."""

    attention: Attention
    declared: Declared
    width: int
    kv_heads: int
    dtype: torch.dtype
    device: str | torch.device
    tried: int = 0  # tokens

    def __post_init__(self) -> None:
        heads, top = self.declared.heads or 1, self.declared.max_bias or 8.0
        self.slopes = torch.tensor(slopes(heads, max_bias=top), dtype=torch.float64)
        self.same = SAME if self.dtype in (torch.float32, torch.float64) else SAME_16

    def certified(self, queries: int, keys: int) -> Check:
        """What is found with so many keys and, at the end of them, so many queries."""
        findings, is_explained = self.content(queries, keys)
        is_plain = not {"normalised", "capped"} & {finding.kind for finding in findings}
        if not is_plain and self.declared.mask is None:  # nothing lifts its far keys
            keys = min(keys, int(REACH / self.slopes.max()))
            queries = min(queries, keys)
        self.tried = max(self.tried, keys)
        flat = self.weights(*self.alike(queries, keys))
        if not flat.isfinite().all():
            return Check((*findings, Finding("not_finite", weight="open")))
        scores, lost = logarithms(flat), torch.zeros_like(flat, dtype=torch.bool)
        distance = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
        shows_later = not self.declared.causal or self.declared.mask is not None
        for sign in () if not is_plain else (1, -1) if shows_later else (1,):
            raised = logarithms(self.weights(*self.lifted(queries, keys, sign)))
            # Beside weights that differ this much a key may be lost in rounding, and need not be hidden.
            seen = raised.isfinite() & (sign * distance >= 0)
            most, least = raised.masked_fill(~seen, -torch.inf).amax(-1), raised.masked_fill(~seen, torch.inf).amin(-1)
            spread = (most - least)[..., None]
            scores = joined(scores, raised + sign * self.slopes[:, None, None] * torch.arange(keys))
            lost |= (spread > REACH / 2) & (sign * distance > 0)
        lost &= ~scores.isfinite()
        if lost.any():
            findings.append(Finding("not_shown", {"keys": int(lost.sum())}, weight="open"))
        findings += self.sums(flat, queries, keys)
        found = of_texts([self.judged(text, scores[text], lost[text], queries, keys) for text in range(TEXTS)])
        found = replace(found, findings=(*found.findings, *findings))
        if found.status == "clean" and not is_explained:  # the bias is right, and the output is another one
            found = replace(found, findings=(*found.findings, Finding("content_unknown", weight="open")))
        return found

    def run(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        output = self.attention(*(x.to(device=self.device, dtype=self.dtype) for x in (q, k, v)))
        if not isinstance(output, Tensor) or output.shape != (*q.shape[:3], v.shape[-1]):
            raise ValueError("its output is no tensor [texts, heads, queries, width]")
        return output.double().cpu()

    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        """By values that are one-hot, as many keys at once as a head is wide: float64 [B, H, Tq, Tk]."""
        parts, keys = [], k.shape[2]
        for first in range(0, keys, self.width):
            count = min(self.width, keys - first)
            values = torch.zeros_like(k)
            values[:, :, range(first, first + count), range(count)] = 1
            parts.append(self.run(q, k, values)[..., :count])
        return torch.cat(parts, -1)

    def random(self, heads: int, tokens: int, seed: int) -> Tensor:
        return torch.randn(TEXTS, heads, tokens, self.width, generator=torch.Generator().manual_seed(seed))

    def alike(self, queries: int, keys: int) -> tuple[Tensor, Tensor]:
        """All queries of a head and text are equal, and so are all keys."""
        q, k = self.random(self.slopes.numel(), 1, 0), self.random(self.kv_heads, 1, 1)
        return q.repeat(1, 1, queries, 1), k.repeat(1, 1, keys, 1)

    def lifted(self, queries: int, keys: int, sign: int) -> tuple[Tensor, Tensor]:
        """q·k/√d = m (i − j): beside ALiBi all earlier keys weigh the same, and with the other sign all later ones.

        j is two numbers that 16 bits hold, one of them times 16.
        """
        i, j = torch.arange(keys - queries, keys), torch.arange(keys)
        ones, steep = torch.ones(queries), sign * self.slopes[:, None, None] * self.width**0.5
        q, k = torch.stack((ones, ones, i), -1) * steep, torch.stack((-(j // 16 * 16), -(j % 16), torch.ones(keys)), -1)
        pad, shape = (0, self.width - 3), (TEXTS, self.kv_heads, keys, self.width)
        return F.pad(q, pad).float().repeat(TEXTS, 1, 1, 1), F.pad(k, pad).expand(shape).clone()

    def bias(self, queries: int, keys: int) -> tuple[Tensor, Tensor]:
        """As declared: −m × distance, float64 [H, Tq, Tk], and which keys a query may see, bool [B, 1, Tq, Tk]."""
        distance, declared = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys), self.declared
        allowed = distance >= 0 if declared.causal else torch.ones_like(distance, dtype=torch.bool)
        if declared.window is not None:
            allowed = allowed & (distance.abs() < declared.window)
        if declared.mask is not None:
            allowed = torch.from_numpy(declared.mask)
        return -self.slopes[:, None, None] * distance.abs(), allowed.expand(TEXTS, queries, keys)[:, None]

    def content(self, queries: int, keys: int) -> tuple[list[Finding], bool]:
        """Random content and values: what the content does, and whether with the declared bias this gives the weights."""
        heads, groups = len(self.slopes), len(self.slopes) // self.kv_heads
        q, k, v = (
            self.random(*shape).to(self.dtype).float()
            for shape in ((heads, queries, 2), (self.kv_heads, keys, 3), (self.kv_heads, keys, 4))
        )
        product, (bias, allowed) = q.double() @ k.double().repeat_interleave(groups, 1).mT, self.bias(queries, keys)
        values, output, real = v.double().repeat_interleave(groups, 1), self.run(q, k, v), allowed.any(-1)
        real = real.expand(-1, heads, -1)
        if not output[real].isfinite().all():
            return [Finding("not_finite", weight="open")], True
        expected = (product / self.width**0.5 + bias).masked_fill(~allowed, -torch.inf).softmax(-1)
        if (output - expected @ values)[real].abs().max() <= self.same:
            return [], True
        weights = self.weights(q, k)
        if not (weights @ values - output)[real].abs().max() <= self.same:
            return [Finding("values_change", weight="differs")], True
        scores, flat = logarithms(weights), logarithms(self.weights(*self.alike(queries, keys)))
        seen = scores.isfinite() & flat.isfinite()
        lengths = q.norm(dim=-1)[..., None] * k.norm(dim=-1).repeat_interleave(groups, 1)[:, :, None]
        other = q.double() @ k.double().repeat(1, groups, 1, 1).mT
        forms = {"plain": product, "normalised": product / lengths, "group_order": other}
        factors = {name: fitted(scores - flat, form, seen) for name, form in forms.items()}
        name = min(factors, key=lambda name: factors[name][1])
        (factor, left), numbers = factors[name], dict[str, object]()
        of_content = factor * forms[name]
        if left > 10 * self.same:
            name, (factor, cap, left) = "capped", capped(scores - flat, product, seen)
            of_content, numbers = cap * (product * (factor / cap)).tanh(), {"cap": cap}
        if not left <= 10 * self.same:
            return [Finding("content_unknown", weight="open")], True
        expected = (of_content + bias).masked_fill(~allowed, -torch.inf).softmax(-1)
        is_explained = bool((weights / weights.sum(-1, keepdim=True) - expected)[real].abs().max() <= self.same)
        share = factor if name == "normalised" else factor * self.width**0.5
        is_scaled = name != "normalised" and abs(share - 1) > 1e-2
        findings = [Finding("content_scaled", {"factor": share}, weight="differs")] if is_scaled else []
        if name != "plain":
            weight: Weight = "differs" if name == "group_order" else "note"
            findings = [Finding(name, numbers or {"factor": share}, weight=weight), *findings]
        return findings, is_explained

    def sums(self, weights: Tensor, queries: int, keys: int) -> list[Finding]:
        """Weights sum to one; or less beside a sink, a score of its own in every row, whose weight goes nowhere."""
        total, (bias, allowed) = weights.sum(-1), self.bias(queries, keys)
        real = allowed.any(-1).expand_as(total)
        if (total - 1)[real].abs().max() <= 10 * self.same:
            return []
        sink = ((1 - total) / total).log() + bias.masked_fill(~allowed, -torch.inf).logsumexp(-1)
        sink = sink - sink.masked_fill(~real, torch.nan).nanmedian(-1, keepdim=True).values
        if sink[real].abs().max() <= 1e-2:
            return [Finding("sink", {"least": float(total[real].min())})]
        return [Finding("sums", {"least": float(total[real].min()), "most": float(total.max())}, weight="differs")]

    def judged(self, text: int, scores: Tensor, lost: Tensor, queries: int, keys: int) -> Check:
        """The verdict on the scores of one text, [H, Tq, Tk]."""
        precision = Precision(share=1e-6, least=SAME / 1e-6, slopes=OF_SLOPE, lost=lost.numpy())
        if self.same == SAME_16:
            bias, hidden = self.bias(queries, keys)[0], ~scores.isfinite()
            pair = (x.masked_fill(hidden, -torch.inf).softmax(-1) for x in (scores, bias))
            moved = (next(pair) - next(pair)).nan_to_num().abs().sum(-1).max() / 2
            # The weights are those of the declared bias within 16 bits: only who sees whom is left to be judged.
            scores = bias.masked_fill(hidden, -torch.inf) if moved <= SAME_16 else scores
            precision = replace(precision, share=SAME_16, least=1.0, slopes=SAME_16)
        grid = Grid(np.arange(queries), np.arange(keys), keys - queries)
        return judge(scores.numpy(), grid, self.declared, precision, text)


def logarithms(weights: Tensor) -> Tensor:
    """−inf also for the smallest numbers, which have fewer digits."""
    return weights.masked_fill(weights < TINY, 0.0).log()


def joined(scores: Tensor, others: Tensor) -> Tensor:
    """What either shows; a row is known up to a constant, which the keys give that both show. The others are finer."""
    both = scores.isfinite() & others.isfinite()
    off = torch.where(both, others - scores, 0.0).sum(-1, keepdim=True) / both.sum(-1, keepdim=True).clamp(min=1)
    return torch.where(others.isfinite(), others - off, scores)


def fitted(x: Tensor, form: Tensor, seen: Tensor) -> tuple[float, float]:
    """The factor of a form that fits best in all heads and texts [B, H, R, T], and what it leaves at most."""
    whole = (values.expand(x.shape).flatten(0, -2).numpy()[None] for values in (x, form, seen))
    factor, left = fitted_heads(*whole)
    return float(factor[0]), float(left[0])


def capped(x: Tensor, form: Tensor, seen: Tensor) -> tuple[float, float, float]:
    """c tanh(f × form / c), as Gemma 2 caps its scores: f, c, and what they leave. Of the last rows alone."""
    x, form, seen = (values.expand(x.shape)[..., -FEW:, :] for values in (x, form, seen))
    rates, size = np.geomspace(1e-3, 3, 80), float(form[seen].abs().max())
    for _ in range(4):
        fits = [fitted(x, (form * (rate / size)).tanh(), seen) for rate in rates]
        best = int(np.argmin([left for _, left in fits]))
        cap, left = fits[best]
        factor = cap * rates[best] / size
        rates = np.geomspace(rates[max(best - 1, 0)], rates[min(best + 1, len(rates) - 1)], 16)
    return factor, cap, left
