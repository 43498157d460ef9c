"""“Check yours”: which rule slopes or a bias matrix follow, and which known mistakes are in them.

Notable choices:
- Of slopes, rules are tried from the best known on; the first that fits counts. A list can fit several: for 8 heads the
  authors' code, the paper's sentence and 2^-h give the same numbers.
- No list says by which rule its model was trained. Slopes by the paper's sentence, where the authors' code has others, are
  named as a known mistake: right for a model that was trained so, wrong for what BLOOM, MPT and Baichuan published.
- The form of a bias is a matrix that does not depend on the head; the slope of a head is the factor that fits best. A form
  is taken if every head fits within rounding.
- A number of -10,000 or less is a mask: no bias of ours gets there at the lengths that are read.
- Under a causal mask a constant of a row changes nothing, so a matrix that is linear in the key is ALiBi, whatever its
  rows add.
- A bias without a mask, or with a finite number for one, is no mistake: what to be careful about is a note.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import torch

from alibi_viz.lessons import load
from alibi_viz.lessons.numbers import format_slope
from alibi_viz.positions.alibi import slopes

MOST_HEADS = 256
EXACT = 1e-5  # of the size of the numbers: what float32 may make of a rule
CLOSE = 6e-3  # what 16-bit formats, or a list printed with three digits, may make of it
FORMATS = {"bfloat16": torch.bfloat16, "float16": torch.float16}
MASK = -1e4
TOP, LARGEST_TOP = 8.0, 64.0  # the largest exponent of the paper, and of any rule that is tried
WIDEST_HEAD = 1024
LISTED = 16  # slopes in a sentence
PITFALL = {"sentence": "slopes_power", "blog": "slopes_blog"}  # of a rule


@dataclass(frozen=True)
class Finding:
    """kind: its sentence in the lesson, which has these numbers; pitfall: its name in PITFALLS, "" if it is none."""

    kind: str
    numbers: Mapping[str, object] = field(default_factory=dict)
    pitfall: str = ""


@dataclass(frozen=True, repr=False)
class Check:
    """What is in slopes or a bias. status: "clean", "pitfall" (a known mistake) or "unknown" (no known rule)."""

    findings: tuple[Finding, ...]
    slopes: tuple[float, ...] = ()  # in effect, one a head
    difference: float = 0.0  # the largest from the rule
    known: bool = True  # whether a rule fits

    @property
    def pitfalls(self) -> tuple[str, ...]:
        """Names of lessons: /pitfalls?pitfall=NAME."""
        return tuple(dict.fromkeys(finding.pitfall for finding in self.findings if finding.pitfall))

    @property
    def status(self) -> Literal["unknown", "pitfall", "clean"]:
        return "unknown" if not self.known else "pitfall" if self.pitfalls else "clean"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the lesson says of it: a sentence for each finding, the largest difference, the slopes."""
        text, lines = load("pitfalls"), []
        for finding in self.findings:
            lines.append(text.entry("found", finding.kind, finding.numbers))
        if self.slopes and self.known:
            lines.append(text.text("found_difference", {"difference": self.difference}))
        if self.slopes:
            listed = ", ".join(map(format_slope, self.slopes[:LISTED])) + (", …" if len(self.slopes) > LISTED else "")
            lines.append(text.text("found_slopes", {"slopes": listed}))
        return tuple(lines)

    def to_dict(self) -> dict[str, object]:
        """All that is said of it, for JSON."""
        names = ("status", "sentences", "pitfalls", "slopes", "difference")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return "\n".join((load("pitfalls").text(f"verdict_{self.status}"), *(f"- {line}" for line in self.sentences)))


def identify(values: np.ndarray | Sequence[float]) -> Check:
    """The verdict on slopes [H], or on a bias [Tq, Tk], [H, Tq, Tk] or [B, H, Tq, Tk], or [H, Tk] of one row a head.

    Raises ValueError with a sentence for what cannot be judged.
    """
    array = np.asarray(values)
    return identify_slopes(array) if array.ndim == 1 else identify_bias(array)


def stored_as(values: np.ndarray) -> str:
    """The 16-bit format that holds every one of these numbers exactly, or ""."""
    numbers = torch.as_tensor(np.ascontiguousarray(values, dtype=np.float32))
    numbers = numbers[numbers.isfinite()]
    fits = (name for name, dtype in FORMATS.items() if torch.equal(numbers.to(dtype).float(), numbers))
    return next(fits, "")


# Slopes


