"""RoPE's clocks: one dial a pair of dimensions. The hands follow the drag slider inside the browser.

Notable choices:
- Python sends turns a token, not angles, so that the browser can turn the hands at once while a slider of the same
  channel moves; Python's own position replaces the previewed one when it arrives.
- The hidden sentence and the title of every dial say what a picture alone would hide.
"""

from collections.abc import Sequence
from pathlib import Path

from alibi_viz.ui.components.mount import javascript, mount

_HERE = Path(__file__).parent
_COMPONENT = mount(_HERE, javascript(_HERE, "clocks.js"), "clocks.css")


def clocks(
    turns: Sequence[float],
    *,
    key: str,
    position: int,
    full: Sequence[bool],
    names: Sequence[str],
    label: str,
    colour: str,
    channel: str | None = None,
) -> None:
    """Draw the dials; `turns` (a token), `full` and `names` have one entry a pair.

    position: where the hands stand now. full: whether the pair made a full turn in training; others are
    drawn faint. names: what a dial is called under the pointer. label: the picture in a sentence, for screen readers.
    colour: of the hands. channel: of the drag slider that turns them.
    """
    data = {"position": int(position), "names": list(names), "label": label, "colour": colour, "channel": channel}
    data |= {"turns": [float(turn) for turn in turns], "full": [bool(pair) for pair in full]}
    _COMPONENT(key=key, data=data)
