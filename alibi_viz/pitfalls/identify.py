"""“Check yours”: which rule slopes or a bias matrix follow, and which known mistakes are in them.

Notable choices:
- Of slopes, rules are tried from the best known on; the first that fits counts. A list can fit several: for 8 heads the
  authors' code, the paper's sentence and 2^-h give the same numbers.
- No list says by which rule its model was trained. Slopes by the paper's sentence, where the authors' code has others, are
  named as a known mistake: right for a model that was trained so, wrong for what BLOOM, MPT and Baichuan published.
- Nothing is clean that no rule explains: a factor without a reason, or no slope at all, is unknown. A part of a longer
  list, as tensor parallelism gives one device, is explained, and named.
- The form of a bias is a matrix that does not depend on the head; the slope of a head is the factor that fits best. A form
  is taken if every head fits within rounding.
- Rounding is judged by what it does: it is a mistake where it moves more than MOVED of a head's weight to other keys. Of
  one row nobody can tell the form, but that can be seen.
- A number of MASK or less is a mask, also with a bias added to it: no bias gets there at the lengths that are read. Of
  longer texts the end is read, of large matrices a sample of rows and columns.
- Under a causal mask a constant of a row changes nothing, so a matrix that is linear in the key is ALiBi, whatever its
  rows add.
- A bias without a mask, or with a finite number for one, is no mistake: what to be careful about is a note.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from alibi_viz.lessons import load
from alibi_viz.lessons.numbers import format_slope
from alibi_viz.lessons.problems import Problem
from alibi_viz.rules import slopes

MOST_HEADS = 256
EXACT = 1e-5  # of the size of the numbers: what float32 may make of a rule
CLOSE = 6e-3  # what 16-bit formats, or a list printed with three digits, may make of it
MOVED = 0.01  # share of a head's weight on other keys than without rounding
MASK = -5e3
TOP, LARGEST_TOP = 8.0, 64.0  # the largest exponent of the paper, and of any rule that is tried
MOST_SHARED = 512  # heads, at most, that are divided among devices
WIDEST_HEAD = 1024
LISTED = 16  # slopes in a sentence
LONGEST, SAMPLE = (
    4096,
    512,
)  # tokens at the end of a text that are read; rows and columns of a matrix of more than MOST_CELLS
MOST_CELLS = 2_500_000
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
    """The verdict on slopes: [H], or as models keep them, [H, 1, 1] or [B, H]; or on a bias: [Tq, Tk], [H, Tq, Tk] or
    [B, H, Tq, Tk], [H, Tk] of one row a head, or [B·H, 1, Tk].

    Raises ValueError with a sentence for what cannot be judged.
    """
    array = np.asarray(values)
    if array.ndim == 1:
        return identify_slopes(array)
    if not 1 < array.ndim <= 5 or 0 in array.shape:
        raise Problem("matrices.shape")
    kept = [size for size in array.shape if size > 1]
    if array.ndim > 2 and array.shape[-2:] == (1, 1) and len(kept) <= 1:
        return identify_slopes(array.ravel())
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim > 4:
        raise Problem("matrices.shape")
    if array.ndim == 2 and (array == array[:1]).all() and len(array[0]) <= MOST_HEADS:
        of_slopes = identify_slopes(array[0])  # one list for every text
        if of_slopes.known:
            return of_slopes
    if array.shape[-1] < 2:
        raise Problem("matrices.one_key")
    return identify_bias(array)


def stored_as(values: np.ndarray) -> str:
    """The 16-bit format that holds every one of these numbers exactly, or ""."""
    numbers = np.ascontiguousarray(values, dtype=np.float32)
    numbers = numbers[np.isfinite(numbers)]
    if not (numbers.view(np.uint32) & 0xFFFF).any():  # bfloat16 is the upper half of float32
        return "bfloat16"
    with np.errstate(over="ignore"):
        return "float16" if np.array_equal(numbers.astype(np.float16).astype(np.float32), numbers) else ""


# Slopes


def identify_slopes(values: np.ndarray | Sequence[float]) -> Check:
    """The rule behind slopes, in head order."""
    given = np.asarray(values, dtype=np.float64)
    if not 0 < len(given) <= MOST_HEADS:
        raise Problem("matrices.slopes", most=MOST_HEADS, given=len(given))
    if not np.isfinite(given).all():
        raise Problem("matrices.not_finite")
    if not given.any():
        return Check((Finding("zero"),), tuple(given.tolist()), known=False)
    if not given.all():
        return _some_without(given)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        candidates = list(_candidates(given))
        # The largest difference of a head, as a share of its slope.
        errors = [(abs(given - expected) / abs(expected)).max() for _, expected in candidates]
    errors = [error if math.isfinite(error) else math.inf for error in errors]
    explained = [findings[0].kind != "scaled" for findings, _ in candidates]
    # What a rule gives when it is rounded comes before what any number times a rule gives exactly.
    for known, tolerance in ((True, EXACT), (True, CLOSE), (False, CLOSE)):
        for (findings, expected), error, is_known in zip(candidates, errors, explained, strict=True):
            if is_known == known and error <= tolerance:
                if error > EXACT:
                    findings.append(Finding("rounded", {"format": stored_as(given) or "text"}))
                return Check(tuple(findings), tuple(given.tolist()), float(abs(given - expected).max()), known)
    nearest = candidates[int(np.argmin(errors))][1]
    difference = abs(given - nearest)
    head = int(difference.argmax())
    numbers = {"head": head + 1, "given": given[head], "expected": nearest[head]}
    return Check((Finding("unknown", numbers),), tuple(given.tolist()), float(difference[head]), known=False)


def _some_without(given: np.ndarray) -> Check:
    """Some heads have no bias, as x-transformers can leave them: the others follow a rule for themselves."""
    others = identify_slopes(given[given != 0])
    some = Finding("some_without", {"without": int((given == 0).sum()), "heads": len(given)})
    return replace(others, findings=(some, *others.findings), slopes=tuple(given.tolist()))


def _candidates(given: np.ndarray) -> Iterator[tuple[list[Finding], np.ndarray]]:
    """What a list may be: the findings, and the slopes that it then has, float64 [H], with the sign of the list.

    The rules without a change, then the part of one, then one anew for each device, then sorted, then times a number.
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
        yield [finding, *_first_of(finding), *flipped], sign * base
    for rule, of, part in _parts(sizes):
        numbers = {"rule": rule, "first": part.start + 1, "last": part.stop, "of": of}
        yield [Finding("shard", numbers), *flipped], sign * _slopes_of(of, rule)[part]
    for devices in (count for count in range(2, heads // 2 + 1) if heads % count == 0):
        anew = np.tile(_slopes_of(heads // devices, "code"), devices)
        numbers = {"devices": devices, "heads": heads // devices}
        yield [Finding("anew", numbers, "slopes_shards"), *flipped], sign * anew
    for finding, base in bases:
        for in_order in (np.sort(base)[::-1], np.sort(base)):
            yield [finding, Finding("sorted", {}, "slopes_sorted"), *flipped], sign * in_order
    for finding, base in bases[:3]:
        scale = float(np.median(sizes / base))
        if 0 < scale < math.inf:
            yield [*_of_scale(scale, heads, finding), *flipped], sign * scale * base


def _first_of(finding: Finding) -> list[Finding]:
    """A power of two of heads with a smaller largest exponent may also be the first heads of a longer list."""
    heads, top = int(str(finding.numbers["heads"])), float(str(finding.numbers["top"]))
    if finding.kind == "blog":
        return [Finding("first_of", {"heads": heads, "of": 8})] if heads < 8 else []
    is_part = finding.kind == "code" and heads & (heads - 1) == 0 and TOP / top in (2, 4, 8, 16, 32, 64)
    return [Finding("first_of", {"heads": heads, "of": int(heads * TOP / top)})] if is_part else []


def _parts(sizes: np.ndarray) -> Iterator[tuple[str, int, slice]]:
    """Rule, number of all heads, and the places of the list among them: equal parts, but for the first."""
    heads = len(sizes)
    for of in range(2 * heads, MOST_SHARED + 1, heads):
        for rule in ("code", "sentence"):
            devices = _slopes_of(of, rule).reshape(-1, heads)
            for device in np.flatnonzero((abs(devices / sizes - 1) <= CLOSE).all(-1)):
                if device > 0:
                    yield rule, of, slice(int(device) * heads, (int(device) + 1) * heads)


@lru_cache(maxsize=2 * MOST_SHARED)
def _slopes_of(heads: int, rule: str) -> np.ndarray:
    return np.array(slopes(heads, rule))


def _of_scale(scale: float, heads: int, rule: Finding) -> list[Finding]:
    """What slopes that are a rule's multiplied by a number tell of it; nothing is known of most numbers."""
    width = round(scale**-2) if scale >= WIDEST_HEAD**-0.5 / 2 else 0
    if 2 <= width <= WIDEST_HEAD and math.isclose(width**-0.5, scale, rel_tol=CLOSE / 4):
        return [rule, Finding("scaled_sqrt", {"width": width}, "sqrt_d")]
    if math.isclose(scale, 2 ** (TOP / heads), rel_tol=CLOSE / 4):
        return [rule, Finding("off_by_one", {}, "slopes_blog")]
    return [Finding("scaled", {"factor": scale})]


# A bias


@dataclass(frozen=True)
class _Grid:
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

    @property
    def key(self) -> np.ndarray:
        """Number of the key: int64 [R, C]."""
        return self.cols + 0 * self.rows[:, None]


def identify_bias(matrix: np.ndarray) -> Check:
    """Its form, its mask, its slopes and its number format, with the mistakes that these can have."""
    matrix, grid, sampled = _sampled(matrix)
    if np.isnan(matrix).any() or np.isposinf(matrix).any():
        raise Problem("matrices.no_bias")
    if matrix.ndim == 4:
        if (matrix == matrix[:1]).all():
            verdict = _either_way(matrix[0], grid)
        else:
            verdicts = [_either_way(text, grid) for text in matrix]
            worst = max(verdicts, key=lambda verdict: (not verdict.known, verdict.difference))
            by_kind = {finding.kind: finding for verdict in verdicts for finding in verdict.findings}
            verdict = replace(worst, findings=(Finding("batch", {"texts": len(matrix)}), *by_kind.values()))
    elif matrix.ndim == 3:
        verdict = _either_way(matrix, grid)
    else:
        verdict = _either_way(matrix[None], grid)
        if not verdict.known and len(matrix) > 1:
            as_rows = _as_it_stands(matrix[:, None], _Grid(grid.cols[-1:], grid.cols, 0))
            verdict = as_rows if as_rows.known else verdict
    return replace(verdict, findings=(*verdict.findings, *sampled))


def _sampled(matrix: np.ndarray) -> tuple[np.ndarray, _Grid, list[Finding]]:
    """The end of a long text, and of a large matrix some rows and columns: float64, with the numbers of its cells."""
    queries, keys = matrix.shape[-2:]
    rows, cols = np.arange(max(queries - LONGEST, 0), queries), np.arange(max(keys - LONGEST, 0), keys)
    leading = math.prod(matrix.shape[:-2])
    size = SAMPLE
    while leading * min(len(rows), size) * min(len(cols), size) > MOST_CELLS and size > 16:
        size //= 2
    if leading * len(rows) * len(cols) > MOST_CELLS:
        rows, cols = (np.unique(np.linspace(part[0], part[-1], size).astype(int)) for part in (rows, cols))
    is_whole = len(rows) == queries and len(cols) == keys
    note = [] if is_whole else [Finding("sampled", {"rows": len(rows), "queries": queries, "keys": keys})]
    part = matrix if is_whole else matrix[..., rows[:, None], cols]
    return part.astype(np.float64), _Grid(rows, cols, keys - queries), note


def _either_way(matrix: np.ndarray, grid: _Grid) -> Check:
    """The verdict; of the transposed matrix if only that is ALiBi: its mask shows the future, or its rows are constant."""
    hidden, is_square = np.any(matrix <= MASK, axis=0), grid.offset == 0 and np.array_equal(grid.rows, grid.cols)
    same_keys = not hidden.any() and bool((matrix == matrix[..., :1]).all() and matrix.any())
    if is_square and len(grid.rows) > 1 and (np.array_equal(hidden, grid.distance > 0) or same_keys):
        turned = _as_it_stands(matrix.swapaxes(-1, -2), grid)
        if turned.known:
            finding = Finding("transposed", {}, "cache_offset" if same_keys else "no_mask")
            return replace(turned, findings=(finding, *turned.findings))
    return _as_it_stands(matrix, grid)


def _as_it_stands(matrix: np.ndarray, grid: _Grid) -> Check:
    """matrix [H, R, C]."""
    later = grid.distance < 0
    # A lower triangle that was cut out with zeros: the keys after a query are no part of the bias.
    is_zero_filled = bool(later.any() and not matrix[:, later].any() and matrix[:, ~later].any())
    hidden = later if is_zero_filled else np.any(matrix <= MASK, axis=0)
    of_mask = [Finding("zero_filled")] if is_zero_filled else _mask(matrix, hidden, grid)
    values = np.where(hidden, 0.0, matrix)
    dtype, size = stored_as(matrix[:, ~hidden]), max(1e-12, float(abs(values).max()))
    for name, form in _forms(grid).items():
        fit, difference = _fit(values, form, hidden, free_rows=name == "rows")
        is_exact = difference <= EXACT * size
        if fit is not None and (is_exact or (dtype and difference <= CLOSE * size)):
            of_form = _form(name, hidden, grid)
            if not is_exact:
                of_form.append(_rounding(values, fit[:, None, None] * form, hidden, dtype))
            return _with_slopes((*of_form, *of_mask), fit, difference)
    if (padded := _padded_rows(values)) is not None:
        return _with_slopes((Finding("row_constant"), *padded[0], *of_mask), *padded[1:])
    if not values.any() or not (values - values[..., :1])[:, ~hidden].any():
        has_distances = (~hidden).sum(-1).max() > 1  # a text of one token, padded, has none
        return Check((*([Finding("constant", {}, "cache_offset")] if has_distances else []), *of_mask))
    return Check((Finding("unknown_matrix"), *of_mask), known=False)


def _forms(grid: _Grid) -> dict[str, np.ndarray]:
    """The bias of slope 1 in each form: float64 [R, C]."""
    forms = {"distance": -grid.distance, "symmetric": -abs(grid.distance)}
    if grid.offset:
        forms |= {"offset": -grid.from_zero, "offset_symmetric": -abs(grid.from_zero)}
    forms |= {"key_only": grid.key, "key_last": grid.key - grid.cols[-1], "rows": grid.key}
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


def _rounding(values: np.ndarray, exact: np.ndarray, hidden: np.ndarray, dtype: str) -> Finding:
    """What the format does to the weights of equal content: the largest share that moves to other keys."""
    heads = zip(values, exact, strict=True)
    share = max(
        float(abs(_weights(given, hidden) - _weights(right, hidden)).sum(-1).max()) / 2 for given, right in heads
    )
    if share <= MOVED:
        return Finding("rounded", {"format": dtype})
    return Finding("rounded_weights", {"format": dtype, "share": share}, "key_bfloat16")


def _weights(bias: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Softmax over the keys that are seen: [R, C]."""
    scores = np.where(hidden, -np.inf, bias)
    top = scores.max(-1, keepdims=True)
    scores = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    return scores / np.maximum(scores.sum(-1, keepdims=True), 1e-300)


def _padded_rows(values: np.ndarray) -> tuple[list[Finding], np.ndarray, float] | None:
    """Rows m j of several texts with padding on the left, where the row stands still, [B·H, 1, Tk], as BLOOM makes them:
    the findings, the slope of each row, and the largest difference."""
    if values.shape[1] > 1 or values.shape[0] == 1:
        return None
    rows = values[:, 0]
    moves = rows[:, 1:] != rows[:, :-1]
    starts = np.where(moves.any(-1), moves.argmax(-1), rows.shape[1])  # the last key of the same number as the first
    if not starts.any() or starts.max() > rows.shape[1] - 2:
        return None
    places = np.maximum(np.arange(rows.shape[1]) - starts[:, None], 0).astype(np.float64)
    rises = rows - rows[:, :1]
    fit = (rises * places).sum(-1) / (places**2).sum(-1)
    difference = float(abs(rises - fit[:, None] * places).max())
    if difference > CLOSE * float(abs(rows).max()):
        return None
    return [Finding("padded", {"tokens": int(starts.max())})], fit, difference


def _mask(matrix: np.ndarray, hidden: np.ndarray, grid: _Grid) -> list[Finding]:
    """What is said of the mask."""
    later = grid.distance < 0
    if not hidden.any():
        findings = [Finding("unmasked")] if later.any() else []
    elif np.array_equal(hidden, later):
        findings = [Finding("causal")]
    elif np.array_equal(hidden, grid.from_zero < 0):
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


def _form(name: str, hidden: np.ndarray, grid: _Grid) -> list[Finding]:
    """What is said of the form."""
    is_key_row = name in (
        "key_only",
        "key_last",
        "rows",
    )  # as BLOOM and MPT build it; their mask is a tensor of its own
    if is_key_row or name == "offset":
        findings = [Finding("row_constant")]
    else:
        findings = [Finding(name, {}, "cache_offset" if name == "offset_symmetric" else "")]
    if bool((~hidden & (grid.distance < 0)).any()) and name != "offset_symmetric":
        findings.append(Finding("needs_mask"))
    return findings


def _with_slopes(findings: tuple[Finding, ...], fit: np.ndarray, difference: float) -> Check:
    """The findings of the slopes, after those of the form. One head follows no rule: its slope is told."""
    if len(fit) == 1:
        alone = [Finding("flipped", {}, "sign")] if fit[0] < 0 else []
        return Check((*findings, *alone), tuple(fit.tolist()), difference)
    heads = _period(fit)
    of_slopes = identify_slopes(fit[:heads])
    batch = [Finding("batch_rows", {"texts": len(fit) // heads})] if heads < len(fit) else []
    rounded = {"rounded", "rounded_weights"} & {finding.kind for finding in findings}
    of_rule = [finding for finding in of_slopes.findings if not (rounded and finding.kind == "rounded")]
    return replace(of_slopes, findings=(*findings, *batch, *of_rule), difference=max(difference, of_slopes.difference))


def _period(fit: np.ndarray) -> int:
    """After how many rows the slopes begin anew: the heads, where rows are those of several texts one after the other."""
    sizes = (size for size in range(2, len(fit) // 2 + 1) if len(fit) % size == 0)
    return next((size for size in sizes if np.allclose(fit.reshape(-1, size), fit[:size], rtol=CLOSE)), len(fit))
