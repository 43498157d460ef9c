"""`python -m tools.facts`: derive alibi_viz/results/facts.json, what the lessons say of the shipped runs and of the paper.

Run it when the models are trained anew. `tools.verify` derives all of it again and compares. Each function is a lesson's.
"""

import json
import math
import sys
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import torch

from alibi_viz.files import write_atomically
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.model import Block, DecoderLM
from alibi_viz.lm.ngram import ngram_loss
from alibi_viz.lm.recall import farthest, sequence_length
from alibi_viz.positions.fire import Fire
from alibi_viz.positions.forgetting import Forgetting
from alibi_viz.results import comparison, facts, pretrained, published, trained
from alibi_viz.results.comparison import WORSE, Difference, by_verdict, difference
from alibi_viz.results.table import (
    PROTOCOLS,
    RECALLED,
    at,
    bytes_per_word,
    higher,
    losses,
    means,
    measurements,
    penalties,
    readings,
    train_length,
)
from alibi_viz.rules import slopes
from tools.byte_kinds import KINDS, kinds_of

Facts = dict[str, Any]
PLAYED = ("rope", "sinusoidal", "t5", "alibi")  # methods of the playground, the last one drawn on top
NEAR, FAR = 4, 16  # training lengths that the sentences speak of
READ_FAR = 8  # of the windows that are read otherwise
NGRAM = 4
NEARLY = 0.1  # a published window this close to FAR training lengths counts as there
PAPER = {512: "table2_extrapolation_L512", 1024: "table3_extrapolation_L1024"}
PAPER_METHODS = {"sinusoidal": "sinusoidal", "rope": "rotary", "t5": "t5", "alibi": "alibi"}  # ours: the paper's word
SLIDING_TABLES = {"alibi": 15, "t5": 14, "sinusoidal": 13}  # of the paper: sliding with stride 1
NEAR_KEYS = 64  # bytes: the keys beyond them are hidden
ABLATED = ("alibi", "rope")
FORGOTTEN = 1024  # bytes of held-out text over which a head forgets
GUESS = 2  # standard errors: a share of right answers that is no farther above that of a guess is called one


def derive() -> Facts:
    """All of it, by lesson."""
    lessons = (playground, story, extrapolation, why, early_token_curse, recall, heirs)
    return {lesson.__name__: _plain(lesson()) for lesson in lessons}


def _plain(value: Any) -> Any:
    """As JSON has it: numbers rounded to six digits, keys as text."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(entry) for entry in value]
    if isinstance(value, bool | str | int) or value is None:
        return value
    number = float(value)
    return int(number) if isinstance(value, np.integer) else float(f"{number:.6g}") if math.isfinite(number) else None


def _config() -> TrainConfig:
    return TrainConfig(**pretrained.load_all()[0]["config"])


def _first(runs: pd.DataFrame) -> pd.DataFrame:
    """Of the first seed."""
    return runs[runs.seed == pretrained.SEEDS[0]]


def _higher(nats_per_word: float) -> Facts:
    """Perplexities with a loss that is so much higher: their rise."""
    return dict(zip(("byte", "word"), higher(nats_per_word), strict=True))


def _ordered(values: dict[str, float], *, largest_first: bool = False) -> dict[str, float]:
    return dict(sorted(values.items(), key=lambda pair: pair[1], reverse=largest_first))


def playground() -> Facts:
    """The training length, and by language each method that the playground draws: windows in training lengths, and
    perplexities. A language counts when all of them are trained.
    """
    whole = [language for language, methods in pretrained.METHODS_OF.items() if {*PLAYED} <= {*methods}]
    return {"train_length": train_length(), "lines": {language: _played(language) for language in whole}}


def _played(language: str) -> Facts:
    sliding = measurements("sliding", pretrained.OF_LANGUAGE[language]).dropna(subset="loss")
    by_times = means(sliding.assign(times=sliding.length / sliding.train_length), "perplexity", "times")
    of_methods = {method: by_times[by_times.method == method] for method in PLAYED}
    return {method: {"times": [*rows.times], "values": [*rows["mean"]]} for method, rows in of_methods.items()}


def story() -> Facts:
    """What steps 6, 8 and 9 say of the four methods that they draw: how each compares with itself at L; by
    language whether hidden keys change what the two predict; and ALiBi from fewer and fewer bytes."""
    runs, length = losses(), train_length()
    sliding = runs[(runs.protocol == "sliding") & runs.method.isin(PLAYED)]
    far = {method: found[FAR] for method, found in comparison.rises(sliding).items()}
    cut = dict(iter(_of("contexts", "alibi").groupby("context")))
    from_length, most = cut[length], cut[max(cut)]
    gain = difference(most, from_length)
    return {
        "far": by_verdict(far),
        "seeds": len(pretrained.SEEDS),
        "near": {language: _near(kind) for language, kind in pretrained.OF_LANGUAGE.items()},
        "context": {
            "predictions": int(most.predictions.iloc[0]),
            "share": comparison.SHARE,
            "change": [higher(end)[0] for end in (gain.low, gain.high)],  # perplexity per byte, ends of the interval
            "verdicts": {n: difference(rows, from_length).verdict for n, rows in cut.items()},
        },
    }


def _of(part: str, method: str, kind: pretrained.Kind = "text") -> pd.DataFrame:
    """One part of the records of a method's first seed."""
    runs = measurements(part, kind)
    return _first(runs[runs.method == method])


