"""The Attention page with a trained model as content: its controls, its matrices, and what they show.

Heads, head size and tokens follow from the model; a token is a byte. Only ALiBi has a strength to drag. Its preview runs
in the first layer alone: in later layers the content itself changes with the strength, and PyTorch must say how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from alibi_viz import trained
from alibi_viz.attention.attention import trace_attention
from alibi_viz.charts import formulas
from alibi_viz.lessons import Lesson, load
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui import ranking as compare_ranking
from alibi_viz.ui.components.matrix_view import Event
from alibi_viz.ui.controls import model_pick, rerun, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.format import escape_markdown, format_number, format_slope
from pages.attention import charts as charts
from pages.attention import trained_matrices as view
from pages.attention import trained_study as study
from pages.attention.matrices import CHANNEL, row_csv

CONTENT = "trained model"
CONTENT_WIDTH = 240  # pixels: four choices of content do not fit side by side in a narrow window
PASSAGE = (
    "A list is a mutable sequence. The items of a list can be of any type, and the same item can stand in it more than "
    "once. To add an item at the end of a list, call the append method. To remove an item, call the remove method; if the "
    "item is not in the list, a ValueError is raised. The length of a list is given by the built-in function len."
)
READING = Param("passage", "text", PASSAGE, longest=20_000)
LAYER = Param("layer", "choice", "1", choices=tuple(str(number) for number in range(1, 13)))
PARAMS = (READING, model_pick.PARAM, LAYER)


def show(lesson: Lesson, *, content: Param, head: Param, strength: Param) -> None:
    """The whole page below its “try this” buttons."""
    try:
        base = read_controls(lesson, content, head)
    except ValueError as problem:
        page.problem(problem)
        return
    event = matrices(lesson, base, head, strength)
    chosen, last = with_live(base, head, strength), len(base.text) - 1
    one_row(lesson, chosen, min(event.cell[0], last) if event.cell else last)
    explain(lesson, chosen)
    formula(lesson, chosen)
    page.code(trained.layer, trace_attention)
    page.sources(lesson)


def read_controls(lesson: Lesson, content: Param, head: Param) -> study.Controls:
    """The controls, checked. Raises ValueError, with a sentence, where nothing can be shown."""
    with st.container(border=True):
        text = widgets.text(READING, lesson, height=120).encode()
        with st.container(width=CONTENT_WIDTH):
            widgets.pick(content, lesson)
        left, middle, right = st.columns([3, 1, 1], gap="medium")
        with left:
            loaded = model_pick.pick(lesson)
        with middle:
            layers = LAYER.choices[: loaded.config.layers]
            layer = int(widgets.choice(replace(LAYER, choices=layers), lesson))
        with right:
            widgets.number(replace(head, high=loaded.config.heads, default=min(3, loaded.config.heads)), lesson)
        made = {"corpus": lesson.label("corpus_own" if loaded.config.corpus.startswith("text:") else "corpus_built_in")}
        st.caption(lesson.text(f"made.{loaded.origin}", **made, **model_pick.sizes(loaded.config)))
    used = text[: loaded.last]
    if len(used) < len(text):
        why = escape_markdown(trained.refusal(loaded, text[: trained.LONGEST]))
        st.caption(lesson.text("cut.bytes", given=f"{len(text):,}", used=f"{len(used):,}", why=why))
    trained.check(loaded, used)
    return study.Controls(loaded, used, layer, 1)


def with_live(base: study.Controls, head: Param, strength: Param) -> study.Controls:
    """The controls, with what the slider beside the matrices, and a picked thumbnail, say now."""
    chosen = min(int(state.read(head)), base.loaded.config.heads)
    factor = float(state.read(strength)) if study.slopes(base.loaded) else 1.0
    return replace(base, head=chosen, strength=factor)


@st.fragment
def matrices(lesson: Lesson, base: study.Controls, head: Param, strength: Param) -> Event:
    """The slider of ALiBi's strength, and the matrices that follow it. Returns what the reader did."""
    slopes = study.slopes(base.loaded)
    if slopes:
        widgets.drag(strength, lesson, channel=CHANNEL)
    chosen = with_live(base, head, strength)
    result = study.study(chosen)
    where = {"head": chosen.head, "layer": chosen.layer}
    title = lesson.label("large_slope", slope=format_slope(slopes[chosen.head - 1]), **where) if slopes else None
    page.heading(title or lesson.label("large_plain", **where))
    page.prose(lesson, f"how.{view.how(chosen)}", method=METHODS[chosen.loaded.config.method].title)
    event = view.stages(lesson, chosen, result)
    st.caption(lesson.text("colour"))
    page.heading(lesson.label("thumbs_layer", layer=chosen.layer))
    view.thumbnails(lesson, chosen, result)
    if result.thumb_step > 1:
        st.caption(lesson.label("pooled", step=result.thumb_step))
    rerun.if_requested()
    return event


