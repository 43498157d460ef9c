"""The files of the site: a folder a page, with its HTML, and as scripts what moves in it and its other states; what all
pages load; pictures, and the numbers of large pictures, which pages share.
"""

import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from alibi_viz import APP_FOLDER
from alibi_viz.export import site as pages
from alibi_viz.lessons import Lesson, languages, load, plain
from alibi_viz.ui import weights
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.exporting import made
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.site.page import Page, commands

PICTURES = APP_FOLDER / "docs/pictures"  # of the lessons


def write_shared(out: Path, url: str) -> None:
    """What all pages load, the pictures, and the page for an address where there is none. The pages have run: only now
    it is known what they draw.
    """
    shutil.copytree(PICTURES, out / "pictures", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.webp"))
    drawn = {name: source for name, source in modules.SOURCES.items() if source[1]}  # what has no style draws nothing
    drawn["terms"] = (modules.PACKAGE / "ui/components/terms.js", ())  # it draws beside links
    files = pages.files(drawn, modules.PACKAGE / "ui/components/terms.css")
    files["icon.svg"] = (Path(navigation.__file__).parent / "icon.svg").read_bytes()
    files["404.html"] = _lost(url).encode()
    for name, content in files.items():
        (out / name).write_bytes(content)
    for name in weights.SHIPPED:  # a page loads a model when a reader asks for it
        path = f"weights/{name}"
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        _write(out, path, weights.content(name))


def write_page(out: Path, states: Mapping[str, Page], language: str, path: str, url: str) -> None:
    """path: a page's address in the app. The first one has two."""
    first, folder = states[""], _folder(language, path)
    text, words, root = first.text, first.words, "../" * folder.count("/")
    place = out / folder
    place.mkdir(parents=True, exist_ok=True)

    def to(link: str) -> str:
        """From a link of the app: the folder says the language."""
        parts = urlsplit(link)
        if parts.path not in navigation.ENTRIES:
            return link
        query = [(key, value) for key, value in parse_qsl(parts.query) if key != page_options.LANGUAGE.key]
        file = f"{root}{_folder(language, navigation.url_path(parts.path))}index.html"
        return urlunsplit(("", "", file, urlencode(query, safe=",:"), parts.fragment))

    _write(place, "page", {"controls": _controls(first), "parts": first.stage})
    if first.sections:
        _write(place, "sections", first.sections)
    if len(states) > 1:
        _write(place, "states", _packed(states, lambda part: pages.relinked(part, to)))
    for name, content in [numbers for page in states.values() for numbers in page.numbers.items()]:
        if not (out / f"{name}.js").exists():  # another page has the same
            _write(out, name, content)
    still = f"pictures/{first.name}.png"
    filled = pages.page(
        title=text.text("title"),
        description=plain(next((element.value for element in first.main.markdown), ""))[:300],
        language=language,
        lesson=first.name,
        path=path,
        root=root,
        url=url and f"{url.rstrip('/')}/",
        folders={other: _folder(other, path) for other in languages.LANGUAGES},
        languages=languages.LANGUAGES,
        lessons=f"{root}{_folder(language, '')}" or "./",
        states="states.js" if len(states) > 1 else "",
        plotly=pages.PLOTLY if any(part["kind"] == "chart" for part in first.stage.values()) else "",
        menu=_menu(words, first.name),
        main=pages.relinked("".join(first.html), to),
        still=still if first.stage and (PICTURES.parent / still).is_file() else "",
        alt=next((chart.proto.alt for chart in first.main.get("plotly_chart")), text.text("title")),
        asks=commands(words, "asks"),
        made=made(language),
        words={
            **{key: words.label(key) for key in ("app", "theme", "skip_main")},
            **words.entries("site"),
            "share": words.entry("share", "title"),
        },
    )
    (place / "index.html").write_text(filled, encoding="utf-8")


def _packed(states: Mapping[str, Page], finish: Callable[[str], str]) -> dict[str, Any]:
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
    return {"pieces": [finish(piece) for piece in pieces], "states": sent}


def _write(folder: Path, name: str, sent: object) -> None:
    (folder / f"{name}.js").write_text(pages.data(name, sent), encoding="utf-8")


def _folder(language: str, path: str) -> str:
    """The address of a page below the site, with a slash at its end where it is not the first one."""
    return "".join(f"{part}/" for part in ("" if language == languages.ENGLISH else language, path) if part)


def _menu(words: Lesson, opened: str = "") -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """The menu of the app: headings, and below each its entries: a title, an address below the site, whether it is open."""
    return [
        (
            words.label(heading) if heading else "",
            [
                (navigation.menu_title(name, words.language), _folder(words.language, path), opened in entry)
                for entry in entries
                for name, path in [(next(iter(entry)), navigation.url_path(next(iter(entry))))]
            ],
        )
        for heading, entries in navigation.SECTIONS.items()
    ]


def _controls(page: Page) -> dict[str, dict[str, Any]]:
    """How a page's controls are called, and bounded."""
    labels = page.words.entries("labels") | page.text.entries("labels")
    return {
        key: {
            "label": labels.get(key, key),
            "kind": param.kind,
            "default": page.defaults[key],
            "choices": param.choices,
            **{name: end for name in ("low", "high") if math.isfinite(end := getattr(param, name))},
        }
        for key, param in page.params.items()
    }


def _lost(url: str) -> str:
    """The page for an address where there is none, in all languages."""
    return pages.lost(
        root=urlsplit(url).path.rstrip("/") + "/",
        is_known=bool(url),
        languages=[
            (language, load("shared", language), _folder(language, ""), _menu(load("shared", language)))
            for language in languages.LANGUAGES
        ],
    )
