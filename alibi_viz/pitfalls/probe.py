"""`check_model`: what a model does with position, from what it computes on short texts, whatever its code or config says.

Notable choices:
- The text is one token, repeated. Then, in every layer, all queries are equal, and so are all keys and values: what differs
  among the scores of a row comes of positions. A bias is the same for every token; a rotation is a function of the
  distance, another one for another token; a table is no function of the distance, and the outputs differ too.
- Beside a rotation or a table the bias is what the product leaves: score = factor x product - slope x distance + a constant
  of the row. It is judged as a bias that is given (`judge`), each layer by itself, and each text.
- What cannot be seen (`running` says why) is said, and is never clean: with the attention that was seen put out, by zeros
  and by noise, no token may change another one.
- In the model's own type only rounding is looked for; the rest in float32.
- Shapes: B texts, H heads, R rows (queries), T keys.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from alibi_viz.pitfalls.judge import MASK, Grid, Precision, judge, of_texts
from alibi_viz.pitfalls.running import CACHES, LONG, MASKS, Reader, as_it_was, plain_kernels, to_float32
from alibi_viz.pitfalls.verdict import Check, Declared, Finding, distinct, listed, said

REPEATED, PADDING = 3, 5  # tokens that are repeated, one a text; tokens of padding
ROWS = 8  # of a long text that are looked at
HIDDEN = MASK / 2  # a score below it is of a hidden key; −10,000 may stand beside a large product
EXACT, LEAST = 1e-4, 1e-3  # of the largest score, or product; and at least
ALIKE = 1e-2  # of a slope, in two layers or two texts
MOVED = 0.02  # of a row's weight: from here on a rounded bias is a mistake


def check_model(
    model: nn.Module,
    *,
    causal: bool = True,
    max_bias: float | None = None,
    window: int | Sequence[int | None] | None = None,
) -> Check:
    """Run a model on short texts: what its scores and outputs tell of its positions. causal: False for an encoder.

    max_bias, window: as `check` has them; or a window for each layer, None where it has none. The model takes token ids
    int64 [B, T] and gives numbers for each token, [B, T, any]. Raises ValueError for what is no module.
    """
    if not isinstance(model, nn.Module):
        raise ValueError("A model is a torch.nn.Module that takes token ids.")
    model = getattr(model, "_orig_mod", model)  # of torch.compile: the module itself
    windows = [window] if window is None or isinstance(window, int) else [*window]
    declared, layers = [Declared(None, max_bias, causal, size) for size in windows], list[Layer]()
    with torch.no_grad(), as_it_was(model):
        try:
            reader = Reader(model)
            findings = list(rounding(reader, declared))
            to_float32(model)
            reader.set_tolerance()
        except Exception as error:  # of any kind: the code is somebody's own
            return Check((Finding("not_run", {"error": said(error)}, weight="open"),))
        findings = [*order(reader, causal), *findings, *until("unseen", kernels(reader))]
        findings += until("unseen", scores(reader, layers, declared))
        findings += until("unseen", mixing(reader))
        findings += until("padding_fails", padding(reader))
        if findings[0].kind == "causal":  # a cache is for decoders
            findings += until("cache_fails", cache(reader))
        findings += until("long_fails", longer(reader, layers, declared), tokens=reader.long)
    slopes = layers[0].bias.slopes if all(layer.bias.slopes for layer in layers) and layers else ()
    return Check(tuple(findings), slopes)


def until(failure: str, findings: Iterator[Finding], **numbers: object) -> list[Finding]:
    """All findings; where the model fails on the way, those until then and `failure`."""
    found = []
    try:
        for finding in findings:
            found.append(finding)
    except Exception as error:
        found.append(Finding(failure, {"error": said(error), **numbers}, weight="open"))
    return found


# What scores tell


@dataclass(frozen=True)
class Layer:
    """What the scores of one layer are, for a text of one token."""

    bias: Check
    is_rotated: bool
    is_absolute: bool  # depends on where a token stands
    moved: float  # the most by which rounding of the bias changes a weight

    @property
    def is_biased(self) -> bool:
        return any(self.bias.slopes)

    @property
    def is_curved(self) -> bool:
        """Whether the scores fall otherwise than linearly."""
        return not self.bias.slopes and "no_bias" not in self.bias.kinds


def understood(
    scores: Tensor, product: Tensor, rows: Tensor, declared: Declared, precision: float = EXACT, *, rounds: bool = False
) -> Layer:
    """float64 [B, H, R, T] each, int64 [R]; what acts on the product is told only if all rows are there.

    precision: what the numbers may be off, as a share of the largest. rounds: the bias may be rounded, with steps.
    """
    distance = rows[:, None] - torch.arange(scores.shape[-1])
    visible = (scores > HIDDEN).flatten(0, 1).all(0)
    past, is_rotated, is_absolute = visible & (distance >= 0), False, False
    bent = fit(product, past)[1]
    if bent.abs().max() > precision * product[..., past].abs().max():
        scores = scores - product * (fit(scores, past)[1] * bent).sum() / bent.square().sum()
        step, where = product[..., 1:, 1:] - product[..., :-1, :-1], past[1:, 1:] & past[:-1, :-1]
        spread = step.masked_fill(~where, -torch.inf).amax(-1) - step.masked_fill(~where, torch.inf).amin(-1)
        # From one token to the next a rotation and a bias add the same to all pairs of a row.
        is_absolute = bool(spread.max() > bent.abs().max() / 20)
        is_rotated = not is_absolute
    slopes, left = fit(scores, past)
    low = scores.masked_fill(~past, -1e9)
    off, jumps = left.abs().amax((0, 2, 3)), (left.diff(n=2).abs() * (past[:, 2:] & past[:, :-2])).max()
    exact = max(LEAST, precision * float(scores[..., past].abs().max()))
    is_small = (off <= exact + slopes.abs().amax(0) * scores.shape[-1] * 2**-8).all()  # bfloat16 has 8 bits
    is_stepped = rounds and bool(is_small and jumps > off.max() / 4)
    if is_stepped:  # rounding has steps, a curve is smooth: without them it is the line
        scores = scores - left
    moved = float((low.softmax(-1) - (low - left).softmax(-1)).abs().max()) if is_stepped else 0.0
    grid = Grid(rows.numpy(), np.arange(scores.shape[-1]), 0)
    values = scores.masked_fill(scores <= HIDDEN, -torch.inf).numpy()
    measured = Precision(precision, LEAST / precision, ALIKE / 10)
    whole = replace(declared, heads=scores.shape[1])
    return Layer(of_texts([judge(text, grid, whole, measured) for text in values]), is_rotated, is_absolute, moved)


def each(
    pairs: list[tuple[Tensor, Tensor]],
    rows: Tensor,
    declared: Sequence[Declared],
    precision: float = EXACT,
    *,
    rounds: bool = False,
) -> list[Layer]:
    """All layers, each beside what is declared for it: one for all, or one a layer."""
    of_layers = declared if len(declared) == len(pairs) else [declared[0]] * len(pairs)
    several = zip(pairs, of_layers, strict=True)
    return [understood(*pair, rows, of_layer, precision, rounds=rounds) for pair, of_layer in several]


def fit(x: Tensor, where: Tensor) -> tuple[Tensor, Tensor]:
    """A line in the keys, for each row up to a constant: its slope [B, H], and what it leaves, [B, H, R, T]."""

    def centred(x: Tensor) -> Tensor:
        x = x.masked_fill(~where, 0)
        return (x - x.sum(-1, keepdim=True) / where.sum(-1, keepdim=True).clamp(min=1)).masked_fill(~where, 0)

    line, x = centred(torch.arange(where.shape[-1]).double().expand(where.shape)), centred(x)
    slope = (x * line).sum((-2, -1)) / line.square().sum().clamp(min=1)
    return slope, x - slope[..., None, None] * line


def is_same(bias: Check, other: Check) -> bool:
    """Also where one layer has a window, as declared, and the other none."""
    return alike(bias.slopes, other.slopes) and {*bias.kinds} ^ {*other.kinds} <= {"window"}


def alike(slopes: Sequence[float], others: Sequence[float]) -> bool:
    return len(slopes) == len(others) and np.allclose(slopes, others, rtol=ALIKE, atol=1e-6)


# The probes


def order(reader: Reader, causal: bool) -> Iterator[Finding]:
    """Whether another ending of a text changes what stands before it."""
    before = reader.tokens * 2 // 3
    changed = torch.cat((reader.text[:, :before], reader.other[:, before:]), dim=1)
    output, expected = (reader.read(ids)[0][:, :before] for ids in (changed, reader.text))
    if reader.same(output, expected):
        yield Finding("causal") if causal else Finding("later_hidden", weight="differs")
    elif causal:
        yield Finding("not_causal", {"difference": float((output - expected).abs().max())}, "no_mask")
    else:
        yield Finding("unmasked")


def kernels(reader: Reader) -> Iterator[Finding]:
    """Whether the kernels that the model takes do what the plain ones do, into which the other probes look."""
    output = reader.read(reader.text)[0]
    with plain_kernels():
        expected = reader.read(reader.text)[0]
    if not reader.same(output, expected):
        yield Finding("kernels_differ", {"difference": float((output - expected).abs().max())}, weight="differs")


def scores(reader: Reader, layers: list[Layer], declared: Sequence[Declared]) -> Iterator[Finding]:
    """What acts on the scores, and the bias. Fills `layers`."""
    ids = reader.repeated(REPEATED, reader.tokens)
    half, rows = reader.read(ids)[0][:, reader.tokens // 2 :], torch.arange(reader.tokens)
    is_absolute = not reader.same(half, half[:, -1:].expand_as(half))
    layers += each(reader.layers(ids, reader.tokens, rows), rows, declared)
    if is_absolute or any(layer.is_absolute for layer in layers):
        is_absolute = True
        yield Finding("absolute", weight="note" if layers else "open")
    if not layers:
        yield Finding("unseen", weight="open")
        return
    if len(declared) not in (1, len(layers)):
        yield Finding("other_layers", {"windows": len(declared), "layers": len(layers)}, weight="differs")
    if reader.is_changed:
        yield Finding("weights_change", weight="open")
    first, numbered = layers[0].bias, list(enumerate(layers, 1))
    if turned := [number for number, layer in numbered if layer.is_rotated]:
        yield Finding("rotated", {"layers": listed(turned)})
    biased = [layer for layer in layers if layer.is_biased]
    if any(is_absolute or layer.is_rotated for layer in biased):
        yield Finding("beside", {}, "beside_rope" if any(layer.is_rotated for layer in biased) else "", "differs")
    if curved := [number for number, layer in numbered if layer.is_curved]:
        yield Finding("curved", {"layers": listed(curved)}, weight="open")
    elif not biased:
        yield Finding("no_bias", weight="open")
    elif others := [number for number, layer in numbered if not is_same(layer.bias, first)]:
        yield Finding("layers_differ", {"layers": listed(others)}, weight="open")
    else:
        yield Finding("linear", {"count": len(layers)})
    said_already = {
        "distance",
        "causal",
        "unmasked" if declared[0].causal else "",
        "no_bias",
        "unknown_matrix",
        "batch",
    }
    found = distinct(finding for layer in layers for finding in layer.bias.findings)
    yield from (finding for finding in found if finding.kind not in said_already)


def mixing(reader: Reader) -> Iterator[Finding]:
    """With the attention that was seen put out, by zeros and by noise, no token may change another one."""
    place, other = reader.tokens // 2, reader.text.clone()
    other[:, place] = reader.other[:, place] if reader.other[0, place] != reader.text[0, place] else reader.padding
    for is_noise in (False, True):
        output, expected = (reader.put_out(ids, is_noise=is_noise) for ids in (other, reader.text))
        output[:, place] = expected[:, place]
        if not reader.same(output, expected):
            yield Finding("unseen_mixing", {"difference": float((output - expected).abs().max())}, weight="open")
            return


def padding(reader: Reader) -> Iterator[Finding]:
    """Whether padding on the left changes what the text gives. No position ids are given: the model counts by itself."""
    if not reader.name(MASKS):
        yield Finding("padding_untried")
        return
    ids = torch.cat((torch.full((1, PADDING), reader.padding), reader.text[:, PADDING:]), dim=1)
    output = reader.read(ids, torch.arange(reader.tokens)[None] >= PADDING)[0][:, PADDING:]
    expected = reader.read(reader.text[:, PADDING:])[0]
    if reader.same(output, expected):
        yield Finding("padding_same")
    else:
        yield Finding("padding_differs", {"difference": float((output - expected).abs().max())}, "left_padding")


def cache(reader: Reader) -> Iterator[Finding]:
    """Whether a text gives the same at once and with a cache, one token at a time and several."""
    if not reader.name(CACHES) or "use_cache" not in reader.names:
        yield Finding("cache_untried")
        return
    half, past, outputs = reader.tokens // 2, None, []
    for ids in reader.text.split([half, 1, 1, 1, reader.tokens - half - 3], dim=1):
        output, past = reader.read(ids, past=past, keep=True)
        outputs.append(output)
    output, expected = torch.cat(outputs, dim=1), reader.read(reader.text)[0]
    if reader.same(output, expected):
        yield Finding("cache_same")
        return
    ids = reader.repeated(1, half + 2)  # the last token may look at every key
    past = reader.read(ids[:, :half], keep=True)[1]
    step = reader.layers(ids[:, half:], half + 2, torch.tensor([1]), past)
    is_hidden = any(bool((scores <= HIDDEN).any()) for scores, _ in step)
    numbers = {"difference": float((output - expected).abs().max())}
    yield Finding("cache_differs", numbers, "is_causal" if is_hidden else "cache_offset")


def rounding(reader: Reader, declared: Sequence[Declared]) -> Iterator[Finding]:
    """What the model's own type makes of the bias of a long text; called before `to_float32`."""
    types = {weight.dtype for weight in reader.model.parameters() if weight.is_floating_point()}
    if types & {torch.bfloat16, torch.float16}:
        tokens = min(LONG, reader.longest or LONG)
        yield from rounded(reader.long_layers(tokens, ROWS), tokens, declared, 2**-8)[1]


