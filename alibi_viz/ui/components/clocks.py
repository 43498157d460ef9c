"""RoPE's clocks: one dial a pair of dimensions. The hands follow the drag slider inside the browser.

Notable choices:
- Python sends turns a token, not angles, so that the browser can turn the hands at once while a slider of the same
  channel moves; Python's own position replaces the previewed one when it arrives.
- The dials are as large as the stage has room for.
- The hidden sentence and the title of every dial say what a picture alone would hide.
"""

from collections.abc import Mapping, Sequence

from alibi_viz.ui.components.mount import mount

_COMPONENT = mount("clocks", "clocks/clocks.js", "clocks/clocks.css")


def clocks(
    turns: Sequence[float],
    *,
    key: str,
    position: int,
    trained: Sequence[float],
    names: Sequence[str],
    captions: Sequence[str],
    legend: Mapping[str, str],
    label: str,
    colours: Mapping[str, str],
    channel: str | None = None,
) -> None:
    """Draw the dials; `turns` (a token), `trained`, `names` and `captions` have one entry a pair.

    position: where the hands stand now. trained: the largest share of a turn in training; from 1 on a dial has seen
    every angle, below it is dashed. names: what a dial is called under the pointer. captions: what stands below it.
    legend: "of_training", "past", "part" and "below" -> what each means. label: the picture in a sentence, for screen
    readers. colours: of the "hand", and of what lies "beyond" training. channel: of the drag slider that turns them.
    """
    data = {"position": int(position), "names": list(names), "captions": list(captions), "legend": dict(legend)}
    data |= {"turns": [float(turn) for turn in turns], "trained": [min(float(share), 1.0) for share in trained]}
    _COMPONENT(key=key, data=data | {"label": label, "colours": dict(colours), "channel": channel})
