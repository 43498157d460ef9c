"""Where ALiBi is now: a timeline of position methods and models, who used ALiBi, why RoPE, and what came of the idea."""

from functools import partial
from textwrap import wrap
from typing import Any

import pandas as pd

from alibi_viz.charts.figure import Chart, Trace, trace
from alibi_viz.charts.lines import length_axis
from alibi_viz.charts.palette import DARK, LIGHT, LOOKS, Look, color, curve, figure, ink
from alibi_viz.lessons import Lesson, joined
from alibi_viz.results import published
from alibi_viz.results.facts import load_facts
from alibi_viz.ui import lesson, page
from alibi_viz.ui.controls import page_options
from pages.today import study

BOTH = "both"
TRAINED, FAR = 512, 3072  # words: the paper's training length, and its longest window
UNKNOWN = Look(LIGHT.faint, DARK.faint, "square-cross")  # of methods that this app does not compute
GAP, MARGIN = 0.1, 24  # rows between two lanes; pixels over the first lane
HOVER = 44  # letters in a line
LATEX = {"alibi": "$e^{-m d}$", "retnet": "$(1 - 2^{-4-h})^d$"}


def main() -> None:
    text, controls = lesson.begin("today", {"looked_at": study.looked_at()})
    kind = controls.choice("today_show", (BOTH, *study.KINDS), BOTH)
    facts = page.cached(facts_of, text)
    lesson.say_problems(text)
    with lesson.stage():
        controls.row()
        page.chart(timeline, text, kind, key="timeline", alt=text.label("alt"), name="position-methods-timeline")
    lesson.seen_and_formula([text.text("seen", facts)])
    sections = {name: partial(lesson.prose, text.text(name, facts)) for name in ("users", "rope", "long")}
    lesson.end(text, {**sections, "decays": partial(decays, text)}, sources={"timeline": page.cached(listed, text)})


def timeline_in(text: Lesson) -> pd.DataFrame:
    """The timeline in the language of the text: with `what` each entry is. Few names differ between languages."""
    entries, names = study.timeline(), text.entries("names")
    named = [names.get(key, name) for key, name in zip(entries["id"], entries["name"], strict=True)]
    return entries.assign(name=named, what=entries["id"].map(text.entries("entries")))


def listed(text: Lesson) -> str:
    """A line an entry, with its source and what of it was read."""
    read = text.entries("read")
    return "\n".join(
        "- "
        + joined(
            (
                joined((f"{entry.date} **{entry.name}**", joined((entry.what, source), "sentences")), "colon"),
                text.label("read", what=joined(read[part] for part in entry.read)),
            ),
            "bracket",
        )
        for entry in timeline_in(text).itertuples()
        for source in [f"[{entry.source}]({entry.url})"]
    )


def facts_of(text: Lesson) -> dict[str, object]:
    """Names from the timeline, and the paper's perplexities per word."""
    entries = timeline_in(text)
    models = entries[entries["kind"] == study.MODEL]
    alibi = models[models["method"] == "alibi"]
    newer = models[models["date"] > alibi["date"].max()]
    lanes, groups = text.entries("lanes"), newer.groupby("method", sort=False)["name"]
    nonoverlapping = published.row("table5_alibi_train_by_eval", str(TRAINED))
    sliding = published.row("table15_sliding_alibi", str(TRAINED))
    return {
        "models": joined(alibi["name"]),
        "newest": alibi["name"].iloc[-1],
        "newest_date": alibi["date"].iloc[-1],
        "newer": joined((joined((lanes[method], joined(names)), "colon") for method, names in groups), "semicolon"),
        "version": study.file()["library"]["version"],
        "types": joined(f"`{name}`" for name in study.file()["library"]["alibi"]),
        "trained": TRAINED,
        "far": FAR,
        "nonoverlapping": [nonoverlapping[TRAINED], nonoverlapping[FAR]],
        "sliding": [sliding[TRAINED], sliding[FAR]],
    }