def _near(kind: pretrained.Kind) -> Facts:
    """In sliding windows of 8 L, first seed: RoPE and ALiBi with the keys beyond L hidden, each beside itself with all."""
    near = {method: _of("near_keys", method, kind) for method in ("alibi", "rope")}
    every = {
        method: comparison.at_length(_of("sliding", method, kind), int(rows.length.iloc[0]))
        for method, rows in near.items()
    }
    return {"itself": by_verdict({method: difference(rows, every[method]) for method, rows in near.items()})}


def extrapolation() -> Facts:
    """Who is best at L and where each breaks, under both protocols; other training lengths; the paper."""
    runs, config = losses(), _config()
    seeds = runs.groupby("method", observed=True).seed.nunique()
    fire = trained.shipped("fire").position
    assert isinstance(fire, Fire)
    result: Facts = {protocol: _protocol(runs[runs.protocol == protocol]) for protocol in PROTOCOLS}
    result |= {
        "length": config.length,
        "far": FAR,
        "worse": {"nats": WORSE, **_higher(WORSE)},
        "share": comparison.SHARE,
        "blocks": len(_of("sliding", "alibi").by_block.iloc[0]),
        "bytes_per_word": bytes_per_word(),
        "seeds": seeds.max(),
        "once": _once(runs),
        "fire_start": fire.start,
        "fire_threshold": float(fire.threshold),
    }
    return result | {
        "made": _made(config),
        "lengths": _lengths(config),
        "paper": _paper(),
        "test": _test(),
        "books": _books(),
        "larger": _larger(),
    }


def _once(runs: pd.DataFrame) -> list[str]:
    """Methods of fewer seeds than others."""
    seeds = runs.groupby("method", observed=True).seed.nunique()
    return [str(method) for method, count in seeds.items() if count < seeds.max()]


def _protocol(runs: pd.DataFrame) -> Facts:
    """The methods at L and at FAR times L, where each breaks, and ALiBi beside each other one at L."""
    times = runs.length / runs.train_length
    rises = comparison.rises(runs)
    found = comparison.breaks(rises)
    by_times = {n: at(runs[times == n]) for n in (1, FAR)}
    spread = means(runs, "perplexity", "length").assign(spread=lambda rows: rows.high - rows.low)
    widest = {
        name: spread[spread.length == n * _config().length].nlargest(1, "spread").iloc[0]
        for name, n in (("at", 1), ("far", FAR))
    }
    others = [method for method in _ordered(by_times[1]) if method != "alibi"]
    beside = comparison.between(runs[times == 1], [(method, "alibi") for method in others])
    return {
        "order": _ordered(by_times[1]),
        "beside_alibi": by_verdict({method: of_pair for (method, _), of_pair in beside.items()}),
        "alibi": {"at": by_times[1]["alibi"], "far": by_times[FAR]["alibi"]},
        "rise": at(runs[times == FAR], "rise"),
        "verdicts": by_verdict({method: own[FAR] for method, own in rises.items()}),
        "heirs": {m: {"at": by_times[1][m], "far": by_times[FAR][m]} for m in pretrained.HEIRS if m in by_times[1]},
        "breaks": _broken(found),
        "held": [method for method, first in found.items() if first.holds],
        "open": [method for method, first in found.items() if first.at is None and not first.holds],
        "last_good": {method: first.last_good for method, first in found.items()},
        "unread": [method for method in by_times[1] if method not in found],
        "spread": {name: {"method": row.method, "value": row.spread} for name, row in widest.items()},
    }


