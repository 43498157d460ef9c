"""Attention: the reader's words through a real attention, stage by stage: content, bias, scores, weights, of one head."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.pictures import Head
from alibi_viz.checkpoints.presets import REPLIT
from alibi_viz.content.synthetic import CONTENTS, Setting
from alibi_viz.content.words import tokens
from alibi_viz.lessons import Lesson, problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.pictures.hands.message import Pick, Value
from alibi_viz.pictures.matrices.message import Mark, Message
from alibi_viz.ui import address, lesson, one_head
from alibi_viz.ui.components.hands import matrices
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.controls.content import LONGEST as LONGEST_TEXT
from alibi_viz.ui.controls.content import example
from alibi_viz.ui.controls.params import MOST_HEADS
from alibi_viz.ui.format import format_difference, format_number, format_slope
from alibi_viz.ui.matrices import refuse
from alibi_viz.ui.shell.page_chrome import chosen_device
from pages.attention import study
from pages.attention.study import LONGEST, Controls

UNITS = ("words", "characters")
COPIES = 24  # of a short story: a long text
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "same": {},
    "off": {"strength": 0.0},
    "encoder": {"content": "equal", "causal": False},
    "long": {"head": 6},  # and COPIES of a story, in the reader's language
}
FOLLOWS: one_head.Follows = {"text": "words", "strength": "strength", "heads": "heads"}
FILENAME = "attention"
WIDEST = 512  # numbers of a word's vector: 128 heads of size 128 would take projections of two gigabytes


def main() -> None:
    text = lesson.begin("attention")
    controls = ControlPanel(text)
    read_hands(controls)
    presets = PRESET_VALUES | {"long": PRESET_VALUES["long"] | {"text": " ".join([example("story")] * COPIES)}}
    try:
        chosen = chosen_by(controls.values)
        head = study.compute(chosen)
    except ValueError as error:  # the hands stay, with what to change
        lesson.say_problems(text)
        refuse("attention", controls.hands(presets), error)
        return
    count = len(head.tokens)
    cached = address.number("cached", count, low=1, high=count)
    cell = controls.cell(range(count), range(count))
    lesson.say_problems(text)
    marks = (Mark(0, 0, cached, cached, text.label("mark_cache", length=cached)),) if cached < count else ()
    view = one_head.stages(text, head, filename=FILENAME, follows=FOLLOWS, marks=marks, cell=cell)
    matrices(Message("attention", controls.hands(presets), [view], one_head.sentence_of_words()))
    said = text.text("seen" if head.strength > 0 else "seen_off", facts_of(head))
    lesson.seen_and_formula([said], one_head.formula(head))
    sections: dict[str, Callable[[], None]] = {
        "row": partial(one_head.one_row, text, head, cell),
        "heads": lambda: one_head.all_heads(text, head, study.inputs(chosen), FILENAME),
        "cache": partial(cache, text, chosen, cached),
    }
    lesson.sections(text, sections, trace_attention, study.compute)
    lesson.end(text, {"heads": REPLIT.heads, "kv_heads": REPLIT.kv_heads})


def read_hands(controls: ControlPanel) -> None:
    """In the order of the row."""
    controls.slider("strength", 1.0, low=0.0, high=4.0, step=0.01)
    controls.slider("heads", 8, low=1, high=MOST_HEADS)
    controls.slider("head", 2, low=1, high=MOST_HEADS, within="heads", typed=True)
    controls.choice("content", CONTENTS, CONTENTS[1], Pick)
    refusal = problems.say(Problem("texts.empty"))
    controls.line("text", example(), longest=LONGEST_TEXT, least=1, shown=LONGEST, refusal=refusal)
    controls.choice("unit", UNITS, UNITS[0], advanced=True)
    controls.switch("causal", True, advanced=True)
    controls.slider("kv_heads", 0, low=0, high=MOST_HEADS, advanced=True, typed=True)
    controls.slider("head_dim", 32, low=1, high=128, advanced=True, typed=True)
    controls.slider("seed", 0, low=0, high=9_999, advanced=True, typed=True)


def chosen_by(values: Mapping[str, Any]) -> Controls:
    heads, dim, seed = values["heads"], values["head_dim"], values["seed"]
    content, width = values["content"], min(heads * dim, WIDEST)
    setting = Setting(heads, dim, content=content, seed=seed, embedding_width=width, device=chosen_device())
    used = tuple(tokens(values["text"], values["unit"])[:LONGEST]) or tuple(tokens(example(), values["unit"]))
    kv_heads = values["kv_heads"] or heads
    return Controls(setting, used, kv_heads, values["head"], values["strength"], causal=values["causal"])


def facts_of(head: Head) -> dict[str, object]:
    """The numbers of the sentences."""
    facts: dict[str, object] = {"tokens": len(head.tokens), "head": head.head, "heads": head.heads}
    facts |= {"strength": format_number(head.strength)}
    return facts | {"slope": "" if head.slope is None else format_slope(head.slope)}


def cache(text: Lesson, chosen: Controls, cached: int) -> None:
    """The same numbers in other ways: token by token with a cache, and by the fused kernel."""
    count = len(chosen.tokens)
    controls = ControlPanel(text)
    controls.slider("cached", count, low=1, high=count)
    controls.row()
    by_cache, fused, scale = study.other_ways(chosen, cached)
    checked = "checked_all" if count <= study.ALL_HEADS_UP_TO else "checked_one"
    facts = {
        "count": cached,
        "steps": min(cached, study.STEPS),
        "cache": format_difference(by_cache, scale),
        "fused": format_difference(fused, scale),
        "checked": text.label(checked, head=chosen.head),
    }
    lesson.prose(text.text("cache_causal" if chosen.causal else "cache_unmasked", facts))


if __name__ == "__main__":
    main()
