"""Lab: ALiBi. Other slopes, other shapes of the penalty, and slopes that are trained."""

import pandas as pd

from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.shapes import SHAPES, ShapedAlibi
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Colours, Panel
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.side_by_side import side_by_side
from pages.lab_alibi import charts, controls
from pages.lab_alibi.study import PAST, STEPS, Result, study, train


def matrices(lesson: Lesson, result: Result, reach: dict[str, str]) -> None:
    """The weights of every shape, one cursor. reach: shape -> tokens that hold 90%."""
    names, colors = lesson.entries("shapes"), Colours("weight", (0.0, 1.0), "sqrt")
    captions = {name: lesson.label("holds", tokens=tokens) for name, tokens in reach.items()}
    panels = [
        Panel(names[shape.name], shape.weights, colors, caption=captions[shape.name], key=shape.name)
        for shape in result.shapes
    ]
    filename = f"alibi-shapes-head-{result.controls.head}"
    side_by_side(lesson, panels, result.controls.tokens, None, key="alibi_shapes", filename=filename)


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """How many tokens hold each share of the weight: one row a shape and head."""
    names, columns = lesson.entries("shapes"), ("shape", "head", "share_50", "share_90", "share_99")
    rows = [
        (names[shape.name], head, *tokens)
        for shape in result.shapes
        for head, tokens in enumerate(shape.reach, start=1)
    ]
    return pd.DataFrame(rows, columns=[lesson.label(column) for column in columns])


def training(lesson: Lesson, result: Result) -> None:
    """Slopes that learn one task; the answer is known."""
    title, trained, heads = lesson.label("training"), result.training, len(result.controls.slopes)
    page.heading(title)
    widgets.drag(controls.TARGET, lesson)
    figure = charts.training(trained, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="training", alt=title, name="alibi-trained-slopes")
    learned = ", ".join(f"{slope:.4g}" for slope in trained.path[-1].tolist())
    numbers = {"target": result.controls.target, "steps": STEPS, "heads": heads}
    page.prose(lesson, "training", **numbers, learned=learned, best=f"{trained.best:.4g}")


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    try:
        result = study(controls.read())
    except ValueError as error:
        page.problem(error)
        return
    head, slope, names = result.controls.head, format_slope(result.slope), lesson.entries("shapes")
    reach = {shape.name: f"{shape.reach[head - 1, 1]:,}" for shape in result.shapes}
    page.heading(lesson.label("shapes", head=head, slope=slope))
    matrices(lesson, result, reach)
    page.heading(lesson.label("penalty"))
    figure = charts.penalties(result, names, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="penalty", alt=lesson.label("penalty"), name="alibi-shapes")
    listed = ", ".join(f"{names[name]} **{tokens}**" for name, tokens in reach.items())
    page.what_you_see(lesson, head=head, slope=slope, listed=listed, past=f"{PAST:,}")
    page.download_csv(lambda: table(lesson, result), name="alibi-shapes-reach.csv", key="shapes_csv")
    training(lesson, result)
    page.formula(lesson, *lesson.text("latex", slope=f"{result.slope:.4g}").split("\n"))
    page.code(ShapedAlibi, Alibi, train)
    page.sources(lesson, shapes=len(SHAPES))


show(page.begin("lab_alibi", controls.PARAMS))
