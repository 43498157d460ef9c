"""Lab: ALiBi. Other slopes, other shapes of the penalty, and slopes that are trained."""

import pandas as pd

from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.shapes import SHAPES, ShapedAlibi
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Colours, Panel
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.format import format_number, format_slope
from alibi_viz.ui.side_by_side import side_by_side
from pages.lab_alibi import charts, controls
from pages.lab_alibi.study import PAST, Result, study, train


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """How many tokens hold each share of the weight: one row a shape and head."""
    names, columns = lesson.entries("shapes"), ("shape", "head", "share_50", "share_90", "share_99")
    heads = range(1, len(result.controls.slopes) + 1)
    rows = [(names[shape.name], head, *shape.reach[head - 1]) for shape in result.shapes for head in heads]
    return pd.DataFrame(rows, columns=[lesson.label(column) for column in columns])


def training(lesson: Lesson, result: Result) -> None:
    """Slopes that learn one task; the answer is known."""
    title, trained = lesson.label("training"), result.training
    target, heads = result.controls.target, len(result.controls.slopes)
    page.heading(title)
    widgets.drag(controls.TARGET, lesson)
    figure = charts.training(trained, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="training", alt=title, name="alibi-trained-slopes")
    learned = ", ".join(f"{slope:.4g}" for slope in trained.path[-1].tolist())
    numbers = {"target": target, "steps": trained.steps, "heads": heads, "learned": learned, "best": trained.best}
    page.prose(lesson, "training", **numbers, gap=format_number(100 * trained.gap, 2))


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = page.attempt(lambda: study(controls.read()))
    if result is None:
        return
    head, names, labels = result.controls.head, lesson.entries("shapes"), lesson.entries("chart")
    exact = result.controls.slopes[head - 1]
    slope, reach = format_slope(exact), {shape.name: int(shape.reach[head - 1, 1]) for shape in result.shapes}
    page.heading(lesson.label("shapes", head=head, slope=slope))
    colors, panels = Colours("weight", (0.0, 1.0), "sqrt"), []
    for shape in result.shapes:
        caption = lesson.label("holds", tokens=reach[shape.name])
        panels.append(Panel(names[shape.name], shape.weights, colors, caption, key=shape.name))
    filename = f"alibi-shapes-head-{head}"
    side_by_side(lesson, panels, result.controls.tokens, None, key="alibi_shapes", filename=filename)
    page.heading(lesson.label("penalty"))
    figure = charts.penalties(result, names, labels, dark=page.dark())
    page.chart(figure, key="penalty", alt=lesson.label("penalty"), name="alibi-shapes")
    listed = ", ".join(f"{names[name]} **{tokens:,}**" for name, tokens in reach.items())
    page.what_you_see(lesson, head=head, slope=slope, listed=listed, past=PAST)
    page.download_csv(lambda: table(lesson, result), name="alibi-shapes-reach.csv", key="shapes_csv")
    training(lesson, result)
    page.formula(lesson, slope=exact)
    page.code(ShapedAlibi, Alibi, train)
    page.sources(lesson, shapes=len(SHAPES))


show(page.begin("lab_alibi", controls.PARAMS))
