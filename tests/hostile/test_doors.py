"""One hostile reader at every public door: addresses, widgets, components, texts, files and commands.

Hypothesis makes the cases, and shrinks one that fails; it prints how to make it again. `ALIBI_VIZ_HOSTILE=2000 make
test-all` asks for that many readers instead of 100.
"""

import contextlib
import io
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from alibi_viz.checkpoints import config
from alibi_viz.cli import main
from alibi_viz.lm.corpus import MIN_BYTES, own_text
from alibi_viz.pitfalls.judge import identify
from alibi_viz.pitfalls.reading import ENDINGS, read_array
from alibi_viz.ui.address import STATE
from alibi_viz.ui.controls.params import clean
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.shell import navigation
from tests.hostile import nonsense
from tests.hostile.conftest import Seen
from tests.pages.apptest import LESSONS, choose, open_page, release, send, shown, visible

READERS = int(os.environ.get("ALIBI_VIZ_HOSTILE", "100"))  # of the slow test
#: What would make a browser ask another host, if it stood unescaped in Markdown or HTML of the page.
LIVE = re.compile(
    rf"(?<!\\)\]\([^)]*{re.escape(nonsense.HOST)}|(?<!\\)<(img|script|iframe|style)[^>]*{re.escape(nonsense.HOST)}"
    rf"|^\[a\]: https://{re.escape(nonsense.HOST)}|(?<!\\)@import url\(https://{re.escape(nonsense.HOST)}",
    re.MULTILINE,
)
#: Lesson, its address, the text box; the rest of the address opens what shows the text.
BOXES = (
    ("attention", {"attention_open": "row"}, "text"),
    ("attention_model", {"attention_model_open": "row"}, "passage"),
    ("compare", {"content": "same words attract", "compare_open": "tests"}, "text"),
    ("early_token_curse", {"early_token_curse_open": "cost"}, "curse_text"),
    ("story", {}, "story_text"),
    ("train", {"train_text": "own text"}, "train_paste"),
    ("models", {"model_source": "config"}, "widget_model_config"),
    ("pitfalls", {"pitfalls_open": "mine"}, "widget_mine"),
)
UPLOADS = (
    ("models", {"model_source": "config"}, "model_upload", (".json",)),
    ("pitfalls", {"pitfalls_open": "mine"}, "pitfalls_upload", (".npy", ".safetensors", ".csv")),
    ("train", {"train_text": "own text"}, "train_upload", (".txt", ".html", "")),
)
WIDGETS = ("button", "number_input", "selectbox", "text_area", "text_input", "toggle", "button_group", "file_uploader")

NUMBER = st.integers(0, 10**6)


def files_of(endings):
    """Files as a browser hands them in: name, bytes, kind."""
    named = st.sampled_from(endings).flatmap(lambda ending: st.tuples(st.just(ending), nonsense.files(ending)))
    return st.builds(
        lambda name, file: (name + file[0], file[1], "application/octet-stream"), st.sampled_from(nonsense.NAMES), named
    )


FILE = files_of([*(f".{ending}" for ending in ENDINGS), ".json", ".txt", ".html", ""])


def one_sentence(text):
    """What a refusal is: one sentence for a reader, which can be written, and names no class of Python."""
    text.encode()
    first = text.partition(" ")[0]
    assert first[:1].isupper() or not first[:1].isalpha() or "." in first, "a capital letter, or the name of a file"
    assert text.endswith((".", "!", "?", ".)")), text
    assert "\n" not in text
    assert len(text) < 600, text
    assert not re.search(r"\w+(Error|Exception)\b|Traceback", text), text


