"""The picture of the slopes, with its own hands (alibi_viz.pictures.slopes)."""

from typing import Any

from alibi_viz.pictures.slopes.message import pack
from alibi_viz.ui.components import hands

draw = hands.mount("slopes", "slopes/view.js", "picture.css", "hands/hands.css", "slopes/view.css")


def slopes_view(*arrays: Any, key: str, **options: Any) -> None:
    """Draw it; arguments as in `pack`. Raises ValueError with a sentence when it cannot be shown."""
    draw(key=key, data=pack(*arrays, key=key, **options), hands=options["hands"])
