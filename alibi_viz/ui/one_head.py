"""One head of an attention over a text, stage by stage: what the lessons on attention share. So are its words (the tables
`one_head` of lessons/text.md).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.attention.inputs import AttentionInputs
from alibi_viz.attention.pictures import THUMB, Head, every_head, row
from alibi_viz.charts.figure import trace
from alibi_viz.charts.palette import figure, floats, ink, mark
from alibi_viz.lessons import Lesson, load
from alibi_viz.pictures.matrices.message import Colours, Mark, Model, Panel, Readout, Sentence, Stage, View
from alibi_viz.positions import title_of
from alibi_viz.rules import slopes
from alibi_viz.ui import lesson, page
from alibi_viz.ui.components.hands import matrix_view
from alibi_viz.ui.format import escape_markdown, format_slope, isolated
from alibi_viz.ui.matrices import sides

WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")
LETTERS, ON_AXIS = 24, 12  # of a token in a sentence, and on an axis
STACKED = re.compile(r"[\u3001-\u30ff\u4e00-\u9fff\uff01-\uff1f]{1,4}")  # are written downwards, as in pictures/plot.js
NAMED = 40  # tokens up to which every key has its name on the axis
LATEX = r"\text{weights}_i = \text{softmax}_j\left(\frac{q_i \cdot k_j}{\sqrt{%s}} - %s\,%s\right)"
Follows = Mapping[str, Literal["strength", "heads", "words"]]


def stages(
    text: Lesson,
    head: Head,
    *,
    filename: str,
    follows: Follows,
    alone: np.ndarray | None = None,
    marks: Sequence[Mark] = (),
) -> View:
    """Content scores, bias (where the method adds one), masked scores and weights, with one cursor.

    alone: the weights that positions alone would give. follows: what of the picture the hands change at once. The colour
    scales are fixed, so that a hand changes the picture and not its meaning.
    """
    ends, values, words = (-head.limit, head.limit), head.stages, load("shared")
    content = None if "words" in follows.values() else values.content
    colours, model, titles = Colours("content", ends), model_of(head, content), words.entries("one_head")

    def panel(stage: Stage, kind: str, array: np.ndarray, look: Colours) -> Panel:
        name, slope = f"panel_{stage}{kind}", "" if head.slope is None else format_slope(head.slope)
        title = titles[name] if model else words.entry("one_head", name, slope=slope)  # the browser has a model's slope
        return Panel(title, array, look, model=model, stage=stage)

    panels = [] if alone is None else [Panel(titles["panel_alone"], alone, WEIGHTS, key="alone")]
    scale = "" if head.attention.method.scales_scores else "_whole"
    panels.append(panel("content", scale, values.content, colours))
    if values.bias is not None and head.slope is not None:
        panels.append(panel("bias", "", values.bias, Colours("bias", (-10.0, 0.0))))
    elif values.bias is not None:
        panels.append(panel("bias", "_plain", values.bias, colours))
    panels.append(panel("masked", "_plain" if values.bias is None else "", values.scores, colours))
    panels.append(replace(panel("weights", "", values.weights, WEIGHTS), caption=titles["pooled"] if model else ""))
    numbers = {"tokens": len(head.tokens), "head": head.head, "heads": head.heads}
    return View(
        panels,
        *sides(text, step=head.step, labels=head.tokens),
        marks=marks,
        readout=readout(head),
        follows=follows if head.previews else None,
        most=THUMB,
        size="stage",
        front=(0, len(panels) - 1),
        filename=f"{filename}-head-{head.head}",
        alt=words.entry("one_head", "alt", numbers),
    )


def model_of(head: Head, content: np.ndarray | None) -> Model | None:
    """The head's arithmetic for the browser: for previews, and for the exact number of every cell."""
    if not head.is_computable or head.slope is None:
        return None
    return Model(
        len(head.tokens),
        content,
        slope=head.slope,
        form="causal" if head.attention.causal else "symmetric",  # under the mask all of ALiBi's forms agree
        strength=head.strength,
        causal=head.attention.causal,
        head=head.head,
    )


def readout(head: Head) -> Readout:
    """What is said of a cell."""
    templates = load("shared").entries("one_head_readout")
    kind = "plain" if head.stages.bias is None else "bias"
    kind = "allowed" if head.is_computable else "square" if head.step > 1 else kind
    ahead = templates["ahead"] if head.is_computable else ""  # without a mask
    allowed = templates[kind].replace("{step}", str(head.step))
    return Readout(allowed, templates["masked"], empty=templates["empty"], ahead=ahead)


def sentence(head: Head) -> Sentence:
    """What the bias does to one query, in numbers; of a method without one, where its positions enter."""
    notes, shares = load("shared").entries("one_head_note"), head.near
    query = isolated(shortened(head.tokens[head.query], LETTERS))
    if shares is None:
        method = head.attention.method
        return Sentence(notes[method.acts_on], {"method": title_of(method.name)})
    if head.query < 2:
        return Sentence(notes["few"], {"query": query})
    window, share, without = shares
    numbers = {"query": query, "window": str(window), "near": f"{share:.0%}", "near_plain": f"{without:.0%}"}
    return Sentence(notes["bias"], numbers, (head.query, window) if head.previews else None)


