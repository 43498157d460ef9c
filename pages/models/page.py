"""My model: what a published model does with position, from its config.json; and where a local model's heads look."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.figure import Chart
from alibi_viz.charts.lines import log_ticks
from alibi_viz.charts.palette import curve, figure, ink, mark, method_line
from alibi_viz.checkpoints import config as configurations
from alibi_viz.checkpoints import folder, local
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.checkpoints.local import Reading
from alibi_viz.lessons import Lesson, joined, load, method_title
from alibi_viz.pictures.hands.message import Choice
from alibi_viz.pictures.matrices.message import Axis, Colours, Message, Panel, Readout, Sentence, View
from alibi_viz.positions import METHODS
from alibi_viz.results.trained import PASSAGE
from alibi_viz.ui import address, lesson, page
from alibi_viz.ui.components.hands import matrices, matrix_view
from alibi_viz.ui.control_panel import ControlPanel, Presets, long_text
from alibi_viz.ui.controls.content import upload, uploaded
from alibi_viz.ui.format import escape_markdown, format_number, format_slope, isolated
from alibi_viz.ui.matrices import refuse, sides
from alibi_viz.ui.shell import navigation
from alibi_viz.user_input import printable
from pages.models import study
from pages.models.study import Curves

Below = tuple[lesson.Sections, tuple[Callable[..., object], ...]]  # the sections, and their code
SOURCES = ("published", "config", "folder")
LONGEST_CONFIG = 100_000  # characters; a longer one than `config.LONGEST` is refused with its size
FIRST = next(iter(EXAMPLES))
UPLOAD = "model_upload"  # of a file, which has no place in the address
MANY = 1024  # layers or heads
PRESET_VALUES: Presets = {
    name: {"model_source": "published", "model_example": example}
    for name, example in {
        "alibi": "bloom_560m",
        "far": "mpt_7b_storywriter",
        "rope": "llama_3_8b",
        "scaled": "llama_3.1_8b",
        "t5": "t5_small",
    }.items()
}
WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")
BESIDE = 200  # pixels for the small pictures, at least
LATEX = {
    "alibi": r"\text{score}_{ij} = \frac{q_i \cdot k_j}{\sqrt{%(dim)d}} - m_h \, |i - j|",
    "rope": r"\text{score}_{ij} = \frac{(R_i \, q_i) \cdot (R_j \, k_j)}{\sqrt{%(dim)d}}, \quad \allowbreak "
    r"\theta_p = %(base)s^{-2p/%(rotated)d}",
    "t5": r"\text{score}_{ij} = q_i \cdot k_j + b_h[\text{bucket}(i - j)]",
    "learned": r"x_i = \text{embedding}_i + P_i, \qquad 0 \le i < %(length)s",
    "none": r"\text{score}_{ij} = \frac{q_i \cdot k_j}{\sqrt{%(dim)d}}",
}


def main() -> None:
    text, _ = lesson.begin("models")
    source = address.choice("model_source", SOURCES[0], SOURCES)
    address.choice("model_example", FIRST, EXAMPLES)
    address.text("model_config", "", LONGEST_CONFIG)
    chosen_name = address.text("model_folder", "", longest=400)
    address.text("model_text", PASSAGE, local.CHARACTERS)
    for key in ("model_layer", "head"):  # their ends are those of the model that is opened
        address.number(key, 1, low=1, high=MANY)
    names = folder.folders() if source == "folder" else ()
    name = chosen_name if chosen_name in names else next(iter(names), "")
    problems = []
    if source == "folder" and chosen_name not in ("", name):
        numbers = {"name": text.label("model_folder"), "given": printable(chosen_name), "used": printable(name)}
        words = load("shared")
        problems = [text.label("other_folder", numbers) if name else words.entry("problems", "ignored", numbers)]
    if name and local.installed():
        sections, code = show_local(text, names, name, problems)
    else:
        sections, code = show_config(text, source, names, name, problems)
    models = joined(
        (f"{example.title} ({example.name}): {example.source}" for example in EXAMPLES.values()), "semicolon"
    )
    lesson.end(text, sections, *code, sources={"models": models})


def show_config(text: Lesson, source: str, names: Sequence[str], name: str, problems: Sequence[str]) -> Below:
    """What a configuration says: the method's curves, and its numbers in sentences."""
    controls = ControlPanel(text)
    controls.choice("model_source", SOURCES, SOURCES[0], python=True)
    if source == "published":
        controls.choice("model_example", tuple(EXAMPLES), FIRST, kind="pick")
    elif names:
        controls.choice("model_folder", names, name, kind="pick")
    lesson.say_problems(text, *problems)
    with lesson.stage():
        controls.row(PRESET_VALUES)
        if source == "config":
            long_text(text, "model_config", "", longest=LONGEST_CONFIG)
            upload(text.label("upload"), key=UPLOAD, types=["json"], on_change=take_upload)
        chosen = page.attempt(partial(configuration, text, source, name))
        if chosen is None:
            if source == "folder":
                lesson.prose(how(text))
            return {}, ()
        title, config = chosen
        curves, facts = study.curves(config), facts_of(text, title, config)
        kind = config.method if curves else "named"
        lesson.note(text.text(f"note_{kind}", facts))
        if curves:
            alt, file = text.entry("alt", kind, facts), f"model-{config.family}-{kind}"
            if source == "published":
                example = address.choice("model_example", FIRST, EXAMPLES)
                page.chart(example_chart, text, example, key="model_curves", alt=alt, name=file)
            else:
                page.chart(curves_chart(text, config, curves), key="model_curves", alt=alt, name=file)
    seen = [text.text("seen", facts), *remarks(text, config, facts)]
    seen += [how(text)] if source == "folder" else []
    lesson.seen_and_formula(seen, formula(text, config, facts))
    return {"facts": partial(facts_table, text, config)}, (configurations.from_dict, study.curves)


