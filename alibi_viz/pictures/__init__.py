"""Our canvas views as they reach a browser: one JavaScript module and one style each, and the messages that they draw.

Notable choices:
- Every file is a module of its own, with `import` and `export`: an editor, `deno check` and `oxlint` read it as it stands.
- There is no build step. The app serves the files as they are (ui/components/modules.py); a file that moves has a module
  joined with all that it imports. Names at the top level are therefore unique among the files of one view; a test looks.
- message.py packs what a picture shows; core.js unpacks it. parts.js has the theme, the tools, the picture to take away.
- attention.js has ALiBi’s arithmetic, plot.js lines, marks, scales and axes, heatmap.js the cells of a matrix: once each.
- hands/ has the controls on top, and the base of all pictures, picture_base.js; picture.js is the base of those with a
  cursor. While a hand moves the browser computes the numbers itself, and Python’s replace them when they come.
- Nothing here knows Streamlit: the app, an exported file and a notebook take the same module, style and bytes.
"""

import base64
import json
import re
from functools import cache
from pathlib import Path

from alibi_viz.charts.colormaps import STOPS, lut

HERE = Path(__file__).parent
_TABLES_PLACEHOLDER = "/*COLOUR TABLES*/ {}"
_IMPORT = re.compile(r'^import\s[^;]*?\sfrom "(\.[^"]+)";\n', re.MULTILINE)
_COMMENT = re.compile(r"/\*\*[\s\S]*?\*/ ?")
_LINE = re.compile(r"^\s*(//.*)?\n| +// .*$|^ +", re.MULTILINE)  # a line of comment, the end of one, indentation


def modules(entry: Path) -> list[Path]:
    """A module and all that it imports, each after what it imports itself. Raises ValueError for a circle."""
    ordered: list[Path] = []

    def visit(path: Path, above: tuple[Path, ...]) -> None:
        if path in above:
            raise ValueError(f"{path.name} imports itself, by way of {', '.join(module.name for module in above)}")
        if path in ordered:
            return
        for name in _IMPORT.findall(path.read_text(encoding="utf-8")):
            visit((path.parent / name).resolve(), (*above, path))
        ordered.append(path)

    visit(entry.resolve(), ())
    return ordered


def javascript(entry: str | Path) -> str:
    """The module of a view, named by its file below this folder, with all that it imports: one text, without comments."""
    text = "".join(map(module_text, modules(HERE / entry)))
    return _LINE.sub("", _COMMENT.sub("", _IMPORT.sub("", text)))


def module_text(path: Path) -> str:
    """One module, with the colour tables where it wants them."""
    return path.read_text(encoding="utf-8").replace(_TABLES_PLACEHOLDER, colour_tables())


@cache
def colour_tables() -> str:
    """The colour maps of the matrix view, as JSON: quantity-theme -> 256 colours of 3 bytes, in base 64."""
    return json.dumps({"-".join(name): base64.b64encode(lut(*name).tobytes()).decode() for name in STOPS})


def style(*names: str | Path) -> str:
    """The style sheets of a view, after what all of them share."""
    text = "".join((HERE / name).read_text(encoding="utf-8") for name in ("shared.css", *names))
    return re.sub(r"/\*.*?\*/\s*", "", text, flags=re.DOTALL)
