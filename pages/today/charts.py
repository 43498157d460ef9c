"""The timeline: a lane for each family of methods, a mark for each entry, its name beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from alibi_viz.charts.palette import DARK, LIGHT, LOOKS, Look, color, figure, ink

if TYPE_CHECKING:
    from pages.today.study import Entry

#: Lane -> the methods in it.
LANES: dict[str, tuple[str, ...]] = {name: (name,) for name in ("learned", "sinusoidal", "t5", "rope", "alibi")}
LANES |= {"others": ("kerple", "sandwich", "fire", "other"), "none": ("none",)}
OTHER = Look(LIGHT.faint, DARK.faint, "square-cross")  # methods that this app does not compute
START, END = 2016.9, 2026.35  # of the axis, in years: the last ones leave room for a name
MARK, LETTER = 0.24, 0.215  # years that a mark's half and a letter take on a phone (29 pixels a year)
GAP, MARGIN = 0.3, 30  # rows between two lanes; pixels over the first lane
HOVER = 44  # letters in a line


@dataclass(frozen=True)
class Place:
    """Where an entry stands in its lane: its row, the side of the mark that its name is on, and the years they take."""

    entry: "Entry"
    row: int
    side: str
    end: float


def lane(entries: Sequence["Entry"]) -> list[Place]:
    """Places of the entries of a lane, by date, so that no name covers another on a phone.

    An entry goes to the first row that has room, its name on the right. In a row of its own its name stands on the left
    if there is room, so that a later entry can share the row.
    """
    places: list[Place] = []
    ends: list[float] = []  # of each row
    for entry in entries:
        length = MARK + LETTER * len(entry.name)
        sides = {"right": (entry.year - MARK, entry.year + length), "left": (entry.year - length, entry.year + MARK)}
        sides = {side: years for side, years in sides.items() if years[0] >= START and years[1] <= END}
        free = ((row, side) for row, end in enumerate(ends) for side, years in sides.items() if end <= years[0])
        row, side = next(free, (len(ends), list(sides)[-1]))
        ends[row:] = [sides[side][1], *ends[row + 1 :]]
        places.append(Place(entry, row, side, ends[row]))
    return places


def timeline(entries: Sequence["Entry"], lanes: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Filled marks: methods. Open marks: models. entries: by date; lanes: the name of each lane for the reader."""
    marks: list[tuple[Place, float]] = []  # and its height, in rows from the top
    centers, edges, at = {}, [0.0], 0.0
    for name, methods in LANES.items():
        if places := lane([entry for entry in entries if entry.method in methods]):
            marks += [(place, at + GAP + 0.5 + place.row) for place in places]
            rows = 1 + max(place.row for place in places)
            centers[name], at = at + GAP + rows / 2, at + 2 * GAP + rows
            edges.append(at)
    fig, colour = figure(dark), ink(dark)
    for method in (*LOOKS, "other"):
        if own := [(place, height) for place, height in marks if place.entry.method == method]:
            fig.add_trace(_marks(own, method, dark))
    for edge in edges:
        line = {"color": colour.quiet, "width": 1}
        fig.add_shape(type="line", xref="paper", x0=-0.35, x1=1, y0=edge, y1=edge, line=line, layer="below")
    years = list(range(2017, int(END)))
    ticks = {"tickvals": [year + 0.5 for year in years], "ticktext": [str(year) for year in years]}
    ticks |= {"side": "top", "ticks": "", "showgrid": False, "tickangle": 0, "tickfont": {"size": 11.5}}
    fig.update_xaxes(range=[START, END], **ticks)
    for year in years:
        fig.add_vline(x=year, line={"color": colour.grid, "width": 1}, layer="below")
    names = {"tickvals": list(centers.values()), "ticktext": [f"<b>{lanes[name]}</b>" for name in centers]}
    names |= {"ticks": "", "tickfont": {"size": 12, "color": colour.text}}
    fig.update_yaxes(range=[at, 0], showgrid=False, **names)
    margin = {"l": 82, "r": 4, "t": MARGIN, "b": 8}
    fig.update_layout(showlegend=False, margin=margin, hovermode="closest", hoverlabel_align="left")
    return fig


def _marks(marks: Sequence[tuple[Place, float]], method: str, dark: bool) -> go.Scatter:
    """The entries of one method, each at its height, with their names."""
    look = LOOKS.get(method, OTHER)
    entries, colour = [place.entry for place, _ in marks], color(look, dark)
    models = [entry.kind == "model" for entry in entries]
    symbols = [f"{look.marker}-open" if model else look.marker for model in models]
    marker = {"symbol": symbols, "size": [8 if model else 10 for model in models], "color": colour}
    marker |= {"line": {"width": [1.8 * model for model in models], "color": colour}, "opacity": 1}
    texts = [entry.name if model else f"<b>{entry.name}</b>" for entry, model in zip(entries, models, strict=True)]
    return go.Scatter(
        x=[entry.year for entry in entries],
        y=[height for _, height in marks],
        text=[f" {text} " for text in texts],
        textposition=[f"middle {place.side}" for place, _ in marks],
        textfont={"size": 11.5, "color": ink(dark).text},
        customdata=["<br>".join(_hover(entry)) for entry in entries],
        hovertemplate="%{customdata}<extra></extra>",
        marker=marker,
        mode="markers+text",
        cliponaxis=False,
        name=method,
    )


def _hover(entry: "Entry") -> list[str]:
    """What stands under the mouse: name and date, what it is, where that is written."""
    head = f"<b>{entry.name}</b> ({entry.date})"
    return [head, *wrap(entry.what, HOVER), *(f"<i>{line}</i>" for line in wrap(entry.source, HOVER))]
