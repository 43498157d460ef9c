"""Learned positions: the table of a trained model, and nothing beyond its end."""

from dataclasses import replace
from functools import partial

import numpy as np

from alibi_viz.charts.palette import curve, figure, ink, method_line
from alibi_viz.lessons import Lesson, joined, problems
from alibi_viz.pictures.matrices.message import Mark, Message, Sentence
from alibi_viz.positions.learned import START_STD, Learned
from alibi_viz.ui import lesson, page
from alibi_viz.ui.components.hands import matrices
from alibi_viz.ui.control_panel import ControlPanel, Presets
from alibi_viz.ui.format import format_number
from alibi_viz.ui.matrices import vector_table
from pages.lab_learned.study import LARGEST, at_initialization, compute, cosines_by_distance, window

FARTHEST = 1_048_576
PRESET_VALUES: Presets = {
    "last": {"tried": 127},
    "next": {"tried": 128},
    "far": {"tried": 1_000_000},
}
LATEX = r"$$x_p \leftarrow x_p + E_p, \qquad p = 0, \dots, %d$$"


def main() -> None:
    text, controls = lesson.begin("lab_learned")
    position = controls.slider("tried", 128, low=0, high=FARTHEST, typed=True)
    table = ControlPanel(text)  # of random numbers, which a section compares
    rows = table.slider("table_rows", 128, low=1, high=LARGEST)
    width = table.slider("table_width", 64, low=1, high=LARGEST)
    seed = table.slider("seed", 0, low=0, high=9_999, typed=True)
    result = compute(position)
    length, dimensions = result.trained.shape
    first, values = window(result.trained, position)
    controls.cell(range(dimensions), range(first, first + len(values)))
    lesson.say_problems(text)
    cosines, start = map(cosines_by_distance, (result.trained, at_initialization(rows, width, seed)))
    facts = {
        "length": length,
        "width": dimensions,
        "last": length - 1,
        "parameters": result.trained.size,
        "cosine": cosines[1],
        "start": start[1] if rows > 1 else 0.0,
        "rows": rows,
        "columns": width,
    }
    vector: list[float] = [] if result.vector is None else result.vector[:4].tolist()
    numbers = {
        "position": f"{position:,}",
        "problem": problems.say(result.refusal),
        "first": joined(map(format_number, vector)),
    }
    kind = "vector" if vector else "refused"
    edge, requested = 3 * float(result.trained.std()), text.label("asked", position=position)
    picture = replace(
        vector_table(text, values, edge, "learned-table", title=text.label("trained"), start=first),
        marks=[Mark(0, position, dimensions, position + 1, requested)]
        if position in range(first, first + len(values))
        else [],
        size="stage",
        alt=text.entry("note", kind, numbers),
    )
    sentence = Sentence(text.entries("note")[kind], numbers)
    matrices(Message("lab_learned", controls.hands(PRESET_VALUES, states=()), [picture], sentence))
    lesson.seen_and_formula([text.text("seen", facts)], [LATEX % (length - 1), text.text("formula")])
    sections = {"neighbors": partial(neighbors, text, table, cosines, start, facts)}
    lesson.end(text, sections, Learned, compute, sources={"std": START_STD})


def neighbors(
    text: Lesson, table: ControlPanel, trained: np.ndarray, start: np.ndarray, facts: dict[str, object]
) -> None:
    """The mean cosine of two positions by their distance, after training and in a table of random numbers, as far as both
    tables go."""
    labels, tones, count = text.entries("chart"), ink(page.dark()), min(len(trained), len(start))
    strong = method_line("learned", page.dark()) | {"dash": "solid"}
    fig, faint = figure(page.dark(), 300), {"color": tones.faint, "width": 1.5, "dash": "dash"}
    for name, values, line in (("trained", trained, strong), ("start", start, faint)):
        hover = joined((f"{labels['distance']} %{{x}}", "%{y:.4f}"), "colon")
        fig.add(curve(np.arange(count), values[:count], labels[name], line, hover))
    fig.x_axis(title=labels["distance"], range=[0, max(count - 1, 1)])
    fig.y_axis(title=labels["cosine"], range=[-1.05, 1.05], zeroline=True, zerolinecolor=tones.quiet)
    page.chart(fig, key="cosines", alt=text.label("alt_neighbors", facts), name="learned-cosines")
    lesson.prose(text.text("neighbors", facts))
    table.row()
