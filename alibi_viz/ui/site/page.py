"""A page of the app as it has run: its elements as HTML, in their order, and the pictures that stand among them.

What Python alone answers is left out: a line says what the app does there. In its place stand choices that lead to other
states of the page, as far as the site has them (states.py).
"""

import hashlib
import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from alibi_viz.export import filled, header_end, header_of
from alibi_viz.export import site as pages
from alibi_viz.lessons import load
from alibi_viz.lessons.numbers import format_number
from alibi_viz.ui import address
from alibi_viz.ui.components import modules
from alibi_viz.ui.exporting import chart_data
from alibi_viz.ui.shell import navigation

LONGEST = 200  # rows of a table
#: Bytes of a picture's numbers from which they are a file of their own, which pages share: at its defaults, and else.
LARGE, LARGE_IN_A_STATE = 20_000, 3_000
HORIZONTAL = 2  # a container's direction: its elements stand side by side
TRIES = 4  # texts of the models, each with draws of its own
SKIP, ANSWER = "question_skip", "answer"  # the button that answers the page's question, and a state in which it is
FEW = 4  # options that stand side by side
OWN = ("text_area", "file_uploader")  # where a reader of the app brings something
#: A sentence, or a cell of a table, that names a key of the app.
_KEYS = re.compile(r"[^.。?？|\n`]*`[^`|\n]+`[^.。?？|\n]*[.。?？]?")