def identify_slopes(values: np.ndarray | Sequence[float]) -> Check:
    """The rule behind slopes, in head order."""
    given = np.asarray(values, dtype=np.float64)
    if not 0 < len(given) <= MOST_HEADS:
        raise ValueError(f"A list of slopes has 1 to {MOST_HEADS} numbers, one a head; this one has {len(given)}.")
    if not np.isfinite(given).all():
        raise ValueError("Every slope must be a finite number.")
    if not given.any():
        return Check((Finding("zero"),), tuple(given.tolist()))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        candidates = list(_candidates(given))
        # The largest difference of a head, as a share of its slope.
        errors = [(abs(given - expected) / abs(expected)).max() for _, expected in candidates]
    errors = [error if math.isfinite(error) else math.inf for error in errors]
    for tolerance in (EXACT, CLOSE):
        for (findings, expected), error in zip(candidates, errors, strict=True):
            if error <= tolerance:
                if tolerance == CLOSE:
                    findings.append(Finding("rounded", {"format": stored_as(given) or "text"}))
                return Check(tuple(findings), tuple(given.tolist()), float(abs(given - expected).max()))
    nearest = candidates[int(np.argmin(errors))][1]
    difference = abs(given - nearest)
    head = int(difference.argmax())
    numbers = {"head": head + 1, "given": given[head], "expected": nearest[head]}
    return Check((Finding("unknown", numbers),), tuple(given.tolist()), float(difference[head]), known=False)


def _candidates(given: np.ndarray) -> Iterator[tuple[list[Finding], np.ndarray]]:
    """What a list may be: the findings, and the slopes that it then has, float64 [H], with the sign of the list.

    The rules without a change, then sorted, then multiplied by a number.
    """
    heads, sign, sizes = len(given), -1 if np.median(given) < 0 else 1, abs(given)
    rules: list[tuple[str, float]] = [("code", TOP), ("sentence", TOP), ("blog", TOP)]
    for rule, power in (("code", 2 ** (heads.bit_length() - 1)), ("sentence", heads)):
        # The same rule with another largest exponent, which the first slope gives away.
        top = round(-math.log2(sizes[0]) * power, 2) if sizes[0] > 0 else 0.0
        if 0 < top <= LARGEST_TOP:
            rules.append((rule, top))
    bases = []
    for rule, top in rules:
        base = np.array(slopes(heads, rule, top))
        is_code = rule == "sentence" and np.allclose(base, slopes(heads, "code", top))
        bases.append((Finding(rule, {"heads": heads, "top": top}, "" if is_code else PITFALL.get(rule, "")), base))
    flipped = [Finding("flipped", {}, "sign")] if sign < 0 else []
    for finding, base in bases:
        yield [finding, *flipped], sign * base
    for finding, base in bases:
        for in_order in (np.sort(base)[::-1], np.sort(base)):
            yield [finding, Finding("sorted", {}, "slopes_sorted"), *flipped], sign * in_order
    for finding, base in bases[:3]:
        scale = float(np.median(sizes / base))
        if 0 < scale < math.inf:
            yield [finding, *flipped, _of_scale(scale, heads)], sign * scale * base


def _of_scale(scale: float, heads: int) -> Finding:
    """What slopes that are multiplied by a number tell of it."""
    width = round(scale**-2) if scale >= WIDEST_HEAD**-0.5 / 2 else 0
    if 2 <= width <= WIDEST_HEAD and math.isclose(width**-0.5, scale, rel_tol=CLOSE / 4):
        return Finding("scaled_sqrt", {"width": width}, "sqrt_d")
    if math.isclose(scale, 2 ** (TOP / heads), rel_tol=CLOSE / 4):
        return Finding("off_by_one", {}, "slopes_blog")
    return Finding("scaled", {"factor": scale})


# A bias


def identify_bias(matrix: np.ndarray) -> Check:
    """Its form, its mask, its slopes and its number format, with the mistakes that these can have."""
    if np.isnan(matrix).any() or np.isposinf(matrix).any():
        raise ValueError("The matrix holds NaN or +infinity: there is no bias to recognise.")
    if matrix.ndim == 4:
        if (matrix == matrix[:1]).all():
            return identify_bias(matrix[0])
        verdicts = [identify_bias(text) for text in matrix]
        worst = max(verdicts, key=lambda verdict: (not verdict.known, verdict.difference))
        by_kind = {finding.kind: finding for verdict in verdicts for finding in verdict.findings}
        return replace(worst, findings=(Finding("batch", {"texts": len(matrix)}), *by_kind.values()))
    if matrix.ndim == 3:
        return _either_way(matrix)
    verdict = _either_way(matrix[None])
    if verdict.known or len(matrix) == 1:
        return verdict
    as_rows = _as_it_stands(matrix[:, None])
    return as_rows if as_rows.known else verdict


def _either_way(matrix: np.ndarray) -> Check:
    """The verdict; of the transposed matrix if only that is ALiBi: its mask shows the future, or its rows are constant."""
    hidden, is_square = np.any(matrix <= MASK, axis=0), matrix.shape[-1] == matrix.shape[-2] > 1
    same_keys = not hidden.any() and bool((matrix == matrix[..., :1]).all() and matrix.any())
    if is_square and (np.array_equal(hidden, np.tril(np.ones(hidden.shape, bool), -1)) or same_keys):
        turned = _as_it_stands(matrix.swapaxes(-1, -2))
        if turned.known:
            finding = Finding("transposed", {}, "cache_offset" if same_keys else "no_mask")
            return replace(turned, findings=(finding, *turned.findings))
    return _as_it_stands(matrix)


