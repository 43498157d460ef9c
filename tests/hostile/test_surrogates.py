"""Half of a surrogate pair is no character: wherever it comes in, one sentence refuses it, and no page dies of it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from google.protobuf.message import DecodeError
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from alibi_viz.checkpoints import config
from alibi_viz.checkpoints.folder import Folder
from alibi_viz.checkpoints.local import weights_of
from alibi_viz.cli import main
from alibi_viz.lm.corpus import MIN_BYTES, own_text
from alibi_viz.pitfalls.reading import read_array
from alibi_viz.typed import printable
from alibi_viz.ui.components.mount import reported
from alibi_viz.ui.controls.params import Param, clean
from alibi_viz.ui.reader import COOKIE, KEY
from tests.pages.apptest import open_page

LONE = "\ud800"
ESCAPED = r"\ud800"  # how JSON can write it in ASCII
REFUSED = "holds a lone surrogate"
WHOLE = '{"model_type": "bloom", "n_embed": 64, "n_layer": 2, "num_attention_heads": 4, "seq_length": 128'
CONFIGS = {
    "a name": f'{{"model_type": "{ESCAPED}"}}',
    "a key": f'{{"{ESCAPED}": 1}}',
    "a key that stands twice": f'{{"{ESCAPED}": 1, "{ESCAPED}": 2}}',
    "a value that nobody reads": f'{WHOLE}, "about": [{{"by": "{ESCAPED}"}}]}}',
}


def check(error: ValueError) -> None:
    """The sentence itself can be shown."""
    assert REFUSED in str(error)
    str(error).encode()


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS)
def test_a_configuration_with_one_is_refused_pasted_or_in_a_link(text: str) -> None:
    at = open_page("models", model_source="config", model_config=text)
    assert REFUSED in at.warning[0].value
    at = open_page("models", model_source="config")
    at.text_area(key="widget_model_config").set_value(text).run()
    assert not at.exception
    assert REFUSED in at.warning[0].value


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS)
def test_so_is_a_file_also_where_its_bytes_spell_it_out(text: str) -> None:
    for file in (text.encode(), text.replace(ESCAPED, LONE).encode(errors="surrogatepass")):
        with pytest.raises(ValueError, match="lone surrogate") as refused:
            config.read(file)
        check(refused.value)


def test_a_whole_pair_is_a_character() -> None:
    assert config.read(rf'{WHOLE}, "about": "\ud83d\ude42"}}').raw["about"] == "🙂"


@pytest.mark.parametrize("kind", ["int", "float", "choice", "choices", "text", "flag", "cell"])
def test_a_parameter_with_one_is_corrected_with_a_sentence(kind: str) -> None:
    default = {"int": 1, "float": 1.0, "flag": False}.get(kind, "a")
    cleaned = clean(Param("key", kind, default, choices=("a",)), f"1{LONE}")  # type: ignore[arg-type]
    assert cleaned.problem
    str(cleaned.value).encode()
    printable(f"1{LONE}").encode()


def test_an_own_text_with_one_is_refused() -> None:
    with pytest.raises(ValueError, match="lone surrogate") as refused:
        own_text("a" * MIN_BYTES + LONE)
    check(refused.value)


def test_the_protocol_carries_none_in_a_form_field() -> None:
    """If this fails, fields and addresses need the check too."""
    for message, field in ((WidgetState(), "string_value"), (ClientState(), "query_string")):
        with pytest.raises(UnicodeEncodeError):
            setattr(message, field, LONE)
        setattr(message, field, "~~~")
        sent = message.SerializeToString().replace(b"~~~", LONE.encode(errors="surrogatepass"))
        with pytest.raises(DecodeError):
            type(message).FromString(sent)


def test_a_view_that_reports_one_has_reported_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What components report is JSON, in which one can be written."""
    report = {"cell": [LONE, 1], "picked": LONE}
    monkeypatch.setattr(st, "session_state", {"view": report})
    assert reported("view", "cell", 2) is reported("view", "picked", 1) is None


def test_a_key_of_a_browser_has_none() -> None:
    assert COOKIE.isascii()
    assert not KEY.fullmatch(LONE * 43)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path.resolve(), ".")


def test_the_folder_of_a_checkpoint_names_no_file_that_a_page_cannot_show(folder: Folder) -> None:
    (folder.path / os.fsdecode(b"a\xff.bin")).touch()
    (folder.path / "b.bin").touch()
    with pytest.raises(ValueError, match="but no model") as refused:
        weights_of(folder)
    assert "b.bin" in str(refused.value)
    str(refused.value).encode()


@pytest.mark.parametrize("head", [{LONE: {}}, {"__metadata__": {"by": LONE}}])
def test_weights_with_one_in_the_header_are_refused(folder: Folder, head: dict[str, object]) -> None:
    plain = json.dumps(head).encode()
    (folder.path / "model.safetensors").write_bytes(len(plain).to_bytes(8, "little") + plain)
    with pytest.raises(ValueError, match="invalid JSON in header") as refused:
        weights_of(folder)
    str(refused.value).encode()


def test_a_bias_matrix_with_one_is_refused_in_a_sentence_that_quotes_nothing() -> None:
    file = io.BytesIO()
    np.save(file, np.zeros((2, 3), np.float32))
    header = json.dumps({LONE: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    files = {
        f"a.{LONE}": b"1,2",
        "a.csv": f"1,{LONE}".encode(errors="surrogatepass"),
        "a.npy": file.getvalue().replace(b"'<f4'", b"'\\ud800'").replace(b"v\0", b"y\0", 1),
        "a.safetensors": len(header).to_bytes(8, "little") + header + bytes(4),
    }
    for name, data in files.items():
        with pytest.raises(ValueError) as refused:  # noqa: PT011  # each has a sentence of its own
            read_array(name, data)
        str(refused.value).encode()


@pytest.mark.parametrize(
    "arguments",
    [["slopes", "8", "--rule", "?"], ["train", "?"], ["run", "--host", "?"], ["evaluate", "0" * 16, "--data", "?"]],
)
def test_an_argument_with_one_is_refused_in_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes of a command line that are no UTF-8 become lone surrogates."""
    given = [argument.replace("?", os.fsdecode(b"a\xff")) for argument in arguments]
    assert main(given) == 2
    sentence = r"Error: The argument 'a\udcff' holds a lone surrogate: half of a character, which UTF-8 cannot write."
    assert capsys.readouterr().err == f"{sentence}\n"
