"""Attention: a text through a real attention, stage by stage: content, bias, scores, weights, of one head."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.attention.attention import trace_attention
from alibi_viz.charts.figure import trace
from alibi_viz.charts.palette import figure, floats, ink, mark
from alibi_viz.checkpoints.presets import REPLIT
from alibi_viz.content.synthetic import CONTENTS, Setting
from alibi_viz.content.words import tokens
from alibi_viz.lessons import Lesson, problems
from alibi_viz.lm.config import TrainConfig
from alibi_viz.pictures.hands.message import Pick, Value
from alibi_viz.pictures.matrices.message import Colours, Mark, Message, Model, Panel, Readout, Sentence, Stage, View
from alibi_viz.positions import title_of
from alibi_viz.results import trained
from alibi_viz.results.trained import Loaded
from alibi_viz.rules import slopes
from alibi_viz.ui import address, lesson, page, reader
from alibi_viz.ui.components.hands import matrices, matrix_view
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.controls.content import LONGEST as LONGEST_TEXT
from alibi_viz.ui.controls.content import PASSAGE, TRAINED_MODEL, example
from alibi_viz.ui.controls.params import MOST_HEADS
from alibi_viz.ui.format import escape_markdown, format_difference, format_number, format_slope, isolated
from alibi_viz.ui.matrices import refuse, sides
from alibi_viz.ui.shell.page_chrome import chosen_device
from alibi_viz.user_input import printable
from pages.attention import study
from pages.attention.study import LONGEST, Result, Synthetic, Trained

MOST_LAYERS = 12
UNITS = ("words", "characters")
COPIES = 24  # of a short story: a long text
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "same": {},
    "off": {"strength": 0.0},
    "trained": {"content": TRAINED_MODEL, "head": 4},
    "encoder": {"content": "equal", "causal": False},
    "long": {"head": 6},  # and COPIES of a story, in the reader's language
}
MADE_UP = ("strength", "heads", "head", "content", "text", "unit", "causal", "kv_heads", "head_dim", "seed")
WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")
LETTERS, ON_AXIS = 24, 12  # of a token in a sentence, and on an axis
NAMED = 40  # tokens up to which every key has its name on the axis
LATEX = r"\text{weights}_i = \text{softmax}_j\left(\frac{q_i \cdot k_j}{\sqrt{%s}} - %s\,%s\right)"


def main() -> None:
    text = lesson.begin("attention")
    controls = ControlPanel(text)
    content = controls.choice("content", (*CONTENTS, TRAINED_MODEL), CONTENTS[1], Pick)
    requested = address.text("model", "alibi", longest=40)
    models = trained.refs(reader.is_own) if content == TRAINED_MODEL else {}
    model = requested if requested in models else next(iter(models), requested)
    loaded = trained.load(model) if models else None
    titles = [(name, title(text, name, config)) for name, config in models.items()]
    controls.add(Pick("model", text.label("model"), options=titles), model)
    controls.defaults["model"] = "alibi"
    read_hands(controls, loaded)
    keys: tuple[str, ...] = MADE_UP
    if content == TRAINED_MODEL:
        keys = ("strength",) if loaded is None or loaded.slopes else ()
        keys += ("layer", "head") if loaded else ()
        keys += ("content", "model", "passage")
    presets = PRESET_VALUES | {"long": PRESET_VALUES["long"] | {"text": " ".join([example("story")] * COPIES)}}
    try:
        if content == TRAINED_MODEL and loaded is None:
            raise ValueError(text.text("missing"))
        chosen = of_model(loaded, controls.values) if loaded else synthetic(controls.values)
        result = study.compute(chosen)
    except ValueError as error:  # the hands stay, with what to change
        lesson.say_problems(text)
        refuse("attention", controls.hands(presets, keys), error)
        return
    count = len(result.tokens)
    cached = count if loaded else address.number("cached", count, low=1, high=count)
    cell = controls.cell(range(count), range(count))
    lesson.say_problems(text, *another_model(text, requested, model, models))
    facts = facts_of(chosen, result)
    marked = result.train_length or cached
    mark = text.label("mark" if loaded else "mark_cache", length=marked)
    marks = (Mark(0, 0, marked, marked, mark),) if marked < count else ()
    picture = stages(text, chosen, result, marks, cell, text.label("alt", facts))
    matrices(Message("attention", controls.hands(presets, keys), [picture], sentence(text, result)))
    if loaded:
        corpus = text.label("corpus_own" if loaded.config.corpus.startswith("text:") else "corpus_built_in")
        sentences = [text.text("seen_beyond" if count > loaded.config.length else "seen_inside", facts)]
        sentences.append(
            text.text("made", vars(loaded.config) | {"method": title_of(loaded.config.method), "corpus": corpus})
        )
    else:
        sentences = [text.text("seen" if result.strength > 0 else "seen_off", facts)]
    lesson.seen_and_formula([*sentences, *left_out(text, controls.values, loaded)], formula(text, result))
    sections: dict[str, Callable[[], None]] = {
        "row": partial(one_row, text, result, cell),
        "heads": partial(heads, text, chosen, result, marks if loaded else ()),
    }
    if isinstance(chosen, Synthetic):
        sections["cache"] = partial(cache, text, chosen, cached)
        lesson.sections(text, sections, trace_attention, study.synthetic)
    else:
        lesson.sections(text, sections, trained.inputs, trace_attention)
    lesson.end(text, {"heads": REPLIT.heads, "kv_heads": REPLIT.kv_heads})


def read_hands(controls: ControlPanel, loaded: Loaded | None) -> None:
    """Those of made-up content and those of a model, which has its own heads and layers."""
    controls.line("text", example(), longest=LONGEST_TEXT)
    controls.line("passage", PASSAGE, longest=LONGEST_TEXT)
    controls.choice("unit", UNITS, UNITS[0], advanced=True)
    controls.slider("seed", 0, low=0, high=9_999, advanced=True, typed=True)
    controls.slider("heads", 8, low=1, high=MOST_HEADS)
    controls.slider("kv_heads", 0, low=0, high=MOST_HEADS, advanced=True, typed=True)
    controls.slider("head_dim", 32, low=1, high=128, advanced=True, typed=True)
    if loaded:
        controls.slider("head", 2, low=1, high=loaded.config.heads, typed=True)
    else:
        controls.slider("head", 2, low=1, high=MOST_HEADS, within="heads", typed=True)
    controls.slider("strength", 1.0, low=0.0, high=4.0, step=0.01)
    controls.switch("causal", True, advanced=True)
    layers = range(1, (loaded.config.layers if loaded else MOST_LAYERS) + 1)
    controls.choice("layer", layers, 1)


def synthetic(values: Mapping[str, Any]) -> Synthetic:
    """The made-up content of these values."""
    heads, dim, seed = values["heads"], values["head_dim"], values["seed"]
    setting = Setting(heads, dim, content=values["content"], seed=seed, device=chosen_device())
    used = tuple(tokens(values["text"], values["unit"])[:LONGEST])
    return Synthetic(
        setting, used, values["kv_heads"] or heads, values["head"], values["strength"], causal=values["causal"]
    )


def of_model(loaded: Loaded, values: Mapping[str, Any]) -> Trained:
    """The model on the text of these values."""
    text = values["passage"].encode()[: loaded.max_bytes]
    return Trained(loaded, text, int(values["layer"]), values["head"], values["strength"] if loaded.slopes else 1.0)


def title(text: Lesson, name: str, config: TrainConfig) -> str:
    """A model in the list. Own runs can differ in anything, so a piece of the hash tells them apart."""
    kind = "model_own" if name == config.hash else "model_shipped"
    return text.label(kind, vars(config) | {"method": title_of(config.method)}, ref=name[:4])


def another_model(text: Lesson, requested: str, model: str, models: Mapping[str, TrainConfig]) -> list[str]:
    """A sentence where the requested model is not here."""
    if not models or model == requested:
        return []
    return [text.text("missing_other", {"given": printable(requested), "used": title(text, model, models[model])})]


def stages(
    text: Lesson,
    chosen: Synthetic | Trained,
    result: Result,
    marks: Sequence[Mark],
    cell: tuple[int, int] | None,
    alt: str,
) -> View:
    """Content scores, bias (where the method adds one), masked scores and weights, with one cursor.

    Of a model whose method adds no bias also the weights that its positions alone would give. The colour scales are fixed,
    so that a hand changes the picture and not its meaning.
    """
    ends, values = (-result.limit, result.limit), result.stages
    colours, model, titles = Colours("content", ends), model_of(result), text.entries("labels")

    def panel(stage: Stage, kind: str, array: np.ndarray, look: Colours) -> Panel:
        name, slope = f"panel_{stage}{kind}", "" if result.slope is None else format_slope(result.slope)
        title = titles[name] if model else text.label(name, slope=slope)  # the browser has the slope of a model
        return Panel(title, array, look, model=model, stage=stage)

    panels = [] if result.alone is None else [Panel(text.label("panel_alone"), result.alone, WEIGHTS, key="alone")]
    scale = "" if result.attention.method.scales_scores else "_whole"
    panels.append(panel("content", scale, values.content, colours))
    if values.bias is not None and result.slope is not None:
        panels.append(panel("bias", "", values.bias, Colours("bias", (-10.0, 0.0))))
    elif values.bias is not None:
        panels.append(panel("bias", "_plain", values.bias, colours))
    panels.append(panel("masked", "_plain" if values.bias is None else "", values.scores, colours))
    panels.append(panel("weights", "", values.weights, WEIGHTS))
    follows: dict[str, Literal["strength", "heads"]] = {"strength": "strength"}
    if isinstance(chosen, Synthetic) and chosen.setting.content != "random":  # whose content follows the heads
        follows["heads"] = "heads"
    return View(
        panels,
        *sides(text, step=result.step, labels=result.tokens),
        marks=marks,
        readout=readout(text, result),
        follows=follows if result.previews else None,
        size="stage",
        front=(0, len(panels) - 1),
        locked=cell or (),
        filename=f"{filename(chosen)}-head-{result.head}",
        alt=alt,
    )


def model_of(result: Result) -> Model | None:
    """The head's arithmetic for the browser: for previews, and for the exact number of every cell."""
    if not result.is_computable or result.slope is None:
        return None
    return Model(
        len(result.tokens),
        result.stages.content,
        slope=result.slope,
        form="causal" if result.attention.causal else "symmetric",  # under the mask all of ALiBi's forms agree
        strength=result.strength,
        causal=result.attention.causal,
        head=result.head,
    )


