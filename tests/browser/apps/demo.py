"""What the browser tests drive: four matrices of one head, heads to pick from, a zoomable bias, and a drag slider."""

import math

import numpy as np
import streamlit as st
import torch
from alibi_viz.ui.components.drag_slider import drag_slider

from alibi_viz.ui.components.matrix_view import (
    Axis,
    Colours,
    Mark,
    Model,
    Panel,
    Readout,
    Strength,
    matrix_view,
    picked,
)
from alibi_viz.ui.components.mount import reported
from alibi_viz.ui.controls import locked, state
from alibi_viz.ui.controls.params import Param

WORDS = tuple("the cat that sat on the mat saw the <b>bird</b> & the bird that sang to it saw the cat again".split())
COUNT, SLOPE, SIDE, FARTHEST = len(WORDS), 0.25, 256, 3906
STRENGTH = Param("strength", "float", 1.0, low=0.0, high=4.0, step=0.05)
HELP = "How strongly distance is punished. 1 is ALiBi as published."
SIGNED, WEIGHT = Colours("scores", (-8, 8)), Colours("weight", (0, 1), "sqrt")

st.set_page_config(layout="wide")
state.open_page("", [STRENGTH, locked.CELL], [])
st.title("Matrix view demo")
strength = drag_slider(STRENGTH, label="Strength of the bias", channel="strength", help=HELP)

generator = torch.Generator().manual_seed(0)
q, k = torch.randn(2, COUNT, 32, generator=generator) * 1.4
content = q @ k.T / math.sqrt(32)
distance = torch.arange(COUNT)[:, None] - torch.arange(COUNT)[None, :]
hidden = distance < 0
bias = (-(strength * SLOPE) * distance.float()).masked_fill(hidden, -torch.inf)
masked = content + bias
weights = masked.softmax(-1).masked_fill(hidden, -torch.inf)
model = Model(content=content.numpy(), slope=SLOPE, strength=strength)
stages = [
    ("Content", content, Colours("content", (-8, 8)), "q · k / √d: what each query looks for", "content", "c"),
    ("Bias", bias, Colours("bias", (-COUNT / 4, 0)), "−s · m · distance", "bias", "b"),
    ("Masked scores", masked, SIGNED, "content + bias, the future hidden", "masked", "s"),
    ("Weights", weights, WEIGHT, "softmax of each row", "weights", "w"),
]
matrix_view(
    [
        Panel(title, values.numpy(), colours, caption=caption, model=model, stage=stage, key=key)
        for title, values, colours, caption, stage, key in stages
    ],
    key="main",
    rows=Axis(labels=WORDS, name="query"),
    cols=Axis(labels=WORDS, name="key"),
    marks=[Mark(0, 0, 12, 12, "trained length")],
    readout=Readout(
        "“{query}” at {i} looks at “{key}” at {j}, {distance} back: {c} − {strength} × {slope} × {distance} = {s}, "
        "and e^{s} / {sum} = {w}.",
        "“{query}” at {i} may not look at “{key}” at {j}: it comes later.",
        "Point at a cell, or press an arrow key, to read its arithmetic.",
    ),
    follows=[Strength("strength", strength)],
    filename="demo",
    keep_cell=True,
)
st.write(f"cell: {locked.within(range(COUNT), range(COUNT))}, strength: {strength}")

st.subheader("Heads")
slopes = [2.0 ** -(head + 1) for head in range(8)]
heads = [(content - strength * slope * distance).masked_fill(hidden, -torch.inf).softmax(-1) for slope in slopes]
matrix_view(
    [
        Panel(
            f"head {head}",
            values.numpy(),
            WEIGHT,
            caption=f"m = {slope:.4g}",
            model=Model(content=content.numpy(), slope=slope, strength=strength),
            stage="weights",
        )
        for head, (values, slope) in enumerate(zip(heads, slopes, strict=True))
    ],
    key="heads",
    follows=[Strength("strength", strength)],
    picked=picked("heads") or 0,
)
st.write(f"picked: {picked('heads')}")


def zoom() -> None:
    """The window that the reader asked for."""
    asked = reported("long", "zoom", 3)
    if asked:
        row, _, factor = asked
        step = FARTHEST if factor == 0 else max(1, int(st.session_state["window"][1] / factor))
        st.session_state["window"] = (max(0, row - SIDE * step // 2) if factor else 0, step)


st.subheader("A very long bias")
start, step = st.session_state.setdefault("window", (0, FARTHEST))
tokens = np.arange(SIDE) * step + start
far = (tokens[:, None] - tokens[None, :]).astype(np.float32)
values = np.where(far < 0, -np.inf, -far / 256).astype(np.float32)
colours = Colours("bias", (-FARTHEST, 0))
caption = f"one sample stands for {step} tokens"
matrix_view(
    [Panel("Bias of a million tokens", values, colours, caption=caption, model=Model(slope=1 / 256), stage="bias")],
    key="long",
    rows=Axis(start, step, name="query"),
    cols=Axis(start, step, name="key"),
    readout=Readout(
        "Query {i}, key {j}: −{slope} × {distance} = {bias}", "Query {i} may not look at key {j}.", "Point."
    ),
    size="large",
    zoomable=True,
    on_change=zoom,
)
st.write(f"window: {start} {step}")
state.close_page()
