"""Compare: what each position method adds to a score at every distance; in sections, matrices, tests and facts.

With trained models as content the position methods alone are compared at the models' size, and a section shows the models.
"""

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.compare import charts, controls, distance, pictures, sections
from pages.compare.distance import DistanceCurve
from pages.compare.facts import Asked, Facts, Methods, facts_of
from pages.compare.study import Controls

FAR = 2  # times the training length: far distances
OPTIONS = 4  # methods in the question


@rerun.fragment
def stage(lesson: Lesson) -> tuple[Controls, tuple[DistanceCurve, ...]] | None:
    """The curves of one head, and the slider that chooses it. None where there is nothing to show."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    chosen = page.attempt(controls.read)
    curves = distance.curves(chosen, *controls.axis()) if chosen else ()
    if chosen:
        facts = facts_of(chosen, curves, origin(lesson, chosen))
        asks = question(lesson, chosen, curves)
        place.comment(asks, lesson, "note", facts)
        with place.picture:
            draw(lesson, chosen, curves, facts, asks)
    return (chosen, curves) if chosen else None


def question(lesson: Lesson, chosen: Controls, curves: tuple[DistanceCurve, ...]) -> predict.Question | None:
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
    return predict.Question(lesson, options, right, facts=Asked(start), begins=start)


def origin(lesson: Lesson, chosen: Controls) -> str:
    """Where the parameters of the drawn methods come from, in a sentence."""
    trained, initial = pictures.origins(chosen)
    named = Methods(titles(trained), distance.train_length(chosen))
    found = [lesson.text("origin.trained", named)] if trained else []
    return " ".join(found + ([lesson.text("origin.fresh", Methods(titles(initial)))] if initial else []))


def draw(
    lesson: Lesson,
    chosen: Controls,
    curves: tuple[DistanceCurve, ...],
    facts: Facts,
    asks: predict.Question | None,
) -> None:
    """The score that each method adds, against distance."""
    (farthest, even), names = controls.axis(), pictures.legend(lesson, chosen)
    first = {curve.method: curve for curve in reversed(curves)}
    lines = [
        Line(
            c.method,
            names[c.method]
            if c is first[c.method]
            else lesson.label("query_at", method=names[c.method], query=c.query),
            c.distances,
            c.added,
            hollow=c is not first[c.method],
        )
        for c in curves
    ]
    labels, length = lesson.entries("chart"), distance.train_length(chosen)
    figure = charts.curves(lines, labels, dark=page.dark(), log=not even, farthest=farthest, train_length=length)
    alt = lesson.label("alt", facts, methods=", ".join(names.values()))
    page.chart(figure, key="curves", alt=alt, name="score-against-distance", asks=asks, lines=lines)


def show(lesson: Lesson) -> None:
    drawn = stage(lesson)
    if drawn is None:
        return
    chosen, curves = drawn
    facts = facts_of(chosen, curves, origin(lesson, chosen))
    page.what_you_see(lesson, "seen", facts)
    if facts.follow:
        page.prose(lesson, "seen.follow", facts)
    pictures.problems(lesson, {curve.method: curve.problem for curve in curves})
    page.formula(lesson)
    layout.below(lesson, controls.OPEN, sections.contents(lesson, chosen))


show(page.begin("compare", controls.PARAMS))
