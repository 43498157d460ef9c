"""My model: what a published configuration, the reader's own, or a local checkpoint does with position."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.checkpoints import config as configurations
from alibi_viz.checkpoints.checkpoint import inputs, installed, position_alone
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.lessons import Lesson, load
from alibi_viz.positions import METHODS
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.format import escape_markdown, format_number, format_slope
from alibi_viz.ui.shell import navigation
from pages.models import charts, controls, pictures, study
from pages.models.study import Controls, Result


@st.fragment
def stage(lesson: Lesson) -> Result | None:
    """The picture of the model, and where the model comes from. None where there is nothing to show."""
    picture, side = layout.stage()
    with side:
        asked = st.container()
        controls.show_source(lesson)
    with picture:
        shown = page.attempt(compute)
    if shown:
        facts = numbers(lesson, shown)
        with side:
            controls.show_head(lesson, shown.controls)
        with asked:
            predict.ask(question(lesson, shown))
        with picture:
            draw(lesson, shown, facts)
    with side:
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
        if shown:
            kind = "checkpoint" if shown.controls.checkpoint else shown.controls.config.method
            layout.note(lesson, f"note.{kind}", **facts)
    rerun.if_requested()
    return shown


def compute() -> Result:
    """The model as it is chosen. Raises ValueError with one sentence for one that cannot be read."""
    return study.study(controls.read())


def question(lesson: Lesson, result: Result) -> predict.Question:
    """What does the method give at twice the training length?"""
    options = lesson.entries("options")
    named = {"far": f"{result.far:,}", "model": escape_markdown(result.controls.title)}
    return predict.Question(lesson, list(options.values()), [list(options).index(result.beyond)], named)


def numbers(lesson: Lesson, result: Result) -> dict[str, object]:
    """What the sentences of the page say."""
    chosen, config = result.controls, result.controls.config
    facts: dict[str, object] = {
        "model": escape_markdown(chosen.title),
        "method": METHODS[config.method].title,
        "layers": config.layers,
        "heads": config.heads,
        "kv_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "cached": 2 * config.kv_heads * config.head_dim,
        "length": f"{config.train_length:,}" if config.train_length else lesson.label("unknown"),
        "far": f"{result.far:,}",
        "parameters": result.parameters,
        "beyond": lesson.entry("options", result.beyond),
        "layer": chosen.layer,
        "head": chosen.head,
        "tokens": len(chosen.text.ids) if chosen.text else 0,
    }
    slopes = config.slopes or (0.0,)
    facts |= {"steepest": format_slope(max(slopes)), "gentlest": format_slope(min(slopes))}
    options = config.options
    facts |= {"base": f"{options.get('base', 0):,.0f}", "buckets": options.get("num_buckets", 0)}
    facts |= {"rotated": options.get("rotary_dim", config.head_dim), "max_distance": options.get("max_distance", 0)}
    return facts


def draw(lesson: Lesson, result: Result, facts: dict[str, object]) -> None:
    """Curves of a configuration, or matrices of a checkpoint."""
    chosen = result.controls
    if chosen.checkpoint is None:
        pictures.curves(lesson, result, lesson.entry("alt", chosen.config.method, **facts))
        return
    if found := page.attempt(lambda: study.reading(chosen)):
        pictures.weights(lesson, chosen, found)


def explain(lesson: Lesson, result: Result) -> None:
    """“What you see”, and what the page leaves out."""
    facts, chosen, config = numbers(lesson, result), result.controls, result.controls.config
    page.what_you_see(lesson, f"seen.{config.method}", **facts)
    scaling = config.options.get("scaling")
    remarks = {
        "remark.scaling": scaling is not None,
        "remark.falcon": config.family == "falcon" and config.method == "alibi",
        "remark.mpt": config.family == "mpt" and chosen.checkpoint is not None,
        "remark.window": config.window is not None,
        "remark.encoder": config.family == "t5",
        "remark.code": config.runs_code,
        "remark.extra": state.read(controls.SOURCE) == "folder" and not installed(),
        "remark.cut": chosen.text is not None and chosen.text.given > len(chosen.text.ids),
    }
    extra = {"scaling": scaling, "factor": config.options.get("factor"), "window": config.window or 0}
    extra |= {"given": chosen.text.given if chosen.text else 0}
    for name, holds in remarks.items():
        if holds:
            page.prose(lesson, name, **(facts | extra))


def links(lesson: Lesson, result: Result) -> None:
    """The model's numbers on the pages that have controls for them."""
    config = result.controls.config
    trained = {"trained": str(config.train_length)} if config.train_length else {}
    methods = ",".join(
        name for name in ("none", "rope", "t5", "alibi", "learned") if name in (config.method, "alibi", "none")
    )
    to = {"compare": {"methods": methods, "heads": str(config.heads)} | trained}
    if config.method == "alibi" and config.family != "falcon":
        top = config.raw.get("attn_config", {}).get("alibi_bias_max", 8) if config.family == "mpt" else 8
        to = {"slopes": {"heads": str(config.heads), "rule": "paper", "max_bias": f"{top:g}"}} | to
    if config.method == "rope":
        options = config.options
        rope = {"rope_dim": str(options.get("rotary_dim", config.head_dim)), "rope_base": f"{options['base']:.0f}"}
        rope |= {"scaling": options.get("scaling", "none"), "factor": f"{options.get('factor', 8):g}"}
        rope |= {"rope_trained": str(config.train_length)} if config.train_length else {}
        to = {"lab_rope": rope} | to
    st.caption(lesson.label("elsewhere"))
    with st.container(horizontal=True, gap="small"):
        for name, query in to.items():
            navigation.link(name, load(name).label("page"), query)


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """What was read from the file, a row a fact."""
    facts, config, labels = numbers(lesson, result), result.controls.config, lesson.entries("facts")
    rows = {key: str(facts[key]) for key in ("model", "method", "layers", "heads", "kv_heads", "head_dim", "length")}
    rows |= {"cached": str(facts["cached"]), "parameters": f"{result.parameters:,}"}
    rows |= {
        f"option.{key}": format_number(value, 6) for key, value in config.options.items() if type(value) in (int, float)
    }
    if config.slopes:
        rows["slopes"] = ", ".join(format_slope(slope) for slope in config.slopes)
    rows["model"] = result.controls.title  # a table shows text as it is
    names, columns = {key: labels[key.removeprefix("option.")] for key in rows}, lesson.entries("columns")
    return pd.DataFrame({columns["fact"]: [names[key] for key in rows], columns["value"]: list(rows.values())})