class Doors(RuleBasedStateMachine):
    """A reader, with a page in front of them. The folder and what is watched belong to the test."""

    folder: Path
    seen: Seen
    at: AppTest

    def check(self, *, allowed_values=False):
        """No exception, a whole page, nothing of a reader's text taken for markup; controls at allowed values."""
        at = self.at
        assert not at.exception, at.exception[0].message + "\n" + "\n".join(at.exception[0].stack_trace)
        assert len(at.title) == 1, "one title"
        visible(at).encode()
        written = (*at.markdown, *at.caption, *at.info, *at.warning, *at.success, *at.error)
        live = [element.value for element in written if LIVE.search(element.value)]
        live += [html.proto.body for html in at.get("html") if nonsense.HOST in html.proto.body]
        assert not live, live[0]
        for param in (read.param for read in at.session_state[STATE].reads.values()) if allowed_values else ():
            if param.kind != "text":
                assert clean(param, shown(at, param.key)).problem is None, f"{param.key} = {shown(at, param.key)!r}"

    def teardown(self):
        assert not self.seen.errors, f"the log has {self.seen.errors}"
        assert not self.seen.asked, f"something left the machine: {self.seen.asked}"

    # Pages

    @initialize(link=nonsense.links())
    def arrives(self, link):
        lesson, url = link
        self.at = open_page(lesson, **url)
        self.check(allowed_values=True)

    @rule(link=nonsense.links())
    def opens_an_address(self, link):
        self.arrives(link)

    @rule(lesson=st.sampled_from(LESSONS))
    def goes_to_another_page(self, lesson):
        choose(self.at, navigation.url_path(lesson)).run()
        self.check()

    # What is drawn must not depend on the page, which may have waited for a thread: a number chooses among what is there.

    @rule(
        choices=st.tuples(NUMBER, NUMBER),
        text=nonsense.texts(60).map(nonsense.sent),
        file=FILE,
        is_odd=st.sampled_from([False, False, False, True]),
    )
    def uses_a_widget(self, choices, text, file, is_odd):
        widgets = [widget for kind in WIDGETS for widget in self.at.get(kind) if not widget.disabled]
        if not widgets:
            return
        widget: Any = widgets[choices[0] % len(widgets)]

        def one_of(allowed):
            return allowed[choices[1] % len(allowed)]

        kind = widget.type
        if kind == "button":
            widget.click().run()
        elif kind == "number_input":
            odd = [-1, 10**9, 2**53, 0.5, 1e300]
            odd += [math.inf, math.nan] if isinstance(widget.value, float) else []  # no int: Streamlit itself refuses
            number = one_of(odd if is_odd else [widget.min, widget.max, widget.value, 0, 3])
            send(self.at, WidgetState(id=widget.id, double_value=float(number or 0)))
        elif kind == "selectbox":
            chosen = text if is_odd else one_of(widget.options or [""])
            send(self.at, WidgetState(id=widget.id, string_value=chosen))
        elif kind == "button_group":
            several = [text] if is_odd else widget.options[: choices[1] % 4]
            send(self.at, WidgetState(id=widget.id, string_array_value={"data": several}))
        elif kind == "file_uploader":
            name = Path(file[0]).stem + one_of(widget.allowed_type or [""])  # Streamlit itself refuses others
            widget.set_value((name, *file[1:])).run()
        else:
            widget.set_value(not widget.value if kind == "toggle" else text).run()
        self.check()

    @rule(reports=st.lists(st.tuples(NUMBER, nonsense.REPORTS), min_size=3, max_size=3), as_event=st.booleans())
    def speaks_for_a_component(self, reports, as_event):
        for number, report in reports:
            components = [part.proto for part in self.at.get("bidi_component")]
            if as_event:  # in the name of what takes such events
                components = [proto for proto in components if b'"hands"' in proto.bytes]
            if not components:
                return
            proto = components[number % len(components)]
            event = json.dumps([{"event": "hands", "value": json.loads(report)}])
            events = WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events", json_trigger_value=event)
            send(self.at, events if as_event else WidgetState(id=proto.id, json_value=report))
            self.check()

    @rule(box=st.sampled_from(BOXES), text=nonsense.texts() | nonsense.plain("json"))
    def writes_a_text(self, box, text):
        lesson, url, key = box
        self.at = open_page(lesson, **url)
        for written in (nonsense.sent(text), ""):
            found = next((one for one in (*self.at.text_area, *self.at.text_input) if one.key == key), None)
            if found:
                found.set_value(written).run()
            else:
                release(self.at, is_step=False, **{key: written})
            self.check()

    @rule(raw=st.sampled_from(nonsense.CONFIGS), name=nonsense.texts(80), value=nonsense.texts(80))
    def gives_a_model_a_field_of_its_own(self, raw, name, value):
        """Nobody reads it, so the page lists it."""
        given = json.dumps(raw | {f"rope_{name}": value}, ensure_ascii=False)
        self.at = open_page("models", model_source="config", model_config=nonsense.sent(given))
        self.check()

    @rule(data=st.data(), upload=st.sampled_from(UPLOADS))
    def hands_in_files(self, data, upload):
        lesson, url, key, endings = upload
        self.at = open_page(lesson, **url)
        for _ in range(2):
            self.at.file_uploader(key=key).set_value(data.draw(files_of(endings))).run()
            self.check()

    # What pages and commands stand on

    @rule(
        files=st.lists(st.sampled_from([*ENDINGS, "json", "txt"]).flatmap(nonsense.files), min_size=8, max_size=8),
        text=nonsense.texts(2_000),
    )
    def gives_files_to_the_library(self, files, text):
        """Read, or refused in a sentence; and what was read can be written again, so no lone surrogate is in it."""
        for data in (*files, text, text.encode(errors="surrogatepass")):
            for read in (config.read, own_text):
                with refused():
                    json.dumps(vars(read(data)), ensure_ascii=False, default=str).encode()
            for ending in (*ENDINGS, nonsense.LONE) if isinstance(data, bytes) else ():
                with refused():
                    identify(read_array(f"a.{ending}", data))
        if nonsense.LONE in text:
            with pytest.raises(ValueError) as found:  # noqa: PT011  # any sentence
                own_text("a" * MIN_BYTES + text)
            one_sentence(str(found.value))

    @rule(data=st.data(), ending=st.sampled_from([*ENDINGS, "txt", "json", ""]))
    def lets_a_command_read(self, data, ending):
        file = self.folder / f"given.{ending}"
        file.write_bytes(data.draw(nonsense.files(ending)))
        for command in ("check", "inspect"):
            self.commands(command, str(file))

    @rule(argument=nonsense.texts(60), command=st.sampled_from(["train", "slopes", "check", "inspect", "nonsense"]))
    def gives_a_command_anything(self, argument, command):
        """Bytes of a command line that are no UTF-8 become lone surrogates."""
        if command != "train" or argument.strip():  # without a name it would train for hours
            self.commands(command, "--", "x" + argument.replace("\0", ""))

    def commands(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments)
        assert status in (0, 1, 2)
        (out.getvalue() + err.getvalue()).encode()
        if status == 2:
            assert re.fullmatch(r"(Error: )?[^\n]+\n?", err.getvalue()), err.getvalue()


@contextlib.contextmanager
def refused():
    """What is not taken is refused in one sentence."""
    try:
        yield
    except ValueError as error:
        one_sentence(str(error))


QUICK = settings(
    max_examples=5, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
SLOW = settings(QUICK, max_examples=READERS, stateful_step_count=30, derandomize=False)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("often", [QUICK, pytest.param(SLOW, marks=pytest.mark.slow)], ids=["quick", "slow"])
def test_a_hostile_reader_at_every_door(often, tmp_path, seen):
    Doors.folder, Doors.seen = tmp_path, seen
    run_state_machine_as_test(Doors, settings=often)


def test_markup_that_is_not_escaped_would_be_found():
    live = [text for text in nonsense.MARKUP if nonsense.HOST in text and "$$" not in text]
    assert all(map(LIVE.search, live))
    assert not any(LIVE.search(escape_markdown(text)) for text in live)
