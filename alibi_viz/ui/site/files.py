"""The files of the site: a folder a page, with its HTML, and as scripts what moves in it and its other states; what all
pages load; and the numbers of large pictures, which pages share.
"""

import logging
import math
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from alibi_viz.export import filled
from alibi_viz.export import site as pages
from alibi_viz.lessons import Lesson, languages, load, plain
from alibi_viz.ui import address, weights
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.exporting import credit
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.navigation import folder_of
from alibi_viz.ui.site import extras, states
from alibi_viz.ui.site.page import Page

#: The first page at its own address in the app leads to it, with all that it is asked for.
MOVED = """<!DOCTYPE html>
<meta charset="utf-8"><meta name="robots" content="noindex"><title>{0}</title>
<p><a href="../index.html">{0}</a></p>
<script>
const {{ href }} = document.links[0], to = location.protocol === "file:" ? href : href.replace("index.html", "");
location.replace(to + location.search + location.hash);
</script>
"""


class Site(NamedTuple):
    """The folder that is written; where it will be, and where its code is, or ""; whether it has cards (cards.py)."""

    out: Path
    url: str
    repository: str
    has_cards: bool


def write_shared(site: Site) -> None:
    """What all pages load, what others look for, and the page for an address where there is none. The pages have run: only
    now it is known what they draw.
    """
    out = site.out
    drawn = {name: source for name, source in modules.SOURCES.items() if source[1]}  # what has no style draws nothing
    files = pages.files(drawn)
    files["icon.svg"] = (Path(navigation.__file__).parent / "icon.svg").read_bytes()
    files["404.html"] = lost(site.url).encode()
    files |= extras.files(site.url, [folder_of(*page) for page in product(languages.LANGUAGES, navigation.ENTRIES)])
    for name, content in files.items():
        (out / name).write_bytes(content)
    for name in weights.SHIPPED:  # a page loads a model when a reader asks for it
        path = f"weights/{name}"
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        _write(out, path, weights.content(name))


def write_pages(site: Site, language: str) -> int:
    """All pages in a language; returns how many."""
    logging.disable(logging.WARNING)  # Streamlit's lines about running without a server
    count = 0
    for page in states.ran(language):
        write_page(site, page, language)
        count += 1
    return count


def write_page(site: Site, ran: Mapping[str, Page], language: str) -> None:
    """A page in its states; the first one has an address of its own in the app too, which leads to it."""
    first = ran[""]
    path = navigation.url_path(first.name)
    folder = folder_of(language, first.name)
    text, words, root = first.text, first.words, "../" * folder.count("/")
    place = site.out / folder
    place.mkdir(parents=True, exist_ok=True)
    if not path:
        (place / first.name).mkdir()
        (place / first.name / "index.html").write_text(MOVED.format(text.text("title")), encoding="utf-8")

    def to(link: str) -> str:
        """From a link of the app: the folder says the language."""
        parts = urlsplit(link)
        name = parts.path.removeprefix("/")
        if parts.netloc or name not in navigation.ENTRIES:
            return link
        query = [(key, value) for key, value in parse_qsl(parts.query) if key != page_options.LANGUAGE.key]
        file = f"{root}{folder_of(language, name)}index.html"
        return urlunsplit(("", "", file, urlencode(query, safe=",:"), parts.fragment))

    _write(place, "page", {"controls": _controls(first), "parts": first.stage})
    if first.sections:
        _write(place, "sections", first.sections)
    if len(ran) > 1:
        _write(place, "states", _packed(ran, to))
    for name, content in [numbers for page in ran.values() for numbers in page.numbers.items()]:
        if not (site.out / f"{name}.js").exists():  # another page has the same
            _write(site.out, name, content)
    html = filled(
        "site/site.html",
        title=text.text("title"),
        description=plain(first.said(next((element.value for element in first.main.markdown), "")))[:300],
        language=language,
        tag=languages.tag(language),
        lesson=first.name,
        path=path,
        root=root,
        url=site.url,
        folders={other: folder_of(other, first.name) for other in languages.LANGUAGES},
        languages=languages.LANGUAGES,
        lessons=f"{root}{folder_of(language)}" or "./",
        states="states.js" if len(ran) > 1 else "",
        script=next((part["kind"] for part in first.stage.values() if part["kind"] in pages.ALONE), "site"),
        plotly=pages.PLOTLY if any(part["kind"] == "chart" for part in first.stage.values()) else "",
        menu=_menu(words, first.name),
        main=pages.relinked("".join(first.html), to),
        card=f"{folder}card.png" if site.has_cards else "",
        has_picture=bool(first.stage),
        alt=next((chart.proto.alt for chart in first.main.get("plotly_chart")), text.text("title")),
        wheel=extras.WHEEL,
        has_wheel=(site.out / extras.WHEEL).exists(),
        archive=extras.ARCHIVE,
        repository=site.repository,
        credit=credit(language),
        words=words,
    )
    (place / "index.html").write_text(html, encoding="utf-8")


def _packed(states: Mapping[str, Page], to: Callable[[str], str]) -> dict[str, Any]:
    """What a page is in each state: its HTML, whose pieces the states share, and what moves in it otherwise than in the
    first one.
    """
    first = states[""]
    pieces = list(dict.fromkeys(piece for page in states.values() for piece in page.html))
    number = {piece: at for at, piece in enumerate(pieces)}
    sent = {
        name: {"html": [number[piece] for piece in page.html], "parts": page.parts_unlike(first)}
        for name, page in states.items()
    }
    return {"pieces": [pages.relinked(piece, to) for piece in pieces], "states": sent}


def _write(folder: Path, name: str, sent: object) -> None:
    (folder / f"{name}.js").write_text(pages.data(name, sent), encoding="utf-8")


def _menu(words: Lesson, opened: str) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """The menu of the app: headings, and below each its entries: a title, an address below the site, whether it is open. At
    its end is the plan of a class, which in the app stands beside the rooms.
    """
    sections = {heading: [*map(list, entries)] for heading, entries in navigation.SECTIONS.items()}
    sections["reference"] += [[name] for name in navigation.UNLISTED]
    return [
        (
            words.label(heading) if heading else "",
            [
                (navigation.menu_title(entry[0], words.language), folder_of(words.language, entry[0]), opened in entry)
                for entry in entries
            ],
        )
        for heading, entries in sections.items()
    ]


def _controls(page: Page) -> dict[str, dict[str, Any]]:
    """How a page's controls and their choices are called, and bounded."""
    labels = page.words.entries("labels") | page.text.entries("labels")
    return {
        key: {
            "label": labels.get(key, key),
            "said": page.words.entry("lists", "colon", first=labels.get(key, key), second="{}"),
            "kind": read.param.kind,
            "default": page.defaults[key],
            "titles": {choice: address.worded(page.text, read, choice) for choice in read.param.choices},
            **{name: end for name in ("low", "high") if math.isfinite(end := getattr(read.param, name))},
        }
        for key, read in page.reads.items()
    }


def lost(url: str) -> str:
    """The page for an address where there is none, in all languages. It loads nothing."""
    words = [(languages.tag(code), load("shared", code), folder_of(code)) for code in languages.LANGUAGES]
    return filled("site/404.html", css=pages.css(), url=url, languages=words)