def _broken(found: dict[str, comparison.Break]) -> dict[str, float]:
    """Where the methods that break do so, the first one first."""
    return _ordered({method: first.at for method, first in found.items() if first.at is not None})


def _made(config: TrainConfig) -> Facts:
    """How the runs were trained and measured, and which of the main methods differ at L."""
    corpus, record = python_text(), pretrained.load_all()[0]
    ngram = math.exp(ngram_loss(corpus.train, corpus.held_out, NGRAM))
    runs = losses()
    at_length = runs[(runs.protocol == "sliding") & (runs.length == runs.train_length)]
    pairs = by_verdict(comparison.between(at_length, combinations(pretrained.MAIN, 2)))
    most = _sliding_at_length(losses("twice")) | {
        method: value for method, value in _sliding_at_length(losses()).items() if method not in pretrained.MAIN
    }
    names = ("layers", "width", "heads", "head_dim", "steps", "batch", "learning_rate", "tokens")
    return {name: getattr(config, name) for name in names} | {
        "passes": config.tokens / len(corpus.train),
        "held_out": len(corpus.held_out),
        "environment": record["made_with"],
        "pairs": sum(map(len, pairs.values())),
        "apart": len(pairs["better"]) + len(pairs["worse"]),
        "same": pairs["same"],
        "open": pairs["open"],
        "ngram": {"n": NGRAM, "perplexity": ngram, "not_better": [m for m, value in most.items() if value >= ngram]},
    }


def _sliding_at_length(runs: pd.DataFrame) -> dict[str, float]:
    return at(_first(runs[(runs.protocol == "sliding") & (runs.length == runs.train_length)]))


def _lengths(config: TrainConfig) -> Facts:
    """Models that read the same bytes at other training lengths, tested at one length; what a step costs; the paper's."""
    runs = pd.concat([losses("lengths"), _first(losses())])
    runs = runs[(runs.protocol == "nonoverlapping") & runs.method.isin(["alibi", "sinusoidal"])]
    tested = runs.train_length.max()
    at_test, at_own = runs[runs.length == tested], runs[runs.length == runs.train_length]
    by_length = {
        name: {method: _perplexities(rows.set_index("train_length")) for method, rows in group}
        for name, group in (
            ("tested", at_test.groupby("method", observed=True)),
            ("own", at_own.groupby("method", observed=True)),
        )
    }
    measured = json.loads(pretrained.COSTS.read_text(encoding="utf-8"))["costs"]
    costs = pd.DataFrame(measured).groupby("length").tokens_per_second
    short = published.row("table5_alibi_train_by_eval", "512")
    far = max(short)
    rivals = {
        name: published.row("table5_alibi_train_by_eval", row)[far]
        for name, row in (("sinusoidal", "Sinusoidal"), ("alibi", str(far)))
    }
    return by_length | {
        "at": tested,
        "tokens": config.tokens,
        "speed": (costs.max() / costs.min() - 1).max(),
        "paper": {"at": far, "short": 512, "best": short[far], **rivals},
    }


def _perplexities(runs: pd.DataFrame) -> dict[int, float]:
    """Of one run each, by the index."""
    return np.exp(runs.loss.sort_index()).to_dict()


def paper_rises(train_length: int) -> pd.DataFrame:
    """The paper's Figure 1: method, length (words), train_length, loss and rise (nats per word). OOM is no number."""
    rows = [
        {"method": method, "length": row["length"], "loss": math.log(value), "train_length": train_length}
        for row in published.load()[PAPER[train_length]]["rows"]
        for method, column in PAPER_METHODS.items()
        if isinstance(value := row[f"{column}_ppl"], int | float)
    ]
    frame = pd.DataFrame(rows)
    own = frame[frame.length == train_length].set_index("method").loss
    return frame.assign(rise=frame.loss - frame.method.map(own))


