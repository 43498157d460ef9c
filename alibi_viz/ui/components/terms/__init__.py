"""The meaning of a term where it stands: on hover, focus or tap. Its link leads to the glossary.

The meaning is the link's title (`lessons.linked`), so nothing is sent twice, and a screen reader reads it out.
"""

from pathlib import Path

from alibi_viz.ui.components.modules import mount

_HERE = Path(__file__).parent
_COMPONENT = mount("terms", _HERE / "terms.js", _HERE / "terms.css")


def show() -> None:
    """Once a run of the app: its links explain themselves."""
    _COMPONENT(key="terms")