def readout(text: Lesson, result: Result) -> Readout:
    """What is said of a cell."""
    templates = text.entries("readout")
    kind = "plain" if result.stages.bias is None else "bias"
    kind = "allowed" if result.is_computable else "square" if result.step > 1 else kind
    ahead = templates["ahead"] if result.is_computable else ""  # without a mask
    allowed = templates[kind].replace("{step}", str(result.step))
    return Readout(allowed, templates["masked"], empty=templates["empty"], ahead=ahead)


def filename(chosen: Synthetic | Trained) -> str:
    """How the names of saved files begin."""
    if isinstance(chosen, Synthetic):
        return "attention"
    return f"trained-{chosen.loaded.config.method}-layer-{chosen.layer}"


def sentence(text: Lesson, result: Result) -> Sentence:
    """What the bias does to one query, in numbers; of a method without one, where its positions enter."""
    notes, shares = text.entries("note"), study.near(result)
    query = isolated(shortened(result.tokens[result.query], LETTERS))
    if shares is None:
        method = result.attention.method
        return Sentence(notes[method.acts_on], {"method": title_of(method.name)})
    if result.query < 2:
        return Sentence(notes["few"], {"query": query})
    window, share, without = shares
    numbers = {"query": query, "window": str(window), "near": f"{share:.0%}", "near_plain": f"{without:.0%}"}
    return Sentence(notes["bias"], numbers, (result.query, window) if result.previews else None)


