"""The judgement on a bias, whether it was given as numbers or measured in an attention or a model: its form, its mask, its
slopes and its number format.

Notable choices:
- The form is a matrix that does not depend on the head; the slope of a head is the factor that fits best. Under a causal
  mask a constant of a row changes nothing, so a matrix that is linear in the key is ALiBi, whatever its rows add.
- A mask is a band of distances (causal, a window), or it was declared; any other one is open.
- Rounding is judged by what it does: it is a mistake where it moves more than MOVED of a head's weight to other keys. Of
  one row nobody can tell the form, but that can be seen.
- A number of MASK or less is a mask, also with a bias added to it: no bias gets there at the lengths that are read.
- A bias without a mask, or with a finite number for one, is no mistake if nothing was declared: what to be careful about is
  a note.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alibi_viz.lessons.problems import Problem
from alibi_viz.pitfalls.identify import CLOSE, EXACT, MOST_HEADS, UNDECLARED, identify_slopes, stored_as
from alibi_viz.pitfalls.verdict import Check, Declared, Finding, Weight, distinct

MOVED = 0.01  # share of a head's weight on other keys than without rounding
MASK = -5e3
LONGEST = 4096  # tokens at the end of a text that are read
MOST_CELLS = 2_500_000  # that are read


def identify(values: np.ndarray | Sequence[float], declared: Declared = UNDECLARED) -> Check:
    """The verdict on slopes: [H], or as models keep them, [H, 1, 1] or [B, H]; or on a bias: [Tq, Tk], [H, Tq, Tk] or
    [B, H, Tq, Tk], [H, Tk] of one row a head, or [B·H, 1, Tk].

    Raises ValueError with a sentence for what cannot be judged.
    """
    array = np.asarray(values)
    if array.dtype == bool:
        raise Problem("matrices.bools")
    if array.ndim == 1:
        return identify_slopes(array, declared)
    if not 1 < array.ndim <= 5 or 0 in array.shape:
        raise Problem("matrices.shape")
    kept = [size for size in array.shape if size > 1]
    if array.ndim > 2 and array.shape[-2:] == (1, 1) and len(kept) <= 1:
        return identify_slopes(array.ravel(), declared)
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim > 4:
        raise Problem("matrices.shape")
    if array.ndim == 2 and (array == array[:1]).all() and len(array[0]) <= MOST_HEADS:
        of_slopes = identify_slopes(array[0], declared)  # one list for every text
        if of_slopes.status == "clean":
            return of_slopes
    if array.shape[-1] < 2:
        raise Problem("matrices.one_key")
    return identify_bias(array, declared)


@dataclass(frozen=True)
class Grid:
    """Which queries and keys the cells of a matrix are, by number; the last query is the last key."""

    rows: np.ndarray  # int64 [R]
    cols: np.ndarray  # int64 [C]
    offset: int  # number of the key that is the first query

    @property
    def distance(self) -> np.ndarray:
        """Above 0 for keys before the query: int64 [R, C]."""
        return self.rows[:, None] + self.offset - self.cols

    @property
    def from_zero(self) -> np.ndarray:
        """The same if queries were counted from 0 too."""
        return self.rows[:, None] - self.cols

    def cells(self, mask: np.ndarray, text: int) -> np.ndarray:
        """Of a declared mask [Tq, Tk] or [B, Tq, Tk] those of the grid. Raises ValueError if it is of another size."""
        size = (int(self.rows[-1]) + 1, int(self.cols[-1]) + 1)
        if mask.shape[-2:] != size or (mask.ndim == 3 and text >= len(mask)):
            raise ValueError(
                f"The declared mask is {[*mask.shape]}; the bias has {size[0]} queries and {size[1]} keys."
            )
        return (mask if mask.ndim == 2 else mask[text])[self.rows[:, None], self.cols]


def identify_bias(matrix: np.ndarray, declared: Declared = UNDECLARED) -> Check:
    """Its form, its mask, its slopes and its number format, with the mistakes that these can have."""
    if declared.heads and matrix.ndim == 3 and 0 < declared.heads < len(matrix) and len(matrix) % declared.heads == 0:
        matrix = matrix.reshape(-1, declared.heads, *matrix.shape[1:])  # rows of several texts, one after the other
    matrix, grid, sampled = _sampled(matrix)
    if np.isnan(matrix).any() or np.isposinf(matrix).any():
        raise Problem("matrices.no_bias")
    texts = matrix[(None,) * (4 - matrix.ndim)]  # [B, H, R, C]
    found = of_texts([_either_way(text, grid, declared, number) for number, text in enumerate(texts)])
    if matrix.ndim == 2 and found.status == "unknown" and len(matrix) > 1:
        as_rows = judge(matrix[:, None], Grid(grid.cols[-1:], grid.cols, 0), declared)
        found = as_rows if as_rows.slopes else found
    return replace(found, findings=(*found.findings, *sampled))


def of_texts(found: list[Check]) -> Check:
    """The verdict on a batch: what is found in any text."""
    if all(other.findings == found[0].findings for other in found):
        return found[0]
    worst = max(found, key=lambda check: (("clean", "unknown", "pitfall").index(check.status), check.difference or 0.0))
    findings = dict.fromkeys(finding.kind for check in (worst, *found) for finding in check.findings)
    by_kind = {finding.kind: finding for check in (*found, worst) for finding in check.findings}
    batch = Finding("batch", {"texts": len(found)})
    return replace(worst, findings=(batch, *(by_kind[kind] for kind in findings)))


def _sampled(matrix: np.ndarray) -> tuple[np.ndarray, Grid, list[Finding]]:
    """The end of a long text, of a large matrix some rows with all their keys: float64, with the numbers of its cells."""
    queries, keys = matrix.shape[-2:]
    leading = math.prod(matrix.shape[:-2])
    cols = np.arange(max(keys - min(LONGEST, MOST_CELLS // (2 * leading)), 0), keys)
    most = max(MOST_CELLS // (leading * len(cols)), 2)
    rows = np.unique(np.linspace(max(queries - LONGEST, 0), queries - 1, min(most, queries)).astype(int))
    is_whole = len(rows) == queries and len(cols) == keys
    note = [] if is_whole else [Finding("sampled", {"rows": len(rows), "queries": queries, "keys": keys})]
    part = matrix if is_whole else matrix[..., rows[:, None], cols]
    return part.astype(np.float64), Grid(rows, cols, keys - queries), note


def _either_way(matrix: np.ndarray, grid: Grid, declared: Declared, text: int = 0) -> Check:
    """The verdict; of the transposed matrix if only that is ALiBi: its mask shows the future, or its rows are constant."""
    hidden, is_square = np.any(matrix <= MASK, axis=0), grid.offset == 0 and np.array_equal(grid.rows, grid.cols)
    same_keys = not hidden.any() and bool((matrix == matrix[..., :1]).all() and matrix.any())
    if is_square and len(grid.rows) > 1 and (np.array_equal(hidden, grid.distance > 0) or same_keys):
        turned = judge(matrix.swapaxes(-1, -2), grid, declared, text=text)
        if turned.slopes:
            finding = Finding("transposed", {}, "cache_offset" if same_keys else "no_mask")
            return replace(turned, findings=(finding, *turned.findings))
    return judge(matrix, grid, declared, text=text)


@dataclass(frozen=True)
class Precision:
    """How far measured numbers may be off: each row up to a constant, and where `lost` they were not to be measured."""

    share: float = EXACT  # of the largest number of a head
    least: float = 0.0
    slopes: float = 0.0  # of a slope
    lost: np.ndarray | None = None  # bool [H, R, C]


def judge(
    matrix: np.ndarray, grid: Grid, declared: Declared, precision: Precision | None = None, text: int = 0
) -> Check:
    """matrix [H, R, C] of one text. precision: of numbers that were measured; None if they were given."""
    later = grid.distance < 0
    # A lower triangle that was cut out with zeros: the keys after a query are no part of the bias.
    is_zero_filled = bool(later.any() and not matrix[:, later].any() and matrix[:, ~later].any())
    hidden = matrix <= MASK
    known = np.ones_like(hidden) if precision is None or precision.lost is None else ~precision.lost
    of_mask = _masks(hidden, known, grid, declared, text)
    of_mask += _numbers(matrix, hidden) if precision is None else []
    if is_zero_filled:
        hidden = hidden | later
        of_mask = [Finding("zero_filled", {}, "no_mask" if declared.causal else "")]
    unseen = hidden | ~known
    values = np.where(unseen, 0.0, matrix)
    is_row = precision is None and values.shape[1] == 1
    if is_row and len(values) > 1 and (stays := _padding(values)).any():
        unseen, of_mask = unseen | stays, [Finding("padded", {"tokens": int(stays.sum(-1).max())}), *of_mask]
    dtype = stored_as(matrix[~unseen]) if precision is None and not unseen.all() else ""
    sizes = np.maximum(abs(values).max((1, 2)), precision.least if precision else 1e-12)
    exact = (precision.share if precision else EXACT) * sizes
    forms = _forms(grid)
    fits = {name: fitted_heads(values, form, ~unseen) for name, form in forms.items()}
    close = np.maximum(exact, CLOSE * sizes) if dtype else exact
    name = max(fits, key=lambda name: int((fits[name][1] <= close).sum()))
    (fit, off), form = fits[name], forms[name]
    fit = np.where(abs(fit) * len(grid.cols) <= exact / 10, 0.0, fit)  # some heads may have no bias
    if precision is None and not fit.any() and (off <= close).all():
        has_distances = (~unseen).sum(-1).max() > 1  # a text of one token, padded, has none
        return Check((*([Finding("constant", {}, "cache_offset")] if has_distances else []), *of_mask))
    if not (off <= close).all():
        others = [int(head) + 1 for head in np.flatnonzero(off > close)]
        some = Finding("other_form", {"heads": tuple(others)}, weight="open")
        return Check((some if len(others) < len(off) else Finding("unknown_matrix", weight="open"), *of_mask))
    if name == "distance" and precision is None and (abs(values) > exact[:, None, None])[:, grid.distance == 0].any():
        name = "row_constant"  # as BLOOM and MPT build it
    of_form, tolerance = _form(name, unseen, grid, declared), precision.slopes if precision else 0.0
    if (off > exact).any():
        gone = unseen if "symmetric" in name else unseen | later  # which a mask of its own will hide
        of_form.append(_rounding(values, fit[:, None, None] * form, gone, dtype))
        tolerance = CLOSE
    return _with_slopes([*of_form, *of_mask], fit, float(off.max()), declared, tolerance, is_row=is_row)


def _forms(grid: Grid) -> dict[str, np.ndarray]:
    """The bias of slope 1 in each form, but for a constant of each row: float64 [R, C]."""
    forms = {"distance": -grid.distance, "symmetric": -abs(grid.distance)}
    if grid.offset:
        forms["offset_symmetric"] = -abs(grid.from_zero)
    return {name: form.astype(np.float64) for name, form in forms.items()}


def fitted_heads(values: np.ndarray, form: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The factor of the form in every head [H, R, C] that fits best, each row up to a constant, and what it leaves."""

    def centred(x: np.ndarray) -> np.ndarray:
        mean = np.where(seen, x, 0.0).sum(-1, keepdims=True) / np.maximum(seen.sum(-1, keepdims=True), 1)
        return np.where(seen, x - mean, 0.0)

    values, form = centred(values), centred(form)
    factor = (values * form).sum((-2, -1)) / np.maximum((form**2).sum((-2, -1)), 1e-300)
    return factor, abs(values - factor[:, None, None] * form).max((-2, -1))


