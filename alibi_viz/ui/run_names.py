"""Names of curves and of the reader's own runs: two curves that differ never have the same name.

Notable choices:
- L and the steps always stand in an own run's name; the rest only where it differs from the shipped runs: short names are
  read.
- Another text is known by its SHA-256, not by its configuration: Python's documentation changes with Python.
- What few readers change (learning rate, batch, options ...) is not listed: four digits of the hash tell such runs apart.
"""

from dataclasses import fields, replace

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.positions import METHODS
from alibi_viz.results import measured

#: Rules of ALiBi's slopes: "paper" is the default of the method, "blog" is that of many blog posts.
PAPER, BLOG = "paper", "blog"
SLOPES = {PAPER: "paper", BLOG: "2⁻ʰ"}
LISTED = {"method", "length", "steps", "layers", "width", "heads", "corpus", "seed"}  # by the title and the parts below
OTHERS = [field.name for field in fields(TrainConfig) if field.name not in LISTED]


def method_title(config: TrainConfig) -> str:
    """The title of a run's method, with the rule of its slopes where that is not the paper's."""
    title = METHODS[config.method].title
    rule = dict(config.options).get("rule", PAPER)
    return (
        title if rule == PAPER else load("words").entry("run_names", "rule", title=title, rule=SLOPES.get(rule, rule))
    )


def curve_name(curve: measured.RunCurve) -> str:
    """The method's title; for an own run also what differs from the shipped runs of its task."""
    title = method_title(curve.config)
    if curve.origin == "shipped":
        return title
    reference = measured.shipped("recall" if curve.config.is_recall else "text")[0]
    return run_name(title, curve.config, curve.corpus, reference.config, reference.corpus)


def curve_line(curve: measured.RunCurve) -> Line:
    """A curve as it is drawn: the mean and the range of its seeds. The name of an own run says so."""
    own, name = curve.origin == "own", curve_name(curve)
    name = load("words").entry("run_names", "own", name=name) if own else name
    return Line(curve.config.method, name, curve.lengths, curve.mean, curve.low, curve.high, own=own)


def run_name(title: str, config: TrainConfig, corpus: str, reference: TrainConfig, reference_corpus: str) -> str:
    """Title, L, steps, and what differs from the shipped run `reference`. Not the seed: seeds share a curve.

    corpus, reference_corpus: SHA-256 of the texts, empty for recall.
    """
    words = load("words")
    parts = [title, words.entry("run_names", "length", length=f"{config.length:,}")]
    parts.append(words.entry("run_names", "steps", steps=f"{config.steps:,}"))
    if (config.layers, config.width) != (reference.layers, reference.width):
        parts.append(words.entry("run_names", "shape", layers=config.layers, width=config.width))
    if config.heads != reference.heads:
        parts.append(words.entry("run_names", "heads", heads=config.heads))
    if corpus != reference_corpus:
        parts.append(words.entry("run_names", "text", digits=corpus[:4]))
    if any(getattr(config, name) != getattr(reference, name) for name in OTHERS):
        parts.append(words.entry("run_names", "settings", digits=replace(config, seed=0).hash[:4]))
    return ", ".join(parts)
