"""Training runs: which configurations the controls mean, what the runs gave so far, and what stands beside them.

Notable choices:
- Losses of single steps jump from batch to batch, so a point of the curve is the mean of a few neighbouring steps.
- During training, and right after it, a sample of the held-out text is evaluated at L, 2 L and 4 L. Then the finished
  model is measured on all of it, at more lengths, and those numbers take the sample's place.
- Axes stay while the curves grow, or move in steps: a picture that changes every second must not wander.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, floor, log2, log10
from statistics import median
from typing import Any, Literal

import numpy as np

from alibi_viz.charts.lines import Line, log_ticks
from alibi_viz.checks import setting
from alibi_viz.jobs.tasks import Plan, window
from alibi_viz.lessons import load
from alibi_viz.lm.config import BLOCKS, FIRST_RUN, RECALL, TrainConfig, small_batches
from alibi_viz.lm.corpus import BUILT_IN, Corpus
from alibi_viz.lm.ngram import ngram_loss
from alibi_viz.lm.runs import Run
from alibi_viz.positions import METHODS, options_of, title_of
from alibi_viz.results import pretrained
from alibi_viz.results.comparison import over_blocks

LENGTHS, WIDTHS = ("32", "64", "128", "256", "512"), ("16", "32", "64", "128", "256")
STEP, MOST_STEPS, MOST_LAYERS, MOST_HEADS, MOST_SEED = 25, 10_000, 6, 32, 9_999
TEXTS = {"python text": BUILT_IN, "recall": RECALL}  # what a configuration calls them; an own text has a key of its own
OWN_TEXT = "own text"
BLOG = "blog"  # the rule of slopes of many blog posts
RULES: dict[str, dict[str, str]] = {"code": {}, "2^-h": {"rule": BLOG}}  # options of the methods that have slopes
POINTS = 120  # of a loss curve
#: Bytes: all of the built-in held-out text, and as much of a reader's own.
HELD_OUT = setting("ALIBI_VIZ_HELD_OUT", 65_536, 1_024, 1_048_576)
PER_LOSS = 10  # steps that share one loss in a shipped record
LOWEST, HIGHEST = 2.0, 300.0  # perplexities of bytes: a good small model, and worse than guessing (256)
Axis = dict[str, Any]  # settings of an axis of Plotly


def method_title(config: TrainConfig) -> str:
    """The title of a run's method, with the rule of its slopes where that is not the authors'."""
    title, rule = title_of(config.method), dict(config.options).get("rule", "code")
    if rule == "code":
        return title
    return load("shared").entry("run_names", "rule", title=title, rule="2⁻ʰ" if rule == BLOG else rule)


@dataclass(frozen=True)
class Controls:
    """What the controls say, as in the address. text: a key of TEXTS, or OWN_TEXT."""

    methods: tuple[str, ...]
    length: str
    steps: int
    text: str
    width: str
    layers: int
    heads: int
    seed: int
    block: str
    slopes: str

    def configs(self, corpus: Corpus | None) -> tuple[TrainConfig, ...]:
        """One configuration a method. corpus: the reader's own text, if that is to be learned.

        Raises ValueError for numbers that do not fit together.
        """
        return tuple(self.config(method, corpus.key if corpus else TEXTS[self.text]) for method in self.methods)

    def config(self, method: str, corpus: str) -> TrainConfig:
        """The run of one method on the text of this key."""
        own = options_of(METHODS[method])
        options = {name: value for name, value in RULES[self.slopes].items() if name in own}
        shape = {"layers": self.layers, "heads": self.heads, "seed": self.seed, "steps": self.steps}
        sizes = {"length": int(self.length), "width": int(self.width)}
        if corpus != RECALL:
            sizes |= small_batches(sizes["width"])
        return TrainConfig(method, tuple(options.items()), corpus=corpus, block=self.block, **shape, **sizes)


def address_of(config: TrainConfig) -> dict[str, str | int] | None:
    """The address's values for a run, or None where the controls cannot say it: the terminal can ask for more."""
    text = next((choice for choice, key in TEXTS.items() if key == config.corpus), OWN_TEXT)
    slopes = next((rule for rule, options in RULES.items() if options == dict(config.options)), "")
    fits = (
        bool(slopes) and config.block in BLOCKS,
        str(config.length) in LENGTHS and str(config.width) in WIDTHS,
        config.steps in range(STEP, MOST_STEPS + 1, STEP) and config.seed <= MOST_SEED,
        config.layers <= MOST_LAYERS and config.heads <= MOST_HEADS,
    )
    if not all(fits):
        return None
    same: dict[str, Any] = {name: getattr(config, name) for name in ("steps", "layers", "heads", "seed", "block")}
    same |= {"length": str(config.length), "width": str(config.width)}
    chosen = Controls((config.method,), text=text, slopes=slopes, **same)
    if chosen.config(config.method, config.corpus).hash != config.hash:
        return None
    own = {f"train_{name}": value for name, value in vars(chosen).items() if name != "methods"}
    return {"train": config.method, **own}


