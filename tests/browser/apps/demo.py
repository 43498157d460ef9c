"""What the browser tests drive: four matrices of one head, heads to pick from, a zoomable bias, and a drag slider."""

import math

import numpy as np
import streamlit as st
import torch

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Axis, Mark, Model, Panel, Readout, matrix_view

WORDS = "the cat that sat on the mat saw the <b>bird</b> & the bird that sang to it saw the cat again".split()
SLOPE = 0.25

st.set_page_config(layout="wide")
st.title("Matrix view demo")
count = int(st.query_params.get("n", len(WORDS)))
strength = drag_slider(
    "Strength of the bias",
    key="strength",
    low=0.0,
    high=4.0,
    step=0.05,
    default=1.0,
    channel="strength",
    help="How strongly distance is punished. 1 is ALiBi as published.",
    ticks=[0, 1, 2, 3, 4],
)

generator = torch.Generator().manual_seed(0)
q, k = torch.randn(2, count, 32, generator=generator) * 1.4
content = q @ k.T / math.sqrt(32)
distance = torch.arange(count)[:, None] - torch.arange(count)[None, :]
bias = -(strength * SLOPE) * distance.float()
hidden = distance < 0
masked = (content + bias).masked_fill(hidden, -torch.inf)
weights = masked.softmax(-1).masked_fill(hidden, -torch.inf)
labels = tuple(WORDS) if count == len(WORDS) else None
event = matrix_view(
    [
        Panel(
            "Content", content.numpy(), "content", (-8, 8), "q · k / √d: what each query looks for", 0, "content", "c"
        ),
        Panel(
            "Bias",
            bias.masked_fill(hidden, -torch.inf).numpy(),
            "bias",
            (-count / 4, 0),
            "−s · m · distance",
            0,
            "bias",
            "b",
        ),
        Panel(
            "Masked scores", masked.numpy(), "scores", (-8, 8), "content + bias, the future hidden", 0, "masked", "s"
        ),
        Panel("Weights", weights.numpy(), "weight", (0, 1), "softmax of each row", 0, "weights", "w", "sqrt"),
    ],
    key="main",
    rows=Axis(count=count, labels=labels, name="query"),
    cols=Axis(count=count, labels=labels, name="key"),
    models=[Model(content=content.numpy(), slope=SLOPE, strength=strength)],
    marks=[Mark(0, 0, 12, 12, "trained length")],
    readout=Readout(
        "“{query}” at {i} looks at “{key}” at {j}, {distance} back: {c} − {strength} × {slope} × {distance} = {s}, "
        "and e^{s} / {sum} = {w}.",
        "“{query}” at {i} may not look at “{key}” at {j}: it comes later.",
        "Point at a cell, or press an arrow key, to read its arithmetic.",
    ),
    channel="strength",
    value=strength,
    filename="demo",
)
st.write(f"cell: {event.cell}, strength: {strength}")

st.subheader("Heads")
slopes = [2.0 ** -(head + 1) for head in range(8)]
heads = [((content - strength * slope * distance).masked_fill(hidden, -torch.inf)).softmax(-1) for slope in slopes]
picked = matrix_view(
    [
        Panel(
            f"head {at}", each.numpy(), "weight", (0, 1), f"m = {slope:.4g}", at, "weights", scale="sqrt", size="thumb"
        )
        for at, (each, slope) in enumerate(zip(heads, slopes, strict=True))
    ],
    key="heads",
    models=[Model(content=content.numpy(), slope=slope, strength=strength) for slope in slopes],
    channel="strength",
    value=strength,
    mode="pick",
    picked=0,
)
st.write(f"picked: {picked.picked}")

st.subheader("A very long bias")
start, step = st.session_state.setdefault("window", (0, 3906))
side = 256
at = np.arange(side) * step + start
far = (at[:, None] - at[None, :]).astype(np.float32)
zoomed = matrix_view(
    [
        Panel(
            "Bias of a million tokens",
            np.where(far < 0, -np.inf, -far / 256).astype(np.float32),
            "bias",
            (-3906, 0),
            f"one sample stands for {step} tokens",
            0,
            "bias",
            "b",
            size="large",
        )
    ],
    key="long",
    rows=Axis(start, step, side, name="query"),
    cols=Axis(start, step, side, name="key"),
    models=[Model(slope=1 / 256)],
    readout=Readout(
        "Query {i}, key {j}: −{slope} × {distance} = {b}", "Query {i} may not look at key {j}.", "Point at a cell."
    ),
    zoomable=True,
)
if zoomed.zoom:
    row, _, factor = zoomed.zoom
    step = 3906 if factor == 0 else max(1, int(step / factor))
    st.session_state["window"] = (max(0, row - side * step // 2) if factor else 0, step)
    st.rerun()
st.write(f"window: {start} {step}")