class Page:
    """html: in pieces. stage, sections: what moves there, by key; numbers: those of its large pictures, by the names of
    their files. offers: the values that each choice of a reader sets.

    offered: the states that the site has. pythons: the controls that the site has no other values of.
    """

    def __init__(self, app: Any, name: str, language: str) -> None:
        self.name, self.main = name, app.main
        self.text, self.words = load(name, language), load("shared", language)
        state: address.State = app.session_state[address.STATE]
        self.reads = {key: read for key, read in state.reads.items() if not read.is_framing}
        self.defaults = {key: address.to_text(read.param.default) for key, read in self.reads.items()}
        shown = {key: address.to_text(read.cleaned.value) for key, read in self.reads.items()}
        self.values = {key: value for key, value in shown.items() if not key.endswith("_open")}
        self.pythons = {key for key, read in state.reads.items() if read.is_pythons}
        self.tables: dict[int, str] = {}  # as HTML, by their elements: making one takes long
        self.draw()

    def draw(self, offered: Collection[str] = ()) -> None:
        """Make its HTML."""
        self.offered = offered
        self.offers: list[dict[str, str]] = []
        self.stage: dict[str, dict[str, Any]] = {}
        self.sections: dict[str, dict[str, Any]] = {}
        self.numbers: dict[str, bytes] = {}
        self.is_whole = True  # whether nothing was left out
        (place,) = (part for part in self.main.children.values() if part.key == "page")
        self.html = list(self._drawn(place, ""))

    def parts_unlike(self, first: "Page") -> dict[str, dict[str, Any]]:
        """What moves in it otherwise than in the first state."""
        its = first.stage | first.sections
        return {key: part for key, part in (self.stage | self.sections).items() if part != its.get(key)}

    def state(self, values: Mapping[str, str]) -> str:
        """The name of a state: what of these values is not at its default, as an address has it."""
        return urlencode(sorted((key, value) for key, value in values.items() if value != self.defaults.get(key)))

    def _drawn(self, block: Any, section: str) -> Iterator[str]:
        for element in block.children.values():
            if not hasattr(element, "children"):
                yield self._element(element, section)
            elif element.type == "expander":
                key = (element.key or "").rpartition("_")[2]
                name = f' data-section="{key}"' if key else ""
                if any(map(element.get, OWN)):
                    yield self._needs()
                elif inner := list(self._drawn(element, key)):
                    yield from (f"<details{name}><summary>{html.escape(element.label)}</summary>", *inner, "</details>")
            elif element.type != "popover" and any(inner := list(self._drawn(element, section))):
                look = [element.key or ""]
                if element.type == "flex_container" and element.proto.flex_container.direction == HORIZONTAL:
                    has_columns = any(part.type == "column" for part in element.children.values())
                    look.append("columns" if has_columns else "row")
                yield from (f'<div class="{html.escape(" ".join(look))}">', *inner, "</div>")

    def _element(self, element: Any, section: str) -> str:
        match element.type:
            case "title" | "header" | "subheader":
                anchor = f' id="{html.escape(element.proto.anchor)}"' if element.proto.anchor else ""
                return f"<{element.tag}{anchor}>{html.escape(element.value)}</{element.tag}>"
            case "markdown" | "info" | "warning" | "success" | "error":
                return pages.markdown(self.said(element.value))
            case "caption":
                said = pages.markdown(self.said(element.value))
                return f'<div class="caption">{said}</div>' if said else ""
            case "html":
                return str(element.proto.body)  # ours: no reader's text
            case "page_link":
                to = f"{element.proto.page}{'?' if element.proto.query_string else ''}{element.proto.query_string}"
                about = f' title="{html.escape(element.proto.help)}"' if element.proto.help else ""
                return f'<a href="{html.escape(to)}"{about}>{html.escape(element.proto.label)}</a>\n'
            case "code":
                return f"<pre tabindex=0><code>{html.escape(element.value)}</code></pre>"
            case "arrow_data_frame" | "dataframe":
                if id(element) not in self.tables:
                    self.tables[id(element)] = _table(element.value)
                return self.tables[id(element)]
            case "plotly_chart":
                return self._chart(element, section)
            case "bidi_component":
                return self._picture(element, section)
        if element.key == SKIP:
            return self._choice("", [(element.label, {ANSWER: "true"})])
        is_answer = (element.key or "").startswith("question")  # the site shows it at once
        return "" if is_answer else self._needs()

    def said(self, text: str) -> str:
        """What the page says of itself, where the site has not all of it: another lead, and no keys for a class."""
        if "site_lead" in self.text and text == self.text.text("lead"):
            return self.text.text("site_lead")
        return _KEYS.sub("", text) if self.name in navigation.UNLISTED else text

    def _needs(self) -> str:
        """Where the page first has what Python answers."""
        if not self.is_whole:
            return ""
        self.is_whole = False
        sentences = self.words.entries("in_app")
        sentence, run = html.escape(sentences.get(self.name, sentences["other"])), self.words.entry("site", "run")
        return f'<p class="soft">{sentence} <button type="button" popovertarget="run">{run}</button></p>'

    # What a reader can choose.

    def _choices(self, hands: Mapping[str, Any]) -> Iterator[str]:
        """What the hands of a picture or a chart let a reader choose."""
        for preset in hands["presets"]:
            values = {key: address.to_text(value) for key, value in preset["values"].items()}
            yield self._choice("", [(preset["label"], values)])
        for hand in hands["hands"]:
            if hand["key"] not in hands["states"]:
                continue
            options = hand.get("options") or [(word, self.words.label(word)) for word in ("false", "true")]
            if hand["kind"] == "slider":
                options = [(str(number), str(number)) for number in range(1, TRIES + 1)]
            yield self._choice(hand["label"], [(title, {hand["key"]: value}) for value, title in options])

    def _choice(self, name: str, offers: Sequence[tuple[str, dict[str, str]]]) -> str:
        """A choice between the titles that the site has a state for, with the other values if there is one; none where that
        is the one at hand alone. offers: titles, and the values that each sets."""
        options = []
        for title, values in offers:
            self.offers.append(values)
            states = (self.state(self.values | values), self.state(values))
            if (state := next((state for state in states if state in self.offered), None)) is not None:
                options.append((title, state, values.items() <= self.values.items()))
        if len(options) < (2 if name else 1):
            return ""
        keys = ",".join(offers[0][1])
        return filled("site/choice.html", name=name, keys=keys, options=options, as_list=len(options) > FEW)

    # What moves.

    def _chart(self, chart: Any, section: str) -> str:
        data = chart_data(chart.proto)
        height = data["figure"]["layout"].get("height")
        return self._frame(chart, {"kind": "chart", "data": data}, section, f"--high: {height}px" if height else "")

    def _picture(self, picture: Any, section: str) -> str:
        name, message = picture.proto.component_name.removeprefix(modules.PREFIX), picture.proto.bytes
        if not modules.SOURCES[name][1] or not message:
            return ""
        header = header_of(message)
        hands, low = header["hands"], "" if header["size"] == "stage" else "--high: 120px"
        has_states = hands["states"] is not None
        made = list(self._choices(hands)) if has_states else []
        choices = f'<div class="row">{"".join(made)}</div>' if any(made) else ""
        if header["size"] == "row":
            is_whole = all(made) and len(hands["states"]) == len(hands["hands"])
            return choices if is_whole else choices + self._needs()
        part: dict[str, Any] = {"kind": name, "has_presets": not has_states}
        end = header_end(message)
        has_pythons = any(hand["key"] not in hands["answered"] for hand in hands["hands"])
        if len(message) - end > (LARGE_IN_A_STATE if self.state(self.values) else LARGE):
            part["numbers"] = f"numbers-{hashlib.sha256(message[end:]).hexdigest()[:16]}"
            self.numbers[part["numbers"]], message = message[end:], message[:end]
        part["bytes"] = message.decode("latin-1")  # compressed, a seventh less than base64
        parts = (
            choices,
            self._frame(picture, part, section, low),
            "" if section else f'<p class="stands" hidden>{self.words.entry("site", "stands")} <output></output></p>',
            self._needs() if has_pythons else "",
        )
        return "".join(parts)

    def _frame(self, element: Any, part: dict[str, Any], section: str, look: str) -> str:
        """The place of a picture or of a chart."""
        (self.sections if section else self.stage)[element.key] = part
        named = f'data-part="{html.escape(element.key)}" data-picture="{part["kind"]}"'
        return f'<div class="picture-frame" {named} style="{look}"></div>'


def _table(table: pd.DataFrame) -> str:
    options: dict[str, Any] = {"index": False, "border": 0, "na_rep": "–"}
    shown = table.iloc[:LONGEST].rename_axis(columns=None)  # a name of all columns would be a column
    lines = shown.to_html(float_format=partial(format_number, digits=6), **options).splitlines()
    return f'<div class="scroll" tabindex=0>{"".join(map(str.strip, lines))}</div>'
