"""What the Extrapolation lesson says about the shipped runs: which sentences of the lesson hold, and their numbers.

A claim is a section of the lesson and its numbers, all from the runs' curves and files. What a sentence says beyond its
numbers ("late and steeply") is asserted by the tests on the shipped runs.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import exp, expm1, log, nan
from statistics import fmean
from typing import Any

from alibi_viz.lessons import load, printed
from alibi_viz.lm.corpus import SHARED_BYTES, python_docs
from alibi_viz.positions import METHODS
from alibi_viz.results import measured, pretrained, published
from alibi_viz.results.measured import Protocol
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.extrapolation import experiments, study
from pages.extrapolation.study import FAR, NEAR, TRAIN_LENGTH, shipped_curves

NEARLY = 0.1  # a published window this close to FAR training lengths counts as there
LAST = 10  # entries of the training loss that its end is the mean of
PAPER_BASE = 512  # training length of the paper's headline, in words
Claim = tuple[str, dict[str, Any]]
_DETAILS = ("seen.good", "seen.breaks", "seen.learned", "seen.spread", "seen.limit")


def seen(protocol: Protocol) -> list[Claim]:
    """Who is best at L, and whether ALiBi gets worse beyond it."""
    numbers = _numbers(protocol)
    return [("seen.best_alibi" if numbers["rank"] == 1 else "seen.best", numbers), ("seen.beyond", numbers)]


def details(protocol: Protocol) -> list[Claim]:
    """Where each method breaks, how far the seeds differ, and what ALiBi's gain beyond L is."""
    numbers = _numbers(protocol)
    return [(section, numbers) for section in _DETAILS]


def compared(paper_length: int) -> list[list[Claim]]:
    """Paragraphs that compare with the paper."""
    return [*(_paper_order(paper_length, kind) for kind in measured.PROTOCOLS), _paper_values(paper_length)]


def note(protocol: Protocol) -> Claim:
    """The picture in two sentences: ALiBi far beyond L, and who breaks first."""
    numbers, breaks = _numbers(protocol), study.breaks(shipped_curves(protocol).values())
    broken = {method: first.at for method, first in breaks.items() if first.at is not None}
    if not broken:
        return "note.none", numbers
    at = min(broken.values())
    first = titles(method for method, where in broken.items() if where == at)
    return "note", numbers | {"first": first, "at": at, "broken": len(broken)}


def _numbers(protocol: Protocol) -> dict[str, Any]:
    """Of the curves under one protocol: ranking, breaks, rises and spreads; and of ALiBi under both."""
    curves = shipped_curves(protocol)
    ranking = dict(measured.ranked(curves.values()))
    best, rank = next(iter(ranking)), list(ranking).index("alibi") + 1
    numbers: dict[str, Any] = {"near": NEAR, "far": FAR, "seeds": len(pretrained.SEEDS), "count": len(ranking)}
    numbers |= {"best": TITLES[best], "value": ranking[best], "alibi": ranking["alibi"], "rank": rank}
    numbers["breaks"] = _lengths(study.breaks(curves.values()), "g")
    numbers["worse"] = measured.WORSE
    numbers["alibi_factor"] = exp(study.rise_at(curves["alibi"], FAR))
    for key, times in (("at", 1), ("two", 2), ("near", NEAR), ("far", FAR)):
        rises = {method: study.rise_at(curve, times) for method, curve in curves.items()}
        numbers |= {f"{method}_{key}": rise for method, rise in rises.items()}
        numbers[f"{key}_list"] = titles(method for method, rise in rises.items() if rise <= measured.WORSE)
        spreads = ((study.spread_at(curve, times), method) for method, curve in curves.items())
        spread, method = max(pair for pair in spreads if pair[0] >= 0)  # NaN: not measured
        numbers |= {f"{key}_spread": spread, f"{key}_name": TITLES[method]}
    for kind in measured.PROTOCOLS:
        alibi = shipped_curves(kind)["alibi"]
        numbers |= {f"{kind}_at": alibi.at(TRAIN_LENGTH), f"{kind}_far": alibi.at(FAR * TRAIN_LENGTH)}
    return numbers


