"""What the pictures on canvases share (the matrix view, the curve view), in Python and in the browser.

Notable choices:
- message.py packs what is shown; core.js unpacks it. parts.js has the theme, the bar with its tools, the exported picture.
- view.js is the base class of a view. It follows a dragged slider: while it moves the browser computes the numbers itself,
  Python's replace them when they come, and the badge says by how much the two differed.
"""

from pathlib import Path

_HERE = Path(__file__).parent
SOURCES = tuple(_HERE / name for name in ("core.js", "parts.js", "view.js"))  # in front of a view's own
STYLE = _HERE / "picture.css"
