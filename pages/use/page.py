"""Use ALiBi: the code for a model of one's own, what it learns beside RoPE, and what it takes in memory and time."""

from collections.abc import Callable, Mapping
from functools import partial
from math import log10

import numpy as np
import streamlit as st

from alibi_viz import timing
from alibi_viz.charts.figure import Chart
from alibi_viz.charts.lines import Line, length_axis, log_ticks, names_at_end, on_log_axis, scatter, with_error_bars
from alibi_viz.charts.palette import color, curve, figure, ink, mark
from alibi_viz.drop_in import drop_in
from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention
from alibi_viz.lessons import Lesson, joined, problems
from alibi_viz.positions import title_of
from alibi_viz.rules import slopes
from alibi_viz.timing import PASSES, Timing
from alibi_viz.ui import lesson, page
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import MOST_HEADS
from alibi_viz.ui.format import escape_markdown, format_bytes, format_slope
from alibi_viz.ui.shell import navigation
from pages.use.study import HEAD_DIM, LONGEST, PLACES, Variant, sizes, snippet, variants

LATEX = r"$$s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}} - m_h\,(i - j), \qquad j \le i$$"
HOVER = "%{x:,.4g}: %{y:.3f}<extra>%{fullData.name}</extra>"
STAND_INS = ("flash_attn", "xformers", "vllm")  # what our tests run in their place
HIGHEST = 1.5  # times the last loss: what is higher leaves the picture, which would be flat else
UNITS = {1: "1 B", 2**10: "1 KiB", 2**20: "1 MiB", 2**30: "1 GiB", 2**40: "1 TiB"}
#: Ways to compute ALiBi beside that of the file: in its colour.
WAYS = {"flex": ("dot", "star"), "kept": ("dash", "diamond"), "built": ("dashdot", "triangle-up")}
EVERY = 1.0  # seconds between two looks at a measurement
RUNNING = "_use_measures"  # in the session: whether one ran at the last look


def main() -> None:
    text, controls = lesson.begin("use")
    place = controls.choice("use_where", PLACES, "block", kind="pick")
    heads = controls.slider("heads", 8, low=1, high=MOST_HEADS)
    taken = snippet(place, heads)
    values = slopes(heads)
    facts = {
        "heads": heads,
        "steepest": format_slope(max(values)),
        "gentlest": format_slope(min(values)),
    }
    lesson.say_problems(text)
    with lesson.stage():
        controls.row()
        lesson.note(text.text("note", facts))
        if not page_options.presenting():
            label, icon = text.label("download", file=taken.file), ":material/download:"
            file = (taken.text, taken.file, "text/x-python")
            st.download_button(label, *file, key="use_download", icon=icon, on_click="ignore")
        with st.container(key="use_code", gap="small"):
            st.code(taken.code, language="python", wrap_lines=True)
            if place == "block":
                page.difference(page.source_of(RopeAttention), page.source_of(AlibiAttention), around=1)
    seen = [text.text(f"seen_{place}"), *([text.text("stand_in")] if place in STAND_INS else [])]
    lesson.seen_and_formula(seen, [LATEX, text.text("formula")])
    sections = {"learned": partial(learned, text), "memory": partial(memory, text, heads), "time": partial(time, text)}
    own = (AlibiAttention, drop_in.alibi_slopes, drop_in.alibi_bias, drop_in.with_key_features, drop_in.StaticCache)
    lesson.end(text, sections, *own)


def learned(text: Lesson) -> None:
    """Training loss by steps, or perplexity by window, of a model with each block."""
    both = variants()
    controls, labels = ControlPanel(text), text.entries("chart")
    show = controls.choice("use_show", ("steps", "beyond"), "steps")
    controls.row()
    config, far = both["rope"].config, int(both["rope"].windows[-1])

    def listed(value: Callable[[Variant], str]) -> str:
        return joined(f"{title_of(method)} **{value(variant)}**" for method, variant in both.items())

    facts = vars(config) | {
        "parameters": config.parameters,
        "far": far,
        "losses": listed(lambda variant: f"{variant.losses[-1]:.3f}"),
        "at_length": listed(lambda variant: f"{variant.at(config.length):.2f}"),
        "at_far": listed(lambda variant: f"{variant.at(far):.2f}"),
    }
    if show == "steps":
        chart = losses([Line(method, title_of(method), run.steps, run.losses) for method, run in both.items()], labels)
    else:
        lines = [Line(method, title_of(method), run.windows, run.perplexities) for method, run in both.items()]
        chart = on_log_axis(lines, labels | {"hover": HOVER}, dark=page.dark(), at=config.length)
    page.chart(chart, key="use_learned", alt=text.plain(f"alt_{show}", facts), name=f"alibi-beside-rope-{show}")
    lesson.prose(text.text("learned", facts), text.text("runs", facts))
    if page.on_site():  # a tab trains no such block
        return
    query = {"train": "alibi,rope", "train_block": config.block, "train_heads": str(config.heads), "train_show": "loss"}
    navigation.link("train", text.label("train"), query)


def losses(lines: list[Line], labels: Mapping[str, str]) -> Chart:
    """Training loss by steps, on a log axis."""
    dark = page.dark()
    fig = figure(dark, 380)
    fig.add(*[scatter(line, dark, HOVER, markers=6, showlegend=False) for line in lines])
    low, high = min(float(line.y.min()) for line in lines), HIGHEST * max(float(line.y[-1]) for line in lines)
    span = log10(low * 0.97), log10(high)
    fig.y_axis(title=labels["loss"], type="log", range=list(span), **log_ticks(low, high))
    fig.x_axis(title=labels["steps"], range=[0, float(lines[0].x[-1]) * 1.02])
    names_at_end(fig, lines, span, dark, log=True)
    fig.lay_out(margin={"r": 104, "t": 16})
    return fig


