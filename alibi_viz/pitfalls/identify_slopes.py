"""Which rule does a list of slopes follow? Rules are tried from the plainest on; the first that fits counts.

A list can fit several: for 8 heads, for example, the paper's rule, the plain formula and 2^-h are the same numbers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from alibi_viz.pitfalls.findings import CLOSE, EXACT, Finding, Verdict, stored_as
from alibi_viz.positions.alibi import slopes

MOST_HEADS = 256
TOP = 8.0  # the largest exponent of the paper
LARGEST_TOP = 64.0
WIDEST_HEAD = 1024
PITFALL = {"plain": "slopes_power", "blog": "slopes_blog"}


@dataclass(frozen=True)
class Candidate:
    """A list of slopes that a rule gives."""

    rule: str  # of positions.alibi.slopes
    top: float
    order: str  # "kept", "falling" or "rising"
    sign: int
    scale: float
    values: np.ndarray  # float64 [H]


def identify_slopes(values: Sequence[float]) -> Verdict:
    """The rule behind slopes, in head order. Raises ValueError, in one sentence, for a list that cannot be judged."""
    given = np.asarray(values, dtype=np.float64)
    _check(given)
    if not given.any():
        return Verdict((Finding("zero"),), tuple(given))
    candidates = list(_candidates(given))
    errors = [_error(given, candidate) for candidate in candidates]
    for tolerance in (EXACT, CLOSE):
        fits = [n for n, error in enumerate(errors) if error <= tolerance]
        if fits:
            return _verdict(given, candidates[fits[0]], rounded=tolerance == CLOSE)
    return _unknown(given, candidates[int(np.argmin(errors))])


def _check(given: np.ndarray) -> None:
    if not 0 < len(given) <= MOST_HEADS:
        raise ValueError(f"A list of slopes has 1 to {MOST_HEADS} numbers, one a head; this one has {len(given)}.")
    if not np.isfinite(given).all():
        raise ValueError("Every slope must be a finite number.")


def _candidates(given: np.ndarray) -> Iterator[Candidate]:
    """The rules without a change, then sorted, then multiplied by a number; each with both signs."""
    heads, sign = len(given), -1 if np.median(given) < 0 else 1
    tops = {rule: _top(rule, abs(given)) for rule in ("paper", "plain")}
    rules = [("paper", TOP), ("plain", TOP), ("blog", TOP), *tops.items()]
    bases = [(rule, top, np.array(slopes(heads, rule, top))) for rule, top in rules if top is not None]
    for rule, top, base in bases:
        yield Candidate(rule, top, "kept", sign, 1.0, sign * base)
    for rule, top, base in bases:
        falling = np.sort(base)[::-1]
        for order, ordered in (("falling", falling), ("rising", falling[::-1])):
            yield Candidate(rule, top, order, sign, 1.0, sign * ordered)
    for rule, top, base in bases[:3]:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            scale = float(np.median(abs(given) / base))
        if 0 < scale < math.inf:
            yield Candidate(rule, top, "kept", sign, scale, sign * scale * base)


def _top(rule: str, size: np.ndarray) -> float | None:
    """The largest exponent, if the list follows this rule with another one than the paper's: from its first slope."""
    heads = len(size)
    power = 2 ** (heads.bit_length() - 1) if rule == "paper" else heads
    top = round(-math.log2(size[0]) * power, 2) if size[0] > 0 else 0.0
    return top if 0 < top <= LARGEST_TOP else None


def _error(given: np.ndarray, candidate: Candidate) -> float:
    """The largest difference of a head, as a share of its slope."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        error = float((abs(given - candidate.values) / abs(candidate.values)).max())
    return error if math.isfinite(error) else math.inf


def _verdict(given: np.ndarray, found: Candidate, *, rounded: bool) -> Verdict:
    heads, findings = len(given), []
    numbers: dict[str, object] = {"heads": heads, "top": found.top}
    pitfall = PITFALL.get(found.rule, "")
    if found.rule == "plain" and np.allclose(
        np.abs(found.values), found.scale * np.array(slopes(heads, "paper", found.top))
    ):
        pitfall = ""  # the same numbers
    findings.append(Finding(found.rule if found.top == TOP else f"{found.rule}_top", numbers, pitfall))
    if found.order != "kept":
        findings.append(Finding(f"sorted_{found.order}", numbers, "slopes_sorted"))
    if found.sign < 0:
        findings.append(Finding("flipped", {}, "sign"))
    if found.scale != 1:
        findings.append(_scaled(found.scale, heads))
    if rounded:
        findings.append(Finding("rounded", {"format": stored_as(given) or "text"}))
    return Verdict(tuple(findings), tuple(given), float(abs(given - found.values).max()))


def _scaled(scale: float, heads: int) -> Finding:
    """What a common factor means."""
    width = round(scale**-2) if scale >= WIDEST_HEAD**-0.5 / 2 else 0
    if 2 <= width <= WIDEST_HEAD and math.isclose(width**-0.5, scale, rel_tol=CLOSE / 4):
        return Finding("scaled_sqrt", {"width": width}, "sqrt_d")
    if math.isclose(scale, 2 ** (TOP / heads), rel_tol=CLOSE / 4):
        return Finding("off_by_one", {"factor": scale}, "slopes_blog")
    return Finding("scaled", {"factor": scale})


def _unknown(given: np.ndarray, nearest: Candidate) -> Verdict:
    difference = abs(given - nearest.values)
    head = int(difference.argmax())
    numbers: dict[str, object] = {"head": head + 1, "given": given[head], "expected": nearest.values[head]}
    return Verdict((Finding("unknown", numbers | {"heads": len(given)}),), tuple(given), float(difference[head]), False)