def _rounding(values: np.ndarray, exact: np.ndarray, unseen: np.ndarray, dtype: str) -> Finding:
    """What the format does to the weights of equal content: the largest share that moves to other keys."""
    heads = zip(values, exact, unseen, strict=True)
    share = max(float(abs(_weights(x, gone) - _weights(right, gone)).sum(-1).max()) / 2 for x, right, gone in heads)
    if share <= MOVED:
        return Finding("rounded", {"format": dtype})
    return Finding("rounded_weights", {"format": dtype, "share": share}, "key_bfloat16")


def _weights(bias: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Softmax over the keys that are seen: [R, C]."""
    scores = np.where(unseen, -np.inf, bias)
    top = scores.max(-1, keepdims=True)
    scores = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    return scores / np.maximum(scores.sum(-1, keepdims=True), 1e-300)


def _padding(values: np.ndarray) -> np.ndarray:
    """Where rows m j of several texts, [B·H, 1, Tk], stand still at their beginning: as BLOOM makes padding on the left."""
    stays = np.logical_and.accumulate(values[..., 1:] == values[..., :-1], axis=-1)
    return np.pad(stays & ~stays.all(-1, keepdims=True), ((0, 0), (0, 0), (0, 1)))


def _masks(hidden: np.ndarray, known: np.ndarray, grid: Grid, declared: Declared, text: int) -> list[Finding]:
    """What is said of the masks of the heads: that of most, and which heads have another one."""
    found = [_mask(head, seen, grid, declared, text) for head, seen in zip(hidden, known, strict=True)]
    of_most = max(found, key=found.count)
    others = [number for number, findings in enumerate(found, 1) if findings != of_most]
    findings = list(of_most)
    if others:
        lets = [bool((~head & seen & (grid.distance < 0)).any()) for head, seen in zip(hidden, known, strict=True)]
        leaks = any(lets) and not all(lets)
        findings.append(Finding("masks_differ", {"heads": tuple(others)}, "no_mask" if leaks else "", "open"))
        findings = distinct([*findings, *(finding for number in others for finding in found[number - 1])])
    return findings


def _numbers(matrix: np.ndarray, hidden: np.ndarray) -> list[Finding]:
    """What is said of the numbers that hide keys."""
    findings = []
    gone = np.isneginf(matrix).all(-1).any(0)  # no key is left: NaN; a finite number leaves the softmax finite
    if gone.any():
        findings.append(Finding("empty_rows", {"rows": int(gone.sum())}, "masked_rows"))
    finite = matrix[hidden & np.isfinite(matrix)]
    if finite.size:
        findings.append(Finding("large_number", {"number": float(finite.min())}))
    return findings


def _mask(hidden: np.ndarray, known: np.ndarray, grid: Grid, declared: Declared, text: int) -> list[Finding]:
    """What is said of the mask of one head, [R, C]."""
    distance = grid.distance

    def equals(expected: np.ndarray) -> bool:
        return not ((hidden ^ expected) & known).any()

    if declared.mask is not None:
        mask = grid.cells(declared.mask, text)
        return [Finding("as_declared")] if equals(~mask) else _off_declared(hidden, known, mask, grid)
    if grid.offset and equals(grid.from_zero < 0):
        return [Finding("mask_first", {}, "is_causal")]
    visible = distance[~hidden & known]
    if not visible.size:
        return [Finding("other_mask", {"share": 1.0}, weight="open")]
    first, last = int(visible.min()), int(visible.max())
    if not equals((distance < first) | (distance > last)):
        weight: Weight = "differs" if declared.causal is not None else "open"
        return [Finding("other_mask", {"share": float(hidden.mean())}, weight=weight)]
    findings, has_later = [], bool((distance < 0).any())
    is_narrow = bool((hidden & known & (distance > last)).any())
    hides_later = bool((hidden & known & (distance < first)).any())
    if first > 0:
        findings.append(Finding("hides_itself", {"tokens": first}, weight="differs"))
    elif has_later and not hides_later:
        findings.append(Finding("unmasked", {}, "no_mask" if declared.causal else ""))
    elif has_later and first == 0:
        is_meant = declared.causal is not False
        findings.append(Finding("causal") if is_meant else Finding("later_hidden", weight="differs"))
    elif has_later and (declared.causal or not (is_narrow and -first == last)):
        findings.append(Finding("leaks", {"tokens": -first}, "no_mask"))
    is_reached = declared.window is not None and declared.window <= int(distance.max())
    if is_narrow and last + 1 == declared.window:
        findings.append(Finding("window", {"width": last + 1}))
    elif is_narrow:
        weight = "open" if declared.causal is None and declared.window is None else "differs"
        findings.append(Finding("other_window", {"width": last + 1}, weight=weight))
    elif is_reached:
        findings.append(Finding("no_window", {"width": declared.window}, weight="differs"))
    return findings


def _off_declared(hidden: np.ndarray, known: np.ndarray, mask: np.ndarray, grid: Grid) -> list[Finding]:
    """Where a mask differs from the declared one, True where a query may attend."""
    findings = []
    for kind, cells in (("shows", ~hidden & ~mask & known), ("hides", hidden & mask & known)):
        if cells.any():
            row, col = (int(places[0]) for places in np.nonzero(cells))
            numbers = {"query": int(grid.rows[row]), "key": int(grid.cols[col]), "cells": int(cells.sum())}
            is_later = kind == "shows" and bool((grid.distance[cells] < 0).any())
            findings.append(Finding(kind, numbers, "no_mask" if is_later else "", "differs"))
    return findings


def _form(name: str, unseen: np.ndarray, grid: Grid, declared: Declared) -> list[Finding]:
    findings = [Finding(name, {}, "cache_offset" if name == "offset_symmetric" else "")]
    if (~unseen & (grid.distance < 0)).any() and name != "offset_symmetric":
        if declared.causal is False and name != "symmetric":
            findings.append(Finding("later_rewarded", {}, "sign"))
        elif declared.causal is None:
            findings.append(Finding("needs_mask"))
    return findings


def _with_slopes(
    findings: list[Finding], fit: np.ndarray, difference: float, declared: Declared, tolerance: float, *, is_row: bool
) -> Check:
    """The findings of the slopes, after those of the form. One head follows no rule: its slope is told.

    is_row: each has one row, so they may be those of several texts, one after the other."""
    if len(fit) == 1 and declared.heads in (None, 1):
        alone = [Finding("flipped", {}, "sign")] if fit[0] < 0 else []
        return Check((*findings, *alone), tuple(fit.tolist()), difference)
    heads, kinds = _period(fit), {finding.kind for finding in findings}
    if heads < len(fit) and "padded" in kinds:  # other padding in other rows: these are texts
        findings, fit = [*findings, Finding("batch_rows", {"texts": len(fit) // heads})], fit[:heads]
    of_slopes = identify_slopes(fit, declared, tolerance)
    of_rule = [found for found in of_slopes.findings if not ("rounded_weights" in kinds and found.kind == "rounded")]
    if is_row and heads < len(fit) and "anew" in of_slopes.kinds and not declared.heads:  # both can be
        findings = [*findings, Finding("batch_rows", {"texts": len(fit) // heads})]
        of_rule = [replace(found, pitfall="", weight="open") if found.kind == "anew" else found for found in of_rule]
    return replace(of_slopes, findings=(*findings, *of_rule), difference=max(difference, of_slopes.difference or 0.0))


def _period(fit: np.ndarray) -> int:
    """After how many rows the slopes begin anew: the heads, where rows are those of several texts one after the other."""
    sizes = (size for size in range(2, len(fit) // 2 + 1) if len(fit) % size == 0)
    return next((size for size in sizes if np.allclose(fit.reshape(-1, size), fit[:size], rtol=CLOSE)), len(fit))