def memory(text: Lesson, heads: int) -> None:
    """Bytes of each form of the bias, and of the keys and values beside it."""
    controls = ControlPanel(text)
    tokens = controls.slider("use_tokens", 65_536, low=64, high=LONGEST, log=True)
    controls.row()
    facts: dict[str, object] = {name: format_bytes(float(size)) for name, size in sizes(heads, tokens).items()}
    facts |= {"heads": heads, "tokens": tokens, "head_dim": HEAD_DIM}
    labels, dark = text.entries("chart"), page.dark()
    fig, tones, alibi = figure(dark, 380), ink(dark), color("alibi", dark)
    lengths = np.geomspace(64, LONGEST, 61)
    forms = sizes(heads, lengths)
    looks = {"tensor": (tones.second, "solid"), "cache": (tones.faint, "dot"), "row": (alibi, "solid")}
    for name, (shade, dash) in (looks | {"closed": (alibi, "dash")}).items():
        line = {"color": shade, "dash": dash, "width": 2.5}
        fig.add(curve(lengths, np.asarray(forms[name]), labels[name], line, labels["hover_size"]))
    length_axis(fig, labels["tokens"], lengths)
    fig.y_axis(type="log", title=labels["bytes"], range=[0, log10(float(np.max(forms["tensor"]))) + 0.4])
    fig.y_axis(tickvals=list(UNITS), ticktext=list(UNITS.values()))
    mark(fig, "x", tokens, f"{tokens:,}", dark, log=True)
    page.chart(fig, key="use_memory", alt=text.plain("alt_memory", facts), name="alibi-memory")
    lesson.prose(text.text("memory", facts))


def time(text: Lesson) -> None:
    """What was measured when the app was made; beside it the same on this machine, when the reader asks."""
    controls, measured = ControlPanel(text), tuple(timing.shipped())
    device = controls.choice("use_device", measured, measured[0]) if len(measured) > 1 else measured[0]
    kind = controls.choice("use_pass", PASSES, "forward")
    controls.row()
    ours = timing.shipped()[device][kind]
    (tokens, seconds), names = ours.seconds[-1], text.entries("cases")
    facts = {
        "heads": timing.HEADS,
        "head_dim": timing.HEAD_DIM,
        "tokens": tokens,
        "base": 1000 * seconds,
        **ours.machine,
    }
    at_last = {case: rows[-1][1] for case, rows in ours.ratios.items() if rows and rows[-1][0] == tokens}
    facts["ratios"] = joined((f"{names[case]} **{ratio:.2f}**" for case, ratio in at_last.items()), "semicolon")
    page.chart(times(text, ours), key="use_times", alt=text.plain("alt_time", facts), name="alibi-time")
    lesson.prose(text.text("time", facts), *left_out(text, ours), text.text(f"here_{device}", facts))
    st.fragment(partial(here, text, kind), run_every=EVERY if timing.HERE.is_running() else None)()


def here(text: Lesson, kind: str) -> None:
    """A button that measures, and what was measured."""
    was_running = st.session_state.get(RUNNING, False)
    running = st.session_state[RUNNING] = timing.HERE.is_running()
    if running != was_running:
        st.rerun()  # the whole page: this fragment is to run every second, or no longer
    label, start = text.label("measuring" if running else "measure"), partial(timing.HERE.start, kind)
    st.button(label, key="use_measure", disabled=running, on_click=start)
    if timing.HERE.problem:
        st.warning(problems.say(timing.HERE.problem))
    if (measured := timing.HERE.results.get(kind)) and not running:
        page.chart(times(text, measured), key="use_times_here", alt=text.label("alt_here"), name="alibi-time-here")
        lesson.prose(text.text("measured_here", measured.machine), *left_out(text, measured))


def times(text: Lesson, measured: Timing) -> Chart:
    """Ratios by length; bars reach from the first to the third quartile."""
    labels, names, dark = text.entries("chart"), text.entries("cases"), page.dark()
    ratios = {case: np.array(rows) for case, rows in measured.ratios.items() if rows}
    lines = [
        Line("alibi" if case in WAYS else case, names[case], rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3])
        for case, rows in ratios.items()
    ]
    fig = with_error_bars(lines, labels["hover_time"], dark, 380)
    for trace, case in zip(fig.data, ratios, strict=True):
        if case in WAYS:
            trace["line"]["dash"], trace["marker"]["symbol"] = WAYS[case]
    every = np.concatenate(list(ratios.values()))
    span = log10(min(0.6, every[:, 2].min())) - 0.05, log10(max(2.0, every[:, 3].max())) + 0.05
    length_axis(fig, labels["tokens"], every[:, 0], most=8)
    fig.y_axis(title=labels["ratio"], type="log", range=list(span), **log_ticks(10 ** span[0], 10 ** span[1]))
    mark(fig, "y", 1, labels["base"], dark, log=True)
    fig.layout["annotations"][-1] |= {"x": 0.36, "xanchor": "center", "yanchor": "top"}  # where no line is
    return fig


def left_out(text: Lesson, measured: Timing) -> list[str]:
    """A sentence for each case that did not run."""
    names = text.entries("cases")
    return [
        text.text("left_out", {"name": names[case], "reason": escape_markdown(why)})
        for case, why in measured.left_out.items()
    ]
