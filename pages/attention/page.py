"""Attention: the reader's words through a real attention, stage by stage: content, bias, scores, weights, of one head."""

from collections.abc import Callable
from functools import partial

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.pictures import Head
from alibi_viz.checkpoints.presets import REPLIT
from alibi_viz.content.synthetic import CONTENTS, Setting
from alibi_viz.content.words import tokens
from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrices.message import Mark, Message
from alibi_viz.ui import address, lesson, one_head
from alibi_viz.ui.components.hands import matrices
from alibi_viz.ui.control_panel import ControlPanel, Presets
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
PRESET_VALUES: Presets = {
    "same": {},
    "off": {"strength": 0.0},
    "encoder": {"content": "equal", "causal": False},
    "long": {"head": 6},  # and COPIES of a story, in the reader's language
}
FOLLOWS: one_head.Follows = {"text": "words", "strength": "strength", "heads": "heads"}
FILENAME = "attention"
WIDEST = 512  # numbers of a word's vector: 128 heads of size 128 would take projections of two gigabytes


def main() -> None:
    text, controls = lesson.begin("attention")
    chosen = chosen_by(controls)
    presets = PRESET_VALUES | {"long": PRESET_VALUES["long"] | {"text": " ".join([example("story")] * COPIES)}}
    try:
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
    view = one_head.stages(text, head, filename=FILENAME, follows=FOLLOWS, marks=marks)
    matrices(Message("attention", controls.hands(presets), [view], one_head.sentence_of_words()))
    said = text.text("seen" if head.strength > 0 else "seen_off", facts_of(head))
    lesson.seen_and_formula([said], one_head.formula(head))
    sections: dict[str, Callable[[], None]] = {
        "row": partial(one_head.one_row, text, head, cell),
        "heads": lambda: one_head.all_heads(text, head, study.inputs(chosen), FILENAME),
        "cache": partial(cache, text, chosen, cached),
    }
    real = {"heads": REPLIT.heads, "kv_heads": REPLIT.kv_heads}
    lesson.end(text, sections, trace_attention, study.compute, sources=real)


def chosen_by(controls: ControlPanel) -> Controls:
    """What the row says, in its order."""
    strength = controls.slider("strength", 1.0, low=0.0, high=4.0, step=0.01)
    heads = controls.slider("heads", 8, low=1, high=MOST_HEADS)
    head = controls.slider("head", 2, low=1, high=MOST_HEADS, within="heads", typed=True)
    content = controls.choice("content", CONTENTS, CONTENTS[1], kind="pick")
    user_text = controls.line("text", example(), longest=LONGEST_TEXT, least=1, shown=LONGEST)
    unit = controls.choice("unit", UNITS, UNITS[0], advanced=True)
    causal = controls.switch("causal", True, advanced=True)
    kv_heads = controls.slider("kv_heads", 0, low=0, high=MOST_HEADS, advanced=True, typed=True)
    dim = controls.slider("head_dim", 32, low=1, high=128, advanced=True, typed=True)
    seed = controls.slider("seed", 0, low=0, high=9_999, advanced=True, typed=True)
    width = min(heads * dim, WIDEST)
    setting = Setting(heads, dim, content=content, seed=seed, embedding_width=width, device=chosen_device())
    used = tuple(tokens(user_text, unit)[:LONGEST]) or tuple(tokens(example(), unit))
    return Controls(setting, used, kv_heads or heads, head, strength, causal=causal)


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