def _paper() -> Facts:
    """Where the paper's models break, and their perplexity per word far beyond L, divided by that at L: beside ours in the
    same windows.
    """
    result: Facts = {}
    ours = losses()
    ours = ours[ours.method.isin(list(PAPER_METHODS))]
    for length in PAPER:
        runs = paper_rises(length)
        far = runs.assign(gap=np.abs(np.log(runs.length / length / FAR))).sort_values("gap").groupby("method").first()
        is_far = (far.length / length / FAR - 1).abs() <= NEARLY
        own = runs[runs.length == length].set_index("method").loss.sort_values()
        result[str(length)] = {
            "breaks": _broken(comparison.breaks(_paper_rises(runs))),
            "far": _ordered(np.exp(far[is_far].rise).to_dict(), largest_first=True),
            "best": own.index[0],
            "rank": list(own.index).index("alibi") + 1,
        }
    for protocol in PROTOCOLS:
        rows = ours[ours.protocol == protocol]
        ratios = at(rows[rows.length == FAR * rows.train_length], "ratio")
        broken = _broken(comparison.breaks(comparison.rises(rows)))
        result[protocol] = {"breaks": broken, "far": _ordered(ratios, largest_first=True)}
    return result


def _paper_rises(runs: pd.DataFrame) -> dict[str, dict[float, Difference]]:
    """Of the printed numbers, in the form of `comparison.rises`."""
    beyond = runs[runs.length > runs.train_length].sort_values("length")
    return {
        str(method): {row.length / row.train_length: comparison.published(float(row.rise)) for row in own.itertuples()}
        for method, own in beyond.groupby("method")
    }


def _test() -> Facts:
    """The paper's Table 6: perplexities per word on the test set, of models trained short, or where they are tested."""
    short, tested = 512, 3072

    def test(model: str) -> float:
        return float(published.find("table6_test", model=model)["test_ppl"])

    return {
        "short": {"trained": short, "tested": tested, "test": test(f"ALiBi, L = {short}, L_{{valid}} = {tested}")},
        "sinusoidal": {"test": test(f"Sinusoidal, L = {tested}")},
        "alibi": {"test": test(f"ALiBi, L = {tested}, L_{{valid}} = {tested}")},
    }


def _books() -> Facts:
    """The paper's Table 8 (Toronto BookCorpus): the shortest and the longest windows."""
    rows = {name: published.row("table8_toronto_books", name) for name in ("512", "3072", "Sinusoidal")}
    short, longest = min(rows["512"]), max(rows["512"])
    far = {"short": rows[str(short)][longest], "alibi": rows[str(longest)][longest]}
    return {
        "short": short,
        "longest": longest,
        "at": {"short": rows[str(short)][short]},
        "far": far | {"sinusoidal": rows["Sinusoidal"][longest]},
    }


def _larger() -> Facts:
    """The paper's largest models (Tables 11 and 12): perplexities per word, by the tokens of the window."""
    lengths = (512, 1024, 2048)

    def equal(name: str, trained_at: int, tested: int) -> float:
        row = published.find("table12_1p3B_equal_updates", model=f"{name}, L = {trained_at}")
        return float(row[f"ppl_{tested}"])

    return {
        "parameters": published.load()["table12_1p3B_equal_updates"]["parameters"],
        "alibi": {f"at_{n}": equal("ALiBi", lengths[0], n) for n in lengths},
        "tie": max(abs(equal("ALiBi", n, n) - equal("Sinusoidal", n, n)) for n in lengths),
    }