def sentence_of_words() -> Sentence:
    """The same of words whose numbers the browser has."""
    notes = load("shared").entries("one_head_note")
    return Sentence(notes["bias"], {}, few=notes["few"])


def formula(head: Head) -> list[str]:
    """ALiBi's formula with the head's numbers; for another method its own."""
    method = head.attention.method
    if head.slope is None:
        return [f"**{title_of(method.name)}** ${method.formula}$"]
    distance = "(i - j)" if head.attention.causal else "|i - j|"
    penalty = rf"{head.strength:g} \times {head.slope:.4g} \times"
    lines = LATEX % ("d", "m_h", rf"\,{distance}"), LATEX % (method.head_dim, penalty, distance)
    return [*(f"$${line}$$" for line in lines), load("shared").entry("one_head", "formula")]


def one_row(text: Lesson, head: Head, cell: tuple[int, int] | None, train_length: int | None = None) -> None:
    """The weights of one query over all keys as bars, and those without the bias, where there is one. The query is that of
    the locked cell, or of the sentences. train_length: the distance is marked, if the query is so far from the start."""
    query, words = cell[0] if cell else head.query, load("shared")
    of_query, labels = row(head, query), words.entries("one_head")
    named = escape_markdown(shortened(head.tokens[query], LETTERS))
    st.markdown(words.entry("one_head", "row", position=query, query=named))
    dark, without_bias = page.dark(), of_query.weights_without_bias
    fig, tones = figure(dark, 260), ink(dark)
    names, best = [isolated(token) for token in head.tokens], int(of_query.weights.argmax())
    keys, few = floats(range(len(names))), len(names) <= NAMED
    # Plotly reads some tags and entities, so the reader's text is escaped.
    places = [f"{position} “{escape(name, quote=False)}”" for position, name in enumerate(names)]
    common = {"x": keys, "customdata": places, "hovertemplate": "%{customdata}: %{y:.4f}<extra></extra>"}
    bar = {"color": tones.accent, "line": {"width": 0}}
    fig.add(trace("bar", y=floats(of_query.weights), name=labels["weights"], marker=bar, **common))
    if without_bias is not None:
        line = {"color": tones.second, "width": 1.5, "shape": "hvh"}
        look = {"mode": "markers+lines" if few else "lines", "marker": {"size": 5, "symbol": "diamond"}, "line": line}
        fig.add(trace("scatter", y=floats(without_bias), name=labels["without"], **look, **common))
    top = max(float(weights.max()) for weights in (of_query.weights, without_bias) if weights is not None)
    fig.y_axis(title=labels["weights"], range=[0, 1.04 * top])
    fig.x_axis(title=text.label("key"), range=[-0.6, len(names) - 0.4])
    if few:
        angle, ticks = -45, [escape(shortened(name, ON_AXIS), quote=False) for name in names]
        if all(map(STACKED.fullmatch, names)):
            angle, ticks = 0, ["<br>".join(name) for name in names]
        fig.x_axis(tickmode="array", tickvals=keys, ticktext=ticks, tickangle=angle)
    if train_length is not None and query >= train_length:
        mark(fig, "x", query - train_length + 0.5, words.entry("one_head", "edge", length=train_length), dark)
    numbers = {"query": names[query], "best": names[best], "weight": f"{of_query.weights[best]:.3f}"}
    file = f"attention-row-{query}"
    page.chart(fig, key="row", alt=words.entry("one_head", "alt_row", numbers), name=file)
    columns = {"position": range(len(names)), "token": head.tokens, "content": of_query.content, "bias": of_query.bias}
    columns |= {"weights": of_query.weights, "without_bias": without_bias}
    headers = words.entries("one_head_columns")
    table = {headers[name]: values for name, values in columns.items() if values is not None}
    page.download_csv(lambda: pd.DataFrame(table), name=f"{file}.csv", key="row_csv")


def shortened(token: str, most: int) -> str:
    """A token for an axis or a sentence."""
    return token if len(token) <= most else token[: most - 1] + "…"


def all_heads(text: Lesson, head: Head, inputs: AttentionInputs, filename: str, marks: Sequence[Mark] = ()) -> None:
    """The weights of every head, small; a click opens that head above. inputs: those of all heads."""
    words, (step, weights_of_heads) = load("shared"), every_head(inputs)
    titles = [str(number) for number in range(1, head.heads + 1)]
    if head.slope is not None:
        named = enumerate(slopes(head.heads), 1)
        titles = [words.entry("one_head", "thumb", head=number, slope=format_slope(m)) for number, m in named]
    panels = [Panel(title, weights, WEIGHTS) for title, weights in zip(titles, weights_of_heads, strict=True)]
    said = ["every_head", "pooled"] if step > 1 else ["every_head"]
    lesson.prose(*(words.entry("one_head", name, step=step) for name in said))
    name, axes = f"{filename}-{head.heads}-heads", sides(text, step=step)
    view = View(panels, *axes, marks=marks, size="thumb", picked=head.head - 1, filename=name)
    matrix_view("attention_heads", view, {"head": head.head})
