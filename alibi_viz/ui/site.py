"""The site: what `alibi-viz site` runs, in a process of its own. Each page of the app runs once a language, at its defaults
and with all sections open, as its tests run it; what it has sent to the browser becomes a page of the site, in this order.

Widgets are left out, since Python answers them: a line says so, with the commands that start the app.
"""

import html
import logging
import math
import shutil
import sys
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from alibi_viz import APP_FOLDER
from alibi_viz.export import header_of, listed
from alibi_viz.export import site as pages
from alibi_viz.lessons import Lesson, languages, load, plain
from alibi_viz.lessons.numbers import format_number
from alibi_viz.render import INSTALL
from alibi_viz.ui import address
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.exporting import chart_data, made, run_page, started
from alibi_viz.ui.page import settings
from alibi_viz.ui.shell import navigation

PICTURES = APP_FOLDER / "docs/pictures"  # stills of the lessons; an installed package has none
LONGEST = 200  # rows of a table
HORIZONTAL = 2  # a container's direction: its elements stand side by side
SILENT = ("theme", "address", "terms", "present_keys")  # components that draw nothing


class Page:
    """A page of the app that has run, and what it says as HTML. parts: what moves on its stage, and in its sections."""

    def __init__(self, app: Any, name: str, language: str) -> None:
        self.name, self.app = name, app
        self.text, self.words = load(name, language), load("shared", language)
        self.state: address.State = app.session_state[address.STATE]
        self.parts: dict[bool, dict[str, Any]] = {False: {}, True: {}}  # in a section?
        self.controls = {key: _bounds(read.param) for key, read in self.state.reads.items()}
        self.is_whole = True  # whether nothing was left out
        (place,) = (block for block in _blocks(app.main) if _key(block) == "page")
        self.html = "".join(self._drawn(place, ""))

    def _drawn(self, block: Any, section: str) -> Iterator[str]:
        for element in block.children.values():
            if not hasattr(element, "children"):
                yield self._element(element, section)
            elif element.type == "expander":
                key = _key(element).rpartition("_")[2]
                inner = "".join(self._drawn(element, key))
                name = f' data-section="{key}"' if key else ""
                if inner:
                    yield f"<details{name}><summary>{html.escape(element.label)}</summary>{inner}</details>"
            elif element.type != "popover" and (inner := "".join(self._drawn(element, section))):
                look = [_key(element)]
                if element.type == "flex_container" and element.proto.flex_container.direction == HORIZONTAL:
                    look.append("columns" if _has_columns(element) else "row")
                yield f'<div class="{html.escape(" ".join(filter(None, look)))}">{inner}</div>'

    def _element(self, element: Any, section: str) -> str:
        match element.type:
            case "title" | "header" | "subheader":
                anchor = f' id="{html.escape(element.proto.anchor)}"' if element.proto.anchor else ""
                return f"<{element.tag}{anchor}>{html.escape(element.value)}</{element.tag}>"
            case "markdown" | "info" | "warning" | "success" | "error":
                return pages.markdown(element.value)
            case "caption":
                return f'<div class="caption">{pages.markdown(element.value)}</div>'
            case "html":
                return (
                    "" if 'id="controls"' in element.proto.body else str(element.proto.body)
                )  # ours: no reader's text
            case "page_link":
                to = f"{element.proto.page}{'?' if element.proto.query_string else ''}{element.proto.query_string}"
                about = f' title="{html.escape(element.proto.help)}"' if element.proto.help else ""
                return f'<a href="{html.escape(to)}"{about}>{html.escape(element.proto.label)}</a>\n'
            case "code":
                return f"<pre tabindex=0><code>{html.escape(element.value)}</code></pre>"
            case "arrow_data_frame" | "dataframe":
                rows = element.value.iloc[:LONGEST]
                table = rows.to_html(index=False, border=0, float_format=partial(format_number, digits=6), na_rep="–")
                return f'<div class="scroll" tabindex=0>{table}</div>'
            case "plotly_chart":
                return self._chart(element.proto, section)
            case "bidi_component":
                return self._picture(element.proto, section)
        return self._needs()

    def _needs(self) -> str:
        """Where the page first has what Python answers."""
        said = self.words.entry("site", "needs", install=INSTALL, start="alibi-viz") if self.is_whole else ""
        self.is_whole = False
        return f'<div class="soft">{pages.markdown(said)}</div>' if said else ""

    def _chart(self, proto: Any, section: str) -> str:
        data = chart_data(proto)
        height = data["figure"]["layout"].get("height")
        return self._frame(
            "chart", {"kind": "chart", "data": data}, section, f"--high: {height}px" if height else "", proto.alt
        )

    def _picture(self, proto: Any, section: str) -> str:
        name = proto.component_name.removeprefix(modules.PREFIX)
        if name in SILENT or not proto.bytes:
            return ""
        header = header_of(proto.bytes)
        typed = any(hand["kind"] == "line" for hand in header.get("hands", {}).get("hands", ()))
        low = "" if header.get("size", "stage") == "stage" else "--high: 120px"
        part = {"kind": name, "bytes": b64encode(proto.bytes).decode()}
        values = listed(settings(self.state, self.text), self.text.language)
        stands = self.words.entry("site", "stands", values=values) if values and not section else ""
        frame = self._frame(name, part, section, low, str(header.get("alt", "")))
        after = f'<p class="stands" hidden>{html.escape(stands)}</p>' if stands else ""
        return frame + after + (self._needs() if typed else "")

    def _frame(self, kind: str, part: dict[str, Any], section: str, look: str, alt: str) -> str:
        """The place of a picture, with its still until it moves."""
        of_page = self.parts[bool(section)]
        name, still = f"part-{'s' if section else ''}{len(of_page)}", ""
        if not of_page and not section and (PICTURES / f"{self.name}.png").is_file():
            still = f'<noscript><img src="ROOTpictures/{self.name}.png" alt="{html.escape(alt)}"></noscript>'
        of_page[name] = part
        return f'<div class="picture-frame" id="{name}" data-picture="{kind}" style="{look}">{still}</div>'