def configuration(text: Lesson, source: str, name: str) -> tuple[str, ModelConfig]:
    """The chosen configuration and its title. Raises ValueError with one sentence."""
    if source == "published":
        example = EXAMPLES[address.choice("model_example", FIRST, EXAMPLES)]
        return example.title, example.read()
    if source == "config":
        pasted = address.text("model_config", "", LONGEST_CONFIG)
        if not pasted.strip():
            raise ValueError(text.plain("paste"))
        config = configurations.read(pasted)
        return config.family, config
    if not name:
        kind = "folder_none" if folder.root() else "folder_unset"
        raise ValueError(text.plain(kind, {"setting": folder.SETTING}))
    return name, configurations.read(folder.find(name).read(folder.CONFIG, configurations.LONGEST))


def take_upload() -> None:
    """Callback: the text of the file becomes the pasted one."""
    if file := uploaded(UPLOAD):
        written = file.read(LONGEST_CONFIG).decode("utf-8", errors="replace")
        address.write({"model_config": written}, is_step=False)


def facts_of(text: Lesson, title: str, config: ModelConfig) -> dict[str, object]:
    """The numbers of the sentences about a configuration."""
    options, slopes = config.options, config.slopes or (0.0,)
    layers, window_layers = config.layers, config.window_layers
    count = 0 if window_layers is None else len(window_layers)
    which = "unknown" if window_layers is None else "all" if count == layers else "some"
    unknown = text.label("unknown")
    return {
        "model": escape_markdown(title),
        "method": method_title(config.title),
        "shape": text.label("shape" if layers else "shape_heads", layers=layers, heads=config.heads),
        "heads": config.heads,
        "head_dim": config.head_dim,
        "length": f"{config.train_length:,}" if config.train_length else unknown,
        "scaled_length": f"{config.scaled_length:,}" if config.scaled_length else unknown,
        "steepest": format_slope(max(slopes)),
        "gentlest": format_slope(min(slopes)),
        "base": f"{options.get('base', 0):,.0f}",
        "rotated": options.get("rotary_dim", config.head_dim),
        "scaling": options.get("scaling"),
        "buckets": options.get("num_buckets", 0),
        "max_distance": options.get("max_distance", 0),
        "window": config.window or 0,
        "window_layers": text.entry("window", which, count=count, layers=layers),
        "local_base": f"{config.local_base or 0:,.0f}",
        "nope_layers": joined(map(str, config.nope_layers)),
        "not_computed": escape_markdown(joined(config.not_computed)),
        "unread": escape_markdown(joined(config.unread)),
    }


def remarks(text: Lesson, config: ModelConfig, facts: Mapping[str, object]) -> list[str]:
    """What the file says beside its method, and what this app leaves out."""
    holds = {
        "scaling": facts["scaling"] is not None,
        "falcon": config.divided,
        "window": config.window is not None,
        "unscaled": config.unscaled_layers != (),
        "encoder": config.causal is False,
        "unknown": not config.known,
        "unread": bool(config.unread),
        "rope_off": config.rope_off,
        "local_base": config.local_base is not None,
        "nope": bool(config.nope_layers) and config.method != "none",
        "code": config.runs_code,
    }
    return [text.text(f"remark_{name}", facts) for name, is_said in holds.items() if is_said]


def formula(text: Lesson, config: ModelConfig, facts: Mapping[str, object]) -> list[str]:
    """The score with the model's own numbers, and what its signs mean."""
    if config.method not in LATEX:
        return []
    base, length = (str(facts[name]).replace(",", "{,}") for name in ("base", "length"))  # else LaTeX sets a gap
    numbers = {"dim": config.head_dim, "base": base, "rotated": facts["rotated"], "length": length}
    return [f"$${LATEX[config.method] % numbers}$$", text.text(f"formula_{config.method}", facts)]


