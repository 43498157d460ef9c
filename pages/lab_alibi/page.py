"""Lab: ALiBi. Slopes set by hand and slopes that are trained; then other shapes of the penalty."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.shapes import ShapedAlibi
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components.matrix_view import Colours, Panel
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.side_by_side import side_by_side
from pages.lab_alibi import charts, controls, pictures
from pages.lab_alibi import study as numbers
from pages.lab_alibi.facts import Shapes, Sources, facts_of, training_of
from pages.lab_alibi.study import Result, Shape, study, train


@st.fragment
def lab_alibi_stage(lesson: Lesson) -> Result:
    """A line for each head, and the one that training finds for all of them."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    result = study(controls.read())
    facts = facts_of(result)
    place.comment(lesson, "note", facts)
    with place.picture:
        pictures.heads(lesson, result, controls.exponents(), lesson.label("alt", facts))
    return result


def training(lesson: Lesson, result: Result) -> None:
    """Slopes that learn one task, step by step; the answer is known."""
    facts = training_of(result)
    figure = charts.training(result.training, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="training", alt=lesson.label("alt_training", facts), name="alibi-trained-slopes")
    page.prose(lesson, "training", facts)


def shapes(lesson: Lesson, result: Result) -> None:
    """Other shapes of the penalty on the same content."""
    controls.show_content(lesson)
    found = page.attempt(lambda: numbers.shapes(controls.read()))
    if found is None:
        return
    head, names = result.controls.head, lesson.entries("shapes")
    reach = {shape.name: int(shape.reach[head - 1, 1]) for shape in found}
    colors, panels = Colours("weight", (0.0, 1.0), "sqrt"), []
    for shape in found:
        caption = lesson.label("holds", tokens=reach[shape.name])
        panels.append(Panel(names[shape.name], shape.weights, colors, caption, key=shape.name))
    filename = f"alibi-shapes-head-{head}"
    side_by_side(lesson, panels, result.controls.tokens, None, key="alibi_shapes", filename=filename)
    listed = ", ".join(f"{names[name]} **{tokens:,}**" for name, tokens in reach.items())
    alt = lesson.label("alt_shapes", head=head, listed=listed.replace("*", ""))
    pictures.shapes(lesson, result, found, controls.exponents()[head - 1], alt)
    page.prose(lesson, "shapes_seen", Shapes(head, format_slope(result.slope), listed))
    page.formula(lesson, section="formula_shapes", facts=facts_of(result))
    page.download_csv(lambda: table(lesson, result, found), name="alibi-shapes-reach.csv", key="shapes_csv")


def table(lesson: Lesson, result: Result, found: list[Shape]) -> pd.DataFrame:
    """How many tokens hold each share of the weight: one row a shape and head."""
    names, columns = lesson.entries("shapes"), ("shape", "head", "share_50", "share_90", "share_99")
    heads = range(1, len(result.controls.slopes) + 1)
    rows = [(names[shape.name], head, *shape.reach[head - 1]) for shape in found for head in heads]
    return pd.DataFrame(rows, columns=[lesson.label(column) for column in columns])


def show(lesson: Lesson) -> None:
    result = lab_alibi_stage(lesson)
    facts = facts_of(result)
    page.what_you_see(lesson, "seen", facts)
    page.formula(lesson, facts=facts)
    closer = {"training": partial(training, lesson, result), "shapes": partial(shapes, lesson, result)}
    layout.below(lesson, controls.OPEN, closer, Alibi, train, ShapedAlibi, sources=Sources())


show(page.begin("lab_alibi", controls.PARAMS))