def _lengths(breaks: Mapping[str, study.Break], form: str) -> str:
    """Methods that break, earliest first, each with its length."""
    order = sorted((first.at, method) for method, first in breaks.items() if first.at is not None)
    return ", ".join(f"{TITLES[method]} ({at:{form}} L)" for at, method in order)


def _paper_order(paper_length: int, protocol: Protocol) -> list[Claim]:
    """Which breaks come in the paper's order, which cannot be told, and which do not."""
    ours, theirs = study.breaks(shipped_curves(protocol).values()), study.paper_breaks(paper_length)
    order = study.agreement(ours, theirs)
    section = f"seen.paper_{order.verdict if protocol == 'nonoverlapping' else protocol}"
    paragraph: list[Claim] = [(section, {"train_length": paper_length, "order": _lengths(theirs, ".1f")})]
    names = {"first": TITLES[order.first] if order.first else "", "never": titles(order.never)}
    if any(names.values()):
        paragraph.append((f"seen.order_{'_'.join(key for key, name in names.items() if name)}", names))
    for kind, pairs in (("tied", order.tied), ("opposite", order.opposite)):
        for first, second in pairs:
            numbers: dict[str, Any] = {"first": TITLES[first], "second": TITLES[second]}
            numbers |= {"first_good": ours[first].last_good_length, "first_at": ours[first].at}
            numbers |= {"second_good": ours[second].last_good_length, "second_at": ours[second].at}
            paragraph.append((f"seen.order_{kind}{'' if ours[first].at else '_never'}", numbers))
    return paragraph


def _paper_values(paper_length: int) -> list[Claim]:
    """Rises at FAR training lengths, there and here (nonoverlapping windows), and the paper's ranking at L."""
    theirs = study.paper_rises(paper_length, FAR)
    published_far = {method: rise for method, (at, rise) in theirs.items() if abs(at / FAR - 1) <= NEARLY}
    ours = {method: study.rise_at(shipped_curves("nonoverlapping")[method], FAR) for method in theirs}
    ranking = [method for _, method in sorted((float(line.y[0]), line.method) for line in study.paper(paper_length))]
    numbers = {"far": FAR, "paper_far": _worst_first(published_far), "ours_far": _worst_first(ours)}
    numbers |= {"best": TITLES[ranking[0]], "rank": ranking.index("alibi") + 1, "count": len(ranking)}
    shorter = [  # lines of the paper that end before
        ("seen.rises_ends", {"name": TITLES[method], "rise": rise, "at": at})
        for method, (at, rise) in theirs.items()
        if method not in published_far
    ]
    best = "seen.paper_best_alibi" if ranking[0] == "alibi" else "seen.paper_best"
    return [("seen.rises", numbers), *shorter, (best, numbers)]


def _worst_first(rises: Mapping[str, float]) -> str:
    order = sorted(rises, key=lambda method: -rises[method])
    return ", ".join(f"{TITLES[method]} {printed(rises[method], '+.2f')}" for method in order)


def units() -> dict[str, Any]:
    """How losses per byte become losses per word."""
    per_word = shipped_curves("nonoverlapping")["alibi"].bytes_per_word or nan
    numbers = {"bytes_per_word": per_word, "tenth_per_word": 1.1**per_word, "worse": measured.WORSE}
    numbers["worse_share"] = expm1(measured.WORSE)
    return {"seeds": len(pretrained.SEEDS), **numbers}


def protocols() -> dict[str, Any]:
    """What the two kinds of windows are: the windows that were read at L."""
    plain, slide = (study.window_count(measured.shipped(), kind, TRAIN_LENGTH) for kind in measured.PROTOCOLS)
    return {"length": TRAIN_LENGTH, "plain": plain[0], "slide": slide[0], "stride": slide[1]}


