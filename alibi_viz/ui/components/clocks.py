"""RoPE's clocks: one dial a pair of dimensions. The hands follow the drag slider inside the browser.

Notable choices:
- Python sends turns a token beside its own hands, so that the browser can turn the hands at once while the slider moves.
  Its own numbers replace the previewed ones when they arrive (picture.js).
- The dials are as large as the stage has room for. What a dial is called stands in the legend's place under the cursor.
"""

from typing import Unpack

from alibi_viz.pictures.clocks.message import Dials, Options, Position, pack
from alibi_viz.ui.components.drag_slider import answered
from alibi_viz.ui.components.mount import mount

__all__ = ["Dials", "Position", "clocks"]

_COMPONENT = mount("clocks", "clocks/view.js", "picture.css")


def clocks(dials: Dials, *, look: str, key: str, **options: Unpack[Options]) -> None:
    """Draw the dials in the look of a method. Raises ValueError with a sentence when they cannot be shown."""
    options["follows"] = answered(options.get("follows", ()))
    _COMPONENT(key=key, data=pack(dials, look=look, key=key, **options))
