"""The site: what `alibi-viz site` runs, in a process of its own. Each page of the app runs once a language, at its defaults
and with all sections open, as its tests run it; what it has sent to the browser becomes a page of the site, in this order.

Widgets are left out, since Python answers them: a line says so, with the commands that start the app.
"""

import hashlib
import html
import logging
import math
import shutil
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from alibi_viz import APP_FOLDER
from alibi_viz.export import header_end, header_of, listed
from alibi_viz.export import site as pages
from alibi_viz.export.site.blocks import Block, compressed, differing, packed, written
from alibi_viz.lessons import Lesson, languages, load, plain
from alibi_viz.lessons.numbers import format_number
from alibi_viz.render import INSTALL
from alibi_viz.ui import address
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.exporting import chart_data, made, run_page, started
from alibi_viz.ui.page import settings
from alibi_viz.ui.shell import navigation

PICTURES = APP_FOLDER / "docs/pictures"  # stills of the lessons
LONGEST = 200  # rows of a table
HORIZONTAL = 2  # a container's direction: its elements stand side by side
SILENT = ("theme", "address", "terms", "present_keys")  # components that draw nothing
#: Bytes of a picture's numbers from which they are a file of their own, which all languages share.
LARGE = 20_000
#: Other states of a page that the site has: at most so many, in so many bytes of a file.
MOST_STATES, MOST_BYTES = 30, 60_000
#: Keys whose other values need Python: what they show is not shipped, or is the reader's own.
PYTHON_ALONE = ("train", "train_length", "train_show", "model_source", "write_after", "temperature")
#: Hands of pictures that no browser answers, and the site has states for.
HANDS = ("measured", "pitfall", "write_near", "write_seed")
TRIES = 4  # texts of the models, each with draws of its own
ANSWER = "answer"  # stands in a state, not in an address: the question of the page is answered
FEW = 4  # options that stand side by side


@dataclass(frozen=True)
class Offer:
    """What a reader can choose: its name; titles, and the values that each sets beside those that stay."""

    name: str
    options: Sequence[tuple[str, Mapping[str, str]]]
    keeps: bool = True  # the other values; else they are the defaults


