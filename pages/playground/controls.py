"""The playground's controls: all of them live in the picture, which reports them; here they are checked and kept."""

import math
from collections.abc import Mapping

from alibi_viz.content.words import last_word, words
from alibi_viz.lessons import Lesson
from alibi_viz.pictures.playground.message import MOST_WORDS
from alibi_viz.ui.components import playground
from alibi_viz.ui.controls import rerun, state
from alibi_viz.ui.controls.content import SENTENCE, TEXT
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.stage import sections_param
from pages.playground.facts import Corrected
from pages.playground.study import COUNTS, GENTLEST, STEEPEST, TIMES, Controls

KEY = "playground"
HEADS = Param("heads", "int", 8, low=1, high=128)
HEAD = Param("head", "int", 2, low=1, high=128)
STRENGTH = Param("strength", "float", 1.0, low=0.0, high=4.0, step=0.01)
SLOPES = Param("slopes", "text", "", longest=400)  # “2:0.083, 5:1/10”: the heads whose slopes are not the rule's
QUERY = Param("query", "int", -1, low=-1, high=MOST_WORDS - 1)  # words after it; -1: the text's closing signs
RATIO = Param("ratio", "float", 1.0, low=1.0, high=TIMES, step=0.01)
OPEN = sections_param("playground", "code")
PICTURE = (TEXT, HEADS, HEAD, STRENGTH, SLOPES, QUERY, RATIO)
PARAMS = (*PICTURE, OPEN)


def read(lesson: Lesson) -> tuple[Controls, str]:
    """The controls as they are now, and what of them could not be shown as it was asked for (empty: nothing)."""
    said = []
    given = words(state.read(TEXT))
    if not given:
        said.append(lesson.text("note.empty"))
    elif len(given) > MOST_WORDS:
        said.append(lesson.text("note.long", Corrected(str(len(given)), str(MOST_WORDS))))
    used = tuple((given or words(SENTENCE))[:MOST_WORDS])
    asked = state.read(HEADS)
    heads = min(COUNTS, key=lambda count: (abs(math.log2(count / asked)), -count))
    if heads != asked:
        said.append(lesson.text("note.heads", Corrected(str(asked), str(heads))))
    own, wrong = parse_slopes(state.read(SLOPES), heads)
    if wrong:
        said.append(lesson.text("note.slopes"))
    ratio, back = state.read(RATIO), state.read(QUERY)
    back = closing(used) if back < 0 else back
    controls = Controls(used, heads, min(state.read(HEAD), heads), state.read(STRENGTH), own, back, ratio)
    if back >= controls.count:
        said.append(lesson.text("note.query", Corrected(str(back), str(controls.count))))
    for param in PICTURE:
        state.use(param)
    return controls, " ".join(said)


def closing(used: tuple[str, ...]) -> int:
    """How many signs close the text after its last word, which is the first query."""
    return len(used) - 1 - last_word(used)


def parse_slopes(text: str, heads: int) -> tuple[tuple[tuple[int, float], ...], bool]:
    """(head, slope) for each entry “head:slope” that can be read, and whether there was one that cannot."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    read = [_entry(entry, heads) for entry in entries]
    return tuple(sorted(dict(one for one in read if one).items())), None in read


def _entry(entry: str, heads: int) -> tuple[int, float] | None:
    head, _, slope = entry.partition(":")
    try:
        number, value = int(head), float(slope)
    except ValueError:
        return None
    return (number, value) if 1 <= number <= heads and GENTLEST <= value <= STEEPEST else None


def keep() -> None:
    """Callback of the picture: the reader has chosen something."""
    report = playground.reported(KEY)
    reported = {param.key: report.get(param.key, param.default) for param in PICTURE}
    reported[SLOPES.key] = _written(report.get(SLOPES.key))
    state.take(PICTURE, reported)
    rerun.request()


def _written(slopes: object) -> str:
    """The slopes that the browser reports, head -> slope, as they stand in the address."""
    if not isinstance(slopes, Mapping):
        return ""
    pairs = [(head, m) for head, m in list(slopes.items())[: max(COUNTS)] if isinstance(m, int | float)]
    return ", ".join(f"{str(head)[:3]}:{m:.6g}" for head, m in pairs if math.isfinite(m))
