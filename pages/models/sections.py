"""The sections of the lesson on a model of the reader's."""

import pandas as pd
import streamlit as st

from alibi_viz.checkpoints.reading_head import read
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.format import format_number, format_slope
from pages.models import charts, controls, pictures, study
from pages.models.facts import Facts, Folder
from pages.models.study import Result


def table(lesson: Lesson, result: Result, said: Facts) -> pd.DataFrame:
    """What was read from the file, a row a fact."""
    config, labels = result.controls.config, lesson.entries("facts")
    rows = {
        key: str(getattr(said, key)) for key in ("model", "method", "layers", "heads", "kv_heads", "head_dim", "length")
    }
    rows["layers"] = str(config.layers or lesson.label("unknown"))
    if result.curves:
        rows |= {"cached": str(said.cached), "parameters": f"{said.parameters:,}"}
    rows |= {
        f"option.{key}": format_number(value, 6) for key, value in config.options.items() if type(value) in (int, float)
    }
    found = {"scaled_length": config.scaled_length, "window": config.window, "local_base": config.local_base}
    rows |= {key: format_number(value, 12) for key, value in found.items() if value}
    lists = {
        "window_layers": config.window_layers,
        "nope_layers": config.nope_layers,
        "not_computed": config.not_computed,
    }
    rows |= {key: ", ".join(map(str, values)) for key, values in lists.items() if values}
    if config.slopes:
        rows["slopes"] = ", ".join(format_slope(slope) for slope in config.slopes)
    rows["model"] = result.controls.title  # a table shows text as it is
    names, columns = {key: labels[key.removeprefix("option.")] for key in rows}, lesson.entries("columns")
    return pd.DataFrame({columns["fact"]: [names[key] for key in rows], columns["value"]: list(rows.values())})


def facts(lesson: Lesson, result: Result, said: Facts) -> None:
    """All that was read, to look at and to download."""
    rows = table(lesson, result, said)
    st.dataframe(rows, hide_index=True)
    page.download_csv(lambda: rows, name=f"model-{result.controls.config.family}.csv", key="model_csv")


def steps(lesson: Lesson, result: Result, said: Facts) -> None:
    """Every stage of the chosen head; without a checkpoint, how to open one."""
    head = result.controls.head
    if head is None:
        page.prose(lesson, "how", Folder())
        return
    page.prose(lesson, f"steps.{METHODS[result.controls.config.method].acts_on}", said)
    pictures.stages(lesson, head, read(head))


def reach(lesson: Lesson, result: Result, said: Facts) -> None:
    """How far every head looks on the text, beside its positions alone."""
    chosen = result.controls
    if chosen.head is None:
        page.prose(lesson, "how", Folder())
        return
    page.prose(lesson, "reach")
    measure = widgets.choice(controls.MEASURE, lesson)
    found, labels = study.reaches(chosen.head), lesson.entries("reach_chart")
    quantity: charts.Quantity = "mean" if measure == "mean" else "holding"
    figure = charts.reach(found, quantity, chosen.config.method, labels, tokens=said.tokens, dark=page.dark())
    alt = lesson.label("alt_reach", said)
    page.chart(figure, key="model_reach_chart", alt=alt, name=f"model-{chosen.config.family}-reach")
    if len(found) > charts.MOST:
        st.caption(lesson.label("layers_cut", shown=charts.MOST, layers=said.layers))
    heads = range(1, chosen.config.heads + 1)
    rows = [
        {"layer": number, "head": list(heads), "mean": layer.measured.mean, "mean_alone": layer.alone.mean}
        | {"holding": layer.measured.holding, "holding_alone": layer.alone.holding}
        for number, layer in enumerate(found, start=1)
    ]
    page.download_rows(lesson, rows, name=f"model-{chosen.config.family}-reach", key="model_reach_csv")


SECTIONS = {"facts": facts, "steps": steps, "reach": reach}  # of the lesson's table `closer`
