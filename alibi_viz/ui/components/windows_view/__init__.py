"""The windows view: which words each window over a sentence reads and predicts, and the context of every word.

Notable choices:
- A row a window, a column a word, and under them a bar a word: how many words stand before it in the window that counts it;
  as an outline, how many in the other protocol.
- What pictures share (picture/) comes first, then core.js (the windows; no page), draw.js (canvas) and view.js. While a
  drag slider that the message names (Dragged) moves, the browser computes the windows itself, as
  `alibi_viz.lm.evaluation.windows` does; Python's numbers replace them.
"""

from pathlib import Path
from typing import Unpack

from alibi_viz.ui.components import mount, picture
from alibi_viz.ui.components.windows_view.message import Dragged, Options, Plan, Settings, pack

__all__ = ["Dragged", "Plan", "Settings", "javascript", "pack", "windows_view"]

_HERE = Path(__file__).parent


def javascript() -> str:
    """The component's module."""
    return mount.javascript(_HERE, *picture.SOURCES, "core.js", "draw.js", "view.js")


_COMPONENT = mount.mount(_HERE, javascript(), picture.STYLE, "view.css")


def windows_view(
    words: tuple[str, ...], plan: Plan, settings: Settings, *, key: str, **options: Unpack[Options]
) -> None:
    """Draw the windows of one protocol over the words. Raises ValueError where plan and words do not fit together."""
    _COMPONENT(key=key, data=pack(words, plan, settings, key=key, **options))
