"""Which bias is this matrix? Its form, its mask, its slopes and its number format, with the mistakes that these can have.

Notable choices:
- A form is a matrix that does not depend on the head; the slope of a head is the factor that fits best. A form is taken if
  every head fits within rounding.
- A number of -10,000 or less is a mask: no bias of ours gets there at the lengths that are read.
- Under a causal mask a constant of a row changes nothing, so a matrix that is linear in the key is ALiBi, whatever its
  rows add.
- A bias without a mask, or with a finite number for one, is no mistake: what to be careful about is a note.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from alibi_viz.pitfalls.findings import CLOSE, EXACT, Finding, Verdict, stored_as
from alibi_viz.pitfalls.identify_slopes import identify_slopes

MASK = -1e4


def identify(values: np.ndarray | Sequence[float]) -> Verdict:
    """The verdict on slopes [H], or on a bias matrix. Raises ValueError with a sentence for what cannot be judged."""
    array = np.asarray(values)
    return identify_slopes(array.tolist()) if array.ndim == 1 else identify_bias(array)


def identify_bias(matrix: np.ndarray) -> Verdict:
    """matrix [H, Tq, Tk], [B, H, Tq, Tk], [Tq, Tk], or [H, Tk] of one row a head. Raises ValueError if it has NaN."""
    if np.isnan(matrix).any() or np.isposinf(matrix).any():
        raise ValueError("The matrix holds NaN or +infinity: there is no bias to recognise.")
    if matrix.ndim == 4:
        return _batch(matrix)
    if matrix.ndim == 3:
        return _either_way(matrix)
    verdict = _either_way(matrix[None])
    as_rows = _identify(matrix[:, None]) if not verdict.known and len(matrix) > 1 else verdict
    return as_rows if as_rows.known else verdict


def _batch(matrix: np.ndarray) -> Verdict:
    """The verdict on the texts of a batch: of the first, or, where they differ, what is found in any of them."""
    if (matrix == matrix[:1]).all():
        return identify_bias(matrix[0])
    verdicts = [identify_bias(text) for text in matrix]
    worst = max(verdicts, key=lambda verdict: (not verdict.known, verdict.difference))
    found = {finding.kind: finding for verdict in verdicts for finding in verdict.findings}  # each kind once
    return replace(worst, findings=(Finding("batch", {"texts": len(matrix)}), *found.values()))


def _either_way(matrix: np.ndarray) -> Verdict:
    """The verdict; of the transposed matrix if only that is ALiBi: its mask shows the future, or its rows are constant."""
    hidden, square = np.any(matrix <= MASK, axis=0), matrix.shape[-1] == matrix.shape[-2] > 1
    later = np.triu(np.ones(hidden.shape, bool), 1)
    same_keys = not hidden.any() and bool((matrix == matrix[..., :1]).all() and matrix.any())
    if square and (np.array_equal(hidden, later.T) or same_keys):
        turned = _identify(matrix.swapaxes(-1, -2))
        if turned.known:
            finding = Finding("transposed", {}, "cache_offset" if same_keys else "no_mask")
            return replace(turned, findings=(finding, *turned.findings))
    return _identify(matrix)


def _identify(matrix: np.ndarray) -> Verdict:
    hidden: np.ndarray = np.any(matrix <= MASK, axis=0)
    findings = _mask(matrix, hidden)
    values = np.where(hidden, 0.0, matrix.astype(np.float64))
    dtype = stored_as(matrix[:, ~hidden])
    for name, form in _forms(*matrix.shape[1:]).items():
        slopes, difference = _fit(values, form, hidden, free_rows=name == "rows")
        size = max(1e-12, float(abs(values).max()))
        exact = difference <= EXACT * size
        if slopes is not None and (exact or (dtype and difference <= CLOSE * size)):
            found = _form(name, hidden, matrix.shape, "" if exact else dtype, difference)
            return _with_slopes((*found, *findings), slopes, difference)
    if not values.any() or not (values - values[..., :1])[:, ~hidden].any():
        compared = (~hidden).sum(-1).max() > 1  # a row of one key has no distances: a text of one token, padded
        constant = [Finding("constant", {}, "cache_offset")] if compared else []
        return Verdict((*constant, *findings))
    return Verdict((Finding("unknown_matrix"), *findings), known=False)


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
    slopes = (values * form).sum((-2, -1)) / norm
    difference = abs(np.where(seen, values - slopes[:, None, None] * form, 0.0)).max()
    return (slopes, float(difference)) if slopes.any() else (None, 0.0)


def _mask(matrix: np.ndarray, hidden: np.ndarray) -> list[Finding]:
    """What is said of the mask."""
    queries, keys = hidden.shape
    row, key = np.arange(queries)[:, None], np.arange(keys)[None]
    later, from_first = key > row + keys - queries, key > row
    findings = []
    if not hidden.any():
        findings.append(Finding("unmasked") if later.any() else Finding("no_later"))
    elif np.array_equal(hidden, later):
        findings.append(Finding("causal"))
    elif np.array_equal(hidden, from_first):
        findings.append(Finding("mask_first", {}, "is_causal"))
    else:
        findings.append(Finding("other_mask", {"share": float(hidden.mean())}))
    gone = np.isneginf(matrix).any(0).all(-1)  # no key is left: NaN
    filled = hidden.all(-1) & ~gone  # a finite number leaves the softmax finite
    if gone.any():
        findings.append(Finding("empty_rows", {"rows": int(gone.sum())}, "masked_rows"))
    if filled.any():
        findings.append(Finding("filled_rows", {"rows": int(filled.sum())}))
    finite = matrix[(matrix <= MASK) & np.isfinite(matrix)]
    if finite.size:
        findings.append(Finding("large_number", {"number": float(finite.min())}))
    return findings


def _form(name: str, hidden: np.ndarray, shape: tuple[int, ...], dtype: str, difference: float) -> list[Finding]:
    """What is said of the form, and of its rounding."""
    numbers = {"heads": shape[0], "queries": shape[1], "keys": shape[2]}
    later = np.arange(shape[2])[None] > np.arange(shape[1])[:, None] + shape[2] - shape[1]
    unmasked = bool((later & ~hidden).any())
    leaks = unmasked and name in ("symmetric",)
    key_row = name in ("key_only", "key_last")  # as BLOOM and MPT build it; their mask is a tensor of its own
    rewards = unmasked and not key_row and name not in ("symmetric", "offset_symmetric")
    findings = [Finding(name, numbers, "cache_offset" if name == "offset_symmetric" else "")]
    if unmasked and key_row:
        findings.append(Finding("needs_mask"))
    if leaks or rewards:
        findings.append(Finding("leaks" if leaks else "rewards"))
    if dtype:
        near = name in ("key_only", "key_last", "rows")
        findings.append(Finding("rounded_bias", {"format": dtype, "error": difference}, "key_bfloat16" if near else ""))
    return findings


def _with_slopes(findings: tuple[Finding, ...], slopes: np.ndarray, difference: float) -> Verdict:
    """The findings of the slopes, after those of the form. One head follows no rule: its slope is told."""
    if len(slopes) == 1:
        alone = [Finding("one_slope", {"slope": abs(float(slopes[0]))})]
        if slopes[0] < 0:
            alone.append(Finding("flipped", {}, "sign"))
        return Verdict((*findings, *alone), tuple(slopes), difference)
    found = identify_slopes(slopes.tolist())
    return Verdict((*findings, *found.findings), found.slopes, max(difference, found.difference), found.known)