def show_facts(lesson: Lesson, result: Result) -> None:
    """All that was read, to look at and to download."""
    st.dataframe(table(lesson, result), hide_index=True)
    page.download_csv(lambda: table(lesson, result), name=f"model-{result.controls.config.family}.csv", key="model_csv")


def steps(lesson: Lesson, chosen: Controls) -> None:
    """Every stage of the chosen head; without a checkpoint, how to open one."""
    if chosen.checkpoint is None:
        page.prose(lesson, "how", setting=controls.folder.SETTING)
        return
    page.prose(lesson, f"steps.{METHODS[chosen.config.method].acts_on}", layer=chosen.layer, head=chosen.head)
    pictures.stages(lesson, chosen, study.reading(chosen))


def reach(lesson: Lesson, chosen: Controls) -> None:
    """How far every head looks on the text, beside its positions alone."""
    if chosen.checkpoint is None or chosen.text is None:
        page.prose(lesson, "how", setting=controls.folder.SETTING)
        return
    page.prose(lesson, "reach")
    measure = widgets.choice(controls.MEASURE, lesson)
    found, labels = study.reaches(chosen), lesson.entries("reach_chart")
    quantity: charts.Quantity = "mean" if measure == "mean" else "holding"
    tokens, method = len(chosen.text.ids), chosen.config.method
    figure = charts.reach(found, quantity, method, labels, tokens=tokens, dark=page.dark())
    alt = lesson.label("alt_reach", layers=len(found), heads=chosen.config.heads, tokens=tokens)
    page.chart(figure, key="model_reach_chart", alt=alt, name=f"model-{chosen.config.family}-reach")
    if len(found) > charts.MOST:
        st.caption(lesson.label("layers_cut", shown=charts.MOST, layers=len(found)))
    heads = range(1, chosen.config.heads + 1)
    rows = [
        {"layer": number, "head": list(heads), "mean": layer.measured.mean, "mean_alone": layer.alone.mean}
        | {"holding": layer.measured.holding, "holding_alone": layer.alone.holding}
        for number, layer in enumerate(found, start=1)
    ]
    page.download_rows(lesson, rows, name=f"model-{chosen.config.family}-reach", key="model_reach_csv")


def show(lesson: Lesson) -> None:
    result = stage(lesson)
    if result is None:
        layout.next_lesson(lesson)
        return
    chosen = result.controls
    explain(lesson, result)
    links(lesson, result)
    facts = numbers(lesson, result)
    spaced = {
        name: str(facts[name]).replace(",", "{,}") for name in ("base", "length")
    }  # LaTeX sets a gap after a comma
    page.formula(lesson, section=f"formula.{chosen.config.method}", **(facts | spaced))
    closer = {"facts": partial(show_facts, lesson, result), "steps": partial(steps, lesson, chosen)}
    closer |= {"reach": partial(reach, lesson, chosen)}
    closer["code"] = partial(page.code, configurations.from_dict, inputs, position_alone)
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    models = "; ".join(f"{example.title} ({example.name}): {example.source}" for example in EXAMPLES.values())
    page.sources(lesson, models=models)


show(page.begin("models", controls.PARAMS))
