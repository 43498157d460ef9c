"""How a page is framed, for a lecture or a class: presented, with controls hidden or locked, with or without questions.

Notable choices:
- All of it stands in the address beside the page's own controls, so a link carries it from page to page.
- `hide` and `lock` are lists of keys of controls, separated by commas; "prose" hides the prose. A name that a page does not
  know does nothing there, and the page says so.
"""

from collections.abc import Iterable
from functools import lru_cache

from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Param

PRESENT = Param("present", "flag", False)  # the picture fills the window: no sidebar, no prose, large type
HIDE = Param("hide", "text", "", longest=400)
LOCK = Param("lock", "text", "", longest=400)
THEME = Param("theme", "choice", "auto", choices=("auto", "light", "dark"))  # auto: what the reader's system prefers
PREDICT = Param("predict", "flag", False)  # ask before the answer is shown
ROOM = Param("room", "text", "", longest=12)  # the code of the class that the reader has joined
PARAMS = (PRESENT, THEME, HIDE, LOCK, PREDICT, ROOM)
PROSE = "prose"


def names(param: Param) -> frozenset[str]:
    """The keys that HIDE or LOCK lists."""
    return _listed(str(state.read(param)))


@lru_cache(maxsize=64)
def _listed(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def presenting() -> bool:
    return bool(state.read(PRESENT))


def quiet() -> bool:
    """Whether the page shows no prose."""
    return presenting() or PROSE in names(HIDE)


def is_hidden(key: str) -> bool:
    return key in names(HIDE)


def is_locked(key: str) -> bool:
    return key in names(LOCK)


def unknown(params: Iterable[Param]) -> list[str]:
    """What HIDE and LOCK name that this page does not have."""
    known = {param.key for param in params} | {PROSE}
    return sorted((names(HIDE) | names(LOCK)) - known)
