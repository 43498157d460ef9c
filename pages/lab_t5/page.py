"""T5 bias: the staircase of buckets, and the buckets that training never uses."""

from functools import partial

from alibi_viz.charts.figure import Chart, trace
from alibi_viz.charts.palette import LOOKS, UNTRAINED, color, figure, floats, mark
from alibi_viz.lessons import Lesson, joined
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket
from alibi_viz.ui import lesson, page
from alibi_viz.ui.control_panel import Presets
from pages.lab_t5.study import Controls, compute

PRESET_VALUES: Presets = {
    "short": {},
    "fit": {"max_distance": 32},
    "encoder": {"two_sided": True},
}
MOST_LISTED = 12  # buckets in a sentence
LATEX = (
    r"$$\text{bucket}(d) = d \quad (d < %(exact)d)$$",
    r"$$\text{bucket}(d) = \min\left(%(last)d,\; %(exact)d + \left\lfloor "
    r"\frac{\ln(d / %(exact)d)}{\ln(%(farthest)d / %(exact)d)} \cdot %(shared)d \right\rfloor\right) "
    r"\quad \allowbreak (d \ge %(exact)d)$$",
)


def main() -> None:
    text, controls = lesson.begin("lab_t5")
    chosen = Controls(
        train_length=controls.slider("t5_trained", 64, low=1, high=2048, log=True),
        max_distance=controls.slider("max_distance", 128, low=2, high=2048, log=True),
        buckets=controls.slider("buckets", 32, low=2, high=128),
        farthest=controls.slider("t5_shown", 256, low=8, high=2048, log=True),
        bidirectional=controls.switch("two_sided"),
    )
    lesson.say_problems(text)
    stage = lesson.stage()
    with stage:
        controls.row(PRESET_VALUES)
        result = page.attempt(partial(compute, chosen))
    if result is None:
        return
    untrained = result.untrained
    facts = vars(chosen) | {
        "last_start": result.last_start,
        "needed": result.last_start + 1,
        "count": len(untrained),
        "listed": joined(map(str, untrained[:MOST_LISTED])) + (" …" if len(untrained) > MOST_LISTED else ""),
    }
    kind = "untrained" if untrained else "all"
    with stage:
        lesson.note(text.text(f"note_{kind}", facts))
        page.chart(stairs, text, chosen, key="t5_stairs", alt=text.label("alt", facts), name="t5-stairs")
    seen = [text.text(f"seen_{kind}", facts), text.text("last_bucket", facts)]
    if chosen.bidirectional:
        seen.append(text.text("two_sided"))
    lesson.seen_and_formula(seen, [*formula(chosen), text.text("formula")])
    lesson.end(text, {}, relative_position_bucket, T5Bias)


def formula(chosen: Controls) -> list[str]:
    """The two branches of the past side, with their numbers."""
    side = chosen.buckets // 2 if chosen.bidirectional else chosen.buckets
    numbers = {"exact": side // 2, "last": side - 1, "shared": side - side // 2, "farthest": chosen.max_distance}
    return [line % numbers for line in LATEX]


def stairs(text: Lesson, chosen: Controls) -> Chart:
    """The bucket of each distance: in T5's colour where training uses the bucket, red where it never does."""
    labels, dark, result = text.entries("chart"), page.dark(), compute(chosen)
    distances = result.distances
    fig, is_trained = figure(dark), result.trained[result.buckets]
    for name, here, look in (("trained", is_trained, LOOKS["t5"]), ("untrained", ~is_trained, UNTRAINED)):
        marker = {"color": color(look, dark), "size": 6, "symbol": look.marker}
        points = {"x": floats(distances[here]), "y": floats(result.buckets[here]), "mode": "markers", "marker": marker}
        hover = f"{labels['hover']} %{{x:,.0f}}: %{{y}}<extra></extra>"
        if here.any():
            fig.add(trace("scatter", name=labels[name], hovertemplate=hover, **points))
    if chosen.train_length <= chosen.farthest:
        mark(fig, "x", chosen.train_length, labels["train_length"], dark)
    fig.x_axis(title=labels["distance"], range=[float(distances[0]) - 2, float(distances[-1]) + 2])
    top = float(result.buckets.max())  # above it stands the name of the training length
    fig.y_axis(title=labels["bucket"], range=[-0.035 * top, 1.1 * top + 0.1])
    fig.lay_out(showlegend=True)
    return fig