def one_row(lesson: Lesson, chosen: study.Controls, query: int) -> None:
    """The weights of one query as bars, and the place before which the training never looked."""
    row, named, length = study.row(chosen, query), trained.labels(chosen.text), chosen.loaded.config.length
    page.heading(lesson.label("row_byte", query=escape_markdown(named[query]), place=f"{query:,}"))
    words = lesson.entries("chart") | lesson.entries("chart.trained")
    edge = query - length + 1 if query >= length else None
    words["edge"] = lesson.label("edge", length=f"{length:,}")
    figure = charts.row(named, row.weights, row.plain, words, dark=page.dark(), edge=edge)
    page.chart(figure, key="row", alt=lesson.label("weight"), name=f"trained-row-{query}")
    found = {"content": row.content, "bias": row.bias, "weight": row.weights, "weight_no_bias": row.plain}
    columns = {name: x for name, x in found.items() if x is not None}
    name = f"trained-{chosen.loaded.config.method}-row-{query}.csv"
    page.download(lambda: row_csv(lesson, "byte", named, columns), name=name, key="row_csv")


def explain(lesson: Lesson, chosen: study.Controls) -> None:
    """“What you see”: where the last byte looks, and how well the model reads this text inside and beyond L."""
    found, config = study.seen(chosen), chosen.loaded.config
    last = escape_markdown(trained.labels(chosen.text)[-1])
    shares = {"share": found.shares[chosen.head - 1], "least": found.shares.min(), "most": found.shares.max()}
    names: Mapping[str, object] = {
        "bytes": f"{len(chosen.text):,}",
        "layer": chosen.layer,
        "head": chosen.head,
        "query": last,
        **model_pick.sizes(config),
        **{name: f"{100 * float(share):.0f}%" for name, share in shares.items()},
    }
    ends = config.method == "learned" and len(chosen.text) == chosen.loaded.last
    place = "beyond" if len(chosen.text) > config.length else "ends" if ends else "inside"
    page.what_you_see(lesson, f"seen.trained.{place}", **names)
    if found.inside is None:
        return
    kind = "inside" if found.beyond is None else "beyond"
    page.prose(lesson, f"loss.{kind}", **_losses(found), **model_pick.sizes(config))
    if chosen.strength != 1:
        as_trained = study.seen(replace(chosen, strength=1.0))
        page.prose(lesson, f"loss.strength.{kind}", strength=format_number(chosen.strength), **_losses(as_trained))
    compare_ranking.show(sum(found.counts))


def _losses(found: study.Seen) -> dict[str, str]:
    pairs = zip(("inside", "beyond"), (found.inside, found.beyond), found.counts, strict=True)
    return {
        name: text
        for kind, loss, count in pairs
        if loss is not None
        for name, text in ((kind, f"{loss:.2f}"), (f"{kind}_count", f"{count:,}"))
    }


def formula(lesson: Lesson, chosen: study.Controls) -> None:
    """ALiBi's formula with the head's numbers, or the method's own, as the Compare page words it."""
    config, slopes = chosen.loaded.config, study.slopes(chosen.loaded)
    if slopes:
        slope = slopes[chosen.head - 1]
        latex = formulas.attention(slope, chosen.strength, config.width // config.heads)
        page.formula(lesson, *latex, head=chosen.head, slope=format_slope(slope))
    else:
        page.formula(load("compare"), section=f"formula.{config.method}")