def rounded(
    read: tuple[Tensor, list[tuple[Tensor, Tensor]]],
    tokens: int,
    declared: Sequence[Declared],
    precision: float = EXACT,
) -> tuple[list[Layer], list[Finding]]:
    """The layers of a long text, and whether their bias is rounded."""
    rows, pairs = read
    layers = each(pairs, rows, declared, precision, rounds=True)
    moved = max((layer.moved for layer in layers), default=0.0)
    found = [Finding("key_rounded", {"difference": moved, "tokens": tokens}, "key_bfloat16")] if moved > MOVED else []
    return layers, found


def longer(reader: Reader, layers: list[Layer], declared: Sequence[Declared]) -> Iterator[Finding]:
    """Whether a longer text is read, with the same slopes and masks."""
    tokens = reader.long
    if not reader.read(reader.repeated(1, tokens))[0].isfinite().all():
        raise ValueError("its output is NaN or infinite")
    if not any(layer.is_biased for layer in layers) or any(layer.is_curved for layer in layers):
        return
    found, of_rounding = rounded(reader.long_layers(tokens, ROWS), tokens, declared)
    yield from of_rounding
    pairs = zip(found, layers, strict=True)
    stays = all(alike(layer.bias.slopes, short.bias.slopes) for layer, short in pairs)
    yield (
        Finding("long_same", {"tokens": tokens})
        if stays
        else Finding("long_differs", {"tokens": tokens}, weight="open")
    )
    short = {finding.kind for layer in layers for finding in layer.bias.findings}
    more = distinct(finding for layer in found for finding in layer.bias.findings)
    yield from (finding for finding in more if finding.kind not in short and finding.weight != "note")