# What a run gave.

#: Where the numbers come from: a sample during training, the same sample after it, or all of the held-out text.
Stage = Literal["training", "quick", "full"]


@dataclass(frozen=True)
class Results:
    """The newest measurements of a run. Arrays are float64 [lengths]."""

    config: TrainConfig
    lengths: np.ndarray  # windows in bytes; recall: distances
    values: np.ndarray  # perplexity per byte; recall: share of right answers
    stage: Stage
    ends: bool  # some length could not be measured
    by_block: Mapping[int, list[float]]  # losses of blocks of the text, by the length of the window; recall: none

    def at(self, times: float) -> float | None:
        """The value at so many training lengths, if it is known; for recall: with the key at the far end of so many."""
        matches = np.flatnonzero(self.lengths == window(self.config, times))
        return float(self.values[matches[0]]) if len(matches) else None

    def verdict(self, bigram: float, bytes_per_word: float) -> str:
        """The name of the sentence that holds.

        No verdict on a model that has learned no more than a bigram model knows. Else that of `results.comparison` for
        4 L beside L: of one seed, so from blocks of the text.
        """
        near, far = self.at(1), self.at(4)
        if near is None or far is None:
            return "ends" if self.ends and METHODS[self.config.method].has_position_table else "near"
        if self.config.is_recall:
            return "recall"
        if near >= bigram:
            return "early"
        here, there = (np.array(self.by_block.get(window(self.config, times), [])) for times in (1, 4))
        return over_blocks((there - here) * bytes_per_word).verdict


def results(run: Run) -> Results:
    """Sliding windows, or as many pairs as in training; of the sample until the full tests have come as far."""
    pairs = run.config.pairs if run.config.is_recall else None
    final = [e for e in run.measurements if e.get("stride") != e["length"] and e.get("pairs") == pairs]
    newest = max((entry["step"] for entry in run.interim_evaluations), default=0)
    interim = [entry for entry in run.interim_evaluations if entry["step"] == newest]
    is_full = bool(final) and len(final) >= len(interim)
    entries = final if is_full else interim
    stage: Stage = "full" if is_full else "quick" if newest >= run.config.steps else "training"
    values = {entry["length"]: entry.get("perplexity", entry.get("accuracy")) for entry in entries}
    points = sorted((length, value) for length, value in values.items() if value is not None)
    lengths, numbers = np.array(points, dtype=np.float64).reshape(-1, 2).T
    by_block = {entry["length"]: entry["by_block"] for entry in entries if "by_block" in entry}
    return Results(run.config, lengths, numbers, stage, any("missing" in entry for entry in entries), by_block)


