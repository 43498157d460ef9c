"""The sections of the lesson on a model of the reader's, and the numbers that its sentences say."""

import pandas as pd
import streamlit as st

from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.reader import read
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.format import escape_markdown, format_number, format_slope
from pages.models import charts, controls, pictures, study
from pages.models.study import Controls, Result


def numbers(lesson: Lesson, result: Result) -> dict[str, object]:
    """What the sentences of the page say."""
    chosen, config, head = result.controls, result.controls.config, result.controls.head
    said: dict[str, object] = {
        "model": escape_markdown(chosen.title),
        "method": METHODS[config.method].title,
        "layers": config.layers,
        "heads": config.heads,
        "kv_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "cached": 2 * config.kv_heads * config.head_dim,
        "length": f"{config.train_length:,}" if config.train_length else lesson.label("unknown"),
        "far": f"{result.far:,}",
        "limit": lesson.entry("limit", limit(config)),
        "parameters": result.parameters,
        "beyond": lesson.entry("options", result.beyond),
        "layer": head.layer if head else 0,
        "head": head.head if head else 0,
        "tokens": len(head.text.ids) if head else 0,
    }
    slopes = config.slopes or (0.0,)
    said |= {"steepest": format_slope(max(slopes)), "gentlest": format_slope(min(slopes))}
    options = config.options
    said |= {"base": f"{options.get('base', 0):,.0f}", "buckets": options.get("num_buckets", 0)}
    said |= {"rotated": options.get("rotary_dim", config.head_dim), "max_distance": options.get("max_distance", 0)}
    return said


def limit(config: ModelConfig) -> str:
    """What the file's length is: that before scaling, if RoPE is scaled; T5's file may name none."""
    if config.train_length is None:
        return "t5"
    return "scaled" if config.options.get("scaling") else "plain"


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """What was read from the file, a row a fact."""
    said, config, labels = numbers(lesson, result), result.controls.config, lesson.entries("facts")
    rows = {key: str(said[key]) for key in ("model", "method", "layers", "heads", "kv_heads", "head_dim", "length")}
    rows |= {"cached": str(said["cached"]), "parameters": f"{result.parameters:,}"}
    rows |= {
        f"option.{key}": format_number(value, 6) for key, value in config.options.items() if type(value) in (int, float)
    }
    if config.slopes:
        rows["slopes"] = ", ".join(format_slope(slope) for slope in config.slopes)
    rows["model"] = result.controls.title  # a table shows text as it is
    names, columns = {key: labels[key.removeprefix("option.")] for key in rows}, lesson.entries("columns")
    return pd.DataFrame({columns["fact"]: [names[key] for key in rows], columns["value"]: list(rows.values())})


def facts(lesson: Lesson, result: Result) -> None:
    """All that was read, to look at and to download."""
    st.dataframe(table(lesson, result), hide_index=True)
    page.download_csv(lambda: table(lesson, result), name=f"model-{result.controls.config.family}.csv", key="model_csv")


def steps(lesson: Lesson, chosen: Controls) -> None:
    """Every stage of the chosen head; without a checkpoint, how to open one."""
    head = chosen.head
    if head is None:
        page.prose(lesson, "how", setting=controls.folder.SETTING)
        return
    page.prose(lesson, f"steps.{METHODS[chosen.config.method].acts_on}", layer=head.layer, head=head.head)
    pictures.stages(lesson, head, read(head))


def reach(lesson: Lesson, chosen: Controls) -> None:
    """How far every head looks on the text, beside its positions alone."""
    if chosen.head is None:
        page.prose(lesson, "how", setting=controls.folder.SETTING)
        return
    page.prose(lesson, "reach")
    measure = widgets.choice(controls.MEASURE, lesson)
    found, labels = study.reaches(chosen.head), lesson.entries("reach_chart")
    quantity: charts.Quantity = "mean" if measure == "mean" else "holding"
    tokens, method = len(chosen.head.text.ids), chosen.config.method
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
