"""The story: nine scenes, from attention that is blind to order to what extrapolation does and does not prove.

Every scene draws its picture on the left and returns the numbers of the sentences beside it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.lines import on_log_axis
from alibi_viz.charts.palette import color, curve, figure, ink
from alibi_viz.content.words import words
from alibi_viz.lessons import Lesson, load, problems
from alibi_viz.pictures.hands.message import Hands, Preset
from alibi_viz.pictures.matrices.message import Colours, Mark, Model, Panel, Readout, Sentence, View
from alibi_viz.pictures.matrices.message import Message as MatricesMessage
from alibi_viz.pictures.orders.message import Message as OrdersMessage
from alibi_viz.positions import METHODS
from alibi_viz.rules import half_weight_distance
from alibi_viz.rules import slopes as alibi_slopes
from alibi_viz.ui import address, lesson, page, question, writing
from alibi_viz.ui.components.hands import matrices, orders
from alibi_viz.ui.components.keys import keys
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.format import format_number, format_slope
from alibi_viz.ui.matrices import sides
from alibi_viz.ui.shell import navigation
from pages.story import study
from pages.story.study import FAR, HIDDEN_AT, SHOWN, TRAINED

KEYS = {"ArrowRight": 1, "Space": 1, "PageDown": 1, "ArrowLeft": -1, "PageUp": -1, "SwipeLeft": 1, "SwipeRight": -1}
WEIGHT, FAINT = Colours("weight", (0.0, 1.0), "sqrt"), Colours("weight", (0.0, 0.1), "sqrt")
BIAS, CONTENT = Colours("bias", (-10.0, 0.0)), Colours("content", (-3.0, 3.0))
FAMILY = 8  # heads, as in the shipped models
FARTHEST = 1024  # tokens on the chart of slopes
FURTHER = ("extrapolation", "recall", "use")  # lessons that go on from the last scene
WRITERS = ("alibi", "rope")
WRITTEN = 512  # bytes
LONGEST = 80  # characters of the reader's sentence
HIGHEST = 10.0  # perplexity: the axis of the measured scene ends there


def main() -> None:
    text = lesson.begin("story")
    keys({key: str(by) for key, by in KEYS.items()}, lambda by: turn(int(by)), key="story_keys")
    number = scene()
    name, draw = list(SCENES.items())[number - 1]
    with st.container(key="story", gap="small"):  # style.css leaves room for the scene's question
        st.header(text.text(f"{name}.question"), anchor=False)
        picture, side = lesson.stage()
        facts = draw(text, picture, side)
        with side:
            sentences = st.session_state[page.NOTE] = text.text(f"{name}.note", facts)
            if not page_options.presenting():
                st.container(key="stage_note").markdown(sentences)
            last = len(SCENES)
            if number == last:
                for further in FURTHER:
                    navigation.link(further, load(further).text("title"))
            with st.container(key="story_turn", horizontal=True, gap="small", vertical_alignment="center"):
                for label, by, end in (("back", -1, 1), ("next", 1, last)):
                    look: Any = {"type": "primary" if by > 0 else "secondary", "disabled": number == end}
                    look["help"] = text.label("first" if end == 1 else "last") if number == end else None
                    st.button(text.label(label), f"story_{label}", on_click=turn, args=(by,), **look)
                st.caption(text.label("where", number=number, last=last))
    lesson.say_problems(text)
    page.sources(text)


def scene() -> int:
    return int(address.number("scene", 1, low=1, high=len(SCENES)))


def turn(by: int) -> None:
    """Callback: so many scenes on, or back; the first and the last hold."""
    address.write({"scene": min(max(scene() + by, 1), len(SCENES))})


# 1 and 2: the order of words.


def two_orders(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator, *, causal: bool) -> dict[str, object]:
    """The reader moves the words; both attentions follow."""
    table, controls = text.entries("sentences"), ControlPanel(text)
    user_text = controls.line("story_text", table["dogs"], longest=LONGEST)
    order = address.text("story_order", "2,1,0,3", longest=LONGEST)
    controls.values |= {"story_order": order, "causal": causal}
    presets = [
        Preset(sentence, {"story_text": sentence, "story_order": order_of(sentence)})
        for name, sentence in table.items()
        if name != "distance"
    ]
    hands = replace(controls.hands(), presets=presets)
    labels = text.entries("orders")
    try:
        sentence, problem = study.split(user_text), ""
    except ValueError as error:  # the question stays: it is not about these words
        sentence, problem = study.split(table["dogs"]), problems.say(error)
    result = study.orders(sentence, study.read_order(order, len(sentence)), causal=causal)
    is_open = False
    if not causal:
        with side:
            is_open = ask_order(result)
    if problem:
        content, weights = np.zeros((0, 0)), np.zeros((2, 0, 0))
        with picture:
            orders(OrdersMessage(hands, (), (), content, weights, weights, 0, labels, "", problem))
        return {"plain": "–", "alibi": "–"}
    plain, alibi = (format_number(0.0 if change < 1e-6 else change, 2) for change in result.changes)
    facts: dict[str, object] = {"plain": plain, "alibi": alibi}
    controls.values["story_order"] = ",".join(map(str, result.order))
    alt = text.label("alt_orders", facts)
    if is_open:  # the sentence as it is: in another order its weights would be the answer
        result, alt = study.orders(sentence, range(len(sentence)), causal=causal), labels["label"]
        hands = replace(hands, values={**hands.values, "story_order": ",".join(map(str, result.order))})
    with picture:
        arrays = (result.content, result.before, result.weights)
        orders(OrdersMessage(hands, sentence, result.order, *arrays, study.SLOPE, labels, alt))
    return facts


def ask_order(result: study.Orders) -> bool:
    """Do weights change with the order of the words? Returns whether the answer is still to come."""
    right = int(result.changes[0] < 1e-6)

    def words(text: Lesson) -> tuple[str, list[str]]:
        return text.text("predict_order"), [text.label("answer_changes"), text.label("answer_moves")]

    return question.ask(words, [right], name="story.order", veils=True)


def order_of(sentence: str) -> str:
    """Another order of a sentence of the table: its first and its third word change places."""
    places = list(range(len(study.split(sentence))))
    places[0], places[2] = places[2], places[0]
    return ",".join(map(str, places))


# 3, 4 and 5: distance, slopes, and longer texts.


def distance(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> dict[str, object]:
    """Content scores, ALiBi's bias with a slope by hand, and the weights of both together."""
    controls = ControlPanel(text)
    slope = controls.slider("story_slope", 0.25, low=0.0, high=1.0, step=0.01)
    sentence = tuple(words(text.entry("sentences", "distance")))
    content, bias, weights = study.stages(sentence, slope)
    last = len(sentence) - 1
    model = Model(len(sentence), content, strength=slope)
    panels = [
        Panel(text.label("content"), content, CONTENT, model=model, stage="content"),
        Panel(text.label("bias"), bias, BIAS, model=model, stage="bias"),
        Panel(text.label("weights"), weights, WEIGHT, model=model, stage="weights"),
    ]
    nearest, farthest = float(weights[last, last - 1]), float(weights[last, 0])
    facts: dict[str, object] = {"slope": slope, "ten": 10 * slope, "word": sentence[last]}
    facts |= {"near": f"{nearest:.0%}", "far": f"{farthest:.0%}", "nearest": sentence[-2], "farthest": sentence[0]}
    alt = text.label("alt_distance", facts)
    view = View(panels, *sides(text, labels=sentence), follows={"story_slope": "strength"}, alt=alt)
    draw_matrices(text, picture, "distance", view, controls.hands())
    return facts


