"""Pitfalls: two pictures, one of them wrong, what the mistake costs, and the lines that differ."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.lessons.problems import Problem
from alibi_viz.pictures.hands.message import Choice, Hands, Preset
from alibi_viz.pictures.matrices.message import Axis, Colours, Message, Panel, Readout, Sentence, View
from alibi_viz.pitfalls.base import Comparison, measure
from alibi_viz.pitfalls.identify import MOST_HEADS
from alibi_viz.pitfalls.reading import ENDINGS, MOST_BYTES
from alibi_viz.pitfalls.slopes import SLOPES
from alibi_viz.pitfalls.table import PITFALLS
from alibi_viz.ui import address, lesson, page, question
from alibi_viz.ui.components.hands import matrices
from alibi_viz.ui.control_panel import long_text
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.content import upload
from pages.pitfalls.study import NAMES, compute, judge, neighbour, versions, wrong_side

PAPER = "1/2, 1/4, 1/8, 1/16, 1/32, 1/64, 1/128, 1/256"
LONGEST = 8_000  # characters of typed slopes
SIDES = ("a", "b")


def main() -> None:
    text, _ = lesson.begin("pitfalls")
    name = address.choice("pitfall", NAMES[0], NAMES)
    compared = compute(name)
    rows, cols = axes(text, name)
    height, width = compared.pictures[0].shape
    cell = address.cell(range(rows.start, rows.start + height), range(cols.start, cols.start + cols.step * width))
    lesson.say_problems(text)
    facts = facts_of(name, compared)
    is_revealed = not question.show(asked(name, facts), veils=True)
    picture = replace(pair(text, name, compared, is_revealed=is_revealed), alt=text.entry("drawn", name, facts))
    cost = text.entry("cost", name, facts) if is_revealed else ""
    matrices(Message("pitfalls", hands(text, name, cell), [picture], Sentence(cost, {})))
    if is_revealed and not page_options.presenting():
        st.markdown(text.text("differ"))
        page.difference(*versions(name), around=99)
        st.markdown(text.text("happened", {"where": text.entry("happened_in", name)}))
    lesson.prose(f"## {load('shared').label('closer')}")
    pitfall, sections = PITFALLS[name], dict[str, Callable[[], object]]()
    if is_revealed:
        sections["test"] = partial(page.code, PITFALLS[name].check)
    sections["mine"] = partial(mine, text)
    lesson.end(text, sections, *((pitfall.wrong, pitfall.right, pitfall.run, measure) if is_revealed else ()))


def facts_of(name: str, compared: Comparison) -> Mapping[str, object]:
    """The numbers of the sentences."""
    wrong, right = compared.costs
    return {"wrong": wrong, "right": right, **PITFALLS[name].settings}


def hands(text: Lesson, name: str, cell: tuple[int, int] | None) -> Hands:
    """The row on top of the picture: which pitfall, and the one before and after it. Another one has other cells."""
    options, sets = [(key, text.entry("choices", key)) for key in NAMES], {key: {"cell": ""} for key in NAMES}
    row = [Choice("pitfall", text.label("pitfall"), options=options, sets=sets, kind="pick")]
    steps = (("previous", -1), ("next", 1))
    beside = [Preset(text.label(label), {"pitfall": neighbour(name, step), "cell": ""}) for label, step in steps]
    return Hands(row, {"pitfall": name, "cell": ",".join(map(str, cell or ()))}, beside, states=("pitfall",))


def axes(text: Lesson, name: str) -> tuple[Axis, Axis]:
    """What a row and a column are."""
    pitfall, row, col = PITFALLS[name], text.entries("rows"), text.entries("cols")
    kind = "slopes" if name in SLOPES else name
    rows = Axis(start=pitfall.row, name=row.get(kind, row["other"]))
    return rows, Axis(start=pitfall.col, step=pitfall.step, name=col.get(kind, col["other"]))


def asked(name: str, facts: Mapping[str, object]) -> question.Asked:
    """Which of the two is wrong? Another question for each pitfall."""

    wrong = wrong_side(name)

    def words(text: Lesson) -> tuple[str, list[str], list[str]]:
        drawn = text.entry("drawn", name, facts)
        thoughts = [text.entry("saw" if side == wrong else "took", name, facts) for side in range(len(SIDES))]
        return text.text("predict", {"drawn": drawn}), [text.label(side) for side in SIDES], thoughts

    return question.prepare(words, [wrong], name=f"pitfalls.{name}", always=True)


def pair(text: Lesson, name: str, compared: Comparison, *, is_revealed: bool) -> View:
    """Both versions over the same cells. Which is the mistake is said only when it is revealed."""
    pitfall, wrong = PITFALLS[name], wrong_side(name)
    # On a linear scale the small weights of far keys would all look alike.
    colours = Colours(pitfall.quantity, pitfall.domain, "sqrt" if pitfall.quantity == "weight" else "linear")
    panels = []
    for side, key in enumerate(SIDES):
        is_wrong = side == wrong
        title = (
            text.label("is_wrong" if is_wrong else "is_right", side=text.label(key)) if is_revealed else text.label(key)
        )
        panels.append(Panel(title, compared.pictures[0 if is_wrong else 1], colours, key=key))
    cell = text.entries("labels")["readout"]  # the browser fills its other names
    rows, cols = axes(text, name)
    cell = cell.replace("{row}", rows.name).replace("{col}", cols.name)
    readout = Readout(cell, cell, load("shared").entry("export", "cell"))
    height, width = panels[0].values.shape
    file = f"pitfall-{name}"
    return View(panels, rows, cols, readout=readout, size="stage", fills=height != width, filename=file)


def mine(text: Lesson) -> None:
    """The reader's slopes or bias matrix, and what is found in them. A file counts, if there is one; else the list."""
    lesson.prose(text.text("mine", {"heads": MOST_HEADS}))
    left, right = st.columns(2, gap="medium")
    with left:
        typed = long_text(text, "mine", PAPER, longest=LONGEST)
    with right:
        file = upload(text.label("upload"), key="pitfalls_upload", types=ENDINGS)
    if file is not None and file.size > MOST_BYTES:
        page.problem(Problem("matrices.size", bytes=file.size, most=MOST_BYTES))
        return
    verdict = page.attempt(lambda: judge(typed, (file.name, file.getvalue()) if file else None))
    if verdict is None:
        return
    say = {"unknown": st.info, "pitfall": st.warning, "clean": st.success}[verdict.status]
    say(verdict.verdict)
    st.markdown("\n".join(f"- {line}" for line in verdict.sentences), width=page.READING)
    with st.container(horizontal=True, gap="small"):
        for name in verdict.pitfalls:
            label, to = text.label("open", name=text.entry("choices", name)), {"pitfall": name, "cell": ""}
            st.button(label, key=f"pitfalls_open_{name}", on_click=address.write, args=(to,))