def _as_it_stands(matrix: np.ndarray) -> Check:
    """matrix [H, Tq, Tk]."""
    hidden: np.ndarray = np.any(matrix <= MASK, axis=0)
    of_mask = _mask(matrix, hidden)
    values = np.where(hidden, 0.0, matrix.astype(np.float64))
    dtype, size = stored_as(matrix[:, ~hidden]), max(1e-12, float(abs(values).max()))
    for name, form in _forms(*matrix.shape[1:]).items():
        fit, difference = _fit(values, form, hidden, free_rows=name == "rows")
        is_exact = difference <= EXACT * size
        if fit is not None and (is_exact or (dtype and difference <= CLOSE * size)):
            of_form = _form(name, hidden, "" if is_exact else dtype)
            return _with_slopes((*of_form, *of_mask), fit, difference)
    if not values.any() or not (values - values[..., :1])[:, ~hidden].any():
        has_distances = (~hidden).sum(-1).max() > 1  # a text of one token, padded, has none
        return Check((*([Finding("constant", {}, "cache_offset")] if has_distances else []), *of_mask))
    return Check((Finding("unknown_matrix"), *of_mask), known=False)


def _forms(queries: int, keys: int) -> dict[str, np.ndarray]:
    """The bias of slope 1 in each form, the last query being the last key: float64 [Tq, Tk]."""
    row, key, offset = np.arange(queries)[:, None], np.arange(keys)[None], keys - queries
    forms = {"distance": key - (row + offset), "symmetric": -abs(row + offset - key)}
    if offset:
        forms |= {"offset": key - row, "offset_symmetric": -abs(row - key)}
    forms |= {"key_only": key + 0 * row, "key_last": key - (keys - 1) + 0 * row, "rows": key + 0 * row}
    return {name: form.astype(np.float64) for name, form in forms.items()}


def _fit(
    values: np.ndarray, form: np.ndarray, hidden: np.ndarray, *, free_rows: bool
) -> tuple[np.ndarray | None, float]:
    """The slope of every head, and the largest difference. free_rows: each row may add a constant of its own."""
    seen = ~hidden
    if free_rows:
        count = np.maximum(seen.sum(-1, keepdims=True), 1)
        form = form - (form * seen).sum(-1, keepdims=True) / count
        values = values - (values * seen).sum(-1, keepdims=True) / count
    form = np.where(seen, form, 0.0)
    norm = float((form**2).sum())
    if not norm:
        return None, 0.0
    fit = (values * form).sum((-2, -1)) / norm
    difference = abs(np.where(seen, values - fit[:, None, None] * form, 0.0)).max()
    return (fit, float(difference)) if fit.any() else (None, 0.0)


def _mask(matrix: np.ndarray, hidden: np.ndarray) -> list[Finding]:
    """What is said of the mask."""
    row, key = np.arange(hidden.shape[0])[:, None], np.arange(hidden.shape[1])[None]
    later = key > row + hidden.shape[1] - hidden.shape[0]
    if not hidden.any():
        findings = [Finding("unmasked")] if later.any() else []
    elif np.array_equal(hidden, later):
        findings = [Finding("causal")]
    elif np.array_equal(hidden, key > row):
        findings = [Finding("mask_first", {}, "is_causal")]
    else:
        findings = [Finding("other_mask", {"share": float(hidden.mean())})]
    gone = np.isneginf(matrix).any(0).all(-1)  # no key is left: NaN; a finite number leaves the softmax finite
    if gone.any():
        findings.append(Finding("empty_rows", {"rows": int(gone.sum())}, "masked_rows"))
    finite = matrix[(matrix <= MASK) & np.isfinite(matrix)]
    if finite.size:
        findings.append(Finding("large_number", {"number": float(finite.min())}))
    return findings


def _form(name: str, hidden: np.ndarray, dtype: str) -> list[Finding]:
    """What is said of the form, and of its rounding."""
    queries, keys = hidden.shape
    sees_later = bool((~hidden & (np.arange(keys)[None] > np.arange(queries)[:, None] + keys - queries)).any())
    is_key_row = name in (
        "key_only",
        "key_last",
        "rows",
    )  # as BLOOM and MPT build it; their mask is a tensor of its own
    if is_key_row or name == "offset":
        findings = [Finding("row_constant")]
    else:
        findings = [Finding(name, {}, "cache_offset" if name == "offset_symmetric" else "")]
    if sees_later and name != "offset_symmetric":
        findings.append(Finding("needs_mask"))
    if dtype:
        findings.append(Finding("rounded", {"format": dtype}, "key_bfloat16" if is_key_row else ""))
    return findings


def _with_slopes(findings: tuple[Finding, ...], fit: np.ndarray, difference: float) -> Check:
    """The findings of the slopes, after those of the form. One head follows no rule: its slope is told."""
    if len(fit) == 1:
        alone = [Finding("flipped", {}, "sign")] if fit[0] < 0 else []
        return Check((*findings, *alone), tuple(fit.tolist()), difference)
    of_slopes = identify_slopes(fit)
    return replace(
        of_slopes, findings=(*findings, *of_slopes.findings), difference=max(difference, of_slopes.difference)
    )
