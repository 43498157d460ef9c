"""Pages through Streamlit's own test runner: open one by its address, and read what it shows."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from alibi_viz.lessons import linked, load, printed
from alibi_viz.ui.controls.params import Param, Value
from alibi_viz.ui.shell import navigation

APP = Path(__file__).resolve().parents[2] / "app.py"
LESSONS = tuple(navigation.ICONS)
_GLOSSARY = re.compile(r"\[([^\]]+)\]\(glossary#[\w-]+[^)]*\)")
NONSENSE = (
    *("-1", "0", "1e9", "nan", "inf", "abc", "", "[1,2]", "<b>x</b>", "٣", "🙂", "1e999", "\x00", "12.7", "true"),
    "own text",  # a true choice of one control, and nonsense for all others
)
TRAINED = {
    "content": "trained model"
}  # Attention and Compare show a trained model with it: other controls, other pictures


def open_page(lesson: str, theme: str = "light", /, **url: str | list[str]) -> AppTest:
    """The app as a link to /lesson?url opens it, run once."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.context = {"theme": theme}
    for key, value in url.items():
        at.query_params[key] = value
    # `AppTest.switch_page` knows the pages only after a run of the first page, which a link does not need.
    at._page_hash = calc_hash(navigation.url_path(lesson))
    at.run()
    assert not at.exception, at.exception[0].value
    return at


def said(at: AppTest) -> str:
    """The sentences of a page, as they are read: a link to the glossary is its words."""
    text = " ".join(element.value for element in (*at.info, *at.warning, *at.markdown, *at.caption))
    return _GLOSSARY.sub(r"\1", text)


def says(text: str, lesson: str, section: str, /, **numbers: object) -> bool:
    """Whether a page's text has this section of a lesson, or this entry of a section (“labels.seen”): with these numbers,
    or those words in their place, and with any others. So a test that asks for a sentence stays when it is worded anew.
    """
    book = load(lesson)
    table, _, key = section.rpartition(".")
    raw = book.sections[section] if section in book else book.entries(table)[key]
    pattern = ""
    for part in re.split(r"(\{\{[^{}]+\}\})", _GLOSSARY.sub(r"\1", linked(raw, book.language))):
        name, _, form = part.strip("{}").partition(":")
        if not part.startswith("{{"):
            pattern += re.escape(_leveled(part))
        elif name in numbers:
            value = numbers[name]
            pattern += re.escape(_leveled(value if isinstance(value, str) else printed(value, form)))
        else:
            pattern += ".*?"
    return re.search(pattern, _leveled(text)) is not None


def _leveled(text: str) -> str:
    """A text with one kind of blank, and without backslashes before characters that have a meaning in Markdown."""
    return re.sub(r"\s+", " ", text.replace("\\", ""))


def asks(at: AppTest) -> bool:
    """Whether a question waits for its answer."""
    return any((button.key or "").startswith("question_") for button in at.button)


def visible(at: AppTest) -> str:
    """All that a page says: sentences, headings, formulas, tables."""
    headings = (*at.title, *at.header, *at.subheader, *at.success, *at.latex)
    tables = (table.value.to_csv(index=False) for table in at.dataframe)
    return " ".join((said(at), *(element.value for element in headings), *tables))


def address(at: AppTest) -> dict[str, str]:
    """What the page has written into the address line: every control that is not at its default."""
    (line,) = (part.proto for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_address")
    return dict(parse_qsl(json.loads(line.json)["query"], keep_blank_values=True))


def params(lesson: str) -> Sequence[Param]:
    """The controls that the lesson's address knows."""
    table: Sequence[Param] = importlib.import_module(f"pages.{lesson}.controls").PARAMS
    return table


def presets(lesson: str) -> Mapping[str, Mapping[str, Value]]:
    """The “try this” buttons of a lesson, with the controls that each sets."""
    table: Mapping[str, Mapping[str, Value]] = getattr(importlib.import_module(f"pages.{lesson}.controls"), "TRY", {})
    return table