def timeline(text: Lesson, kind: str) -> Chart:
    """A lane for each family of methods. Filled marks: methods. Open marks: models."""
    dark, lanes, entries = page.dark(), text.entries("lanes"), timeline_in(text)
    axis = study.WALL if page_options.presenting() else study.PHONE
    entries = entries[entries["shown"] & ((kind == BOTH) | (entries["kind"] == kind))]
    fig, colour = figure(dark), ink(dark)
    placed, centers, edges = [], {}, [0.0]
    for name, methods in study.LANES.items():
        own = entries[entries["method"].isin(methods)]
        if not own.empty:
            rows, sides = study.lane(own["name"], own["year"], axis)
            top, count = edges[-1] + GAP, int(rows.max()) + 1
            placed.append(own.assign(height=top + 0.5 + rows, side=sides))
            centers[f"<b>{lanes[name]}</b>"] = top + count / 2
            edges.append(top + count + GAP)
    for method, own in pd.concat(placed).groupby("method"):
        fig.add(marks(str(method), own, dark))
    for edge in edges:
        line = {"color": colour.quiet, "width": 1}
        fig.draw(xref="paper", x0=-0.35, x1=1, y0=edge, y1=edge, line=line, layer="below")
    years = range(2017, int(study.END))
    for year in years:
        fig.draw(x0=year, x1=year, yref="y domain", y0=0, y1=1, line={"color": colour.grid, "width": 1}, layer="below")
    ticks: dict[str, Any] = {
        "tickvals": [year + 0.5 for year in years],
        "ticktext": list(map(str, years)),
        "tickfont": {"size": 10.5},
    }
    fig.x_axis(range=[study.START, study.END], side="top", ticks="", showgrid=False, tickangle=0, **ticks)
    names: dict[str, Any] = {"tickvals": list(centers.values()), "ticktext": list(centers)}
    fig.y_axis(range=[edges[-1], 0], showgrid=False, ticks="", **names)
    fig.y_axis(tickfont={"size": 12, "color": colour.text})
    margin = {"l": 82, "r": 4, "t": MARGIN, "b": 8}
    fig.lay_out(showlegend=False, margin=margin, hovermode="closest", hoverlabel={"align": "left"})
    return fig


def marks(method: str, entries: pd.DataFrame, dark: bool) -> Trace:
    """The entries of one method, each at its height, with their names."""
    look = LOOKS.get(method, UNKNOWN)
    is_model, colour = entries["kind"] == study.MODEL, color(look, dark)
    marker: dict[str, Any] = {
        "symbol": [f"{look.marker}-open" if model else look.marker for model in is_model],
        "color": colour,
    }
    marker |= {"size": [8 if model else 10 for model in is_model], "opacity": 1}
    marker |= {"line": {"width": [1.8 * model for model in is_model], "color": colour}}
    hovers = []
    for entry in entries.itertuples():
        source = (f"<i>{line}</i>" for line in wrap(entry.source, HOVER))
        hovers.append("<br>".join([f"<b>{entry.name}</b> ({entry.date})", *wrap(entry.what, HOVER), *source]))
    return trace(
        "scatter",
        x=entries["year"].to_numpy(),
        y=entries["height"].to_numpy(),
        text=list(entries["name"].where(is_model, "<b>" + entries["name"] + "</b>").map(" {} ".format)),
        textposition=[f"middle {side}" for side in entries["side"]],
        textfont={"size": 11.5, "color": ink(dark).text},
        customdata=hovers,
        hovertemplate="%{customdata}<extra></extra>",
        marker=marker,
        mode="markers+text",
        cliponaxis=False,
        name=method,
    )


def decays(text: Lesson) -> None:
    """What came of the idea: a line a head, a colour and a dash a family."""
    trained, dark, labels = load_facts("heirs"), page.dark(), text.entries("decays")
    labels["forgetting"] = text.entry("decays", "forgetting", trained["line_ends"])
    fig, inks, alibi = figure(dark, 340), ink(dark), color("alibi", dark)
    looks = {
        "alibi": {"color": alibi, "width": 2},
        "lightning": {"color": alibi, "width": 1.4, "dash": "dot"},
        "retnet": {"color": inks.text, "width": 1.4, "dash": "dash"},
        "forgetting": {"color": color("forgetting", dark), "width": 2},
    }
    distances, families = study.decays()
    for family, heads in families.items():
        for number, values in enumerate(heads):
            legend = {"legendgroup": family, "showlegend": not number}
            fig.add(curve(distances, values, labels[family], looks[family], labels["hover"], **legend))
    fig.y_axis(title=labels["factor"], range=[0, 1.03])
    length_axis(fig, labels["distance"], distances)
    page.chart(fig, key="decays", alt=text.label("alt_decays"), name="decays-with-distance")
    lesson.prose(text.text("decayed", LATEX | trained["line_ends"] | {"far": int(distances[-1])}))
