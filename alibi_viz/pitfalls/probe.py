"""`check_model`: what a model does with position, from what it computes on short texts, whatever its code or config says.

Notable choices:
- The text is one token, repeated. Then, in every layer, all queries are equal, and so are all keys and values: what differs
  among the scores of a row comes of positions. A bias is the same for every token; a rotation is a function of the
  distance, another one for another token; a table is no function of the distance, and the outputs differ too.
- What cannot be seen (`running` says why) is said, and is never clean.
- Beside a rotation or a table the bias is what the product leaves: score = factor x product - slope x distance + a constant
  of the row.
- In the model's own type only rounding is looked for; the rest in float32.
- Shapes: B texts, H heads, R rows (queries), T keys.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor, nn

from alibi_viz.lessons import load
from alibi_viz.lessons.numbers import format_slope
from alibi_viz.pitfalls.identify import LISTED, MASK, Check, Finding, identify_slopes
from alibi_viz.pitfalls.running import CACHES, LONG, MASKS, Reader, as_it_was, plain_kernels, said, to_float32

REPEATED, PADDING = 3, 5  # tokens that are repeated, one a text; tokens of padding
ROWS = 8  # of a long text that are looked at
HIDDEN = MASK / 2  # a score below it is of a hidden key; −10,000 may stand beside a large product
EXACT = 1e-4  # of the largest score, or product
ALIKE = 1e-2  # of a slope, in two layers or two texts
MOVED = 0.02  # of a row's weight: from here on a rounded bias is a mistake
#: Findings that are mistakes without a lesson, and those that leave open what the model does.
MISTAKES = frozenset({"beside", "later_hidden", "kernels_differ"})
OPEN = frozenset("not_run unseen no_bias no_rule curved layers_differ later_differ".split())
OPEN |= frozenset("padding_fails cache_fails long_fails long_differs some_without first_of".split())


@dataclass(frozen=True, repr=False)
class ModelCheck(Check):
    """What a model does with position. A mistake counts more than what is left open."""

    @property
    def status(self) -> Literal["unknown", "pitfall", "clean"]:
        if self.pitfalls or MISTAKES & {*self.kinds}:
            return "pitfall"
        return "clean" if self.known else "unknown"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The name of each finding, in order."""
        return tuple(finding.kind for finding in self.findings)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One for each finding, and the slopes of the first layer."""
        text = load("pitfalls")
        of_model, lines = text.entries("found_model"), []
        for finding in self.findings:
            section = "found_model" if finding.kind in of_model else "found"
            lines.append(text.entry(section, finding.kind, finding.numbers))
        if self.slopes:
            listed = ", ".join(map(printed, self.slopes[:LISTED])) + (", …" if len(self.slopes) > LISTED else "")
            lines.append(text.text("found_slopes", {"slopes": listed}))
        return tuple(lines)

    @property
    def verdict(self) -> str:
        return load("pitfalls").entry("model_verdict", self.status)

    def to_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("status", "sentences", "kinds", "pitfalls", "slopes")}

    def __repr__(self) -> str:
        return "\n".join((self.verdict, *(f"- {line}" for line in self.sentences)))


def check_model(model: nn.Module, *, causal: bool = True) -> ModelCheck:
    """Run a model on short texts: what its scores and outputs tell of its positions. causal: False for an encoder.

    It takes token ids int64 [B, T] and gives numbers for each token, [B, T, any]. Raises ValueError for what is no module.
    """
    if not isinstance(model, nn.Module):
        raise ValueError("A model is a torch.nn.Module that takes token ids.")
    model = getattr(model, "_orig_mod", model)  # of torch.compile: the module itself
    layers: list[Layer] = []
    with torch.no_grad(), as_it_was(model):
        try:
            reader = Reader(model)
            findings = list(rounding(reader))
            to_float32(model)
            reader.set_tolerance()
        except Exception as error:  # of any kind: the code is somebody's own
            return ModelCheck((Finding("not_run", {"error": said(error)}),), known=False)
        findings = [*order(reader, causal), *findings, *until("unseen", kernels(reader))]
        findings += until("unseen", scores(reader, layers, causal))
        findings += until("padding_fails", padding(reader))
        if findings[0].kind == "causal":  # a cache is for decoders
            findings += until("cache_fails", cache(reader))
        findings += until("long_fails", longer(reader, layers), tokens=reader.long)
    slopes = tuple(layers[0].slopes.tolist()) if has_slopes(layers) else ()
    return ModelCheck(tuple(findings), slopes, known=not OPEN & {finding.kind for finding in findings})


def until(failure: str, findings: Iterator[Finding], **numbers: object) -> list[Finding]:
    """All findings; where the model fails on the way, those until then and `failure`."""
    found = []
    try:
        for finding in findings:
            found.append(finding)
    except Exception as error:
        found.append(Finding(failure, {"error": said(error), **numbers}))
    return found


# What scores tell


@dataclass(frozen=True)
class Layer:
    """What the scores of one layer are, for a text of one token."""

    slopes: Tensor  # [H]: a score falls by so much a token of distance
    later: Tensor | None  # [H]: the same for keys after the query; None if these are hidden
    is_biased: bool
    is_rotated: bool
    is_absolute: bool  # depends on where a token stands
    is_curved: bool  # falls otherwise than linearly
    moved: float  # the most by which rounding of the bias changes a weight


def understood(scores: Tensor, product: Tensor, rows: Tensor, precision: float = EXACT) -> Layer:
    """float64 [B, H, R, T] each, int64 [R]; what acts on the product is told only if all rows are there.

    precision: what the numbers may be off, as a share of the largest.
    """
    distance = rows[:, None] - torch.arange(scores.shape[-1])
    visible = (scores > HIDDEN).flatten(0, 1).all(0)
    past, later = visible & (distance >= 0), visible & (distance < 0)
    exact = precision * float(scores[..., past].abs().max())
    bent, is_rotated, is_absolute = fit(product, past)[1], False, False
    if bent.abs().max() > precision * product[..., past].abs().max():
        scores = scores - product * (fit(scores, past)[1] * bent).sum() / bent.square().sum()
        step, where = product[..., 1:, 1:] - product[..., :-1, :-1], past[1:, 1:] & past[:-1, :-1]
        spread = step.masked_fill(~where, -torch.inf).amax(-1) - step.masked_fill(~where, torch.inf).amin(-1)
        # From one token to the next a rotation and a bias add the same to all pairs of a row.
        is_absolute = bool(spread.max() > bent.abs().max() / 20)
        is_rotated = not is_absolute
    slopes, left = fit(scores, past)
    mean, length = slopes.mean(0), scores.shape[-1]
    off = left.abs().amax((0, 2, 3)) + (slopes - mean).abs().amax(0) * length  # [H]
    jumps = (left.diff(n=2).abs() * (past[:, 2:] & past[:, :-2])).max()  # rounding has steps, a curve is smooth
    is_rounded = bool((off <= exact + mean.abs() * length * 2**-8).all() and jumps > off.max() / 4)  # bfloat16: 8 bits
    is_line = is_rounded or bool((off <= exact).all())
    low = scores.masked_fill(~past, -1e9)
    moved = float((low.softmax(-1) - (low - left).softmax(-1)).abs().max()) if is_line else 0.0
    after = -fit(scores, later)[0].mean(0) if later.sum(-1).max() > 1 else None
    is_biased = bool(mean.abs().max() * length > exact)
    mean = mean.masked_fill(mean.abs() * length < exact / 100, 0)  # heads without a bias
    return Layer(mean, after, is_biased, is_rotated, is_absolute, not is_line, moved)


def fit(x: Tensor, where: Tensor) -> tuple[Tensor, Tensor]:
    """A line in the keys, for each row up to a constant: its slope [B, H], and what it leaves, [B, H, R, T]."""

    def centred(x: Tensor) -> Tensor:
        x = x.masked_fill(~where, 0)
        return (x - x.sum(-1, keepdim=True) / where.sum(-1, keepdim=True).clamp(min=1)).masked_fill(~where, 0)

    line, x = centred(torch.arange(where.shape[-1]).double().expand(where.shape)), centred(x)
    slope = (x * line).sum((-2, -1)) / line.square().sum().clamp(min=1)
    return slope, x - slope[..., None, None] * line


def has_slopes(layers: Sequence[Layer]) -> bool:
    """Whether every score falls linearly, somewhere at all."""
    return any(layer.is_biased for layer in layers) and not any(layer.is_curved for layer in layers)


def alike(slopes: Tensor, others: Tensor) -> bool:
    return slopes.shape == others.shape and torch.allclose(
        slopes, others, rtol=ALIKE, atol=ALIKE**2 * float(slopes.abs().max())
    )


# The probes


def order(reader: Reader, causal: bool) -> Iterator[Finding]:
    """Whether another ending of a text changes what stands before it."""
    before = reader.tokens * 2 // 3
    changed = torch.cat((reader.text[:, :before], reader.other[:, before:]), dim=1)
    output, expected = (reader.read(ids)[0][:, :before] for ids in (changed, reader.text))
    if reader.same(output, expected):
        yield Finding("causal" if causal else "later_hidden")
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
        yield Finding("kernels_differ", {"difference": float((output - expected).abs().max())})


def scores(reader: Reader, layers: list[Layer], causal: bool) -> Iterator[Finding]:
    """What acts on the scores, and the slopes. Fills `layers`."""
    ids = reader.repeated(REPEATED, reader.tokens)
    half, rows = reader.read(ids)[0][:, reader.tokens // 2 :], torch.arange(reader.tokens)
    is_absolute = not reader.same(half, half[:, -1:].expand_as(half))
    if is_absolute:
        yield Finding("absolute")
    layers += [understood(*layer, rows) for layer in reader.layers(ids, reader.tokens, rows)]
    if not is_absolute and any(layer.is_absolute for layer in layers):
        is_absolute = True
        yield Finding("absolute")
    if not layers:
        yield Finding("unseen")
        return
    first, numbered = layers[0], list(enumerate(layers, 1))
    if turned := [number for number, layer in numbered if layer.is_rotated]:
        yield Finding("rotated", {"layers": listed(turned)})
    biased = [layer for layer in layers if layer.is_biased]
    if any(is_absolute or layer.is_rotated for layer in biased):
        yield Finding("beside", {}, "beside_rope" if any(layer.is_rotated for layer in biased) else "")
    if curved := [number for number, layer in numbered if layer.is_curved]:
        yield Finding("curved", {"layers": listed(curved)})
    elif not any(layer.is_biased for layer in layers):
        yield Finding("no_bias")
    else:
        others = [number for number, layer in numbered if not alike(layer.slopes, first.slopes)]
        yield (
            Finding("layers_differ", {"layers": listed(others)})
            if others
            else Finding("linear", {"count": len(layers)})
        )
        rule = identify_slopes(first.slopes.tolist())
        for finding in rule.findings:
            if finding.kind == "shard":  # right on a device, but this is a whole model
                yield replace(finding, pitfall="slopes_shards")
            elif finding.kind != "rounded":  # a slope is measured, not read
                yield finding
        if not rule.known:
            yield Finding("no_rule")
        if first.later is not None:
            is_rewarded = bool((first.later * first.slopes).sum() < 0)
            kind = "later_rewarded" if is_rewarded else "later_differ"
            pitfall = "sign" if is_rewarded and not causal else ""  # of a decoder they should be hidden anyway
            yield Finding("symmetric") if alike(first.later, first.slopes) else Finding(kind, {}, pitfall)


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


def rounding(reader: Reader) -> Iterator[Finding]:
    """What the model's own type makes of the bias of a long text; called before `to_float32`."""
    types = {weight.dtype for weight in reader.model.parameters() if weight.is_floating_point()}
    if types & {torch.bfloat16, torch.float16}:
        tokens = min(LONG, reader.longest or LONG)
        rows = torch.linspace(0, tokens - 1, ROWS).long()
        layers = reader.layers(reader.repeated(1, tokens), tokens, rows)
        moved = max((understood(*layer, rows, precision=2**-8).moved for layer in layers), default=0)
        if moved > MOVED:
            yield Finding("key_rounded", {"difference": moved, "tokens": tokens}, "key_bfloat16")


