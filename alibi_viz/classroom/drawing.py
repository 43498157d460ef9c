"""What readers draw before they see it: the lines of ALiBi and RoPE beyond L. What was measured, and drawn lines beside it.

A drawing is rooms.LINE numbers a line, perplexities from after L to 16 L in equal ratios, ALiBi's before RoPE's.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

from alibi_viz.charts.palette import LOOKS
from alibi_viz.classroom.rooms import LINE, Answer, Question
from alibi_viz.lessons import load
from alibi_viz.lessons.languages import kept_by_language
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.story.message import Drawing, Line, Message, Step
from alibi_viz.positions import title_of

SHOWN = ("sinusoidal", "rope", "t5", "alibi")  # the paper's four methods
WRITERS = ("alibi", "rope")  # those that are drawn, in this order
STEP = 6  # of the story
_NOTHING = np.zeros((0, 0), dtype=np.float32)
ROUGH = 9.95  # perplexity from where a hand draws no decimals


def _results() -> Any:
    """The table of results. It needs pandas, for which the first answer of a server does not wait."""
    from alibi_viz.results import table

    return table


@kept_by_language(4)
def lines() -> list[Line]:
    """Perplexity of each method in sliding windows from half of L on, and of the writers from cut contexts."""
    table = _results()
    every, length = table.losses(), table.train_length()
    sliding = table.means(every[every.protocol == "sliding"], "perplexity", "length").set_index("method")
    cut = table.means(table.measurements("contexts").dropna(subset="loss"), "perplexity", "context").set_index("method")
    return [
        Line(
            method,
            title_of(method),
            (LOOKS[method].light, LOOKS[method].dark),
            (sliding.loc[method].length / length).tolist(),
            sliding.loc[method]["mean"].tolist(),
            cut.loc[method].context.tolist() if method in WRITERS else (),
            cut.loc[method]["mean"].tolist() if method in WRITERS else (),
        )
        for method in SHOWN
    ]


def _measured(times: float) -> dict[str, float]:
    return {line.method: line.values[line.times.index(times)] for line in lines()}


def measured() -> tuple[float, ...]:
    """What the lines end at in truth, at 16 L."""
    far = _measured(16.0)
    return tuple(far[method] for method in WRITERS)


def message(answers: Sequence[Any], mine: Any, *, is_open: bool) -> Drawing:
    """For the picture. answers: of the class, in the end."""
    shape = (len(answers), LINE * len(WRITERS))
    return Drawing(is_open, mine, np.array(answers, dtype=np.float32).reshape(shape))


def chart(drawing: Drawing, key: str) -> Message:
    """Step 6 of the story by itself: beside a question on any page, and on Extrapolation while it asks."""
    text = load("story")
    gesture = Step("", "", text.entry("gestures", "guess"))
    values = {"step": STEP, "story_shown": not drawing.is_open, "story_slope": 0, "story_times": 1, "story_seen": 1}
    return Message(
        [gesture] * (STEP + 1),
        _NOTHING,
        lines(),
        hands=Hands((), values),
        learned=(LOOKS["learned"].light, LOOKS["learned"].dark),
        trained=_results().train_length(),
        words=text.entries("picture") | load("shared").entries("lists"),
        alt=text.text("guess.question"),
        drawing=drawing,
        key=key,
    )


def curves(drawing: Drawing) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Lines of a class, or of a reader alone: method, and perplexities from L, where they are measured, to 16 L."""
    here = _measured(1.0)
    rows = drawing.of_class.tolist() or [drawing.mine] * bool(drawing.mine)
    return tuple(
        (method, (here[method], *row[at * LINE : (at + 1) * LINE])) for row in rows for at, method in enumerate(WRITERS)
    )


def ends(question: Question, *answers: Answer | None) -> dict[str, str]:
    """For sentences: where the lines end in truth (`alibi_at`), and as drawn (`alibi`), in the middle of several."""
    drawn = [answer[LINE - 1 :: LINE] for answer in answers if isinstance(answer, tuple)]
    middle = {method: median(values) for method, values in zip(WRITERS, zip(*drawn, strict=True), strict=False)}
    facts = {f"{method}_at": f"{value:.3g}" for method, value in zip(WRITERS, question.measured, strict=True)}
    return facts | {method: f"{end:.1f}" if end < ROUGH else f"{end:.0f}" for method, end in middle.items()}
