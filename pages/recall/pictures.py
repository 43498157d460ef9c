"""The curves of the Recall lesson: a share of the answers against the distance, a line a method."""

from dataclasses import replace

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.results.measured import RecallShare, RunCurve
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_share
from alibi_viz.ui.run_names import curve_line
from pages.recall import charts, study
from pages.recall.study import Result


def show(lesson: Lesson, result: Result, share: RecallShare, height: int | None = None) -> None:
    """A share of the answers against the distance."""
    lines = [_named(lesson, result, curve) for curve in result.drawn(share)]
    at_far = result.at_far() if share == "right" else result.named_at_far(share)
    shares = ", ".join(f"{TITLES[method]} {format_share(value)}" for method, value in at_far.items())
    alt = lesson.label(f"alt_{share}", far=result.far, shares=shares, pairs=result.controls.pairs)
    labels, chance, farthest = lesson.entries("chart"), study.CHANCE, result.trained
    figure = charts.recall(lines, labels, share, chance=chance, farthest=farthest, dark=page.dark(), height=height)
    page.chart(figure, key=f"recall_{share}", alt=alt, name=f"recall-{share}")


def _named(lesson: Lesson, result: Result, curve: RunCurve) -> Line:
    """The line of a curve; that of a shipped method that did not learn the task is faint, and its name says so."""
    line, learned = curve_line(curve), {right.config.method for right in result.learned}
    fails = curve.origin == "shipped" and curve.config.method not in learned
    return replace(line, name=lesson.label("unlearned", name=line.name), faint=True) if fails else line