def longer(reader: Reader, layers: list[Layer]) -> Iterator[Finding]:
    """Whether a longer text is read, with the same slopes."""
    tokens, rows = reader.long, torch.linspace(0, reader.long - 1, ROWS).long()
    ids = reader.repeated(1, tokens)
    if not reader.read(ids)[0].isfinite().all():
        raise ValueError("its output is NaN or infinite")
    if not has_slopes(layers):
        return
    found = [understood(*layer, rows) for layer in reader.layers(ids, tokens, rows)]
    moved = max(layer.moved for layer in found)
    if moved > MOVED:
        yield Finding("key_rounded", {"difference": moved, "tokens": tokens}, "key_bfloat16")
    pairs = zip(found, layers, strict=True)
    is_same = all(alike(layer.slopes, short.slopes) for layer, short in pairs) or moved > MOVED
    yield Finding("long_same" if is_same else "long_differs", {"tokens": tokens})


def printed(slope: float) -> str:
    """A slope as it was measured: a unit fraction where it is one within float32's rounding."""
    inverse = round(1 / slope) if slope > 1e-6 else 0
    return format_slope(1 / inverse if inverse and abs(slope * inverse - 1) < EXACT else slope)


def listed(layers: Sequence[int]) -> str:
    """1, 2, 3 … of layers."""
    return ", ".join(map(str, layers[:8])) + (" …" if len(layers) > 8 else "")
