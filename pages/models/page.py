"""My model: what a published configuration, the reader's own, or a local checkpoint does with position."""

import math
from dataclasses import replace
from functools import partial

import streamlit as st

from alibi_viz.attention.inputs import position_alone
from alibi_viz.checkpoints import config as configurations
from alibi_viz.checkpoints.checkpoint import inputs, installed
from alibi_viz.checkpoints.reading_head import read
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import local_model, state
from alibi_viz.ui.shell import navigation
from pages.models import controls, pictures, sections, study
from pages.models.facts import Facts, Sources, facts_of
from pages.models.study import Result


@st.fragment
def models_stage(lesson: Lesson) -> Result | None:
    """The picture of the model, and where the model comes from. None where there is nothing to show."""
    place = layout.stage(lesson, controls.show)
    with place.picture:
        shown = page.attempt(compute)
    if shown:
        facts = facts_of(lesson, shown)
        with place.side:
            if shown.controls.head:
                local_model.show_head(shown.controls.config)
        with place.picture:
            draw(lesson, shown, facts)
    with place.side:
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
        if shown:
            layout.note(lesson, f"note.{kind(shown)}", facts)
    return shown


def compute() -> Result:
    """The model as it is chosen. Raises ValueError with one sentence for one that cannot be read."""
    return study.study(controls.read())


def kind(result: Result) -> str:
    """Which sentences the page has: of a checkpoint, of a method that is only named, or of the method."""
    return "checkpoint" if result.controls.head else result.controls.config.method if result.curves else "named"


def draw(lesson: Lesson, result: Result, facts: Facts) -> None:
    """Curves of a configuration, or matrices of a checkpoint."""
    chosen = result.controls
    if result.curves is None:
        page.prose(lesson, "named", facts)
        return
    if chosen.head is None:
        pictures.curves(lesson, result, lesson.entry("alt", chosen.config.method, facts))
        return
    if found := page.attempt(partial(read, chosen.head)):
        pictures.weights(lesson, chosen.head, found)


def explain(lesson: Lesson, result: Result, facts: Facts) -> None:
    """“What you see”, and what the page leaves out."""
    chosen, config = result.controls, result.controls.config
    page.what_you_see(lesson, f"seen.{config.method if result.curves else 'named'}", facts)
    remarks = {
        "remark.scaling": facts.scaling is not None,
        "remark.falcon": config.family == "falcon" and config.method == "alibi",
        "remark.mpt": config.family == "mpt" and chosen.head is not None,
        "remark.window": config.window is not None,
        "remark.encoder": not config.causal,
        "remark.unknown": not config.known,
        "remark.rope_off": config.rope_off,
        "remark.local": config.local_base is not None,
        "remark.nope": bool(config.nope_layers) and config.method != "none",
        "remark.code": config.runs_code,
        "remark.extra": state.read(controls.SOURCE) == "folder" and not installed(),
        "remark.cut": facts.given > facts.tokens,
    }
    for name, holds in remarks.items():
        if holds:
            page.prose(lesson, name, facts)


def links(lesson: Lesson, result: Result) -> None:
    """The model's numbers on the pages that have controls for them."""
    config = result.controls.config
    methods = ",".join(
        name for name in ("none", "rope", "t5", "alibi", "learned") if name in (config.method, "alibi", "none")
    )
    to = {"compare": {"methods": methods}}
    if config.method == "alibi" and config.family != "falcon":
        top = -math.log2(min(config.slopes or (1,)))  # the largest exponent
        to = {"slopes": {"heads": str(config.heads), "rule": "paper", "max_bias": f"{top:g}"}} | to
    if config.method == "rope" and result.curves:
        options = config.options
        rope = {"rope_dim": str(options.get("rotary_dim", config.head_dim)), "rope_base": f"{options['base']:.0f}"}
        rope |= {"scaling": options.get("scaling", "none"), "factor": f"{options.get('factor', 8):g}"}
        rope |= {"rope_trained": str(config.train_length)} if config.train_length else {}
        to = {"lab_rope": rope} | to
    st.caption(lesson.label("elsewhere"))
    with st.container(horizontal=True, gap="small"):
        for name, query in to.items():
            navigation.link(name, load(name).label("page"), query)


def show(lesson: Lesson) -> None:
    result = models_stage(lesson)
    if result is None:
        layout.next_lesson(lesson)
        return
    facts = facts_of(lesson, result)
    explain(lesson, result, facts)
    links(lesson, result)
    base, length = (number.replace(",", "{,}") for number in (facts.base, facts.length))  # else LaTeX sets a gap
    in_latex = replace(facts, base=base, length=length)
    if result.curves:
        page.formula(lesson, section=f"formula.{result.controls.config.method}", facts=in_latex)
    closer = {name: partial(part, lesson, result, facts) for name, part in sections.SECTIONS.items()}
    code = (configurations.from_dict, inputs, position_alone)
    layout.below(lesson, controls.OPEN, closer, *code, sources=Sources())


show(page.begin("models", controls.PARAMS))