def example_chart(text: Lesson, name: str) -> Chart:
    """`curves_chart` of a published configuration."""
    config = EXAMPLES[name].read()
    curves = study.curves(config)
    assert curves is not None
    return curves_chart(text, config, curves)


def curves_chart(text: Lesson, config: ModelConfig, curves: Curves) -> Chart:
    """The method's own quantity against distance, or against position for a table. ALiBi has a line a head."""
    labels, dark, method = text.entries("chart"), page.dark(), config.method
    fig, line = figure(dark), method_line(method, dark, 1.5)
    low, high = float(curves.x[0]), float(curves.x[-1])
    where = labels["position" if curves.of_positions else "distance"]
    for head, values in enumerate(curves.values, start=1):
        about = f"{labels['head']} {head}, m = {format_slope(config.slopes[head - 1])}<br>" if config.slopes else ""
        hover = f"{about}{where} %{{x:,.0f}}: %{{y:.3g}}<extra></extra>"
        shape = {"shape": "hv"} if curves.is_stepped else {}
        fig.add(curve(curves.x, values, labels[method], {**line, **shape, "dash": "solid"}, hover))
    if curves.unscaled is not None:
        fig.data[0]["name"] = labels["scaled"]
        hover = f"{labels['unscaled']}<br>{where} %{{x:,.0f}}: %{{y:.3g}}<extra></extra>"
        grey = {"color": ink(dark).faint, "width": 1.5, "dash": "dot"}
        fig.add(curve(curves.x, curves.unscaled, labels["unscaled"], grey, hover))
    if config.train_length:
        name = "train_length" if curves.unscaled is None else "before_scaling"
        length = text.entry("chart", name, length=f"{config.train_length:,}")
        mark(fig, "x", config.train_length, f"{length} ", dark, log=True)
        fig.layout["annotations"][-1]["xanchor"] = "right"  # beyond it there is less room
    fig.x_axis(type="log", title=where, range=[math.log10(low), math.log10(high)], **log_ticks(low, high, 7))
    fig.y_axis(title=labels[method], range=[curves.bottom - 0.01, curves.top * 1.06])
    fig.lay_out(showlegend=curves.unscaled is not None)
    return fig


def links(text: Lesson, config: ModelConfig) -> None:
    """The model's numbers on the pages that have controls for them."""
    methods = [name for name in METHODS if name in (config.method, "alibi", "none")]
    to = {"compare": {"methods": ",".join(methods)}}
    if config.method == "alibi" and not config.divided:
        top = -math.log2(min(config.slopes or (1,)))  # the largest exponent
        to = {"slopes": {"heads": str(config.heads), "rule": "code", "max_bias": f"{top:g}"}} | to
    if config.method == "rope" and not config.not_computed:
        options = config.options
        rope = {"rope_dim": str(options.get("rotary_dim", config.head_dim)), "rope_base": f"{options['base']:.0f}"}
        rope |= {"scaling": options.get("scaling", "none"), "factor": f"{options.get('factor', 8):g}"}
        rope |= {"rope_trained": str(config.train_length)} if config.train_length else {}
        to = {"lab_rope": rope} | to
    st.caption(text.label("elsewhere"))
    with st.container(horizontal=True, gap="small"):
        for name, query in to.items():
            navigation.link(name, load(name).label("page"), query)


def facts_table(text: Lesson, config: ModelConfig) -> None:
    """Facts of the file, to look at and to download; and the pages that have controls for its numbers."""
    columns, facts = text.entries("columns"), config.facts() | {"method": method_title(config.title)}
    if not config.not_computed:
        facts["parameters"] = study.parameters(config)
    values = {label: listed(facts.get(name)) for name, label in text.entries("facts").items()}
    rows = [(label, value) for label, value in values.items() if value]
    table = pd.DataFrame(rows, columns=[columns["fact"], columns["value"]])
    st.dataframe(table, hide_index=True)
    page.download_csv(lambda: table, name=f"model-{config.family}.csv", key="model_csv")
    links(text, config)


def listed(value: object) -> str:
    """A value of the table; empty for none."""
    if isinstance(value, list):
        return joined(map(listed, value))
    if isinstance(value, bool):
        return str(value).lower()  # as in config.json
    return format_number(value, 12) if isinstance(value, int | float) else str(value or "")


def how(text: Lesson) -> str:
    """How to open a local model."""
    return text.text("how", {"setting": folder.SETTING, "models": joined(local.OPENED)})


