"""What single heads do in the trained models: the loss without each, with far keys hidden, and how they spread.

Measured when the runs were made, on the first seed (`tools.measures`). Losses in nats a byte.
"""

from collections.abc import Iterator

import numpy as np

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import measured, pretrained
from alibi_viz.results.pretrained import SEEDS
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_share, format_slope
from pages.why import charts
from pages.why.facts import FAR, NEAR, Ends, Hidden, Probes
from pages.why.study import TRAIN_LENGTH

ABLATED = ("alibi", "rope")  # of which the heads are taken away
WINDOWED = ("alibi", "rope", "t5", "none", "sinusoidal")
SPREAD = ("alibi", "rope", "none")


def _record(method: str) -> dict:
    found = pretrained.load(method, SEEDS[0])
    if found is None:
        raise ValueError(f"The shipped run of {TITLES[method]} is missing or damaged.")
    return found


def costs(method: str) -> np.ndarray:
    """The loss at L without each head, less that of the whole model: float64 [layers, heads]."""
    record = _record(method)
    whole = next(e["loss"] for e in record["windows"] if e["length"] == e["window"] == TRAIN_LENGTH)
    return np.array(record["without_heads"]) - whole


def spread(method: str) -> dict[int, np.ndarray]:
    """Entropy of the weights by length: float64 [layers, heads] each, nats, mean over queries."""
    return {entry["length"]: np.array(entry["entropy"]) for entry in _record(method)["heads"]}


def hidden_of() -> Hidden:
    """Raises KeyError if a run is missing."""
    alibi, rope = (measured.hidden(method, TRAIN_LENGTH) for method in ("alibi", "rope"))
    far, sinusoidal = (measured.hidden(method, FAR * TRAIN_LENGTH)[TRAIN_LENGTH] for method in ("rope", "sinusoidal"))
    return Hidden(far, rope[TRAIN_LENGTH], sinusoidal, alibi[NEAR] - alibi[TRAIN_LENGTH])


def facts_of() -> Probes:
    """Raises ValueError, in one sentence, if a run is missing."""
    alibi = costs("alibi")
    order = np.sort(alibi.ravel())[::-1]
    first = max(np.max(entry["first"]) for method in SPREAD for entry in _record(method)["heads"])

    def ends(method: str) -> Ends:
        means = [float(entropies.mean()) for entropies in spread(method).values()]
        return Ends(means[0], means[-1])

    head = int(alibi.argmax()) % alibi.shape[1]
    return Probes(
        slope=format_slope(slopes(alibi.shape[1])[head]),
        cost=order[0],
        other=order[1],
        rope=costs("rope").max(),
        hidden=hidden_of().cost,
        sink=format_share(first),
        rope_entropy=ends("rope"),
        alibi_entropy=ends("alibi"),
    )


def _windows() -> Iterator[Line]:
    for method in WINDOWED:
        losses = measured.hidden(method, TRAIN_LENGTH)
        yield Line(method, TITLES[method], np.array(list(losses)), np.array(list(losses.values())))


def _entropies() -> Iterator[Line]:
    """The mean of the heads, and from the smallest to the largest."""
    for method in SPREAD:
        every = spread(method)
        y = np.array([entropies.ravel() for entropies in every.values()])  # [lengths, layers * heads]
        yield Line(method, TITLES[method], np.array(list(every)), y.mean(1), y.min(1), y.max(1))


def show(lesson: Lesson) -> None:
    """Three charts, each with what it shows and what it does not show."""
    facts, labels, dark = facts_of(), lesson.entries("chart"), page.dark()
    ablated = {TITLES[method]: (method, costs(method)) for method in ABLATED}
    figures = {
        "ablated": charts.without_heads(ablated, labels, dark=dark),
        "windows": on_log_axis([*_windows()], _axes(labels, "windows"), dark=dark, log_y=False),
        "entropy": on_log_axis([*_entropies()], _axes(labels, "entropy"), dark=dark, log_y=False),
    }
    for name, figure in figures.items():
        page.chart(figure, key=f"ext_{name}", alt=lesson.label(f"alt_{name}", facts), name=f"heads-{name}")
        page.prose(lesson, f"probes.{name}", facts)


def _axes(labels: dict[str, str], name: str) -> dict[str, str]:
    return {"x": labels[f"{name}_x"], "y": labels[f"{name}_y"], "hover": labels["hover_probe"]}
