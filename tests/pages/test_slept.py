"""A browser whose page slept comes to a new session with files that are not here."""

from __future__ import annotations

from hashlib import sha512

import pytest
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from alibi_viz.lessons import load
from tests.pages.apptest import open_page, said, send

UPLOADS = {
    "model_upload": ("models", {"model_source": "config"}),
    "pitfalls_upload": ("pitfalls", {"pitfalls_open": "mine"}),
    "train_upload": ("train", {"train_text": "own text"}),
}
LONG = " ".join(sha512(bytes([n])).hexdigest() for n in range(90))  # no address holds it, compressed either


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
