"""“Check yours”, of slopes: which rules a list follows, and which known mistakes are in it.

Notable choices:
- Clean is the authors' code with the largest exponent that was declared; without a declaration with 8, or 16, which is
  named. Any other geometric list is known, and open until it is declared.
- A list can follow several rules: for 8 heads the authors' code, the paper's sentence and 2^-h give the same numbers. If
  one of them is clean, it is that; else all that fit are named.
- No list says by which rule its model was trained. Slopes by the paper's sentence, where the authors' code has others, are
  named as a known mistake: right for a model that was trained so, wrong for what BLOOM, MPT and Baichuan published.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from alibi_viz.lessons.problems import Problem
from alibi_viz.pitfalls.verdict import Check, Declared, Finding, Weight, distinct
from alibi_viz.rules import slopes

MOST_HEADS = 256
EXACT = 1e-5  # of the size of the numbers: what float32 may make of a rule
CLOSE = 6e-3  # what 16-bit formats, or a list printed with three digits, may make of it
TOP, NAMED_TOP, LARGEST_TOP = 8.0, 16.0, 64.0  # the largest exponent of the paper, of MPT StoryWriter, of any list
MOST_SHARED = 512  # heads, at most, that are divided among devices
WIDEST_HEAD = 1024
FORMATS = {"bfloat16": 2.0**-8, "float16": 2.0**-10}  # what they make of a number at worst
UNDECLARED = Declared()

Reading = tuple[list[Finding], np.ndarray]  # what a list may be, and the slopes that it then has


def identify_slopes(
    values: np.ndarray | Sequence[float], declared: Declared = UNDECLARED, measured: float = 0.0
) -> Check:
    """The rule behind slopes, in head order. measured: by which share they may be off, where they were measured."""
    given = np.asarray(values, dtype=np.float64)
    if not 0 < len(given) <= MOST_HEADS:
        raise Problem("matrices.slopes", most=MOST_HEADS, given=len(given))
    if not np.isfinite(given).all():
        raise Problem("matrices.not_finite")
    if not given.any():
        return Check((Finding("zero", weight="open"),), tuple(given.tolist()), 0.0)
    if not given.all():  # some heads have no bias, as x-transformers can leave them: the others follow a rule
        rest = identify_slopes(given[given != 0], replace(declared, heads=None), measured)
        without = {"without": int((given == 0).sum()), "heads": len(given)}
        some = Finding("some_without", without, weight="differs" if declared.heads else "open")
        return replace(rest, findings=(some, *rest.findings), slopes=tuple(given.tolist()))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        readings = list(_readings(given, declared))
        formats = [_rounded(given, expected, measured) for _, expected in readings]
        fitting = [(*reading, form) for reading, form in zip(readings, formats, strict=True) if form is not None]
        if not fitting:
            errors = [float((abs(given - expected) / abs(expected)).max()) for _, expected in readings]
            nearest = readings[int(np.argmin(np.nan_to_num(errors, nan=np.inf)))][1]
            return _nearest(given, nearest, declared)
    are_clean = [reading for reading in fitting if all(f.weight == "note" and not f.pitfall for f in reading[0])]
    others = [reading for reading in fitting if reading[0][0].kind != "scaled"]
    chosen = are_clean[:1] or others or fitting[:1]
    several = [Finding("readings", {"count": len(chosen)}, weight="open")] if len(chosen) > 1 else []
    findings = distinct([*several, *(finding for reading, _, _ in chosen for finding in reading)])
    if chosen[0][2]:
        findings.append(Finding("rounded", {"format": chosen[0][2]}))
    in_effect = chosen[0][1] if measured and not chosen[0][2] else given
    return Check(tuple(findings), tuple(in_effect.tolist()), float(abs(given - chosen[0][1]).max()))


def _nearest(given: np.ndarray, nearest: np.ndarray, declared: Declared) -> Check:
    difference = np.nan_to_num(abs(given - nearest), posinf=np.finfo(float).max)
    head = int(difference.argmax())
    numbers = {"head": head + 1, "given": given[head], "expected": nearest[head]}
    finding = Finding("unknown", numbers, weight="differs" if declared.max_bias else "open")
    return Check((finding,), tuple(given.tolist()), float(difference[head]))


def _rounded(given: np.ndarray, expected: np.ndarray, measured: float) -> str | None:
    """ "" where the numbers are equal, the format to which they were rounded, None where they are others."""
    off = float((abs(given - expected) / abs(expected)).max())
    if off <= max(EXACT, measured):
        return ""
    stored = stored_as(given)
    if stored and off <= FORMATS[stored]:
        return stored
    if off <= CLOSE:
        for form in (*(f".{digits}g" for digits in range(3, 7)), *(f".{digits}f" for digits in range(3, 9))):
            if all(float(format(right, form)) == value for right, value in zip(expected, given, strict=True)):
                return "text"
    return None


def stored_as(values: np.ndarray) -> str:
    """The 16-bit format that holds every one of these numbers exactly, or ""."""
    numbers = np.ascontiguousarray(values, dtype=np.float32)
    if not np.array_equal(numbers, values, equal_nan=True) and values.dtype == np.float64:
        return ""
    numbers = numbers[np.isfinite(numbers)]
    if not (numbers.view(np.uint32) & 0xFFFF).any():  # bfloat16 is the upper half of float32
        return "bfloat16"
    with np.errstate(over="ignore"):
        return "float16" if np.array_equal(numbers.astype(np.float16).astype(np.float32), numbers) else ""


def _readings(given: np.ndarray, declared: Declared) -> Iterator[Reading]:
    """The rules without a change, then the part of one, then one anew for each device, then sorted, then times a number."""
    heads, sign, sizes = len(given), -1 if np.median(given) < 0 else 1, abs(given)
    flipped = [Finding("flipped", {}, "sign")] if sign < 0 else []
    bases = list(_rules(sizes, declared))
    for findings, base in bases:
        yield [*findings, *flipped], sign * base
    for rule, of, part in _parts(sizes, declared.heads):
        numbers = {"rule": rule, "first": part.start + 1, "last": part.stop, "of": of, "heads": heads}
        is_declared = declared.heads == of and rule == "code" and declared.max_bias in (None, TOP)
        weight: Weight = "note" if is_declared else "open"
        pitfall = "slopes_shards" if declared.heads == heads else ""  # right on a device, but this is the whole
        finding = Finding("shard" if part.start else "first_of", numbers, pitfall, weight)
        yield [finding, *flipped], sign * _slopes_of(of, rule)[part]
    for devices in (count for count in range(2, heads // 2 + 1) if heads % count == 0):
        anew = np.tile(_slopes_of(heads // devices, "code"), devices)
        numbers = {"devices": devices, "heads": heads // devices}
        yield [Finding("anew", numbers, "slopes_shards"), *flipped], sign * anew
    for findings, base in bases:
        for in_order in (order for order in (np.sort(base)[::-1], np.sort(base)) if not np.array_equal(order, base)):
            yield [*findings, Finding("sorted", {}, "slopes_sorted"), *flipped], sign * in_order
    for _, base in bases[:3]:
        scale = float(np.median(sizes / base))
        if 0 < scale < math.inf:
            yield [*_of_scale(scale, heads), *flipped], sign * scale * base


def _rules(sizes: np.ndarray, declared: Declared) -> Iterator[Reading]:
    """The authors' code, the paper's sentence and 2^-h, with the largest exponents that are known, and that of the list."""
    heads, power = len(sizes), 2 ** (len(sizes).bit_length() - 1)
    meant = [declared.max_bias] if declared.max_bias else [TOP, NAMED_TOP]
    tops = {
        rule: round(-math.log2(sizes[0]) * n, 9) if sizes[0] > 0 else 0
        for rule, n in (("code", power), ("sentence", heads))
    }
    blog, is_paper = np.array(slopes(heads, "blog")), heads == TOP
    seen: list[np.ndarray] = []
    for rule, top in [("code", top) for top in meant] + [("sentence", TOP), *tops.items(), ("code", TOP)]:
        base = np.array(slopes(heads, rule, top)) if 0 < top <= LARGEST_TOP else None
        if base is None or any(np.allclose(base, other, rtol=EXACT, atol=0) for other in seen):
            continue
        seen.append(base)
        findings = [Finding(rule, {"heads": heads, "top": top}, "slopes_power" if rule == "sentence" else "")]
        is_blog = not declared.max_bias and not is_paper and np.allclose(base, blog, rtol=EXACT, atol=0)
        if declared.max_bias and (rule, top) != ("code", declared.max_bias):
            findings.append(Finding("other_top", {"top": top, "declared": declared.max_bias}, weight="differs"))
        elif top not in meant or is_blog:
            findings.append(Finding("undeclared_top", {"top": top}, weight="open"))
        if declared.heads and declared.heads != heads:
            findings.append(Finding("other_heads", {"heads": heads, "declared": declared.heads}, weight="differs"))
        yield findings, base
    if not is_paper:
        yield [Finding("blog", {"heads": heads}, "slopes_blog")], blog


def _parts(sizes: np.ndarray, whole: int | None) -> Iterator[tuple[str, int, slice]]:
    """Rule, number of all heads, and the places of the list among them: equal parts, or the first of a power of two.

    whole: how many heads there are, if it was said; else the fewest that fit."""
    heads = len(sizes)
    powers = (2**exponent for exponent in range(heads.bit_length(), MOST_SHARED.bit_length()))
    several = sorted({*range(2 * heads, MOST_SHARED + 1, heads), *powers} - {heads})
    several = [whole] if whole and whole in several else several
    for of in several if heads > 1 or whole else ():
        is_power = of & (of - 1) == 0
        for rule in ("code",) if is_power else ("code", "sentence"):
            devices = _slopes_of(of, rule)[: of // heads * heads].reshape(-1, heads)
            for device in np.flatnonzero((abs(devices / sizes - 1) <= CLOSE).all(-1)):
                if (of % heads == 0) if device else is_power or of == whole:
                    yield rule, of, slice(int(device) * heads, (int(device) + 1) * heads)
                    return


@lru_cache(maxsize=2 * MOST_SHARED)
def _slopes_of(heads: int, rule: str) -> np.ndarray:
    return np.array(slopes(heads, rule))


def _of_scale(scale: float, heads: int) -> list[Finding]:
    """All that slopes may be which are a rule's multiplied by a number; nothing is known of most numbers."""
    findings = [Finding("scaled", {"factor": scale}, weight="open")]
    width = round(scale**-2) if scale >= WIDEST_HEAD**-0.5 / 2 else 0
    if 2 <= width <= WIDEST_HEAD and math.isclose(width**-0.5, scale, rel_tol=CLOSE / 4):
        findings.append(Finding("scaled_sqrt", {"width": width}, "sqrt_d"))
    if math.isclose(scale, 2 ** (TOP / heads), rel_tol=CLOSE / 4):
        findings.append(Finding("off_by_one", {}, "slopes_blog"))
    return findings
