"""Findings as sentences: those of the lesson on pitfalls, for its page, the library and the command line."""

from dataclasses import dataclass
from typing import Literal

from alibi_viz.lessons import Lesson, load
from alibi_viz.lessons.numbers import format_number, format_slope
from alibi_viz.pitfalls.findings import Finding, Verdict

SLOPES = 16  # that are listed


@dataclass(frozen=True)
class Judged:
    slopes: str  # the first of them
    difference: str  # the largest from the rule


def judged(verdict: Verdict) -> Judged:
    more = ", …" if len(verdict.slopes) > SLOPES else ""
    return Judged(", ".join(map(format_slope, verdict.slopes[:SLOPES])) + more, format_number(verdict.difference))


def status(verdict: Verdict) -> Literal["unknown", "pitfall", "clean"]:
    """The name of the verdict's own sentence."""
    return "unknown" if not verdict.known else "pitfall" if verdict.pitfalls else "clean"


def sentence(lesson: Lesson, finding: Finding) -> str:
    """One finding, with its numbers as they are read."""
    numbers = {
        name: format_number(value) if isinstance(value, float) else value for name, value in finding.numbers.items()
    }
    return lesson.entry("found", finding.kind, **numbers)


def sentences(verdict: Verdict, lesson: Lesson | None = None) -> list[str]:
    """All that is said of a verdict: its findings, the largest difference, the slopes."""
    lesson = lesson or load("pitfalls")
    lines = [sentence(lesson, finding) for finding in verdict.findings]
    if verdict.slopes and verdict.known:
        lines.append(lesson.text("found.difference", judged(verdict)))
    if len(verdict.slopes) > 1:
        lines.append(lesson.text("found.slopes", judged(verdict)))
    return lines
