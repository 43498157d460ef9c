"""`check_model`: what a model does with position, from what it computes on short texts, whatever its code or config says.

Notable choices:
- The bias of each layer is what the scores are where the product of queries and keys is put out. It is judged as a bias
  that is given (`judge`), each layer by itself, and each text.
- The text is one token, repeated. Then all queries are equal, and so are all keys: if their products differ along a row,
  positions act on them. A rotation is a function of the distance, a table is none, and the outputs differ too.
- A product that is put in shows what becomes of it: times 1/√d, or what queries and keys were multiplied by since their
  projection makes up for it. Whose projection cannot be found is open.
- What cannot be seen (`running` says why) is said, and is never clean: with the attention that was seen put out, by zeros
  and by noise, no token may change another one.
- Shapes: B texts, H heads, R rows (queries), T keys.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from alibi_viz.pitfalls.certify import capped, fitted
from alibi_viz.pitfalls.judge import MASK, Grid, judge, of_texts
from alibi_viz.pitfalls.running import LONG, REPEATED, Layer, Reader, as_it_was, plain_kernels, to_float32
from alibi_viz.pitfalls.verdict import Check, Declared, Finding, distinct, said

PADDING = 5  # tokens
ROWS = 8  # of a long text that are looked at
HIDDEN = MASK / 2  # a score below it is of a hidden key; −10,000 may stand beside a large product
ALIKE = 1e-2  # of a slope, in two layers or two texts
EXACT = 1e-4  # of the largest product, or score
SCALE = "attention_multiplier"  # in a config (Granite): what content is multiplied by, in place of 1/√d
LARGE = 4.0  # scores of the content that is put in
UNSAID = {"distance", "row_constant", "large_number"}  # of a bias: in a model its mask and its softmax are seen


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
    declared, layers = [Declared(None, max_bias, causal, size) for size in windows], list[Check]()
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
        findings += until("content_unseen", content(reader)) if layers else []
        findings += until("unseen", mixing(reader))
        findings += until("padding_fails", padding(reader))
        if findings[0].kind == "causal":  # a cache is for decoders
            findings += until("cache_fails", cache(reader))
        findings += until("long_fails", longer(reader, layers, declared), tokens=reader.long)
    slopes = layers[0].slopes if all(layer.slopes for layer in layers) and layers else ()
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


def judged(biases: list[Tensor], rows: Tensor, declared: Sequence[Declared]) -> list[Check]:
    """Each layer's bias [B, H, R, T], beside what is declared for it: one for all, or one a layer."""
    of_layers = declared if len(declared) == len(biases) else [declared[0]] * len(biases)
    found = []
    for bias, of_layer in zip(biases, of_layers, strict=True):
        grid, whole = Grid(rows.numpy(), np.arange(bias.shape[-1]), 0), replace(of_layer, heads=bias.shape[1])
        layer = of_texts([judge(text, grid, whole) for text in bias.masked_fill(bias <= HIDDEN, -torch.inf).numpy()])
        kept = [finding for finding in layer.findings if finding.kind not in UNSAID]
        none = Finding("no_bias", weight="open")
        found.append(replace(layer, findings=tuple(none if said.kind == "constant" else said for said in kept)))
    return found


def is_curved(layer: Check) -> bool:
    """Whether the scores fall otherwise than linearly."""
    return not layer.slopes and "no_bias" not in layer.kinds


def is_same(bias: Check, other: Check) -> bool:
    """Also where one layer has a window, as declared, and the other none."""
    return alike(bias.slopes, other.slopes) and {*bias.kinds} ^ {*other.kinds} <= {"window"}


def alike(slopes: Sequence[float], others: Sequence[float]) -> bool:
    return len(slopes) == len(others) and np.allclose(slopes, others, rtol=ALIKE, atol=1e-6)


