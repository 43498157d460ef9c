"""Why it breaks: trained models read otherwise, so that distances or the number of keys stay those of the training."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from alibi_viz.charts.figure import Chart, trace
from alibi_viz.charts.lines import Line, scatter
from alibi_viz.charts.palette import color, figure, floats, ink
from alibi_viz.lessons import Lesson, joined, plain
from alibi_viz.lm.readings import ReadAs, thinned
from alibi_viz.positions import title_of, titles_of
from alibi_viz.results.facts import load_facts
from alibi_viz.results.pretrained import MAIN
from alibi_viz.ui import lesson, page
from alibi_viz.ui.control_panel import Presets
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.shell import navigation
from pages.why import study
from pages.why.study import CELLS, COLUMNS

WINDOWS = (512, 1024, 2048)
TENFOLD = 1.0  # of the perplexity at L, as a power of ten: the deepest colour
PRESET_VALUES: Presets = {
    "broken": {},
    "clamped": {"why_distances": "clamped"},
    "thinned": {"why_keys": "thinned"},
    "holds": {"why_method": "alibi", "why_distances": "clamped"},
    "absolute": {"why_method": "sinusoidal", "why_keys": "thinned"},
}
RISES = (1e-4, 1e-3, 0.01, 0.1, 1, 10)  # ticks; a smaller rise is drawn at the first, on a logarithmic axis
LATEX = r"$$d' = \min(i - j,\; L - 1), \qquad L - 1 = %d$$"


def main() -> None:
    facts = load_facts("why")
    numbers = facts["readings"]
    length = numbers["length"]
    text, controls = lesson.begin("why", numbers)
    window = controls.choice("ext_window", {size: f"{size:,}" for size in WINDOWS}, 1024)
    methods = titles_of(study.cells(WINDOWS[0]))
    method = controls.choice("why_method", methods, "rope", kind="pick")
    is_clamped = controls.choice("why_distances", ("new", "clamped"), "new") == "clamped"
    is_thinned = controls.choice("why_keys", ("every", "thinned"), "every") == "thinned"
    lesson.say_problems(text)
    chosen = CELLS[is_clamped, is_thinned]
    of_cell, interval = cell_says(text, method, chosen, window)
    said = [of_cell, cause_says(text, method, window, length)]
    with lesson.stage():
        controls.row(PRESET_VALUES)
        lesson.note("  \n".join(said))
        alt = plain(joined(said, "sentences"))
        page.chart(readings, text, window, method, chosen, key="readings", alt=alt, name=f"readings-{window}")
    page.download_csv(study.as_table, name="readings.csv", key="readings_csv")
    lesson.seen_and_formula(
        interval + [text.text(section, numbers) for section in ("readings", "differs")],
        [LATEX % (length - 1), text.text("formula")],
    )
    sections = {
        "line": partial(penalties, text, facts["penalties"]),
        "heads": partial(heads, text, facts["heads"], numbers),
        "stretched": partial(stretched, text, facts, length),
    }
    lesson.end(text, sections, ReadAs, thinned)


def cell_says(text: Lesson, method: str, reading: study.Reading, window: int) -> tuple[str, list[str]]:
    """The chosen cell, beside that at L by the one rule; or why it is another one's, or not there. And its interval."""
    cell = study.cells(window)[method].get(reading)
    numbers: dict[str, Any] = {"method": title_of(method), "reading": text.entry("columns", reading)}
    if cell is None:
        return text.entry("cell", "missing", numbers | {"since": since(text, method)}), []
    numbers |= {"value": cell.perplexity, "verdict": text.entry("verdicts", cell.above.verdict)}
    said = text.entry("cell", "measured", numbers)
    if cell.same:
        unclamped = text.entry("columns", "all" if reading == "clamped" else "thinned")
        said = joined((said, text.entry("cell", "same", reading=unclamped, since=since(text, method))), "sentences")
    above = cell.above
    return said, [text.entry("cell", "interval", numbers | {"mean": above.mean, "low": above.low, "high": above.high})]