def why() -> Facts:
    """What other readings, other penalties, taking heads away and stretching positions change; depth without positions."""
    length = _config().length
    seen = np.exp(_first(measurements("windows")).set_index(["method", "length", "window"]).loss.sort_index())
    records = {method: pretrained.load(method, pretrained.SEEDS[0]) for method in ABLATED}
    without = {method: np.exp(record["without_heads"]) for method, record in records.items()}  # [layers, heads]
    alibi = np.sort(without["alibi"].ravel())[::-1]
    depth = pd.concat([losses("depth"), _first(losses())[lambda rows: rows.method == "none"]])
    depth = depth[depth.protocol == "sliding"]
    by_layers = {
        name: _perplexities(depth[depth.length == times * length].set_index("layers"))
        for name, times in (("at", 1), ("far", FAR))
    }
    return {
        "readings": _readings(length),
        "penalties": _penalties(),
        "heads": {
            "seeds": len(pretrained.SEEDS),
            "near": NEAR_KEYS,
            "near_alibi": seen["alibi", length, NEAR_KEYS],
            "slope": slopes(8)[int(without["alibi"].argmax()) % 8],
            "alibi_whole": seen["alibi", length, length],
            "alibi": alibi[0],
            "other": alibi[1],
            "rope_whole": seen["rope", length, length],
            "rope": without["rope"].max(),
        },
        "depth": by_layers | {"alibi": _sliding_at_length(losses())["alibi"]},
        "stretched": _stretched(length),
    }


