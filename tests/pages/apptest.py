"""Pages through Streamlit's own test runner: open one by its address, and read what it shows."""

import base64
import importlib
import json
import re
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
from streamlit import config
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from alibi_viz.lessons import linked, load, printed
from alibi_viz.ui.address import STATE
from alibi_viz.ui.controls.params import Param, Value
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches.page_of_app import choose
from benchmarks.control_names import controls

APP = Path(__file__).resolve().parents[2] / "app.py"
LESSONS = tuple(navigation.ICONS)
_GLOSSARY = re.compile(r"\[([^\]]+)\]\(glossary#[\w-]+[^)]*\)")
NONSENSE = (
    *("-1", "0", "1e9", "nan", "inf", "abc", "", "[1,2]", "<b>x</b>", "٣", "🙂", "1e999", "\x00", "12.7", "true"),
    "own text",  # a true choice of one control, and nonsense for all others
)


def unpack(raw: bytes) -> dict[str, Any]:
    """The message of a picture, taken apart as the browser does: the header, with each array in its place."""
    (length,) = struct.unpack_from("<I", raw)
    body = raw[4 + length :]

    def filled(part):
        if "array" not in part:
            return part
        rows, *cols = part["shape"]
        if "by_distance" not in part:
            return np.frombuffer(body, part["array"], int(np.prod(part["shape"])), part["at"]).reshape(part["shape"])
        diagonals = np.frombuffer(body, part["array"], rows + cols[0] - 1, part["at"])
        return np.lib.stride_tricks.sliding_window_view(diagonals, cols[0])[::-1]

    return json.loads(raw[4 : 4 + length], object_hook=filled)


def open_page(lesson: str, theme: str = "light", /, **url: str | list[str]) -> AppTest:
    """The app as a link to /lesson?url opens it, run once."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.context = {"theme": theme}
    for key, value in url.items():
        at.query_params[key] = value
    choose(at, navigation.url_path(lesson))
    config.set_option("client.showErrorDetails", "full")  # readers are told none; a test needs them
    at.run()
    assert not at.exception, "\n".join([at.exception[0].message, *at.exception[0].stack_trace])
    return at


def said(at: AppTest) -> str:
    """The sentences of a page, as they are read: a link to the glossary is its words."""
    text = " ".join(element.value for element in (*at.info, *at.warning, *at.markdown, *at.caption))
    return _GLOSSARY.sub(r"\1", text)


def says(text: str, lesson: str, section: str, language: str = "", /, **numbers: object) -> bool:
    """Whether a page's text has this section of a lesson, or this entry of a section (“labels.seen”): with these numbers,
    or those words in their place, and with any others. So a test that asks for a sentence stays when it is worded anew.
    """
    book = load(lesson, language)
    table, _, key = section.rpartition(".")
    raw = book.sections[section] if section in book else book.entries(table)[key]
    pattern = ""
    for part in re.split(r"(\{[^{}]+\})", _GLOSSARY.sub(r"\1", linked(raw, book.language))):
        name, _, form = part.strip("{}").partition(":")
        if not part.startswith("{"):
            pattern += re.escape(_leveled(part))
        elif name in numbers:
            value = numbers[name]
            pattern += re.escape(_leveled(value if isinstance(value, str) else printed(value, form)))
        else:
            pattern += ".*?"
    return re.search(pattern, _leveled(text)) is not None


def _leveled(text: str) -> str:
    """A text with one kind of blank, without word joiners, and without backslashes before characters that have a meaning in
    Markdown."""
    return re.sub(r"\s+", " ", text.replace("\\", "").replace("\u2060", ""))


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
    return dict(parse_qsl(unpack(line.bytes)["query"], keep_blank_values=True))


def params(lesson: str) -> Sequence[Param]:
    """The controls that the lesson's address knows."""
    return controls(lesson)


