"""What is left of a class, as one file: every question with both its votes, the lines that were drawn, and what was most
missed; and the votes as rows of a table.

For its teacher alone: it says what is right also where the class has not seen it yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import log

from alibi_viz.charts.palette import LOOKS
from alibi_viz.classroom import drawing
from alibi_viz.classroom.plans import TEXTS
from alibi_viz.classroom.rooms import LEAST, LINE, MOST, Question
from alibi_viz.export import filled, theme
from alibi_viz.lessons import load, plain
from alibi_viz.positions import title_of

MISSED = 3  # questions, at most, that are named as the most missed
WIDTH, HEIGHT, FARTHEST = 480, 240, 16.0  # of the picture of lines; where they end, in L


@dataclass(frozen=True)
class Row:
    """An option, or a line at its end. right: ✓, or what was measured. votes: of each round, how many chose it, or the
    median of what was drawn."""

    name: str
    right: str
    votes: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True)
class Entry:
    """A question. voted: how many, in each round. missed: the share of the last votes that was wrong. lines: colour, points
    of an SVG, and whether it was measured."""

    number: int
    page: str
    text: str
    rows: tuple[Row, ...]
    voted: tuple[int, ...]
    missed: float = 0.0
    lines: tuple[tuple[str, str, bool], ...] = ()


def entries(questions: Sequence[Question], language: str) -> list[Entry]:
    """What was asked, in that order."""
    return [_entry(number, question, language) for number, question in enumerate(questions, start=1)]


def document(questions: Sequence[Question], language: str, title: str, credit: str) -> str:
    """The file, as HTML, which loads nothing. credit: by which version, and when."""
    every, words = entries(questions, language), load(TEXTS, language).entries("record")
    missed = sorted((one for one in every if one.missed), key=lambda one: -one.missed)[:MISSED]  # the worst first
    facts = {"language": language, "title": title, "credit": credit, "words": words, "theme": theme()}
    return filled("class.html", entries=every, missed=missed, width=WIDTH, height=HEIGHT, **facts)


def rows(questions: Sequence[Question], language: str) -> list[dict[str, str | int]]:
    """Each option of each question, by the names of the columns."""
    words = load(TEXTS, language).entries("record")
    columns = [words[name] for name in ("number", "page", "question", "option", "right", "first", "second")]
    return [
        dict(zip(columns, (one.number, one.page, one.text, row.name, row.right, *row.votes, ""), strict=False))
        for one in entries(questions, language)
        for row in one.rows
    ]


def _entry(number: int, question: Question, language: str) -> Entry:
    wording, rounds = question.wordings[language], question.rounds
    page, text, voted = load(question.page, language).label("page"), plain(wording.text), tuple(map(len, rounds))
    if question.measured:
        return Entry(number, page, text, _ends(question, language), voted, lines=_lines(question))
    counts = question.counts
    rows = tuple(
        Row(option, "✓" if at in question.right else "", tuple(str(count[at]) for count in counts), reason)
        for at, (option, reason) in enumerate(zip_longest(wording.options, wording.reasons, fillvalue=""))
    )
    right = sum(counts[-1][at] for at in question.right)
    return Entry(number, page, text, rows, voted, 1 - right / voted[-1] if voted[-1] else 0.0)


def _ends(question: Question, language: str) -> tuple[Row, ...]:
    every = [drawing.ends(question, *answers) for answers in question.rounds]
    return tuple(
        Row(title_of(method), every[0][f"{method}_at"], tuple(ends.get(method, "–") for ends in every))
        for method in drawing.WRITERS
    )


def _lines(question: Question) -> tuple[tuple[str, str, bool], ...]:
    """Drawn lines, and those that were measured on top of them."""
    times = [FARTHEST ** (at / LINE) for at in range(LINE + 1)]
    drawn = drawing.curves(drawing.message(question.counted, (), is_open=False)) if question.counted else ()
    lines = [(LOOKS[method].light, _points(times, values), False) for method, values in drawn]
    for line in drawing.lines():
        if line.method in drawing.WRITERS:
            lines.append((line.colours[0], _points(line.times, line.values), True))
    return tuple(lines)


def _points(times: Sequence[float], values: Sequence[float]) -> str:
    """On logarithmic axes, from L on."""
    return " ".join(
        f"{WIDTH * log(at, FARTHEST):.1f},{HEIGHT * (1 - log(value / LEAST) / log(MOST / LEAST)):.1f}"
        for at, value in zip(times, values, strict=True)
        if at >= 1
    )