def facts_of(chosen: Synthetic | Trained, result: Result) -> dict[str, object]:
    """The numbers of the sentences."""
    facts: dict[str, object] = {"tokens": len(result.tokens), "head": result.head, "heads": result.heads}
    facts |= {"strength": format_number(result.strength)}
    facts |= {"slope": "" if result.slope is None else format_slope(result.slope)}
    if isinstance(chosen, Trained):
        facts |= {"length": result.train_length, "layer": chosen.layer, "share": result.share}
        facts |= {"query": escape_markdown(result.tokens[-1])}
    return facts


def left_out(text: Lesson, values: Mapping[str, Any], loaded: Loaded | None) -> list[str]:
    """What the page or the model leaves out of the text."""
    if loaded is None:
        count = len(tokens(values["text"], values["unit"]))
        return [text.text("cut", {"given": count, "used": LONGEST})] if count > LONGEST else []
    written = values["passage"].encode()
    if len(written) <= loaded.max_bytes:
        return []
    why = escape_markdown(problems.say(trained.refusal(loaded, written[: trained.LONGEST])))
    return [text.text("cut_bytes", {"used": loaded.max_bytes, "why": why})]


def formula(text: Lesson, result: Result) -> list[str]:
    """ALiBi's formula with the head's numbers; for another method its own."""
    method = result.attention.method
    if result.slope is None:
        return [f"**{title_of(method.name)}** ${method.formula}$"]
    distance = "(i - j)" if result.attention.causal else "|i - j|"
    penalty = rf"{result.strength:g} \times {result.slope:.4g} \times"
    lines = LATEX % ("d", "m_h", rf"\,{distance}"), LATEX % (method.head_dim, penalty, distance)
    return [*(f"$${line}$$" for line in lines), text.text("formula")]