def draw_matrices(text: Lesson, picture: DeltaGenerator, name: str, view: View, hands: Hands) -> None:
    """Matrices under one slider, and the sentence that follows it."""
    templates = text.entries("readout")
    readout = Readout(templates[name], templates["masked"], templates["empty"])
    view = replace(view, size="stage", readout=readout, filename=f"story-{name}", front=(len(view.panels) - 1,))
    sentence = Sentence(text.entries("follows")[name], {})
    with picture:
        matrices(MatricesMessage(f"story_{name}", hands, [view], sentence))


def slopes(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> dict[str, object]:
    """How the weight falls with distance in each head: e^(-m d)."""
    with side:
        controls = ControlPanel(text)
        heads = controls.slider("story_heads", FAMILY, low=1, high=32)
        controls.widgets()
    values, labels, dark = alibi_slopes(heads), text.entries("chart"), page.dark()
    steepest, gentlest = max(values), min(values)
    facts: dict[str, object] = {"heads": heads, "steepest": format_slope(steepest), "gentlest": format_slope(gentlest)}
    facts |= {"half": half_weight_distance(steepest), "far": half_weight_distance(gentlest)}
    fig, distances = figure(dark), np.geomspace(1, FARTHEST, 97)
    look = {"color": ink(dark).accent, "width": 2 if heads <= 16 else 1.3}
    for head, slope in enumerate(values, start=1):
        name = labels["head"].format(head=head, slope=format_slope(slope))
        fig.add_trace(curve(distances, np.exp(-slope * distances), name, look, labels["hover_slopes"]))
    fig.update_xaxes(title_text=labels["distance"], type="log", tickvals=[1, 4, 16, 64, 256, 1024])
    fig.update_xaxes(range=[0, np.log10(FARTHEST)])
    fig.update_yaxes(title_text=labels["kept"], range=[0, 1.03], tickformat=".0%")
    fig.update_layout(showlegend=False)
    with picture:
        page.chart(fig, key="story_slopes", alt=text.label("alt_slopes", facts), name="slopes")
    return facts


def longer(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> dict[str, object]:
    """The gentlest and the steepest head as the text grows: every bias of the training stays."""
    controls = ControlPanel(text)
    tokens = controls.slider("story_length", TRAINED, low=TRAINED, high=FAR * TRAINED, log=True)
    step, values = -(-tokens // TRAINED), alibi_slopes(FAMILY)
    steep, gentle = max(values), min(values)
    panels = [head_panel(text, gentle, tokens, step, "bias")]
    panels += [head_panel(text, slope, tokens, step, "weights") for slope in (steep, gentle)]
    square = (Mark(0, 0, TRAINED, TRAINED, text.label("mark")),)
    facts: dict[str, object] = {"length": TRAINED, "far": FAR}
    for name, share, slope in (("steepest", "steep", steep), ("gentlest", "gentle", gentle)):
        facts |= {name: format_slope(slope), share: f"{study.share_beyond(slope, FAR * TRAINED):.0%}"}
    alt, axes = text.label("alt_longer", facts), sides(text, step=step)
    view = View(panels, *axes, marks=square, follows={"story_length": "length"}, most=TRAINED, alt=alt)
    draw_matrices(text, picture, "longer", view, controls.hands())
    return facts


def head_panel(text: Lesson, slope: float, tokens: int, step: int, stage: Any) -> Panel:
    """Bias or weights of one head over equal content; a sample is `step` tokens."""
    _, bias, weights = study.equal_content(slope, tokens, step)
    values, colours = (bias, BIAS) if stage == "bias" else (weights, FAINT)
    title = text.label(f"{stage}_of", slope=format_slope(slope))
    return Panel(title, values, colours, model=Model(tokens, slope=slope), stage=stage, key=f"{stage}_{slope:g}")


# 6 to 9: what was measured.


def beyond(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> dict[str, object]:
    """Perplexity beyond L, sliding windows."""
    lines, labels = study.lines(), text.entries("chart")
    titles = [METHODS[method].title for method in SHOWN]
    right = [SHOWN.index(method) for method in study.first_to_break()]
    with side:
        is_open = question.ask(
            lambda text: (text.text("predict_beyond"), titles), right, name="story.beyond", veils=True
        )
    facts: dict[str, object] = {"length": TRAINED, "longest": int(lines[0].x[-1])}
    for line in lines:
        facts |= {f"{line.method}_here": f"{line.y[0]:.3g}", f"{line.method}_far": f"{line.y[-1]:.3g}"}
    axes = {"x": labels["window"], "y": labels["perplexity"], "hover": labels["hover"], "at": labels["at"]}
    look: Any = {"log_y": False, "at": TRAINED, "most": HIGHEST, "until": TRAINED if is_open else inf}
    fig = on_log_axis(lines, axes, dark=page.dark(), height=None, **look)
    alt = ", ".join(titles) if is_open else text.label("alt_beyond", facts)
    with picture:
        page.chart(fig, key="story_beyond", alt=alt, name="beyond-L")
    return facts


def write(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> dict[str, object]:
    """Two of these models write on."""
    with picture:
        models = writing.shipped(WRITERS)
        shares = writing.go_on(text, models, length=WRITTEN, train_length=TRAINED, name="story-writing")
    return {"length": TRAINED, "shares": shares}


def why(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> dict[str, object]:
    """The same long text, once with all keys, once with those beyond L hidden."""
    perplexities, labels, dark = study.hidden_keys(), text.entries("chart"), page.dark()
    fig = figure(dark)
    names = [METHODS[method].title for method in perplexities.index]
    for part, opacity in (("at_length", 0.35), ("longer", 1.0), ("hidden", 0.65)):
        values = perplexities[part].tolist()
        numbers = {"text": [f"{value:.1f}" for value in values], "textposition": "outside", "cliponaxis": False}
        look = {"color": [color(method, dark) for method in perplexities.index], "opacity": opacity}
        if part == "hidden":
            look["pattern"] = {"shape": "/"}
        name, hover = labels[part], f"{labels[part]}: %{{y:.2f}}<extra></extra>"
        fig.add_trace(go.Bar(x=names, y=values, marker=look, name=name, hovertemplate=hover, **numbers))
    fig.update_yaxes(title_text=labels["perplexity"], range=[0, 1.12 * float(perplexities.max(axis=None))])
    fig.update_layout(barmode="group", showlegend=True)
    facts: dict[str, object] = {"times": HIDDEN_AT, "length": TRAINED}
    for method in ("rope", "alibi"):
        for part in ("longer", "hidden"):
            facts[f"{method}_{part}"] = f"{perplexities[part][method]:.1f}"
    facts["share"] = f"{study.alibi_far_share():.0%}"
    facts["sinusoidal_hidden"] = f"{perplexities['hidden']['sinusoidal']:.0f}"
    with picture:
        page.chart(fig, key="story_why", alt=text.label("alt_why", facts), name="hidden-keys")
    return facts


def limits(text: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> dict[str, object]:
    """ALiBi with each kind of windows: the gain is relief at their beginnings."""
    labels = text.entries("chart")
    lines = study.by_windows({"nonoverlapping": labels["nonoverlapping"], "sliding": labels["sliding"]})
    facts: dict[str, object] = {"length": TRAINED, "longest": int(lines["sliding"].x[-1])}
    for kind, line in lines.items():
        facts |= {f"{kind}_here": f"{line.y[0]:.2f}", f"{kind}_far": f"{line.y[-1]:.2f}"}
    axes = {"x": labels["window"], "y": labels["perplexity"], "hover": labels["hover"]}
    fig = on_log_axis(list(lines.values()), axes, dark=page.dark(), height=None, log_y=False)
    with picture:
        page.chart(fig, key="story_limits", alt=text.label("alt_limits", facts), name="early-token-curse")
    return facts


SCENES: Mapping[str, Callable[[Lesson, DeltaGenerator, DeltaGenerator], dict[str, object]]] = {
    "order": partial(two_orders, causal=False),
    "mask": partial(two_orders, causal=True),
    "distance": distance,
    "slopes": slopes,
    "longer": longer,
    "beyond": beyond,
    "write": write,
    "why": why,
    "limits": limits,
}

if __name__ == "__main__":
    main()