def since(text: Lesson, method: str) -> str:
    """Why clamping changes nothing of a method, or is not defined."""
    return text.entry("since", method, at=study.ends_at(method))


def cause_says(text: Lesson, method: str, window: int, length: int) -> str:
    """What breaks the method, with the figures of its cells."""
    of_method, verdicts = study.cells(window)[method], text.entries("verdicts")
    numbers: dict[str, object] = {reading: cell.perplexity for reading, cell in of_method.items()}
    numbers |= {"times": window / length, "at": study.at_trained(method)}
    numbers["new"] = verdicts[study.compared(method, window, "all", "thinned")]
    if "clamped" in of_method:
        numbers["known"] = verdicts[study.compared(method, window, "clamped", "thinned_clamped")]
    return text.entry("cause", study.cause(method, window), numbers)


def readings(text: Lesson, window: int, method: str, chosen: study.Reading) -> Chart:
    """The table: a row a method, a column a reading, coloured by how many times the perplexity is that at L; the chosen
    cell has a frame."""
    dark, cells = page.dark(), study.cells(window)
    names = ("at", *COLUMNS)
    titles = [text.entry("column_heads", name) for name in names]
    fig = figure(dark)
    for row, (name, of_method) in enumerate(cells.items()):
        at = study.at_trained(name)
        rise, shown = [0.0, *[np.nan] * len(COLUMNS)], [f"{at:#.3g}", *["–"] * len(COLUMNS)]
        for reading, cell in of_method.items():
            column = names.index(reading)
            rise[column] = np.log10(cell.perplexity / at)
            shown[column] = f"{'= ' * cell.same}{cell.perplexity:#.3g}"
        paint = {"colorscale": [[0, ink(dark).raised], [1, ink(dark).second]], "cmin": 0, "cmax": TENFOLD}
        fig.add(
            trace(
                "bar",  # a cell each: a site has no heatmap of Plotly's
                x=titles,
                y=floats([0.96] * len(names)),
                base=row - 0.48,
                width=0.98,
                text=shown,
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                constraintext="none",
                textfont={"size": 12.5, "color": ink(dark).text},
                customdata=[title_of(name)] * len(names),
                hovertemplate=text.entry("chart", "hover_cell") + "<extra></extra>",
                marker={"color": floats(np.nan_to_num(rise)), "opacity": 0.65, "line": {"width": 0}, **paint},
                showlegend=False,
            )
        )
    row, column = list(cells).index(method), names.index(chosen)
    frame = {"type": "rect", "x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    fig.draw(**frame, line={"color": color(method, dark), "width": 3})
    fig.x_axis(side="top", showgrid=False, ticks="", fixedrange=True, tickangle=0)
    rows: dict[str, Any] = {
        "tickvals": list(range(len(cells))),
        "ticktext": [f"\u2002\u2005{title_of(name)}" for name in cells],  # a saved picture has a wider font
        "zeroline": False,
    }
    fig.y_axis(range=[len(cells) - 0.5, -0.5], showgrid=False, ticks="", fixedrange=True, automargin=True, **rows)
    fig.lay_out(barmode="overlay", margin={"l": 8, "r": 4, "t": 44, "b": 4})
    return fig


def penalties(text: Lesson, facts: dict[str, Any]) -> None:
    """Other shapes than a line, each with two strengths."""
    lesson.prose(text.text("penalties", facts))
    found, names, verdicts = study.penalties(), text.entries("penalty_names"), text.entries("verdicts")
    rows = [
        (names[one.name], *(f"{value:.2f}" for value in one.perplexities.values()), verdicts[one.rise.verdict])
        for one in found
    ]
    columns = (names["shape"], *(f"{times:g} L" for times in found[0].perplexities), names["verdict"])
    table = [columns, ("---", *["--:"] * (len(columns) - 2), "---"), *rows]
    lesson.prose("\n".join(f"| {' | '.join(row)} |" for row in table))  # as text, which breaks its lines on a phone
    lesson.prose(text.text("line", facts | facts["perplexities"]))


def heads(text: Lesson, facts: dict[str, Any], read: dict[str, Any]) -> None:
    """Perplexity by position, far keys hidden, many keys' spread, and one head taken away."""
    length = read["length"]
    lesson.curves(text, study.by_position, (MAIN,), "position", "perplexity", "why-positions", at=length)
    lesson.prose(text.text("positions", facts))
    lesson.curves(text, study.hidden, (length,), "hidden", "perplexity", "why-hidden")
    lesson.prose(text.text("keys"), text.text("entropy", read))
    rises, labels, dark = study.without_heads(length), text.entries("chart"), page.dark()
    fig = figure(dark, 320)
    for method, values in rises.items():
        layers, count = values.shape
        x = np.concatenate([layer * (count + 1) + np.arange(1, count + 1) for layer in range(layers)])
        line = Line(method, title_of(method), x, values.ravel().clip(min=RISES[0]))
        fig.add(scatter(line, dark, "%{y:,.2%}", mode="markers"))
    names = [str(head) for _ in range(layers) for head in range(1, count + 1)]
    fig.x_axis(title=labels["head"], showgrid=False, tickvals=x.tolist(), ticktext=names)
    percents = [f"{100 * rise:,g}%" for rise in RISES]
    fig.y_axis(type="log", title=labels["rise"], tickvals=RISES, ticktext=percents, automargin=True)
    numbers = facts | {"slope": format_slope(facts["slope"])}
    page.chart(fig, key="ablated", alt=text.label("alt_ablated", numbers), name="why-ablated")
    lesson.prose(text.text("ablated", numbers))
    navigation.link("attention_model", text.label("attention_model"), {"model": "rope", "layer": "2"})


def stretched(text: Lesson, facts: dict[str, Any], length: int) -> None:
    """RoPE's scalings and flatter slopes, without further training; then more layers without positions."""
    lesson.curves(text, stretched_lines, (text,), "times", "perplexity", "why-stretched")
    ways = text.entries("ways")
    rope, alibi = facts["stretched"]["rope"], facts["stretched"]["alibi"]
    best = {
        f"best_{at[3:]}": joined(
            f"{ways[way]} {perplexity:.3g}"
            for perplexity, way in sorted((values[at], way) for way, values in rope.items() if way != "trained")
        )
        for at in ("at_4", "at_16")
    }
    numbers = best | {"length": length, "rope": rope["trained"], "alibi": alibi["trained"]}
    numbers |= {"flat": alibi["interpolated"], "gentle": alibi["gentle half"]}
    lesson.prose(text.text("stretched", numbers))
    depth(text, facts["depth"])


def stretched_lines(text: Lesson) -> list[Line]:
    ways = text.entries("ways")
    return [
        replace(line, name=joined((title_of(method), ways[way.replace(" ", "_")]), "apart"))
        for (method, way), line in study.stretched().items()
    ]


def depth(text: Lesson, facts: dict[str, Any]) -> None:
    """No positions at all, with more layers."""
    lesson.curves(text, depth_lines, (text,), "length", "perplexity", "why-depth")
    numbers = {
        where: joined(
            joined((text.entry("chart", "layers", layers=layers), f"{perplexity:.3g}"), "colon")
            for layers, perplexity in facts[where].items()
        )
        for where in ("at", "far")
    }
    lesson.prose(text.text("depth", numbers | {"alibi": facts["alibi"]}))


def depth_lines(text: Lesson) -> list[Line]:
    return [
        replace(line, name=text.entry("chart", "layers", layers=layers), hollow=layers > 2)
        for layers, line in study.depth().items()
    ]
