"""A browser whose page slept comes to a new session: with what its widgets hold, and with files that are not here."""

from __future__ import annotations

from hashlib import sha512

import pytest
from streamlit.elements.lib.utils import user_key_from_element_id
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from alibi_viz.lessons import load
from alibi_viz.ui.controls.packing import pack
from alibi_viz.ui.controls.state import BROUGHT
from tests.cases import some
from tests.pages.apptest import LESSONS, address, open_page, params, presets, said, send

UPLOADS = {
    "model_upload": ("models", {"model_source": "config"}),
    "pitfalls_upload": ("pitfalls", {"pitfalls_open": "mine"}),
    "train_upload": ("train", {"train_text": "own text"}),
}
LONG = " ".join(sha512(bytes([n])).hexdigest() for n in range(90))  # no address holds it, compressed either


def resumed(lesson, states, **url):
    """A new session of a page whose widgets hold these states already. url: older than they are."""
    at = open_page(lesson)
    fresh = type(at).from_file(at._script_path, default_timeout=60)
    fresh.context, fresh._page_hash = {"theme": "light"}, at._page_hash
    fresh.query_params.update(url)
    fresh.session_state[BROUGHT] = frozenset(user_key_from_element_id(state.id) for state in states.widgets)
    fresh._run(states)
    assert not fresh.exception, fresh.exception[0].value
    return fresh


@pytest.mark.parametrize("lesson", some(filter(presets, LESSONS), "slopes", "attention", "train"))
def test_what_the_widgets_hold_is_newer_than_the_address(lesson):
    for preset in presets(lesson).values():
        before = open_page(lesson, predict="false", **{key: str(value) for key, value in preset.items()})
        states = before._tree.get_widget_states()
        held = {user_key_from_element_id(state.id) for state in states.widgets}
        wanted = address(before)
        sections = {
            key: value for key, value in wanted.items() if key.endswith("_open")
        }  # what is closed draws nothing
        got = address(resumed(lesson, states, predict="false", **sections))
        keys = {param.key for param in params(lesson)} & held
        assert {key: got.get(key) for key in keys} == {key: wanted.get(key) for key in keys}, preset


def test_a_text_too_long_for_the_address_is_kept():
    assert pack([("text", LONG)])[1]
    url = {"predict": "false", "model_source": "config"}
    before = open_page("models", **url)
    before.text_area(key="model_config").set_value(LONG).run()
    after = resumed("models", before._tree.get_widget_states(), **url)
    assert after.text_area(key="model_config").value == LONG
    assert said(after) == said(before)


@pytest.mark.parametrize("key", UPLOADS)
def test_a_file_that_is_not_here_is_asked_for_again(key):
    lesson, url = UPLOADS[key]
    at = open_page(lesson, predict="false", **url)
    gone = load("words").label("upload_gone")
    assert gone not in said(at)
    state = FileUploaderState()
    state.uploaded_file_info.add(file_id="of another server", name="config.json", size=3)
    send(at, WidgetState(id=at.file_uploader(key=key).id, file_uploader_state_value=state))
    assert not at.exception
    assert gone in said(at)
