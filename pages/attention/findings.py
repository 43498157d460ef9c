"""“What you see” of the Attention lesson: its sentences with the numbers of this picture."""

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import page, ranking
from alibi_viz.ui import stage as layout
from pages.attention import study
from pages.attention.controls import show_cached
from pages.attention.facts import (
    Few,
    Method,
    as_trained,
    checkpoint_of,
    checks_of,
    facts_of,
    near_of,
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