def show_local(text: Lesson, names: Sequence[str], name: str, problems: Sequence[str]) -> Below:
    """Where a local model's heads look: one head large, and every head of its layer beside it."""
    controls = ControlPanel(text)
    controls.choice("model_source", SOURCES, SOURCES[0])
    options = [(name, name) for name in names]
    controls.add(Choice("model_folder", text.label("model_folder"), options=options, kind="pick"), name)
    passage = controls.line("model_text", PASSAGE, longest=local.CHARACTERS)
    try:
        with st.spinner(text.label("opening")):
            reading = local.read(name, passage)
    except ValueError as error:  # the hands stay, with what to change
        lesson.say_problems(text, *problems)
        refuse("models", controls.hands(), error)
        return {}, ()
    layers, heads, count, _ = reading.attention.shape
    layer = controls.slider("model_layer", 1, low=1, high=layers)
    head = controls.slider("head", 1, low=1, high=heads)
    controls.cell(range(count), range(count))
    lesson.say_problems(text, *problems)
    attention, config = reading.attention[layer - 1, head - 1], reading.config
    mean, first = float(study.mean_distance(attention)), float(study.first_token(attention))
    numbers = {"layer": f"{layer}", "layers": f"{layers}", "head": f"{head}"}
    numbers |= {"mean": format_number(mean, 3), "first": f"{first:.0%}"}
    sentence = Sentence(text.entries("note")["local" if count > 1 else "token"], numbers)
    parts = [large(text, reading, layer, head), every_head(text, reading, layer, head)]
    hands = controls.hands(only=("model_source", "model_folder", "model_layer", "head", "model_text"))
    matrices(Message("models", hands, parts, sentence, beside=BESIDE))
    sinks = study.first_token(reading.attention) > study.SINK
    facts = facts_of(text, name, config) | {"layer": layer, "all_heads": layers * heads}
    facts |= {"sinks": int(sinks[layer - 1].sum()), "all_sinks": int(sinks.sum()), "sink": study.SINK}
    facts |= {"token": escape_markdown(reading.tokens[0]), "tokens": count, "given": reading.given}
    seen = [text.text("seen_local" if count > 1 else "seen", facts)]
    seen += [text.text("cut", facts)] if reading.given > count else []
    lesson.seen_and_formula([*seen, *remarks(text, config, facts)], formula(text, config, facts))
    sections = {"reach": partial(reach, text, reading)} if count > 1 else {}
    sections["facts"] = partial(facts_table, text, config)
    return sections, (study.mean_distance, study.first_token)


def large(text: Lesson, reading: Reading, layer: int, head: int) -> View:
    """The weights of one head, every token a row and a column."""
    weights = study.masked(reading.attention[layer - 1, head - 1], bool(reading.config.causal))
    names, readouts = tuple(isolated(token) for token in reading.tokens), text.entries("readout")
    numbers = {"layer": layer, "head": head, "tokens": len(names)}
    panel = Panel(text.label("panel", numbers), weights, WEIGHTS, key="weights")
    return View(
        [panel],
        *sides(text, labels=names),
        readout=Readout(readouts["allowed"], readouts["masked"], readouts["empty"]),
        size="stage",
        filename=f"model-{reading.config.family}-layer-{layer}-head-{head}",
        alt=text.label("alt_local", numbers),
    )


def every_head(text: Lesson, reading: Reading, layer: int, head: int) -> View:
    """The weights of every head of the layer, small; a click opens one large."""
    step, pictures = study.small(study.masked(reading.attention[layer - 1], bool(reading.config.causal)))
    panels = [Panel(str(number), values, WEIGHTS) for number, values in enumerate(pictures, start=1)]
    name = f"model-{reading.config.family}-layer-{layer}-heads"
    return View(panels, *sides(text, step=step), picked=head - 1, size="beside", filename=name)


def reach(text: Lesson, reading: Reading) -> None:
    """Two maps of the model, a row a layer and a column a head: how far each looks, and its weight on the first token."""
    maps = {"mean": study.mean_distance(reading.attention), "first": study.first_token(reading.attention)}
    layers, heads = maps["mean"].shape
    colours = {"mean": Colours("weight", (0.0, max(1.0, float(maps["mean"].max())))), "first": WEIGHTS}
    titles, readouts, name = text.entries("columns"), text.entries("readout"), f"model-{reading.config.family}-reach"
    panels = [Panel(titles[key], values, colours[key], key=key) for key, values in maps.items()]
    rows, cols = (Axis(start=1, name=titles[side]) for side in ("layer", "head"))
    readout = Readout(readouts["maps"], "", readouts["no_head"])
    matrix_view("models_reach", View(panels, rows, cols, readout=readout, filename=name))
    layer, head = np.divmod(np.arange(layers * heads), heads)
    columns = {"layer": layer + 1, "head": head + 1} | {key: values.ravel() for key, values in maps.items()}
    table = pd.DataFrame({titles[key]: values for key, values in columns.items()})
    page.download_csv(lambda: table, name=f"{name}.csv", key="model_reach_csv")
