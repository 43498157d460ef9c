"""Bias: the matrix that ALiBi adds to the scores, at any length, beside that of every head."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrices.message import Colours, Mark, Message, Model, Panel, Readout, Sentence, Stage, View
from alibi_viz.positions.alibi import Alibi
from alibi_viz.ui import address, classroom, lesson, page, question
from alibi_viz.ui.components.hands import matrices, matrix_view
from alibi_viz.ui.control_panel import Presets
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import MOST_HEADS
from alibi_viz.ui.format import format_bytes, format_difference, format_slope
from alibi_viz.ui.matrices import sides
from pages.bias import study
from pages.bias.study import FORMS, FUTURE_SHARE, Controls, Result

LONGEST = 1_048_576
COLOURS = ("softmax range", "whole range")
MILLION, CLOSE = 1_000_000, 4096  # a whole text, and the width of a window that shows its diagonal
DIAGONAL = {"row": MILLION - CLOSE, "col": MILLION - CLOSE, "span": CLOSE}
PRESET_VALUES: Presets = {
    "paper": {},
    "train": {"n": 512, "head": 6},
    "million": {"n": MILLION, "head": 8, "trained": 2048, **DIAGONAL},
    "encoder": {"form": "symmetric", "causal": False},
    "wrong": {"causal": False, "after": True, "n": 64},
}
VISIBLE = 10.0  # e^-10: less than 1/20,000 of the largest weight
LATEX = {
    "causal": (r"b_{ij} = -m_h \,(i - j)", r"b_{ij} = -%(m).4g \times (i - j)"),
    "key_only": (r"b_{j} = m_h \, j = -m_h (i - j) + m_h \, i", r"b_{j} = %(m).4g \times j"),
    "symmetric": (r"b_{ij} = -m_h \,|i - j|", r"b_{ij} = -%(m).4g \times |i - j|"),
    "two_sided": (
        r"b_{ij} = -m_h (i-j) \;\; (j \le i), \qquad b_{ij} = -m'_h (j-i) \;\; (j > i)",
        r"b_{ij} = -%(m).4g \times (i-j) \;\; (j \le i), \qquad b_{ij} = -%(future).4g \times (j-i) \;\; (j > i)",
    ),
}


def main() -> None:
    text, controls = lesson.begin("bias")
    n = controls.slider("n", 128, low=1, high=LONGEST, log=True)
    heads = controls.slider("heads", 8, low=1, high=MOST_HEADS)
    chosen = Controls(
        n=n,
        heads=heads,
        head=controls.slider("head", 3, low=1, high=MOST_HEADS, within="heads", typed=True),
        after=controls.switch("after"),
        form=controls.choice("form", tuple(FORMS), "distance", advanced=True),
        causal=controls.switch("causal", True, advanced=True),
        train_length=controls.slider("trained", 64, low=1, high=LONGEST, advanced=True, typed=True),
        row=controls.moved("row", 0, low=0, high=LONGEST - 1),
        col=controls.moved("col", 0, low=0, high=LONGEST - 1),
        span=controls.moved("span", 0, low=0, high=LONGEST),
    )
    colours = controls.choice("colours", COLOURS, COLOURS[0], advanced=True)
    result = study.compute(chosen)
    window, slope = result.window, result.slope
    rows, cols = (range(start, start + window.step * window.count) for start in (window.row, window.col))
    controls.cell(rows, cols)
    lesson.say_problems(text)
    facts = vars(chosen) | {
        "slope": format_slope(slope),
        "same": format_difference(result.same_inside, slope * n),
        "train_length": min(chosen.train_length, n),
        "first_query": window.row,
        "last_query": min(window.row + window.count * window.step, n) - 1,
        "full": format_bytes(heads * 4.0 * float(n) ** 2),
        "slopes": format_bytes(heads * 4.0),
    }
    kind = kind_of(chosen)
    question.show(asked(result))
    views = [large(text, result, colours, text.plain("alt", facts)), thumbnails(text, chosen, colours)]
    sentence = Sentence(text.entries("note")[kind], {"last": f"{n - 1:,}"})
    # Pixels for the thumbnails: each can be hit with a finger; presented, they are seen from afar.
    beside = 262 if page_options.presenting() else 72 if heads <= 8 else 112 if heads <= 32 else 128
    hands = controls.hands(PRESET_VALUES, states=("after", "form"))
    matrices(Message("bias", hands, views, sentence, beside=beside))
    latex = [line % {"m": slope, "future": slope * FUTURE_SHARE} for line in LATEX[FORMS[chosen.form]]]
    formula = [f"$${line}$$" for line in latex]
    if chosen.form == "two-sided":
        formula.append(text.text("two_sided", {"share": FUTURE_SHARE}))
    lesson.seen_and_formula([text.text(f"seen_{kind}", facts), text.text("memory", facts)], formula)
    sections = {
        "forms": partial(forms, text, result, facts),
        "elsewhere": partial(elsewhere, text, result),
        "table": partial(table, text, result),
    }
    lesson.end(text, sections, Alibi.bias_by_distance, Alibi.score_bias, study.cells, study.weights)


def kind_of(chosen: Controls) -> str:
    """Which sentences fit what is on the screen."""
    if not chosen.causal and chosen.form in ("distance", "key only"):
        return "reward"
    return "after" if chosen.after else "key_only" if chosen.form == "key only" else "bias"


def asked(result: Result) -> question.Asked:
    """Which of two cells is larger: of one distance, or on the diagonal? Nothing where they are not there."""
    cells = study.compared_cells(result)
    if cells is None:
        return question.prepare()
    window, values = result.window, [float(result.values[cell]) for cell in cells]
    rows, cols = window.rows().tolist(), window.cols().tolist()
    alike = abs(values[0] - values[1]) <= study.ALIKE * max(map(abs, values))
    right = 2 if alike else int(np.argmax(values))

    def words(text: Lesson) -> tuple[str, list[str], list[str]]:
        options = [text.label("one_cell", query=f"{rows[r]:,}", key=f"{cols[c]:,}") for r, c in cells]
        kind = "after_" if result.controls.after else ""
        reasons = [text.entry("reasons", f"{kind}{thought}") for thought in ("first", "second", "alike")]
        return text.text("predict"), [*options, text.label("alike")], reasons

    return question.prepare(words, [right], name="bias", variant="after" if result.controls.after else "")


def large(text: Lesson, result: Result, colours: str, alt: str) -> View:
    """One head, with the square of the training length, jump and zoom; the browser previews heads and length by itself."""
    chosen, window, length = result.controls, result.window, result.controls.train_length
    model = Model(
        chosen.n,
        slope=float(np.float32(result.slope)),  # as the attention has it
        future=FUTURE_SHARE,
        form=FORMS[chosen.form],
        causal=chosen.causal,
        head=chosen.head,
    )
    stage: Stage = "weights" if chosen.after else "bias"  # which number of a cell the browser computes
    labels, look = text.entries("labels"), colours_of(chosen, colours)
    panel = Panel(labels["large"], result.values, look, caption=labels["step"], model=model, stage=stage)
    readout = text.entries("readout")
    past = "after" if chosen.after else "key_only" if chosen.form == "key only" else "bias"
    kinds = (past, "masked", "window", "future" if past == "bias" else past)
    return View(
        [panel],
        *sides(text, window.row, window.col, step=window.step),
        marks=[Mark(0, 0, length, length, text.label("mark", length=length)), *asked_cells(result)],
        readout=Readout(*(readout[name] for name in kinds)),
        follows={"heads": "heads", "n": "length"},
        size="stage",
        zoomable=True,
        filename=f"alibi-bias-head-{chosen.head}",
        alt=alt,
    )


def asked_cells(result: Result) -> list[Mark]:
    """An outline around each cell that the question compares, where one is asked."""
    is_asked = address.value(page_options.PREDICT) or classroom.membership().code
    window, cells = result.window, study.compared_cells(result) if is_asked else None
    around = max(window.count // 48, 1) * window.step  # one cell alone is too small to see
    places = [(window.row + r * window.step, window.col + c * window.step) for r, c in cells or ()]
    return [
        Mark(max(r - around, 0), max(c - around, 0), r + window.step + around, c + window.step + around)
        for r, c in places
    ]


def thumbnails(text: Lesson, chosen: Controls, colours: str) -> View:
    """Every head in the window of the large one, small; a click opens it there."""
    window, values_of_heads = study.every_head(chosen)
    look = colours_of(chosen, colours)
    panels = [Panel(str(head), values, look) for head, values in enumerate(values_of_heads, start=1)]
    axes, name = sides(text, window.row, window.col, step=window.step), f"alibi-bias-{chosen.heads}-heads"
    return View(panels, *axes, picked=chosen.head - 1, size="beside", filename=name)


def colours_of(chosen: Controls, colours: str) -> Colours:
    """The colour map and its ends. The formula without a mask rewards the future, so it needs two colours."""
    if chosen.after:
        return Colours("weight", (0.0, 1.0), "sqrt")
    is_signed, is_whole = chosen.form == "distance" and not chosen.causal, colours == "whole range"
    if is_signed:
        return Colours("content", None if is_whole else (-VISIBLE, VISIBLE))
    return Colours("bias", None if is_whole else (-VISIBLE, 0.0), from_top=chosen.form == "key only")


def forms(text: Lesson, result: Result, facts: dict[str, object]) -> None:
    """The weights of the forms against each other, where they differ."""
    n = result.controls.n
    differences = study.forms_compared(result.slope, n, causal=False)
    compared: dict[str, object] = {"symmetric": differences["symmetric"], "two_sided": differences["two-sided"]}
    lesson.prose(text.text("forms", facts | compared | {"compared": min(n, study.COMPARED)}))


def elsewhere(text: Lesson, result: Result) -> None:
    """The same slope in an encoder, and over the patches of an image."""
    readout, patches = text.entries("readout"), range(study.GRID)
    names = tuple(f"{row},{col}" for row in patches for col in patches)
    pictures = {
        "encoder": (study.encoder(result.slope, study.GRID**2), None),
        "image": (study.image(result.slope), names),
    }
    for column, (name, (values, labels)) in zip(st.columns(2, gap="medium"), pictures.items(), strict=True):
        panel = Panel(text.label(name), values, Colours("bias", (float(values.min()), 0.0)), key="bias")
        templates = Readout(readout[name], "", readout["still"])
        with column:
            matrix_view(
                f"bias_{name}", View([panel], *sides(text, labels=labels), readout=templates, filename=f"alibi-{name}")
            )
    lesson.prose(text.text("elsewhere"))


def table(text: Lesson, result: Result) -> None:
    """The cells of the large matrix, to read and to download: a row a query, a column a key."""
    values = pd.DataFrame(result.values, result.window.rows(), result.window.cols())
    rows = values.reset_index(names=f"{text.label('query')} \\ {text.label('key')}")
    st.dataframe(rows.iloc[:64, :65].rename(columns=str), hide_index=True, height=300)
    name = f"alibi-bias-{result.controls.n}-head-{result.controls.head}.csv"
    page.download_csv(lambda: rows, name=name, key="bias_csv")
