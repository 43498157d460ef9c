"""A web site of all lessons, for any static host and from the disk: its pages as HTML, and what all pages load.

Notable choices:
- Pages are text: sentences, formulas (MathML), tables and links are there without JavaScript. What moves is data in a
  script beside its page; that of the sections comes when one is opened. From the disk a browser fetches nothing else.
- One script has all kinds of pictures, each module of theirs once; one style is of all pages. Plotly comes to the charts
  alone, as its basic bundle (lines and bars): that of plotly.js-basic-dist-min, unchanged.
- The policy of each page lets it ask nothing of another host, and allows no script in the page itself. A worker comes from
  a script of ours, as a blob: from the disk a browser loads none (pictures/lm_worker.js). The page that trains may compile
  WebAssembly too, and has a script of its own, so that no other page is heavier.
"""

import gzip
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from alibi_viz.charts.palette import DARK, LIGHT, LOOKS, UNTRAINED
from alibi_viz.export import TERMS, compressed, theme
from alibi_viz.pictures import bundle, style

HERE = Path(__file__).parent
PLOTLY = "plotly-basic.min.js"
LICENCE = "plotly-basic.LICENSE"
ALONE = ("train",)  # pictures too heavy for all pages: theirs have a script without others
_BREAKS = re.compile(r"\\quad|\\;|(?=\\text\{ )")  # where a formula in a line may break: a browser breaks none
_MARKED = re.compile(r"(<math (?:(?!<math ).)*</math>)</span>([,.;:)，。；：、）])")  # browsers break between them
_LINK = re.compile(r'(<a href=)"([^"]*)"')
Views = Mapping[str, tuple[str | Path, Sequence[str | Path]]]


@cache  # states of a page say much the same
def markdown(text: str) -> str:
    """Our Markdown as HTML; what looks like HTML in it is text."""
    made: str = _reader().render(text)
    return _MARKED.sub(r'<span style="white-space: nowrap">\1\2</span></span>', made)


@cache
def _reader() -> MarkdownIt:
    def formula(text: str, options: Mapping[str, bool]) -> str:
        text = text.replace(r"\allowbreak", "")  # MathML breaks lines by itself
        if not options["display_mode"]:
            return " ".join(map(convert, _BREAKS.split(text)))
        made = convert(text, display="block")
        return made.replace("<math ", '<math tabindex="0" ', 1)  # a long one scrolls, by keys too

    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return reader.use(dollarmath_plugin, renderer=formula, double_inline=True)


def relinked(text: str, to: Callable[[str], str]) -> str:
    """HTML whose links lead elsewhere."""
    return _LINK.sub(lambda link: f'{link[1]}"{html.escape(to(html.unescape(link[2])))}"', text)


def data(name: str, value: object) -> str:
    """A script that hands data to a page, under the name of its file."""
    return f'alibiViz("{name}", "{compressed(value)}");'


def files(views: Views) -> dict[str, bytes]:
    """What all pages load, by name. views: all pictures of the pages."""
    shared = {name: view for name, view in views.items() if name not in ALONE}
    scripts = {"site": shared} | {name: {name: views[name]} for name in ALONE}
    text = {f"{name}.js": _script(shown) for name, shown in scripts.items()} | {"site.css": css()}
    vendored = {PLOTLY: gzip.decompress((HERE / f"{PLOTLY}.gz").read_bytes())}
    vendored[LICENCE] = (HERE / LICENCE).read_bytes()
    return {name: content.encode() for name, content in text.items()} | vendored


def _script(views: Views) -> str:
    start = f'views[""].mount(views, {json.dumps(dark_of_light())});'
    return "\n".join(["(() => {", bundle({**views, "terms": (TERMS, ()), "": (HERE / "site.js", ())}), start, "})();"])


def css() -> str:
    """The style of all pages."""
    return "\n".join([theme(), *map(style, (HERE / "site.css", TERMS.with_suffix(".css")))])


def dark_of_light() -> dict[str, str]:
    """The colours of a chart in the light theme, as a figure has them, and what the dark theme has in their place."""
    pairs = [(getattr(LIGHT, name), getattr(DARK, name)) for name in vars(LIGHT)]
    pairs += [(look.light, look.dark) for look in (*LOOKS.values(), UNTRAINED)]

    def clear(colour: str) -> str:  # of a band
        return f"rgba({','.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))},"

    return dict(pairs) | {clear(light): clear(dark) for light, dark in pairs}