class Page:
    """A page of the app as it has run, and what it says as HTML. parts: what moves on its stage, and in its sections."""

    def __init__(self, app: Any, name: str, language: str, *, is_answered: bool = False) -> None:
        self.name, self.main = name, app.main
        self.text, self.words = load(name, language), load("shared", language)
        state: address.State = app.session_state[address.STATE]
        self.reads = {key: read for key, read in state.reads.items() if key not in state.framing}
        self.values = {key: address.to_text(read.cleaned.value) for key, read in self.reads.items()}
        self.values |= {ANSWER: "true"} if is_answered else {}
        self.settings = listed(settings(state, self.text), language)
        self.draw()

    def draw(self, offered: Collection[str] = (), presets: Mapping[str, str] | None = None) -> None:
        """Make its HTML. offered: the other states that the site has; presets: those of the buttons, by their keys."""
        self.offered, self.presets = offered, presets or {}
        self.offers: list[Offer] = []
        self.parts: dict[bool, dict[str, Any]] = {False: {}, True: {}}  # in a section?
        self.is_whole = True  # whether nothing was left out
        (place,) = (block for block in _blocks(self.main) if _key(block) == "page")
        self.block = Block("", tuple(self._drawn(place, "")), "")

    @property
    def all_parts(self) -> dict[str, Any]:
        return self.parts[False] | self.parts[True]

    def state(self, changed: Mapping[str, str], *, keeps: bool = True) -> str:
        """The name of a state: what is not at its default."""
        now = {key: value for key, value in self.values.items() if keeps and key != ANSWER} | dict(changed)
        first = {key: address.to_text(read.param.default) for key, read in self.reads.items()}
        own = {key: value for key, value in now.items() if value != first.get(key) and not key.endswith("_open")}
        return "&".join(f"{key}={own[key]}" for key in sorted(own))

    def _drawn(self, block: Any, section: str) -> Iterator[Block | str]:
        for element in block.children.values():
            if not hasattr(element, "children"):
                yield self._element(element, section)
            elif element.type == "expander":
                key = _key(element).rpartition("_")[2]
                name = f' data-section="{key}"' if key else ""
                if inner := tuple(self._drawn(element, key)):
                    yield Block(f"<details{name}><summary>{html.escape(element.label)}</summary>", inner, "</details>")
            elif element.type != "popover" and (inner := tuple(self._drawn(element, section))):
                look = [_key(element)]
                if element.type == "flex_container" and element.proto.flex_container.direction == HORIZONTAL:
                    look.append("columns" if _has_columns(element) else "row")
                yield Block(f'<div class="{html.escape(" ".join(filter(None, look)))}">', inner, "</div>")

    def _element(self, element: Any, section: str) -> Block | str:
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
        offer = self._offer_of(element)
        return (self._choice(offer) if offer else "") or self._needs()

    def _needs(self) -> str:
        """Where the page first has what Python answers."""
        if not self.is_whole:
            return ""
        self.is_whole = False
        return f'<div class="soft">{_commands(self.words, "trains" if self.name == "train" else "needs")}</div>'

    def _offer_of(self, element: Any) -> Offer | None:
        """What one of Streamlit's widgets offers."""
        key = _key(element)
        if key in self.presets:
            return Offer("", [(element.label, dict(parse_state(self.presets[key])))], keeps=False)
        if key == "question_skip":
            return Offer("", [(element.label, {ANSWER: "true"})])
        read = self.reads.get(key := key.removeprefix("widget_"))
        if read is None or read.param.kind not in ("choice", "flag"):
            return None
        titles = [getattr(option, "content", option) for option in getattr(element.proto, "options", ())]
        return self._offer(element.label, key, titles or [self.words.label(word) for word in ("false", "true")])

    def _offer(self, name: str, key: str, titles: Iterable[str]) -> Offer:
        values = self.reads[key].param.choices or ("false", "true")
        return Offer(name, [(title, {key: value}) for title, value in zip(titles, values, strict=True)])

    def _offers_of_hands(self, name: str, header: Mapping[str, Any]) -> Iterator[Offer]:
        """What the hands of a picture offer that no browser answers."""
        hands, is_still = header.get("hands", {}), not any(view.get("follows") for view in header.get("views", ()))
        if not (name in ("write", "compare") or (name == "matrices" and is_still)):
            return
        presets = [(preset["label"], _texts(preset["values"])) for preset in hands["presets"]]
        for label, values in presets:
            yield Offer("", [(label, values)])
        for hand in hands["hands"]:
            key, label = hand["key"], hand["label"]
            if key not in HANDS:
                continue
            if hand["kind"] == "slider":
                yield Offer(label, [(str(number), {key: str(number)}) for number in range(1, TRIES + 1)])
            elif hand["kind"] == "switch":
                yield self._offer(label, key, [self.words.label(word) for word in ("false", "true")])
            else:
                yield self._offer(label, key, [title for _, title in hand["options"]])

    def _choice(self, offer: Offer) -> str:
        """Its options that the site has a state for; none where that is the one at hand alone."""
        self.offers.append(offer)
        options = []
        for title, values in offer.options:
            states = (self.state(values, keeps=offer.keeps), self.state(values, keeps=False))
            if (state := next((state for state in states if state in self.offered), None)) is not None:
                is_shown = all(self.values.get(key) == value for key, value in values.items())
                options.append((title, state, is_shown if offer.keeps else state == self.state({})))
        if len(options) + (not offer.name) < 2:
            return ""
        return pages.choice(offer.name, options, as_list=len(options) > FEW)

    def _chart(self, proto: Any, section: str) -> str:
        data = chart_data(proto)
        height = data["figure"]["layout"].get("height")
        part = {"kind": "chart", "data": data}
        return self._frame(proto, "chart", part, section, f"--high: {height}px" if height else "")

    def _picture(self, proto: Any, section: str) -> Block | str:
        name = proto.component_name.removeprefix(modules.PREFIX)
        if name in SILENT or not proto.bytes:
            return ""
        header = header_of(proto.bytes)
        typed = any(hand["kind"] == "line" for hand in header.get("hands", {}).get("hands", ()))
        low = "" if header.get("size", "stage") == "stage" else "--high: 120px"
        part = {"kind": name, "bytes": b64encode(proto.bytes).decode()}
        stands = self.words.entry("site", "stands", values=self.settings) if self.settings and not section else ""
        offers = "".join(map(self._choice, self._offers_of_hands(name, header)))
        return Block(
            "",
            (
                f'<div class="row">{offers}</div>' if offers else "",
                self._frame(proto, name, part, section, low),
                f'<p class="stands" hidden>{html.escape(stands)}</p>' if stands else "",
                self._needs() if typed else "",
            ),
            "",
        )

    def _frame(self, proto: Any, kind: str, part: dict[str, Any], section: str, look: str) -> str:
        """The place of a picture."""
        self.parts[bool(section)][name := f"{_key_in(proto.id)}"] = part
        return f'<div class="picture-frame" data-part="{html.escape(name)}" data-picture="{kind}" style="{look}"></div>'


def parse_state(state: str) -> Iterator[tuple[str, str]]:
    for pair in filter(None, state.split("&")):
        key, _, value = pair.partition("=")
        yield key, value


def _commands(words: Lesson, entry: str) -> str:
    """A sentence about the app, with the commands that start it."""
    return pages.markdown(words.entry("site", entry, install=INSTALL, start="alibi-viz"))


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: address.to_text(value) for key, value in values.items()}


