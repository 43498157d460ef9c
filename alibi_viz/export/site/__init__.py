"""A web site of all lessons, for any static host and from the disk: its pages as HTML, and what all pages load.

Notable choices:
- Pages are text: sentences, formulas (MathML), tables and links are there without JavaScript. What moves is data in a
  script beside its page; that of the sections comes when one is opened. From the disk a browser fetches nothing else.
- One script has all kinds of pictures, each module of theirs once; one style is of all pages. Plotly comes to the charts
  alone, as its basic bundle (lines and bars): that of plotly.js-basic-dist-min, unchanged.
- The policy of each page lets it ask nothing of another host, and allows no script in the page itself.
"""

import gzip
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from alibi_viz.charts.palette import DARK, LIGHT, LOOKS, UNTRAINED
from alibi_viz.export import plain_file, theme, to_json
from alibi_viz.pictures import bundle

HERE = Path(__file__).parent
PLOTLY = "plotly-basic.min.js"
LICENCE = "plotly-basic.LICENSE"
_LINK = re.compile(r'(<a href=)"([^"]*)"')
Views = Mapping[str, tuple[str | Path, Sequence[str | Path]]]


def page(texts: Mapping[str, str], **parts: str) -> str:
    """A page: site.html with these texts, which are escaped, and these parts, which are HTML."""
    escaped = {key: html.escape(text) for key, text in texts.items()}
    return Template(plain_file("site/site.html")).substitute(escaped, **parts)


def markdown(text: str) -> str:
    """Our Markdown as HTML; what looks like HTML in it is text."""
    made: str = _reader().render(text)
    return made


@cache
def _reader() -> MarkdownIt:
    def formula(text: str, options: Mapping[str, bool]) -> str:
        text = text.replace(r"\allowbreak", "")  # MathML breaks lines by itself
        made: str = convert(text, display="block" if options["display_mode"] else "inline")
        return made

    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return reader.use(dollarmath_plugin, renderer=formula, double_inline=True)


def choice(name: str, options: Sequence[tuple[str, str, bool]], *, as_list: bool) -> str:
    """What a reader can choose. options: a title, the state of the page that it leads to, and whether it is shown."""
    named = f'role="group" aria-label="{html.escape(name)}"' if name else ""
    label = f"<span>{html.escape(name)}</span>" if name else ""
    if as_list:
        marks = (
            f'<option value="{html.escape(state)}"{" selected" if shown else ""}>{html.escape(title)}</option>'
            for title, state, shown in options
        )
        return f"<label class=choice>{label}<select>{''.join(marks)}</select></label>"
    buttons = (
        f'<button type="button" data-state="{html.escape(state)}" aria-pressed="{str(shown).lower()}">'
        f"{html.escape(title)}</button>"
        for title, state, shown in options
    )
    return f"<span class=choice {named}>{label}{''.join(buttons)}</span>"


def relinked(text: str, to: Callable[[str], str]) -> str:
    """HTML whose links lead elsewhere."""
    return _LINK.sub(lambda link: f'{link[1]}"{html.escape(to(html.unescape(link[2])))}"', text)


def data(name: str, value: object) -> str:
    """A script that hands data to a page."""
    return f"alibiViz.{name}({to_json(value)});"


def files(views: Views, *sheets: Path) -> dict[str, bytes]:
    """What all pages load, by name. views: all pictures of the pages; sheets: further styles."""
    start = f'views[""].mount(views, {json.dumps(dark_of_light())});'
    script = "\n".join(["(() => {", bundle({**views, "": (HERE / "site.js", ())}), start, "})();"])
    text = {
        "site.js": script,
        "site.css": "\n".join([theme(), plain_file("site/site.css"), *(sheet.read_text() for sheet in sheets)]),
    }
    vendored = {PLOTLY: gzip.decompress((HERE / f"{PLOTLY}.gz").read_bytes())}
    vendored[LICENCE] = (HERE / LICENCE).read_bytes()
    return {name: content.encode() for name, content in text.items()} | vendored


def dark_of_light() -> dict[str, str]:
    """The colours of a chart in the light theme, as a figure has them, and what the dark theme has in their place."""
    pairs = [(getattr(LIGHT, name), getattr(DARK, name)) for name in vars(LIGHT)]
    pairs += [(look.light, look.dark) for look in (*LOOKS.values(), UNTRAINED)]

    def clear(colour: str) -> str:  # of a band
        return f"rgba({','.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))},"

    return dict(pairs) | {clear(light): clear(dark) for light, dark in pairs}