def plan_for(steps: int) -> Plan:
    """What is measured of a run of so many steps: about ten interim evaluations, and what shipped runs have."""
    return Plan(held_out=HELD_OUT, sample_every=max(25, steps // 10))


@lru_cache(maxsize=8)
def bigram(corpus: Corpus) -> float:
    """Perplexity per byte of a bigram model (which byte follows which): what a run must beat before positions matter.

    Measured on at most HELD_OUT bytes.
    """
    return math.exp(ngram_loss(corpus.train, corpus.held_out[:HELD_OUT], 2))


# The recorded run that stands behind a finished one.


@lru_cache(maxsize=1)
def _recorded() -> tuple[Run, ...]:
    """The shipped runs of short trainings and of recall, finished."""
    records = [*pretrained.load_all("live"), *(r for r in pretrained.load_all("recall") if not r["config"]["seed"])]
    return tuple(_run(record) for record in records)


def _run(record: dict[str, Any]) -> Run:
    config = TrainConfig(**record["config"])
    losses = tuple(loss for loss in record["losses"] for _ in range(PER_LOSS))[: config.steps]
    return Run(
        config,
        record["corpus"]["sha256"],
        "finished",
        config.steps,
        losses=losses,
        evaluations=tuple(record.get("sliding", ())),
        recall=tuple(record.get("recall", ())),
    )


def nearest(config: TrainConfig) -> Run | None:
    """The recorded run of the same method and task whose training length and steps are nearest; None: there is none."""

    def doublings(run: Run) -> float:
        return abs(log2(run.config.length / config.length)) + abs(log2(run.config.steps / config.steps))

    kind = (config.method, config.options, config.is_recall)
    same = [run for run in _recorded() if (run.config.method, run.config.options, run.config.is_recall) == kind]
    return min(same, key=doublings, default=None)


def brief() -> dict[str, float]:
    """A reader's first run: its steps, and the seconds that they took, in the middle of the shipped ones."""
    return {
        "steps": FIRST_RUN["steps"],
        "seconds": median(run["training_seconds"] for run in pretrained.load_all("live")),
    }


# The picture.


@dataclass(frozen=True)
class Drawn:
    """A run as the picture shows it: equal to another one as long as the picture is the same."""

    run: Run = field(compare=False)
    hash: str
    has_recorded: bool  # beside it: `behind_of` of the page
    points: tuple[int, ...]  # how many losses and measurements it has

    @classmethod
    def of(cls, run: Run, *, shows_loss: bool) -> "Drawn":
        losses = len(run.losses) if shows_loss else 0
        points = (losses, len(run.interim_evaluations), len(run.measurements))
        return cls(run, run.hash, run.status in ("new", "finished"), points)


def loss_line(run: Run) -> Line:
    """Loss while training."""
    return Line(run.config.method, method_title(run.config), *smoothed(run.losses))


def result_line(run: Run) -> Line:
    """What the run gave against the length."""
    result = results(run)
    return Line(run.config.method, method_title(run.config), result.lengths, result.values)


def smoothed(losses: Iterable[float], points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """At most `points` + 1 means of neighbouring losses, and the last step of each: float64 [points] (steps, means)."""
    values = np.asarray(list(losses), dtype=np.float64)
    ends = np.array([*range(0, len(values), max(1, math.ceil(len(values) / points))), len(values)])
    means = np.add.reduceat(values, ends[:-1]) / np.diff(ends) if len(values) else values
    return ends[1:].astype(np.float64), means


def length_axes(labels: Mapping[str, str], runs: Sequence[Run]) -> tuple[Axis, Axis]:
    """Perplexity against window length, both logarithmic; for recall the share in percent against distance.

    There is room for the recorded runs and for every earlier measurement, so that nothing moves when they come.
    """
    config = runs[0].config
    lines = [result_line(run) for run in (*runs, *filter(None, (nearest(run.config) for run in runs)))]
    longest = max((float(line.x.max()) for line in lines if len(line.x)), default=0.0)
    ticks = [config.length * 2.0**n for n in range(-1, 5) if config.length * 2**n <= max(longest, 4 * config.length)]
    name = labels["distance" if config.is_recall else "length"]
    x: Axis = {"title": name, "type": "log", "range": [log10(ticks[0] * 0.9), log10(ticks[-1] * 1.1)]}
    x |= {"tickvals": ticks, "ticktext": [f"{tick:,.0f}" for tick in ticks]}
    if config.is_recall:
        return x, {"title": labels["share"], "range": [0, 101]}
    entries = (entry for run in runs for entry in (*run.interim_evaluations, *run.evaluations))
    measured = [value for entry in entries if isinstance(value := entry.get("perplexity"), float)]
    low, high = _span(np.concatenate([np.array(measured), *(line.y for line in lines)]))
    y: Axis = {"title": labels["perplexity"], "type": "log", "range": [log10(low), log10(high)]}
    return x, y | log_ticks(low, high)


def _span(values: np.ndarray) -> tuple[float, float]:
    """Ends of the perplexity axis, in steps of a quarter of a decade: they stay while the curves move a little."""
    values = np.clip(values, LOWEST, HIGHEST)
    if not len(values):
        return 3.0, 30.0
    return 10 ** (floor(log10(values.min()) * 4 - 0.2) / 4), 10 ** (ceil(log10(values.max()) * 4 + 0.2) / 4)