def acts_on(product: Tensor | None) -> str:
    """Whether a rotation or a table acts on queries and keys, all of which are equal: [B, H, T, T]."""
    if product is None:
        return ""
    past = torch.ones(product.shape[-2:], dtype=torch.bool).tril()
    off = ((product - product[..., :1]) * past).abs().max()
    if off <= EXACT * product.abs().max():
        return ""
    step, where = product[..., 1:, 1:] - product[..., :-1, :-1], past[1:, 1:] & past[:-1, :-1]
    spread = step.masked_fill(~where, -torch.inf).amax(-1) - step.masked_fill(~where, torch.inf).amin(-1)
    return "absolute" if spread.max() > off / 20 else "rotated"  # a rotation adds the same to all pairs of a row


# The probes


def order(reader: Reader, causal: bool) -> Iterator[Finding]:
    """Whether another ending of a text changes what stands before it."""
    before = reader.tokens * 2 // 3
    changed = torch.cat((reader.text[:, :before], reader.other[:, before:]), dim=1)
    output, expected = (reader.read(ids)[0][:, :before] for ids in (changed, reader.text))
    difference = reader.difference(output, expected)
    if not difference:
        yield Finding("causal") if causal else Finding("later_hidden", weight="differs")
    else:
        yield Finding("not_causal", difference, "no_mask") if causal else Finding("unmasked")


def kernels(reader: Reader) -> Iterator[Finding]:
    """Whether the kernels that the model takes do what the plain ones do, into which the other probes look."""
    output = reader.read(reader.text)[0]
    with plain_kernels():
        expected = reader.read(reader.text)[0]
    if difference := reader.difference(output, expected):
        yield Finding("kernels_differ", difference, weight="differs")


