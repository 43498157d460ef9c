"""Sinusoidal: the waves of one pair along the sequence, and how similar two positions are by it and by the whole vector."""

from functools import partial

import numpy as np

from alibi_viz.charts.figure import Chart, trace
from alibi_viz.charts.palette import color, curve, figure, floats, ink, method_line
from alibi_viz.lessons import Lesson, joined
from alibi_viz.positions.sinusoidal import Sinusoidal, sinusoidal_vectors
from alibi_viz.ui import lesson, page
from alibi_viz.ui.components.hands import matrix_view
from alibi_viz.ui.control_panel import Presets
from alibi_viz.ui.format import format_difference
from alibi_viz.ui.matrices import vector_table
from pages.lab_sinusoidal.study import Controls, Result, compute

PRESET_VALUES: Presets = {
    "one": {"waves_width": 2, "pair": 0},
    "paper": {"waves_width": 512, "pair": 31},
    "slow": {"pair": 31},
}
SLOWER = (3, 9)  # times the wavelength of the chosen pair: two pairs behind it
LATEX = (
    r"$$PE(p, 2i) = \sin\left(p / %(base)s^{2i/D}\right), \qquad PE(p, 2i+1) = \cos\left(p / %(base)s^{2i/D}\right)$$",
    r"$$PE(p, %(sin)d) = \sin\left(p / %(base)s^{%(sin)d/%(width)d}\right), \qquad "
    r"PE(p, %(cos)d) = \cos\left(p / %(base)s^{%(sin)d/%(width)d}\right)$$",
)


def main() -> None:
    text, controls = lesson.begin("lab_sinusoidal")
    width = controls.slider("waves_width", 64, low=2, high=512, step=2) // 2 * 2  # a pair needs two
    last = width // 2 - 1
    chosen = Controls(
        width=width,
        pair=controls.slider("pair", 4, low=0, high=last),
        positions=controls.slider("waves_n", 128, low=2, high=512),
        base=controls.slider("wave_base", 10_000, low=2, high=1_000_000, typed=True),
    )
    result = compute(chosen)
    facts = vars(chosen) | {
        "wavelength": float(result.wavelengths[chosen.pair]),
        "longest": float(result.wavelengths[-1]),
        "closest": result.closest,
        "likeness": float(result.similarities[result.closest]),
        "deviation": format_difference(result.deviation, 1.0),
    }
    lesson.say_problems(text)
    with lesson.stage():
        controls.row(PRESET_VALUES)
        lesson.note(text.text("note", facts))
        look = {"alt": text.label("alt", facts), "name": "sinusoidal-waves-and-similarity"}
        page.chart(waves_and_similarity, text, chosen, key="waves", **look)
    base = f"{chosen.base:,}".replace(",", "{,}")  # else LaTeX sets a gap
    numbers = {"base": base, "sin": 2 * chosen.pair, "cos": 2 * chosen.pair + 1, "width": width}
    lesson.seen_and_formula(
        [text.text("seen", facts)], [*(line % numbers for line in LATEX), text.text("formula", facts)]
    )
    lesson.end(text, {"table": partial(table, text, result)}, sinusoidal_vectors, Sinusoidal, compute)


def waves_and_similarity(text: Lesson, chosen: Controls) -> Chart:
    """Above, the waves of the pair, and some others faintly; below, the similarity of two positions by their distance."""
    labels, dark, result = text.entries("chart"), page.dark(), compute(chosen)
    fig, tones, vectors = figure(dark), ink(dark), result.table
    strong, along = method_line("sinusoidal", dark) | {"dash": "solid"}, np.arange(chosen.positions)
    below = {"xaxis": "x2", "yaxis": "y2"}
    hover = {name: joined((f"{labels[name]} %{{x}}", "%{y:.4f}"), "colon") for name in ("position", "distance")}
    faint = {"color": tones.quiet, "width": 1.5}
    others = np.searchsorted(result.wavelengths, np.multiply(SLOWER, result.wavelengths[chosen.pair]))
    for number, other in enumerate(others[others < len(result.wavelengths)]):
        silent = {"hoverinfo": "skip", "showlegend": number == 0}
        fig.add(curve(along, vectors[:, 2 * other], labels["slower"], faint, "", **silent))
    for column, name, line in ((0, "sin", strong), (1, "cos", strong | {"dash": "dash"})):
        values = vectors[:, 2 * chosen.pair + column]
        fig.add(curve(along, values, labels[name].format(pair=chosen.pair), line, hover["position"]))
    dashed, thick = {"color": tones.faint, "width": 1.5, "dash": "dash"}, strong | {"width": 3}
    for values, name, line in ((result.of_pair, "of_pair", dashed), (result.similarities, "whole", thick)):
        label = labels[name].format(pair=chosen.pair, width=chosen.width)
        fig.add(curve(along, values, label, line, hover["distance"], legend="legend2", **below))
    ring = {"color": tones.surface, "size": 11, "line": {"width": 2.5, "color": color("sinusoidal", dark)}}
    at = {"x": floats([result.closest]), "y": floats([result.similarities[result.closest]]), "mode": "markers"}
    named = {"name": labels["closest"], "hovertemplate": hover["distance"], "showlegend": False}
    fig.add(trace("scatter", marker=ring, **at, **named, **below))
    across = {"range": [-0.5, chosen.positions - 0.5]}
    up = {"range": [-1.08, 1.08], "dtick": 0.5, "zeroline": True, "zerolinecolor": tones.quiet}
    fig.lay_out(
        xaxis=across | {"title": {"text": labels["position"]}, "anchor": "y"},
        yaxis=up | {"title": {"text": labels["value"]}, "domain": [0.68, 1]},
        xaxis2=across | {"title": {"text": labels["distance"]}, "anchor": "y2"},
        yaxis2=up | {"title": {"text": labels["similarity"]}, "domain": [0, 0.36]},
        legend2={"orientation": "h", "x": 0, "y": 0.37, "yanchor": "bottom"},
    )
    return fig


def table(text: Lesson, result: Result) -> None:
    """The vector of every position."""
    matrix_view("sinusoidal_table", vector_table(text, result.table, 1.0, "sinusoidal-table"))
    lesson.prose(text.text("table"))