def _bounds(param: Any) -> dict[str, Any]:
    ends = {name: end for name in ("low", "high") if math.isfinite(end := getattr(param, name))}
    return {"kind": param.kind, "default": address.to_text(param.default), "choices": list(param.choices), **ends}


def _blocks(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        if hasattr(child, "children"):
            yield child
            yield from _blocks(child)


def _key(block: Any) -> str:
    """The key that a container has in the app; empty: none."""
    proto = block.proto
    name = getattr(proto, "id", "") or (proto.expandable.id if hasattr(proto, "expandable") else "")
    return str(name).split("-", 2)[2] if name.count("-") >= 2 else ""


def _has_columns(block: Any) -> bool:
    return any(child.type == "column" for child in block.children.values())


def _opened(name: str) -> dict[str, str]:
    """The query that opens all sections of a page."""
    text = load(name)
    return {f"{name}_open": ",".join([*text.entries("sections"), "code"])} if "sections" in text else {}


def _ran(language: str) -> Iterator[Page]:
    """Every page of the app in a language. Raises ValueError where one fails."""
    app = started()
    for name in navigation.ENTRIES:
        try:
            run_page(app, name, {page_options.LANGUAGE.key: language} | _opened(name))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        yield Page(app, name, language)


def build(out: Path, url: str = "") -> int:
    """Write the site into a folder. url: where it will be, for search engines. Returns the number of pages."""
    count = 0
    if PICTURES.is_dir():
        shutil.copytree(PICTURES, out / "pictures", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.webp"))
    for language in languages.LANGUAGES:
        for ran in _ran(language):
            _write(out, ran, language, url)
            count += 1
    drawn = {name: source for name, source in modules.SOURCES.items() if name not in SILENT}
    drawn["terms"] = (modules.PACKAGE / "ui/components/terms.js", ())  # it draws beside links
    icon = (Path(navigation.__file__).parent / "icon.svg").read_bytes()
    for name, content in (pages.files(drawn, modules.PACKAGE / "ui/components/terms.css") | {"icon.svg": icon}).items():
        (out / name).write_bytes(content)
    return count


def _folder(language: str, name: str) -> str:
    """The address of a page below the site, with a slash at its end where it is not the first one."""
    return "".join(
        f"{part}/" for part in ("" if language == languages.ENGLISH else language, navigation.url_path(name)) if part
    )


def _write(out: Path, ran: Page, language: str, url: str) -> None:
    text, words, folder = ran.text, ran.words, _folder(language, ran.name)
    place, root = out / folder, "../" * folder.count("/")
    place.mkdir(parents=True, exist_ok=True)

    def to(link: str) -> str:
        """From a link of the app: the folder says the language."""
        parts = urlsplit(link)
        if parts.path not in navigation.ENTRIES:
            return link
        query = [(key, value) for key, value in parse_qsl(parts.query) if key != page_options.LANGUAGE.key]
        file = f"{root}{_folder(language, parts.path)}index.html"
        return urlunsplit(("", "", file, urlencode(query, safe=",:"), parts.fragment))

    stage, sections = ran.parts[False], ran.parts[True]
    scripts = [f'<script defer src="{root}{pages.PLOTLY}"></script>'] if _has_chart(stage) else []
    scripts.append('<script defer src="page.js"></script>')
    (place / "page.js").write_text(pages.data("page", {"controls": ran.controls, "parts": stage}), encoding="utf-8")
    if sections:
        (place / "sections.js").write_text(pages.data("sections", sections), encoding="utf-8")
    lead = next((element.value for element in ran.app.main.markdown), "")
    shared = (
        {key: words.label(key) for key in ("app", "theme")}
        | words.entries("site")
        | {"share": words.entry("share", "title")}
    )
    texts = shared | {
        "title": text.text("title"),
        "description": plain(lead)[:300],
        "language": language,
        "lesson": ran.name,
        "path": navigation.url_path(ran.name),
        "root": root,
        "home": to(navigation.FIRST),
    }
    filled = pages.page(
        texts,
        head=_head(ran.name, language, url),
        scripts="\n".join(scripts),
        languages=_switch(ran.name, language, root),
        menu=pages.relinked(_menu(ran.name, words), to),
        main=pages.relinked(ran.html, to).replace('src="ROOT', f'src="{root}'),
        made=html.escape(made(language)),
    )
    (place / "index.html").write_text(filled, encoding="utf-8")


def _has_chart(parts: dict[str, Any]) -> bool:
    return any(part["kind"] == "chart" for part in parts.values())


def _head(name: str, language: str, url: str) -> str:
    """What other languages a page has, and its still: whole addresses, so only where the site's is known."""
    if not url:
        return ""
    base = url.rstrip("/") + "/"
    links = [
        f'<link rel="alternate" hreflang="{other}" href="{html.escape(base + _folder(other, name))}">'
        for other in languages.LANGUAGES
    ]
    links.append(f'<link rel="canonical" href="{html.escape(base + _folder(language, name))}">')
    if (PICTURES / f"{name}.png").is_file():
        links.append(f'<meta property="og:image" content="{html.escape(base)}pictures/{name}.png">')
    return "\n".join(links)


def _switch(name: str, language: str, root: str) -> str:
    return "\n".join(
        f'<span aria-current="true">{title}</span>'
        if other == language
        else f'<a data-language="{other}" lang="{other}" href="{root}{_folder(other, name)}index.html">{title}</a>'
        for other, title in languages.LANGUAGES.items()
    )


def _menu(opened: str, words: Lesson) -> str:
    """The menu of the app."""
    lines = []
    for heading, entries in navigation.SECTIONS.items():
        lines += [f"<b>{html.escape(words.label(heading))}</b>"] if heading else []
        for entry in entries:
            first = next(iter(entry))
            mark = ' aria-current="page"' if opened in entry else ""
            lines.append(f'<a href="{first}"{mark}>{html.escape(navigation.menu_title(first, words.language))}</a>')
    return "\n".join(lines)


def main(out: str, url: str = "") -> int:
    logging.disable(logging.WARNING)  # Streamlit's lines about running without a server
    try:
        print(build(Path(out), url), "pages")
    except (ValueError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