def _readings(length: int) -> Facts:
    """What the sentences say of the models read otherwise, at READ_FAR times L: perplexities by method and reading."""
    record, rows = json.loads(pretrained.READINGS.read_text(encoding="utf-8")), readings()
    far = rows[rows.length == READ_FAR * length]
    by_method = {
        method: np.exp(far[far.method == method].set_index("reading").loss).to_dict()
        for method in ("alibi", "rope", "none")
    }
    spread = {
        method: dict(zip(("few", "many"), values.values(), strict=True)) for method, values in record["entropy"].items()
    }
    beyond = np.mean(pretrained.load("alibi", pretrained.SEEDS[0])["weights_beyond"])  # in windows of NEAR times L
    sizes = {"length": length, "last": length - 1, "half": length // 2, "far": READ_FAR, "share": comparison.SHARE}
    return (
        by_method
        | sizes
        | {"predictions": record["predictions"], "entropy": spread, "alibi_share": beyond, "near": NEAR}
    )


def _penalties() -> Facts:
    """How the short runs with other penalties were trained, and their perplexities by shape, strength and times L."""
    recipe, rows = json.loads(pretrained.PENALTIES.read_text(encoding="utf-8"))["recipe"], penalties()
    means = np.exp(rows.groupby(["shape", "strength", "length"]).loss.mean())
    by_name: Facts = {}
    for (shape, strength, length), value in means.items():
        by_name.setdefault(f"{shape}_{strength:g}".replace(".", "_"), {})[f"at_{length // recipe['length']}"] = value
    predictions = rows.predictions.iloc[0]
    return recipe | {"seeds": rows.seed.nunique(), "predictions": predictions, "perplexities": by_name}


def _stretched(length: int) -> Facts:
    """Perplexities of the models as trained and stretched, by way, at NEAR and FAR training lengths; at L, where halved."""
    longer, plain = measurements("longer"), _first(losses())
    plain = np.exp(plain[plain.protocol == "nonoverlapping"].set_index(["method", "length"]).loss)
    by_way = np.exp(longer.set_index(["method", "way", "times", "length"]).loss)
    result: Facts = {}
    for method, rows in longer.groupby("method", observed=True):
        ways = {"trained": {f"at_{n}": plain[method, n * length] for n in (NEAR, FAR)} | {"at": plain[method, length]}}
        for way in dict.fromkeys(rows.way):
            ways[way] = {f"at_{n}": by_way[method, way, n, n * length] for n in (NEAR, FAR)}
            ways[way]["at"] = by_way[method, way, 2, length]
        result[str(method)] = ways
    return result


def early_token_curse() -> Facts:
    """Both protocols from L on; how much context is enough; and the paper's rows of both."""
    runs, length = losses(), _config().length
    far = runs.length.max()
    by_protocol = {protocol: runs[runs.protocol == protocol] for protocol in PROTOCOLS}
    both = {
        protocol: {n: at(comparison.at_length(rows, n)) for n in (length, far)}
        for protocol, rows in by_protocol.items()
    }
    plain, sliding = (comparison.at_length(rows, length) for rows in by_protocol.values())
    overlapping = {
        str(method): difference(own, plain[plain.method == method])
        for method, own in sliding.groupby("method", observed=True)
    }
    return {
        "length": length,
        "far": far,
        "alibi": {kind: {"at": both[kind][length]["alibi"], "far": both[kind][far]["alibi"]} for kind in PROTOCOLS},
        "predictions": int(sliding.predictions.iloc[0]),
        "seeds": len(pretrained.SEEDS),
        "overlapping": by_verdict(overlapping),
        "context": _context(length),
        "paper": _paper_sliding(),
    }


def _context(length: int) -> Facts:
    """Of the first seed: from how few bytes of context a method predicts the same as from all that it was trained on, or
    better; and from the most that was measured, compared with those."""
    runs = measurements("contexts")
    most = runs.context.max()
    enough: dict[str, float] = {}
    beyond: dict[str, Difference] = {}
    for method, own in runs.groupby("method", observed=True):
        by_context = {int(str(context)): rows for context, rows in own.groupby("context")}
        enough[str(method)] = min(n for n, rows in by_context.items() if difference(rows, by_context[length]).holds)
        if most in by_context:
            beyond[str(method)] = difference(by_context[most], by_context[length])
    ends = {method: math.expm1(found.mean / bytes_per_word()) for method, found in beyond.items()}
    return {
        "enough": _ordered(enough),
        "most": most,
        "predictions": int(runs.predictions.iloc[0]),
        "beyond": _ordered(ends),
        "verdicts": by_verdict(beyond),
    }


def _paper_sliding() -> Facts:
    """ALiBi in both protocols, T5 and sinusoidal positions sliding: perplexity per word at L and at the longest window."""
    result: Facts = {}
    for length in PAPER:
        rows = {
            method: published.row(f"table{n}_sliding_{method}", str(length)) for method, n in SLIDING_TABLES.items()
        }
        rows["nonoverlapping"] = published.row("table5_alibi_train_by_eval", str(length))
        result[str(length)] = {
            name: {"at": row[length], "far": row[3072], "change": row[3072] / row[length] - 1}
            for name, row in rows.items()
        }
    return result


def recall() -> Facts:
    """By the pairs in a sequence: who learned the task, and who recalls how far."""
    every = measurements("recall", "recall")
    runs, config = every[every.options == ""], next(iter(pretrained.load_all("recall")))["config"]
    result: Facts = {
        "length": config["length"],
        "steps": config["steps"],
        "heads": config["heads"],
        "trained_pairs": config["pairs"],
        "farthest": farthest(config["length"]),
        "slope": min(slopes(config["heads"])),
        "recalled": RECALLED,
    }
    for name, rows in runs.groupby("pairs"):
        pairs = int(str(name))
        times = rows.length.map(lambda distance, pairs=pairs: sequence_length(int(distance), pairs) / config["length"])
        rows = rows.assign(times=times, recalls=rows.accuracy - rows.wrong_key >= RECALLED).sort_values(
            "length", kind="stable"
        )
        near = rows[rows.length < config["length"]].groupby("method", observed=True)
        learned = [method for method, holds in near.recalls.all().items() if holds]
        most = rows.length.max()
        far = rows[rows.length == most].set_index("method")
        shares = {m: share for m, share in far.accuracy.dropna().items() if m in learned}
        tried = every[(every.options != "") & (every.pairs == pairs) & (every.length == most)]
        chance = 1 / pairs
        luck = GUESS * math.sqrt(chance * (1 - chance) / rows.questions.dropna().iloc[0])
        result[str(pairs)] = {
            "most": most,
            "times": int(far.times.iloc[0]),
            "learned": learned,
            "others": {m: share for m, share in near.accuracy.min().items() if m not in learned},
            "far": _ordered(shares, largest_first=True),
            "chance": chance,
            "guessing": [method for method, share in shares.items() if share <= chance + luck],
            **_recalling(rows[rows.method.isin(learned)]),
            "flatter": {"options": tried.options.iloc[0], "share": tried.accuracy.iloc[0]},
        }
    return result


def _recalling(rows: pd.DataFrame) -> Facts:
    """The methods that recall at every distance up to so many training lengths; and those that are right often enough where
    they first fail to, but name the same digit when another letter is asked too."""
    methods = rows.groupby("method", observed=True)
    far = {str(n): [str(m) for m, own in methods if own[own.times <= n].recalls.all()] for n in (2, 4, 8, 16)}
    failed = {str(method): own[~own.recalls].iloc[0] for method, own in methods if not own.recalls.all()}
    left_out = {
        method: {"distance": row.length, "right": row.accuracy, "same": row.wrong_key}
        for method, row in failed.items()
        if row.accuracy >= RECALLED
    }
    return {"recalling": far, "left_out": left_out}


@torch.inference_mode()
def heirs() -> Facts:
    """Of the trained FoX of the first seed that reads held-out text in windows of L: of each kind of byte the mean step,
    -ln f, by layer and head, its share of the bytes, and its share of all that all heads forget; which head forgets most
    of all at line ends, and what this head takes from the score of earlier bytes. And how many more parameters than
    ALiBi's each method has, as a share of those."""
    model, length, text = trained.shipped("forgetting"), train_length(), python_text().held_out
    text = text[: len(text) // length * length]
    every, kinds = _steps(model, text, length), kinds_of(text)  # [layers, bytes, heads]
    of_kind = {kind: every[:, kinds == at] for at, kind in enumerate(KINDS)}
    share = of_kind["line_end"].sum(1) / every.sum(1)
    layer, head = np.unravel_index(share.argmax(), share.shape)
    taken = np.cumsum(_steps(model, text[:FORGOTTEN], FORGOTTEN)[layer, ::-1, head])  # from the last byte back
    distances = np.unique(np.geomspace(1, FORGOTTEN, 160).round().astype(int))
    sizes = {
        method: sum(own.numel() for own in trained.shipped(method).parameters())
        for method in ("alibi", *pretrained.HEIRS)
        if method in pretrained.METHODS
    }
    return {
        "bytes": len(text),
        "steps": {kind: steps.mean(1).tolist() for kind, steps in of_kind.items()},
        "of_bytes": {kind: steps.shape[1] / len(text) for kind, steps in of_kind.items()},
        "of_steps": {kind: steps.sum() / every.sum() for kind, steps in of_kind.items()},
        "line_ends": {"layer": layer + 1, "head": head + 1, "share": share.max()},
        "taken": {distance: taken[distance - 1] for distance in distances},
        "more_parameters": {method: size / sizes["alibi"] - 1 for method, size in sizes.items()},
    }


def _steps(model: DecoderLM, text: bytes, length: int) -> np.ndarray:
    """-ln f of a FoX that reads a text in windows of so many bytes: float64 [layers, bytes, heads]."""
    windows = torch.frombuffer(bytearray(text), dtype=torch.uint8).long().view(-1, length)
    steps = []
    for layer, block in enumerate(model.blocks):
        assert isinstance(block, Block)
        method = block.attention.position
        assert isinstance(method, Forgetting)
        gates = method.log_gates(block.attention_norm(model.before(windows, layer)))  # [windows, H, length]
        steps.append(-gates.transpose(1, 2).flatten(0, 1))
    return torch.stack(steps).numpy()


def differences(now: Any, stored: Any, place: str = "facts", *, close: float = 0.0) -> list[str]:
    """Places where two trees of facts or measurements are not the same; numbers may differ by rounding, or by `close`."""
    if isinstance(now, dict) and isinstance(stored, dict):
        pairs = [(name, now.get(name), stored.get(name)) for name in dict.fromkeys([*now, *stored])]
    elif isinstance(now, list | tuple) and isinstance(stored, list | tuple) and len(now) == len(stored):
        pairs = list(zip(range(len(now)), now, stored, strict=True))
    elif isinstance(now, float) and isinstance(stored, int | float):
        is_same = math.isclose(now, stored, rel_tol=1e-4, abs_tol=max(1e-6, close))
        return [] if is_same else [f"{place}: {now}, not {stored}."]
    else:
        return [] if now == stored else [f"{place}: {now}, not {stored}."]
    return [line for name, new, old in pairs for line in differences(new, old, f"{place}.{name}", close=close)]


def main() -> int:
    """Write the file."""
    write_atomically(facts.FILE, json.dumps(derive(), indent=1, ensure_ascii=False).encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
