"""How a page is framed, for a lecture or a class: presented, with or without questions, in a theme, in a room.

All of it stands in the address beside the page's own controls, so a link carries it from page to page.
"""

from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Param

PRESENT = Param("present", "flag", False)  # the picture fills the window: no sidebar, no prose, large type
THEME = Param("theme", "choice", "auto", choices=("auto", "light", "dark"))  # auto: what the reader's system prefers
PREDICT = Param("predict", "flag", False)  # ask before the answer is shown
ROOM = Param("room", "text", "", longest=12)  # the code of the class that the reader has joined
PARAMS = (PRESENT, THEME, PREDICT, ROOM)


def presenting() -> bool:
    return bool(state.read(PRESENT))
