"""A picture as one file that moves: the stage of a lesson with its hands, without a server and without the network.

Notable choices:
- The views are those of the app (alibi_viz.pictures), with the last message that Python sent to each. host.js mounts them.
- An element marked `data-alone` holds all parts, and is their event bus.
- Nothing is loaded: the file's content security policy allows its own scripts, by their hashes, and nothing else but
  workers that these make of text they hold. Plotly takes 4.7 MB of the file, a model 0.37 MB.
- Hands that only Python can answer are left out.
"""

import base64
import gzip
import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from alibi_viz.charts.palette import DARK, FONT, LIGHT, Ink
from alibi_viz.lessons import languages
from alibi_viz.pictures import bundle, style

HERE = Path(__file__).parent
TERMS = HERE.parent / "ui/components/terms.js"  # cards of terms, as in the app
LOOK: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
TEMPLATES = Environment(loader=FileSystemLoader(HERE), autoescape=True, **LOOK)
CHART = "chart"  # a Plotly figure; data: figure and config (as JSON has them), alt
THEME = {"background-color": "surface", "secondary-background-color": "raised", "text-color": "text"}
THEME |= {"primary-color": "accent"}


@dataclass(frozen=True)
class Part:
    """A view or a chart as the page has drawn it last: its kind, its sources, and what Python sent to it."""

    kind: str
    module: str | Path
    styles: tuple[str | Path, ...]
    data: bytes | Mapping[str, Any]


def header_of(message: bytes) -> dict[str, Any]:
    """The header of a picture's message."""
    header: dict[str, Any] = json.loads(message[4 : header_end(message)])
    return header


def header_end(message: bytes) -> int:
    """Where the header of a picture's message ends, and its numbers begin."""
    (length,) = struct.unpack_from("<I", message)
    return 4 + int(length)


def page(parts: Sequence[Part], files: Mapping[str, bytes], *, language: str, **words: str) -> str:
    """The file, as HTML. Its styles and scripts come in it, and it may run no others.

    files: what models need, by their addresses (ui.weights). words: what stands around the parts: `title`; `note`, what
    they show at the first setting; `settings`, those of the controls; `credit`, version and date.
    """
    kinds = {part.kind: (part.module, part.styles) for part in parts}
    plotly = [get_plotlyjs()] if kinds.pop(CHART, None) else []
    script = f'{bundle({**kinds, "terms": (TERMS, ()), "": (HERE / "host.js", ())})}\nviews[""].mount(views);'.replace(
        "</script", "<\\/script"
    )
    tags = [*(f"<script>{plotly}</script>" for plotly in plotly), f'<script type="module">{script}</script>']
    allowed = " ".join(f"'sha256-{digest(script)}'" for script in (*plotly, script))
    return filled(
        "page.html",
        words=words,
        language=languages.tag(language),
        policy=f"default-src 'none'; script-src {allowed}; worker-src blob:; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'",
        css="\n".join([theme(), *map(style, (HERE / "page.css", TERMS.with_suffix(".css")))]),
        parts=to_json([_travelling(part) for part in parts]),
        files=files and to_json({address: compressed(file) for address, file in files.items()}),
        scripts="\n".join(tags),
    )


def filled(template: str, **values: object) -> str:
    """A template of this folder with values, which are escaped but where it says `safe`."""
    return TEMPLATES.get_template(template).render(values)


def digest(script: str) -> str:
    """By which a content security policy allows a script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def compressed(value: object) -> str:
    """JSON, or bytes as they are, as a browser can open it: gzip, base64."""
    content = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def _travelling(part: Part) -> dict[str, Any]:
    """A part as JSON."""
    if isinstance(part.data, bytes):
        return {"kind": part.kind, "bytes": base64.b64encode(part.data).decode()}
    return {"kind": CHART, "data": dict(part.data)}


def to_json(value: object) -> str:
    """JSON that may stand in a script: nothing in it can end the script."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def theme() -> str:
    """What all pages of ours have: how lines break, and the colours of the app's two themes, under the names that its views
    know. The theme is that of the reader's system, unless the element says another one (`data-theme`)."""

    def variables(ink: Ink) -> str:
        colours = "".join(f"--st-{name}: {getattr(ink, part)}; " for name, part in THEME.items())
        return f"{colours}--line: {ink.grid}; --soft: {ink.faint};"

    light = f"{variables(LIGHT)} --st-red-color: #c1272d; --st-font: {FONT};"
    dark = f"{variables(DARK)} --st-red-color: #ff6c6c; color-scheme: dark;"
    of_system = f"@media (prefers-color-scheme: dark) {{ .alone:not([data-theme=light]) {{ {dark} }} }}"
    colours = f".alone {{ {light} }}\n{of_system}\n.alone[data-theme=dark] {{ {dark} }}"
    return style(HERE / "common.css") + colours + style("chinese.css")
