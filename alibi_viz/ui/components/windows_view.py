"""The windows view: which words each window over a sentence reads and predicts, and the context of every word.

Notable choices:
- A row a window, a column a word, and under them a bar a word: how many words stand before it in the window that counts it;
  as an outline, how many in the other protocol.
- Its JavaScript (alibi_viz.pictures): core.js (the windows; no page), draw.js (canvas) and view.js. While a drag slider
  that the message names (Dragged) moves, the browser computes the windows itself, as
  `alibi_viz.lm.evaluation.windows` does; Python's numbers replace them.
"""

from typing import Unpack

from alibi_viz.pictures.windows_view.message import Dragged, Options, Settings, WindowPlan, pack
from alibi_viz.ui.components.drag_slider import answered
from alibi_viz.ui.components.mount import mount

__all__ = ["Dragged", "Settings", "WindowPlan", "pack", "windows_view"]

_COMPONENT = mount("windows_view", "windows_view/view.js", "picture.css", "windows_view/view.css")


def windows_view(
    words: tuple[str, ...], plan: WindowPlan, settings: Settings, *, key: str, **options: Unpack[Options]
) -> None:
    """Draw the windows of one protocol over the words. Raises ValueError where plan and words do not fit together."""
    options["follows"] = answered(options.get("follows", ()))
    _COMPONENT(key=key, data=pack(words, plan, settings, key=key, **options))