def one_row(text: Lesson, result: Result, cell: tuple[int, int] | None) -> None:
    """The weights of one query over all keys as bars, and those without the bias, where there is one. The query is that of
    the locked cell, or of the sentences."""
    query = cell[0] if cell else result.query
    row, length = study.row(result, query), result.train_length
    st.markdown(text.label("row", position=query, query=escape_markdown(shortened(result.tokens[query], LETTERS))))
    labels, dark, without_bias = text.entries("chart"), page.dark(), row.weights_without_bias
    fig, tones = figure(dark, 260), ink(dark)
    names, best = [isolated(token) for token in result.tokens], int(row.weights.argmax())
    keys, few = floats(range(len(names))), len(names) <= NAMED
    # Plotly reads some tags and entities, so the reader's text is escaped.
    named = [f"{position} “{escape(name, quote=False)}”" for position, name in enumerate(names)]
    common = {"x": keys, "customdata": named, "hovertemplate": "%{customdata}: %{y:.4f}<extra></extra>"}
    bar = {"color": tones.accent, "line": {"width": 0}}
    fig.add(trace("bar", y=floats(row.weights), name=labels["weights"], marker=bar, **common))
    if without_bias is not None:
        line = {"color": tones.second, "width": 1.5, "shape": "hvh"}
        look = {"mode": "markers+lines" if few else "lines", "marker": {"size": 5, "symbol": "diamond"}, "line": line}
        fig.add(trace("scatter", y=floats(without_bias), name=labels["without"], **look, **common))
    top = max(float(weights.max()) for weights in (row.weights, without_bias) if weights is not None)
    fig.y_axis(title=labels["weights"], range=[0, 1.04 * top])
    fig.x_axis(title=text.label("key"), range=[-0.6, len(names) - 0.4])
    if few:
        ticks = [escape(shortened(name, ON_AXIS), quote=False) for name in names]
        fig.x_axis(tickmode="array", tickvals=keys, ticktext=ticks, tickangle=-45)
    if length is not None and query >= length:
        mark(fig, "x", query - length + 0.5, text.label("edge", length=length), dark)
    numbers = {"query": names[query], "best": names[best], "weight": f"{row.weights[best]:.3f}"}
    file = f"attention-row-{query}"
    page.chart(fig, key="row", alt=text.label("alt_row", numbers), name=file)
    columns = {"position": range(len(names)), "token": result.tokens, "content": row.content, "bias": row.bias}
    columns |= {"weights": row.weights, "without_bias": without_bias}
    headers = text.entries("row_columns")
    table = {headers[name]: values for name, values in columns.items() if values is not None}
    page.download_csv(lambda: pd.DataFrame(table), name=f"{file}.csv", key="row_csv")


def shortened(token: str, most: int) -> str:
    """A token for an axis or a sentence."""
    return token if len(token) <= most else token[: most - 1] + "…"


def heads(text: Lesson, chosen: Synthetic | Trained, result: Result, marks: Sequence[Mark]) -> None:
    """The weights of every head, small; a click opens that head above."""
    step, weights_of_heads = study.every_head(chosen, len(result.tokens))
    has_slopes = result.slope is not None
    titles = [text.label("thumb", head=head, slope=format_slope(m)) for head, m in enumerate(slopes(result.heads), 1)]
    panels = [
        Panel(titles[at] if has_slopes else str(at + 1), weights, WEIGHTS)
        for at, weights in enumerate(weights_of_heads)
    ]
    lesson.prose(text.label("every_head"), *([text.label("pooled", step=step)] if step > 1 else []))
    name, axes = f"{filename(chosen)}-{result.heads}-heads", sides(text, step=step)
    view = View(panels, *axes, marks=marks, size="thumb", picked=result.head - 1, filename=name)
    matrix_view("attention_heads", view, {"head": result.head})


def cache(text: Lesson, chosen: Synthetic, cached: int) -> None:
    """The same numbers in other ways: token by token with a cache, and by the fused kernel."""
    count = len(chosen.tokens)
    controls = ControlPanel(text)
    controls.slider("cached", count, low=1, high=count)
    controls.widgets()
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
