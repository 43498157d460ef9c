"""The view of two word orders: what attention makes of the same words in another order.

Notable choices:
- Each sentence has a cell for every query and key. Asked for, the words of the second glide to the order of the first,
  with their rows and columns; a causal mask fades in. Both take a third of a second, and no time where the reader's
  system asks for less motion (picture.js).
"""

from typing import Unpack

from alibi_viz.pictures.orders.message import Options, Sentence, pack
from alibi_viz.ui.components.mount import mount

__all__ = ["Sentence", "orders"]

_COMPONENT = mount("orders", "orders/view.js", "picture.css")


def orders(first: Sentence, second: Sentence, *, moved: bool, mask: bool, key: str, **options: Unpack[Options]) -> None:
    """Draw both. Raises ValueError where they have not the same words."""
    _COMPONENT(key=key, data=pack(first, second, moved=moved, mask=mask, key=key, **options))