def _bounds(param: Any, label: str) -> dict[str, Any]:
    ends = {name: end for name in ("low", "high") if math.isfinite(end := getattr(param, name))}
    default, choices = address.to_text(param.default), list(param.choices)
    return {"label": label, "kind": param.kind, "default": default, "choices": choices, **ends}


def _blocks(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        if hasattr(child, "children"):
            yield child
            yield from _blocks(child)


def _key(block: Any) -> str:
    """The key that a container or an element has in the app; empty: none."""
    proto = block.proto
    return _key_in(getattr(proto, "id", "") or (proto.expandable.id if hasattr(proto, "expandable") else ""))


def _key_in(name: object) -> str:
    return str(name).split("-", 2)[2] if str(name).count("-") >= 2 else ""


def _has_columns(block: Any) -> bool:
    return any(child.type == "column" for child in block.children.values())


def _run(app: Any, name: str, language: str, values: Mapping[str, str]) -> Page:
    """A page with these values and all its sections open. Raises ValueError where it fails."""
    text = load(name)
    sections = ",".join([*text.entries("sections"), "code"]) if "sections" in text else ""
    app.query_params.clear()
    try:
        run_page(app, name, {page_options.LANGUAGE.key: language, **values, f"{name}_open": sections})
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return Page(app, name, language)


def _states(app: Any, first: Page, language: str) -> dict[str, Page]:
    """A page in all states that the site has, by their names; the first one has none."""
    defaults = {key: address.to_text(read.param.default) for key, read in first.reads.items()}
    found: dict[str, Page] = {}
    presets: dict[str, str] = {}

    def visit(state: str) -> None:
        found[state] = _run(app, first.name, language, defaults | dict(parse_state(state)))
        for button in [button for button in app.button if button.key == "question_skip"]:
            button.click().run()
            page = Page(app, first.name, language, is_answered=True)
            found[page.state({ANSWER: "true"})] = page

    visit("")
    if first.name in PYTHON_ALONE:
        return found
    for key in [button.key for button in app.button if str(button.key).startswith(f"try_{first.name}_")]:
        app.button(key=key).click().run()
        page = Page(app, first.name, language)
        presets[key] = page.state({})
        found[presets[key]] = page
    first.draw(found, presets)
    for offer in first.offers:
        states = (first.state(values, keeps=offer.keeps) for _, values in offer.options if ANSWER not in values)
        for state in states:
            values = dict(parse_state(state))
            if state not in found and len(found) < MOST_STATES and not values.keys() & set(PYTHON_ALONE):
                visit(state)
    return _within_bounds(found, presets)


def _within_bounds(states: Mapping[str, Page], presets: Mapping[str, str]) -> dict[str, Page]:
    """As many of these states, in their order, as fit into MOST_BYTES, none of which takes half of it; their pages offer no
    others.
    """
    kept = {"": states[""]}
    for name, page in states.items():
        alone, together = (len(_packed({**others, name: page}, str)) for others in ({"": states[""]}, kept))
        if together <= MOST_BYTES and alone <= MOST_BYTES / 2:
            kept[name] = page
    for page in kept.values():
        page.draw(kept, presets)
    return kept


def _ran(language: str) -> Iterator[dict[str, Page]]:
    """Every page of the app in a language, in its states. Pages share values, so all stand at their defaults first."""
    app = started()
    for first in [_run(app, name, language, {}) for name in navigation.ENTRIES]:
        yield _states(app, first, language)


def build(out: Path, url: str = "") -> int:
    """Write the site into a folder. url: where it will be, for search engines. Returns the number of pages."""
    count = 0
    shutil.copytree(PICTURES, out / "pictures", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.webp"))
    for language in languages.LANGUAGES:
        for states in _ran(language):
            for path in (path for path, name in navigation.PATHS.items() if name == states[""].name):
                _write(out, states, language, path, url)
                count += 1
    drawn = {name: source for name, source in modules.SOURCES.items() if name not in SILENT}
    drawn["terms"] = (modules.PACKAGE / "ui/components/terms.js", ())  # it draws beside links
    icon = (Path(navigation.__file__).parent / "icon.svg").read_bytes()
    for name, content in (pages.files(drawn, modules.PACKAGE / "ui/components/terms.css") | {"icon.svg": icon}).items():
        (out / name).write_bytes(content)
    return count


def _folder(language: str, path: str) -> str:
    """The address of a page below the site, with a slash at its end where it is not the first one."""
    return "".join(f"{part}/" for part in ("" if language == languages.ENGLISH else language, path) if part)


def _write(out: Path, states: Mapping[str, Page], language: str, path: str, url: str) -> None:
    """path: a page's address in the app. The first one has two."""
    ran, folder = states[""], _folder(language, path)
    text, words = ran.text, ran.words
    place, root = out / folder, "../" * folder.count("/")
    place.mkdir(parents=True, exist_ok=True)

    def to(link: str) -> str:
        """From a link of the app: the folder says the language."""
        parts = urlsplit(link)
        if parts.path not in navigation.ENTRIES:
            return link
        query = [(key, value) for key, value in parse_qsl(parts.query) if key != page_options.LANGUAGE.key]
        file = f"{root}{_folder(language, navigation.url_path(parts.path))}index.html"
        return urlunsplit(("", "", file, urlencode(query, safe=",:"), parts.fragment))

    def finish(part: str) -> str:
        return pages.relinked(part, to)

    places = differing(ran.block, (page.block for page in states.values()))
    if len(states) > 1:
        (place / "states.js").write_text(pages.data("states", _packed(states, finish)), encoding="utf-8")
    stage, sections = (_without_numbers(parts, out) for parts in (ran.parts[False], ran.parts[True]))
    scripts = [f'<script defer src="{root}{pages.PLOTLY}"></script>'] if _has_chart(stage) else []
    scripts.append('<script defer src="page.js"></script>')
    labels = words.entries("labels") | text.entries("labels")
    controls = {key: _bounds(ran.reads[key].param, labels.get(key, key)) for key in sorted(ran.reads)}
    (place / "page.js").write_text(pages.data("page", {"controls": controls, "parts": stage}), encoding="utf-8")
    if sections:
        (place / "sections.js").write_text(pages.data("sections", compressed(sections)), encoding="utf-8")
    lead = next((element.value for element in ran.main.markdown), "")
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
        "path": path,
        "root": root,
        "home": to(navigation.FIRST),
        "lessons": f"{root}{_folder(language, '')}" or "./",
        "states": "states.js" if places else "",
    }
    filled = pages.page(
        texts,
        head=_head(ran.name, language, url),
        scripts="\n".join(scripts),
        languages=_switch(path, language, root),
        menu=pages.relinked(_menu(ran.name, words), to),
        main=finish(written(ran.block, places)),
        still=_still(ran, root),
        asks=_commands(words, "asks"),
        made=html.escape(made(language)),
    )
    (place / "index.html").write_text(filled, encoding="utf-8")


def _without_numbers(parts: Mapping[str, dict[str, Any]], out: Path) -> dict[str, dict[str, Any]]:
    """The parts, of large pictures without their numbers: these become a file of the site, which names what it holds."""
    small: dict[str, dict[str, Any]] = {}
    for key, part in parts.items():
        message = b64decode(part.get("bytes", ""))
        if len(message) < LARGE:
            small[key] = part
            continue
        end = header_end(message)
        name = hashlib.sha256(message[end:]).hexdigest()[:16]
        small[key] = part | {"bytes": b64encode(message[:end]).decode(), "numbers": name}
        if not (file := out / f"numbers-{name}.js").exists():  # another language's page has the same
            file.write_text(pages.data("numbers", {name: compressed(message[end:])}), encoding="utf-8")
    return small


def _still(ran: Page, root: str) -> str:
    """The picture of a page, for who has no JavaScript."""
    alts = (element.proto.alt for element in ran.main.get("plotly_chart"))
    has_one = ran.parts[False] and (PICTURES / f"{ran.name}.png").is_file()
    alt = html.escape(next(alts, ran.text.text("title")))
    return f'<noscript><img src="{root}pictures/{ran.name}.png" alt="{alt}"></noscript>' if has_one else ""


def _packed(states: Mapping[str, Page], finish: Callable[[str], str]) -> str:
    return packed({name: (page.block, page.all_parts) for name, page in states.items()}, finish)


def _has_chart(parts: dict[str, Any]) -> bool:
    return any(part["kind"] == "chart" for part in parts.values())


def _head(name: str, language: str, url: str) -> str:
    """What other languages a page has, and its still: whole addresses, so only where the site's is known."""
    if not url:
        return ""
    base, path = url.rstrip("/") + "/", navigation.url_path(name)
    links = [
        f'<link rel="alternate" hreflang="{other}" href="{html.escape(base + _folder(other, path))}">'
        for other in languages.LANGUAGES
    ]
    links.append(f'<link rel="canonical" href="{html.escape(base + _folder(language, path))}">')
    if (PICTURES / f"{name}.png").is_file():
        links.append(f'<meta property="og:image" content="{html.escape(base)}pictures/{name}.png">')
    return "\n".join(links)


def _switch(path: str, language: str, root: str) -> str:
    return "\n".join(
        f'<span aria-current="true">{title}</span>'
        if other == language
        else f'<a data-language="{other}" lang="{other}" href="{root}{_folder(other, path)}index.html">{title}</a>'
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
