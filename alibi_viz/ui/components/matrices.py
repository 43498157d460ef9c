"""Matrices with their own hands (alibi_viz.pictures.matrices)."""

from alibi_viz.pictures.matrices.message import Message, Sentence, pack
from alibi_viz.ui.components import hands

__all__ = ["Message", "Sentence", "matrices"]

_CSS = ("picture.css", "matrix_view/view.css", "hands/hands.css", "matrices/view.css")
_DRAW = hands.mount("matrices", "matrices/view.js", *_CSS)


def matrices(message: Message) -> None:
    """Draw it. Raises ValueError with a sentence when it cannot be shown."""
    _DRAW(key=message.key, data=pack(message), hands=message.hands)