@lru_cache(maxsize=1)
def training() -> dict[str, Any]:
    """How the shipped runs were trained, from their files."""
    runs, records = measured.shipped(), pretrained.load_all()
    config, seconds, record = runs[0].config, [run.seconds for run in runs], records[0]
    at_end = fmean(fmean(r["losses"][-LAST:]) for r in records if r["config"]["method"] == "alibi")
    return vars(config) | {
        "tokens": config.tokens,
        "pairs": config.head_dim // 2,
        "seeds": ", ".join(str(seed) for seed in sorted({run.config.seed for run in runs})),
        "text": record["corpus"]["title"],
        "held_out": record["corpus"]["held_out_bytes"],
        "methods": titles(dict.fromkeys(run.config.method for run in runs)),
        "max_distance": METHODS["t5"].training_options(config.length)["max_distance"],
        "shared": SHARED_BYTES,
        "passes": config.tokens / len(python_docs().train),
        "gap": log(shipped_curves("nonoverlapping")["alibi"].at(TRAIN_LENGTH) or nan) - at_end,
        "gap_name": TITLES["alibi"],
        "shortest": min(seconds),
        "longest": max(seconds),
        **record["made_with"],
    }


def short_and_long() -> list[Claim]:
    """ALiBi trained short and tested long, beside sinusoidal positions trained long, and beside ALiBi trained long."""
    trained = experiments.at_lengths()
    lengths = list(trained["alibi"])
    at = lengths[-1]
    ours = {length: curve.at(at) for length, curve in trained["alibi"].items()}
    shorter = {length: value for length, value in ours.items() if length < at and value is not None}
    sinusoidal, alibi, best = trained["sinusoidal"][at].at(at), ours[at], min(shorter.values())
    numbers: dict[str, Any] = {"at": at, "sinusoidal": sinusoidal, "alibi": alibi, "best": best}
    numbers |= {"shorter": ", ".join(f"L = {length}: {value:.2f}" for length, value in shorter.items())}
    numbers |= {"train_length": next(length for length, value in shorter.items() if value == best)}
    short = published.row(experiments.PAPER_TABLE, str(PAPER_BASE))
    last = max(short)
    theirs: dict[str, Any] = {"at": last, "train_length": PAPER_BASE, "best": short[last]}
    for key, row in (("sinusoidal", "Sinusoidal"), ("alibi", str(last))):
        theirs[key] = published.row(experiments.PAPER_TABLE, row)[last]
    claims: list[Claim] = []
    for where, values in (("here", numbers), ("paper", theirs)):
        verdict = "ahead" if values["best"] < values["sinusoidal"] else "behind"
        longer = "better" if values["alibi"] < values["best"] else "worse"
        claims += [(f"lengths.{where}_{verdict}", values), (f"lengths.{where}_longer_{longer}", values)]
    return claims


def stretched() -> list[Claim]:
    """The stretched models at NEAR and FAR training lengths, best first; and ALiBi beside its trained slopes."""
    lines = {line.name: line for line in experiments.stretched()}
    numbers: dict[str, Any] = {"near": NEAR, "far": FAR}
    for key, times in (("near", NEAR), ("far", FAR)):
        values = {name: float(line.y[line.x == times][0]) for name, line in lines.items()}
        rope = {name.partition("/")[2]: value for name, value in values.items() if name.startswith("rope/")}
        numbers[f"rope_{key}"] = rope.pop("")
        ways = load("extrapolation").entries("ways")
        numbers[f"list_{key}"] = ", ".join(f"{ways[way]} {rope[way]:.2f}" for way in sorted(rope, key=rope.__getitem__))
        numbers |= {f"alibi_{key}": values["alibi/"], f"flatter_{key}": values["alibi/interpolated"]}
    flatter = "better" if numbers["flatter_far"] < numbers["alibi_far"] else "worse"
    return [("stretched.rope", numbers), (f"stretched.alibi_{flatter}", numbers)]


def formula() -> dict[str, Any]:
    """Perplexity of ALiBi's first seed at L, and of its mean the loss above that at L, far beyond, in nats per word."""
    curve = shipped_curves("nonoverlapping")["alibi"]
    first = float(curve.per_seed[curve.lengths == TRAIN_LENGTH][0, 0])
    rise, numbers = study.rise_at(curve, FAR), units()
    per_byte = rise / numbers["bytes_per_word"]
    return numbers | {
        "far": FAR,
        "seed": curve.seeds[0],
        "perplexity": first,
        "loss": log(first),
        "rise": rise,
        "per_byte": per_byte,
    }
