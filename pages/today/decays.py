"""What the idea became: decays with the distance, of ALiBi and of methods that came after it, as e to the power of what
they add to a score.

Lightning attention and RetNet have no softmax: there the same factor multiplies a product. The gates of the Forgetting
Transformer depend on the text; those here are invented.
"""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.lines import length_axis
from alibi_viz.charts.palette import color, figure, floats, ink
from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import slopes
from alibi_viz.ui import page

DISTANCES = np.unique(np.geomspace(1, 1024, 160).round())
HEADS = 8
SHOWN = (1, 4, 8)  # ALiBi's heads
LAYER = 0.5  # how deep a lightning layer lies, from 0 (the first) to 1: its slopes are ALiBi's times 1 less this
RETNET = (5, 12)  # powers: its first head forgets 2^-5 at each token, its eighth 2^-12
GATE, SENTENCE, STOP = 0.999, 96, 0.2  # invented: of a word, a full stop each so many words, and its gate


def decays() -> dict[str, list[np.ndarray]]:
    """By family: the factor of a key at each of DISTANCES, one array a head. The largest is 1 at distance 0."""
    chosen = [slopes(HEADS)[head - 1] for head in SHOWN]
    gates = np.where(np.arange(1, 1025) % SENTENCE == 0, STOP, GATE)
    forgotten = np.cumsum(np.log(gates))[DISTANCES.astype(int) - 1]
    return {
        "alibi": [np.exp(-slope * DISTANCES) for slope in chosen],
        "lightning": [np.exp(-slope * (1 - LAYER) * DISTANCES) for slope in chosen],
        "retnet": [(1 - 2.0**-power) ** DISTANCES for power in RETNET],
        "forgetting": [np.exp(forgotten)],
    }


def chart(labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """A line a head; a colour and a dash a family."""
    fig, inks = figure(dark, 340), ink(dark)
    alibi = color("alibi", dark)
    looks = {
        "alibi": {"color": alibi, "width": 2},
        "lightning": {"color": alibi, "width": 1.4, "dash": "dot"},
        "retnet": {"color": inks.text, "width": 1.4, "dash": "dash"},
        "forgetting": {"color": inks.second, "width": 2},
    }
    for family, heads in decays().items():
        for number, values in enumerate(heads):
            look = {"name": labels[family], "legendgroup": family, "showlegend": not number, "mode": "lines"}
            fig.add_scatter(
                x=floats(DISTANCES), y=floats(values), line=looks[family], hovertemplate=labels["hover"], **look
            )
    fig.update_yaxes(title_text=labels["factor"], range=[0, 1.03])
    length_axis(fig, labels["distance"], DISTANCES)
    return fig


def show(lesson: Lesson) -> None:
    """The picture, and what it shows and does not show."""
    figure = chart(lesson.entries("decays"), dark=page.dark())
    page.chart(figure, key="decays", alt=lesson.label("alt_decays"), name="decays-with-distance")
    page.prose(lesson, "decayed")
