"""Compare: what each position method adds to a score at every distance; in sections, matrices, tests and facts.

With trained models as content the position methods alone are compared at the models' size, and a section shows the models.
"""

from functools import partial

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import format_number
from pages.compare import charts, controls, distance, matrices, sections
from pages.compare.distance import Curve
from pages.compare.study import Controls

FAR = 4  # times the training length: far distances
OPTIONS = 4  # methods in the question


@rerun.fragment
def stage(lesson: Lesson) -> tuple[Controls, tuple[Curve, ...]] | None:
    """The curves of one head, and the slider that chooses it. None where there is nothing to show."""
    picture, asked, side = layout.stage()
    with side:
        controls.show_head(lesson)
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
    chosen = page.attempt(controls.read)
    curves = distance.curves(chosen, *controls.axis()) if chosen else ()
    if chosen:
        facts = numbers(chosen, curves)
        asks = question(lesson, chosen, curves)
        with asked:
            predict.ask(asks)
        with side:
            layout.note(lesson, **facts, origin=origin(lesson, chosen))
        with picture:
            draw(lesson, chosen, curves, facts, asks)
    return (chosen, curves) if chosen else None


def question(lesson: Lesson, chosen: Controls, curves: tuple[Curve, ...]) -> predict.Question | None:
    """Which methods add the same at all far distances? None where fewer than two curves go so far."""
    start = FAR * distance.train_length(chosen)
    constant = {curve.method: curve.is_constant(start) for curve in curves if curve.method != "none"}
    far = {method: found for method, found in constant.items() if found is not None}
    if len(far) < 2:
        return None
    # Those that are right are always among the options.
    asked = sorted(sorted(far, key=lambda method: not far[method])[:OPTIONS], key=list(far).index)
    right = [number for number, method in enumerate(asked) if far[method]] or [len(asked)]
    options = [*(TITLES[method] for method in asked), lesson.label("none_of_these")]
    return predict.Question(lesson, options, right, {"start": start}, begins=start)


def numbers(chosen: Controls, curves: tuple[Curve, ...]) -> dict[str, object]:
    """What the sentences of the page say."""
    at, (low, lowest), (high, highest) = distance.ends(curves, distance.train_length(chosen))
    ends = {
        "low": format_number(low),
        "lowest": TITLES[lowest],
        "high": format_number(high),
        "highest": TITLES[highest],
    }
    return {"head": chosen.head, "heads": chosen.setting.heads, "at": at, **ends}


def origin(lesson: Lesson, chosen: Controls) -> str:
    """Where the parameters of the drawn methods come from, in a sentence."""
    trained, initial = matrices.origins(chosen)
    length = distance.train_length(chosen)
    found = [lesson.text("origin.trained", methods=titles(trained), length=length)] if trained else []
    return " ".join(found + ([lesson.text("origin.fresh", methods=titles(initial))] if initial else []))


def draw(
    lesson: Lesson,
    chosen: Controls,
    curves: tuple[Curve, ...],
    facts: dict[str, object],
    asks: predict.Question | None,
) -> None:
    """The score that each method adds, against distance."""
    (farthest, even), names = controls.axis(), matrices.legend(lesson, chosen)
    lines = [Line(curve.method, names[curve.method], curve.distances, curve.added) for curve in curves]
    axes = {"farthest": farthest, "train_length": distance.train_length(chosen)}
    figure = charts.curves(lines, lesson.entries("chart"), dark=page.dark(), log=not even, **axes)
    alt = lesson.label("alt", methods=", ".join(names.values()), **facts)
    page.chart(figure, key="curves", alt=alt, name="score-against-distance", asks=asks)


def show(lesson: Lesson) -> None:
    drawn = stage(lesson)
    if drawn is None:
        return
    chosen, curves = drawn
    page.what_you_see(lesson, **numbers(chosen, curves))
    matrices.problems(lesson, {curve.method: curve.problem for curve in curves})
    page.formula(lesson)
    layout.sections(lesson, controls.OPEN, sections.contents(lesson, chosen))
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("compare", controls.PARAMS))
