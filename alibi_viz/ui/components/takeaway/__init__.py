"""The stage's picture to take away: PNG, SVG, the clipboard, a worksheet to print.

Notable choices:
- All of it is made in the browser from what the reader sees, so a picture that was dragged or zoomed is taken as it is.
- The picture carries the page's font inside, its question as the title, and its settings and source as a caption. For a
  slide (16:9) it fills the height that the title and a line with the source leave.
- Worksheets of several lessons are collected in the tab's own storage, with the figures as the reader has set them.
- Charts stay vectors in the SVG; matrices are pixels, as they are on the page.
- It is made for paper, in the colours of a light page on white, unless the reader asks for the page's own.
"""

from pathlib import Path
from typing import Any

from alibi_viz.charts.palette import FONT, LIGHT, on_paper
from alibi_viz.ui.components.mount import mount

_HERE = Path(__file__).parent
_COMPONENT = mount("takeaway", _HERE / "takeaway.js", _HERE / "takeaway.css")


def takeaway(**data: Any) -> None:
    """title, settings, source, from_app (the source in two words), link, qr (SVG), filename: texts; sheet: questions and
    answers; words: names of buttons.
    """
    paper = {"page": "#ffffff", "text": LIGHT.text, "accent": LIGHT.accent, "colours": on_paper()}
    _COMPONENT(key="takeaway", data={"font": FONT, "paper": paper, **data})