def params_of(at: AppTest, lesson: str) -> list[Param]:
    """The same with the ranges that the open page has: a model has its own layers, a text its own length."""
    read = at.session_state[STATE].reads
    return [read[param.key].param if param.key in read else param for param in params(lesson)]


def shown(at: AppTest, key: str) -> object:
    """The value of a control that the page shows, checked."""
    read = at.session_state[STATE].reads
    return read[key].cleaned.value


def picture(at: AppTest, has: str = "hands") -> dict[str, Any]:
    """The message of the lesson's picture, as the browser takes it apart: of several, the first that has this."""
    every = [unpack(part.proto.bytes) for part in at.get("bidi_component") if len(part.proto.bytes) > 8]
    return next((one for one in every if has in one), every[0])


def hands(at: AppTest) -> dict[str, Any]:
    """The hands of the picture that has some, if one has: see alibi_viz.pictures.hands."""
    found: dict[str, Any] = picture(at).get("hands", {"hands": (), "presets": (), "values": {}})
    return found


def note(at: AppTest) -> str:
    """The template of the sentence that follows the hand."""
    return str(picture(at)["note"]["template"])


def release(at: AppTest, *, is_step: bool = True, **values: Value) -> AppTest:
    """Let go of the hands that say this, as the browser reports it."""
    parts = [part.proto for part in at.get("bidi_component") if b'"hands"' in part.proto.bytes]
    rows = {part.id: unpack(part.bytes)["hands"]["values"] for part in parts}
    part = next((part for part in parts if values.keys() <= rows[part.id].keys()), parts[0])
    return tell(at, part, "hands", {"values": rows[part.id] | values, "is_step": is_step})


def report(at: AppTest, component: str, event: str, value: object) -> AppTest:
    """What a component of ours tells."""
    name = f"alibi_viz_{component}"
    part = next(part.proto for part in at.get("bidi_component") if part.proto.component_name == name)
    return tell(at, part, event, value)


def tell(at: AppTest, part: Any, event: str, value: object) -> AppTest:
    identifier = f"$$STREAMLIT_INTERNAL_KEY_{part.id}__events"
    told = json.dumps([{"event": event, "value": value}])
    send(at, WidgetState(id=identifier, json_trigger_value=told))
    assert not at.exception, at.exception[0].value
    return at


def send(at: AppTest, *sent: WidgetState) -> None:
    """What the browser says of some widgets, whether or not they offer it; the others stay as they are."""
    states = at._tree.get_widget_states()
    every = {state.id: state for state in (*states.widgets, *sent)}
    del states.widgets[:]
    states.widgets.extend(every.values())
    at._run(states)


def traces(at: AppTest, chart: int = 0) -> list[dict[str, Any]]:
    """The traces of one of the Plotly charts of a page."""
    found: list[dict[str, Any]] = json.loads(at.get("plotly_chart")[chart].proto.spec)["data"]
    return found


def lines(at: AppTest, chart: int = 0) -> dict[str, dict[str, Any]]:
    """Those traces of a chart that have a name."""
    return {trace["name"]: trace for trace in traces(at, chart) if trace.get("name")}


def numbers(values: object) -> np.ndarray:
    """The values of a chart's trace, which travel as base64."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.asarray(values)


def presets(lesson: str) -> Mapping[str, Mapping[str, Value]]:
    """The “try this” buttons of a lesson, with the controls that each sets."""
    page = importlib.import_module(f"pages.{lesson}.page")
    table: Mapping[str, Mapping[str, Value]] = getattr(page, "PRESET_VALUES", {})
    return table


def seen(picture: np.ndarray, whole: Any, scores: Any, atol: float = 1e-6) -> None:
    """A picture of one head is the whole matrix where the mask lets a query look, and -inf elsewhere."""
    hidden = scores.isneginf().numpy()
    np.testing.assert_allclose(picture[~hidden], whole.numpy()[~hidden], atol=atol)
    assert np.isneginf(picture[hidden]).all()
