"""“What you see” of the Attention lesson: its sentences with the numbers of this picture."""

from collections.abc import Sequence

import numpy as np

from alibi_viz.attention.pictures import NEAREST
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import page, predict, ranking
from alibi_viz.ui import stage as layout
from alibi_viz.ui.format import format_number
from pages.attention import study
from pages.attention.controls import show_cached
from pages.attention.facts import (
    Asked,
    Few,
    Method,
    as_trained,
    checkpoint_of,
    checks_of,
    facts_of,
    near_of,
    quoted,
    reading_of,
)
from pages.attention.study import Controls, Local, Result, Synthetic, Trained


def show(lesson: Lesson, controls: Controls, result: Result) -> None:
    if isinstance(controls, Synthetic):
        _synthetic(lesson, controls, result)
    elif isinstance(controls, Trained):
        _trained(lesson, controls, result)
    else:
        _local(lesson, controls, result)


def question(lesson: Lesson, controls: Controls) -> tuple[predict.Question | None, Sequence[tuple[int, int]]]:
    """What the bias leaves of the largest weight of a far key, in the row of the first query, and its cell.

    None where no bias changes one.
    """
    query = study.first_query(controls)
    row = study.row(controls, query)
    if row.bias is None or row.weights_without_bias is None or query <= NEAREST:
        return None, ()
    key = int(np.argmax(row.weights_without_bias[: query - NEAREST]))
    before, after = row.weights_without_bias[key], row.weights[key]
    if row.bias[key] == 0 or not np.isfinite(row.bias[key]):
        return None, ()
    right = 2 if after >= before else 1 if after >= before / 2 else 0
    facts = Asked(
        query=quoted(controls.labels[query]),
        key=quoted(controls.labels[key]),
        distance=query - key,
        before=format_number(float(before), 2),
        bias=format_number(float(row.bias[key])),
    )
    options = [lesson.label(f"left_{kind}") for kind in ("little", "much", "more")]
    return predict.Question(lesson, options, [right], facts=facts), [(query, key)]


def note(lesson: Lesson, controls: Controls, result: Result) -> None:
    """Two sentences beside the picture."""
    near = facts_of(controls, result) if isinstance(controls, Synthetic) else near_of(controls)
    if near:
        layout.note(lesson, _fitting("note", near), near)
    else:
        layout.note(lesson, f"how.{result.method.acts_on}", Method(result.method.title))


def alt(lesson: Lesson, controls: Controls, result: Result) -> str:
    """The picture in words."""
    if isinstance(controls, Trained):
        return lesson.plain(f"seen.trained.{_beyond(controls)}", reading_of(controls, result))
    if isinstance(controls, Local):
        return lesson.plain(_local_section(controls), checkpoint_of(controls, result))
    facts = facts_of(controls, result)
    return lesson.plain(_fitting("note", facts), facts)


def _fitting(section: str, facts: object) -> str:
    """The section, or that for a text in which no token is far."""
    return f"{section}.few" if isinstance(facts, Few) else section


def _local_section(controls: Local) -> str:
    return "seen.local" if study.first_query(controls) > 1 else "seen.few"


def _beyond(controls: Trained) -> str:
    """Which sentences fit the length of the text: beyond L, not, or as far as the model can read."""
    count, loaded = len(controls.text), controls.loaded
    if count > loaded.config.length:
        return "beyond"
    return "ends" if count == loaded.model.position.max_position else "inside"


def _synthetic(lesson: Lesson, controls: Synthetic, result: Result) -> None:
    """The first query's numbers."""
    facts = facts_of(controls, result)
    section = "seen.base" if controls.strength > 0 else "seen.zero"
    page.what_you_see(lesson, "seen.few" if isinstance(facts, Few) else section, facts)
    if controls.strength == 0 and controls.setting.content == "equal":
        page.prose(lesson, "seen.off")


def checks(lesson: Lesson, controls: Synthetic) -> None:
    """The same numbers in other ways: token by token with a cache, and by the fused kernel."""
    show_cached(lesson)
    page.prose(lesson, f"seen.checks.{'causal' if controls.causal else 'unmasked'}", checks_of(lesson, controls))


def _trained(lesson: Lesson, controls: Trained, result: Result) -> None:
    """Where the last byte attends."""
    page.what_you_see(lesson, f"seen.trained.{_beyond(controls)}", reading_of(controls, result))


def _local(lesson: Lesson, controls: Local, result: Result) -> None:
    """Where the last token attends, and what the page leaves out."""
    facts, config, text = checkpoint_of(controls, result), controls.config, controls.reading.text
    page.what_you_see(lesson, _local_section(controls), facts)
    mine = load("models")
    remarks = {"remark.mpt": config.family == "mpt", "remark.encoder": not config.causal}
    remarks |= {"remark.cut": text.given > len(text.ids)}
    for section in (section for section, holds in remarks.items() if holds):
        page.prose(mine, section, facts)


def reading(lesson: Lesson, controls: Trained, result: Result) -> None:
    """How well the model reads this text, inside and beyond L."""
    facts = reading_of(controls, result)
    if facts.inside is None:
        page.prose(lesson, "loss.none")
        return
    kind = "inside" if facts.beyond is None else "beyond"
    page.prose(lesson, f"loss.{kind}", facts)
    if controls.strength != 1:
        page.prose(lesson, f"loss.strength.{kind}", as_trained(controls))
    ranking.show(len(controls.text) - 1)