def scores(reader: Reader, layers: list[Check], declared: Sequence[Declared]) -> Iterator[Finding]:
    """What acts on the scores, and the bias. Fills `layers`."""
    ids, rows = reader.repeated(REPEATED, reader.tokens), torch.arange(reader.tokens)
    half = reader.read(ids)[0][:, reader.tokens // 2 :]
    acting = [acts_on(layer.product) for layer in reader.layers(ids, reader.tokens, rows)]
    layers += judged(reader.biases(reader.tokens, rows), rows, declared)
    is_absolute = "absolute" in acting or bool(reader.difference(half, half[:, -1:].expand_as(half)))
    if is_absolute:
        yield Finding("absolute", weight="note" if layers else "open")
    if not layers:
        yield Finding("unseen", weight="open")
        return
    if len(declared) not in (1, len(layers)):
        yield Finding("other_layers", {"windows": len(declared), "layers": len(layers)}, weight="differs")
    if reader.is_changed:
        yield Finding("weights_change", weight="open")
    numbered = list(enumerate(layers, 1))
    if turned := [number for number, acts in enumerate(acting, 1) if acts == "rotated"]:
        yield Finding("rotated", {"layers": tuple(turned)})
    biased = [number for number, layer in numbered if any(layer.slopes)]
    if biased and (is_absolute or {*biased} & {*turned}):
        yield Finding("beside", {}, "beside_rope" if {*biased} & {*turned} else "", "differs")
    if curved := [number for number, layer in numbered if is_curved(layer)]:
        yield Finding("curved", {"layers": tuple(curved)}, weight="open")
    elif not biased:
        yield Finding("no_bias", weight="open")
    elif others := [number for number, layer in numbered if not is_same(layer, layers[0])]:
        yield Finding("layers_differ", {"layers": tuple(others)}, weight="open")
    else:
        yield Finding("linear", {"count": len(layers)})
    said_already = {"causal", "unmasked" if declared[0].causal else "", "no_bias", "unknown_matrix", "batch"}
    found = distinct(finding for layer in layers for finding in layer.findings)
    yield from (finding for finding in found if finding.kind not in said_already)


def content(reader: Reader) -> Iterator[Finding]:
    """What becomes of a product of queries and keys, and whether the groups of heads that share keys are in order."""
    rows, random = torch.arange(reader.tokens), torch.Generator().manual_seed(0)
    natural = reader.layers(reader.text, reader.tokens, rows)
    put = torch.randn(reader.tokens, reader.tokens, generator=random) * LARGE * max(width(layer) for layer in natural)
    none, some = (reader.layers(reader.text, reader.tokens, rows, content=x) for x in (torch.zeros(()), put))
    layers = zip(natural, none, some, strict=True)
    has_norms = any(map(normalises, reader.model.modules()))
    declared = getattr(getattr(reader.model, "config", None), SCALE, None)
    meant = declared * width(natural[0]) if isinstance(declared, float) else 1.0
    yield from distinct(finding for layer in layers for finding in of_content(*layer, put.double(), meant, has_norms))


def normalises(module: nn.Module) -> bool:
    """Whether a module is an attention with norms of its own, between its projections and q·k."""
    parts = [*module.children()]
    is_attention = sum(isinstance(part, nn.Linear) for part in parts) > 1
    return is_attention and any("norm" in type(part).__name__.lower() for part in parts)


def width(layer: Layer) -> float:
    return layer.pair[0].shape[-1] ** 0.5


def of_content(layer: Layer, none: Layer, some: Layer, put: Tensor, meant: float, has_norms: bool) -> Iterator[Finding]:
    """Of one layer, as it is, without a product and with the one that was put in. meant: the factor beside 1/√d that the
    config says. has_norms: what changes queries and keys behind their projections is a norm."""
    raised, seen = some.scores - none.scores, (none.scores > HIDDEN) & (some.scores > HIDDEN)
    if layer.product is None or not raised[seen].any():
        yield Finding("content_unseen", weight="open")
        return
    exact = EXACT * float(raised[seen].abs().max())
    factor, left = fitted(raised, put, seen)
    if left > exact:
        factor, cap, left = capped(raised, put, seen)
        yield Finding("content_unknown", weight="open") if left > exact else Finding("capped", {"cap": cap})
    share = factor * layer.written * width(layer)
    norms = [x.double().flatten(0, 1).square() for x in layer.pair]
    if math.isnan(share) and (has_norms or all(map(is_normalised, norms))):
        lengths = [float(x.sum(-1).mean()) ** 0.5 for x in norms]
        yield Finding("normalised", {"factor": factor * math.prod(lengths)})
    elif math.isnan(share):
        yield Finding("scale_unknown", weight="open")
    elif left <= exact and abs(share / meant - 1) > 1e-2:
        yield Finding("content_scaled", {"factor": share}, weight="differs")
    groups = [group_of(x) for x in (layer.pair[1], layer.values) if x is not None]
    if any((group.diff() < 0).any() or not torch.equal(group, groups[0]) for group in groups):
        yield Finding("group_order", weight="open")


def is_normalised(squares: Tensor) -> bool:
    """Whether all vectors, [any, d], have the same length, but for a weight of each of their numbers."""
    ones = torch.ones(len(squares), 1, dtype=squares.dtype)
    weights = torch.linalg.lstsq(squares.cpu(), ones, driver="gelsd").solution
    return len(squares) > 2 * squares.shape[1] and bool((squares.cpu() @ weights - 1).abs().max() <= 1e-3)


def group_of(heads: Tensor) -> Tensor:
    """The first head with the same keys or values [n, T, d] as each head."""
    last = heads[:, -1]
    return (last[:, None] == last).all(-1).int().argmax(-1)


def mixing(reader: Reader) -> Iterator[Finding]:
    """With the attention that was seen put out, by zeros and by noise, no token may change another one."""
    place, other = reader.tokens // 2, reader.text.clone()
    other[:, place] = reader.other[:, place] if reader.other[0, place] != reader.text[0, place] else reader.padding
    for is_noise in (False, True):
        output, expected = (reader.put_out(ids, is_noise=is_noise) for ids in (other, reader.text))
        output[:, place] = expected[:, place]
        if difference := reader.difference(output, expected):
            yield Finding("unseen_mixing", difference, weight="open")
            return


def padding(reader: Reader) -> Iterator[Finding]:
    """Whether padding on the left changes what the text gives. No position ids are given: the model counts by itself."""
    if not reader.mask:
        yield Finding("padding_untried")
        return
    ids = torch.cat((torch.full((1, PADDING), reader.padding), reader.text[:, PADDING:]), dim=1)
    output = reader.read(ids, torch.arange(reader.tokens)[None] >= PADDING)[0][:, PADDING:]
    expected = reader.read(reader.text[:, PADDING:])[0]
    difference = reader.difference(output, expected)
    yield Finding("padding_differs", difference, "left_padding") if difference else Finding("padding_same")


def cache(reader: Reader) -> Iterator[Finding]:
    """Whether a text gives the same at once and with a cache, one token at a time and several."""
    if not reader.cache or "use_cache" not in reader.names:
        yield Finding("cache_untried")
        return
    half, past, outputs = reader.tokens // 2, None, []
    for ids in reader.text.split([half, 1, 1, 1, reader.tokens - half - 3], dim=1):
        output, past = reader.read(ids, past=past, keep=True)
        outputs.append(output)
    difference = reader.difference(torch.cat(outputs, dim=1), reader.read(reader.text)[0])
    if not difference:
        yield Finding("cache_same")
        return
    ids = reader.repeated(1, half + 2)  # the last token may look at every key
    past = reader.read(ids[:, :half], keep=True)[1]
    step = reader.layers(ids[:, half:], half + 2, torch.tensor([1]), past)
    is_hidden = any(bool((layer.scores <= HIDDEN).any()) for layer in step)
    yield Finding("cache_differs", difference, "is_causal" if is_hidden else "cache_offset")


def rounding(reader: Reader, declared: Sequence[Declared]) -> Iterator[Finding]:
    """What the model's own type makes of the bias of a long text; called before `to_float32`."""
    types = {weight.dtype for weight in reader.model.parameters() if weight.is_floating_point()}
    if types & {torch.bfloat16, torch.float16}:
        tokens = min(LONG, reader.longest or LONG)
        yield from rounded(long_layers(reader, tokens, declared), tokens)


def long_layers(reader: Reader, tokens: int, declared: Sequence[Declared]) -> list[Check]:
    rows = torch.linspace(0, tokens - 1, ROWS).long()
    return judged(reader.biases(tokens, rows), rows, declared)


def rounded(layers: list[Check], tokens: int) -> Iterator[Finding]:
    """Whether the bias is rounded so that weights move to other keys: the most of any layer."""
    findings = (finding for layer in layers for finding in layer.findings)
    if shares := [float(str(found.numbers["share"])) for found in findings if found.kind == "rounded_weights"]:
        yield Finding("key_rounded", {"difference": max(shares), "tokens": tokens}, "key_bfloat16")


def longer(reader: Reader, layers: list[Check], declared: Sequence[Declared]) -> Iterator[Finding]:
    """Whether a longer text is read, with the same slopes and masks."""
    tokens = reader.long
    if not reader.read(reader.repeated(1, tokens))[0].isfinite().all():
        raise ValueError("its output is NaN or infinite")
    if not any(any(layer.slopes) for layer in layers) or any(map(is_curved, layers)):
        return
    found = long_layers(reader, tokens, declared)
    yield from rounded(found, tokens)
    stays = all(alike(layer.slopes, short.slopes) for layer, short in zip(found, layers, strict=True))
    numbers = {"tokens": tokens}
    yield Finding("long_same", numbers) if stays else Finding("long_differs", numbers, weight="open")
    short = {finding.kind for layer in layers for finding in layer.findings}
    more = distinct(finding for layer in found for finding in layer.findings)
    yield from (finding for finding in more if finding.kind not in short and finding.weight != "note")
