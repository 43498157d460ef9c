"""Half of a surrogate pair is no character: wherever it comes in, one sentence refuses it, and no page dies of it."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from alibi_viz.checkpoints import config
from alibi_viz.checkpoints.folder import Folder
from alibi_viz.checkpoints.local import weights_of
from alibi_viz.cli import main
from alibi_viz.lm.corpus import MIN_BYTES, own_text
from alibi_viz.pitfalls.reading import read_array
from tests.pages.apptest import open_page

LONE = "\ud800"
ESCAPED = r"\ud800"  # how JSON can write it in ASCII
BYTES = LONE.encode(errors="surrogatepass")


def matrix(name: str) -> Callable[[], object]:
    """A bias matrix whose header holds one, as far as its kind of file has a header."""
    file = io.BytesIO()
    np.save(file, np.zeros((2, 3), np.float32))
    header = json.dumps({LONE: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    npy = file.getvalue().replace(b"'<f4'", b"'\\ud800'").replace(b"v\0", b"y\0", 1)
    data = {"npy": npy, "safetensors": len(header).to_bytes(8, "little") + header + bytes(4)}
    return lambda: read_array(name, data.get(name[2:], b"1," + BYTES))


DOORS: dict[str, Callable[[], object]] = {
    "the key of a configuration": lambda: config.read(f'{{"{ESCAPED}": 1}}'),
    "a key that stands twice": lambda: config.read(f'{{"{ESCAPED}": 1, "{ESCAPED}": 2}}'),
    "a value that nobody reads": lambda: config.read(f'{{"about": [{{"by": "{ESCAPED}"}}]}}'),
    "the bytes of a configuration": lambda: config.read(b'{"model_type": "' + BYTES + b'"}'),
    "an own text": lambda: own_text("a" * MIN_BYTES + LONE),
    **{f"the matrix {name!a}": matrix(name) for name in ("a.csv", "a.npy", "a.safetensors", f"a.{LONE}")},
}


@pytest.mark.parametrize("door", DOORS)
def test_what_holds_one_is_refused_in_a_sentence_that_can_be_shown(door: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # each has a sentence of its own
        DOORS[door]()
    str(refused.value).encode()


def test_the_models_page_refuses_a_configuration_with_one_and_a_whole_pair_is_a_character() -> None:
    at = open_page("models", model_source="config", model_config=f'{{"model_type": "{ESCAPED}"}}')
    assert "is not JSON" in at.warning[0].value
    whole = '{"model_type": "bloom", "n_embed": 64, "n_layer": 2, "num_attention_heads": 4, "about": "%s"}'
    assert config.read(whole % r"\ud83d\ude42").raw["about"] == "🙂"


def test_the_folder_of_a_checkpoint_names_no_file_that_a_page_cannot_show(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"a\xff.bin")).touch()
    (tmp_path / "b.bin").touch()
    with pytest.raises(ValueError, match=r"b\.bin but no model") as refused:
        weights_of(Folder(tmp_path.resolve(), "."))
    str(refused.value).encode()


def test_an_argument_with_one_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes of a command line that are no UTF-8 become lone surrogates."""
    assert main(["train", os.fsdecode(b"a\xff")]) == 2
    sentence = r"Error: The argument 'a\udcff' holds a lone surrogate: half of a character, which UTF-8 cannot write."
    assert capsys.readouterr().err == f"{sentence}\n"
