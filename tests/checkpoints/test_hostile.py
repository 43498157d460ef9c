"""Models that lie, or that want more than they should get: one sentence, little work, little memory.

They are opened in a process of their own, whose peak of memory is theirs.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from alibi_viz.checkpoints import local
from alibi_viz.checkpoints.folder import SETTING, folders
from tests.checkpoints.tiny import TEXT, save

MEMORY = 200 * 2**20  # bytes above what the imports take
OPEN = """
import json, sys
import transformers.models.bloom.modeling_bloom
from alibi_viz.checkpoints.local import read
def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the peak of the imports
before, said = status("VmRSS:"), {}
for name in sys.argv[1:]:
    try:
        read(name, "the cat")
        said[name] = "opened"
    except ValueError as error:
        said[name] = str(error)
print(json.dumps({"said": said, "more": status("VmHWM:") - before}))
"""
WEIGHTS, CONFIG = "model.safetensors", "config.json"
Spoil = Callable[[Path], object]
HOSTILE: dict[
    str, tuple[Spoil, str]
] = {}  # name -> what is done to the folder of a model, words of the sentence about it


def gets(words: str) -> Callable[[Spoil], Spoil]:
    def add(spoil: Spoil) -> Spoil:
        HOSTILE[spoil.__name__] = spoil, words
        return spoil

    return add


def config(folder: Path, **changes: object) -> None:
    raw = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(raw | changes))


def head(folder: Path, text: bytes, data: bytes = b"") -> None:
    (folder / WEIGHTS).write_bytes(len(text).to_bytes(8, "little") + text + data)


def weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    tensors = safetensors.torch.load_file(folder / WEIGHTS)
    change(tensors)
    safetensors.torch.save_file(tensors, folder / WEIGHTS)


@gets("no safetensors file")
def pickled(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(pickle.dumps({"weights": list(range(1000))}))


@gets("is damaged")
def lying_shape(folder: Path) -> None:
    entry = {"dtype": "F32", "shape": [2**18, 2**18], "data_offsets": [0, 4 * 2**36]}
    head(folder, json.dumps({"a": entry}).encode(), bytes(16))


@gets("lack")
def many_tensors(folder: Path) -> None:
    entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    head(folder, json.dumps({f"h.{n}.w": entry for n in range(100_000)}).encode())


@gets("does not hold floats")
def small_floats(folder: Path) -> None:
    """A kind of number that the library names and cannot read."""
    head(folder, json.dumps({"a": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [0, 3]}}).encode(), bytes(3))


@gets("at most 2,500,000,000")
def gigabytes(folder: Path) -> None:
    """Three of zeros that a truthful header tells of, and that take no room on the disk."""
    rows = 3 * 10**9 // 4
    head(folder, json.dumps({"a": {"dtype": "F32", "shape": [rows], "data_offsets": [0, rows * 4]}}).encode())
    os.truncate(folder / WEIGHTS, (folder / WEIGHTS).stat().st_size + rows * 4)


@gets("does not take")
def extra_weights(folder: Path) -> None:
    """As of a variant of the model that transformers does not compute."""
    weights(folder, lambda tensors: tensors.update({"transformer.h.0.self_attention.q_norm.weight": torch.ones(4)}))


@gets("NaN or infinite")
def nan(folder: Path) -> None:
    weights(folder, lambda tensors: tensors["transformer.h.2.mlp.dense_h_to_4h.weight"].view(-1)[:1].fill_(torch.nan))


@gets("leads out of the folder")
def link_out(folder: Path) -> None:
    outside = (folder / WEIGHTS).rename(folder.parents[1] / "outside.safetensors")
    (folder / WEIGHTS).symlink_to(outside)


@gets("not a regular file")
def fifo(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    os.mkfifo(folder / WEIGHTS)


@gets("no code of a model is run")
def code_of_its_own(folder: Path) -> None:
    config(folder, auto_map={"AutoModel": "modeling_mine.MyModel"})
    (folder / "modeling_mine.py").write_text("raise SystemExit('it ran')")


@gets("layers or heads twice")
def two_depths(folder: Path) -> None:
    """A plausible depth where this app looks, and an absurd one where transformers does."""
    config(folder, text_config=json.loads((folder / CONFIG).read_text()), n_layer=10**9)


for _name, _changes, _words in (
    ("many_heads", {"hidden_size": 1024, "n_head": 256}, "at most 128 heads"),
    ("many_labels", {"num_labels": 10**9, "hidden_size": 48}, "do not fit config.json"),  # transformers names each
    ("many_layers", {"n_layer": 1024}, "lack"),
    ("other_family", {"model_type": "opt", "num_hidden_layers": 3, "num_attention_heads": 6}, "not of opt"),
    ("quantized", {"quantization_config": {"quant_method": "gptq"}}, "Quantized"),
    ("refused_by_transformers", {"layer_norm_epsilon": "small"}, "does not take"),
):
    HOSTILE[_name] = (lambda folder, changes=_changes: config(folder, **changes)), _words


def spoil_tokenizer(folder: Path, **parts: Any) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer | parts))


@gets("takes too long or too much memory")
def tokenizer_that_searches_for_ever(folder: Path) -> None:
    split = {"type": "Split", "pattern": {"Regex": "(a|a|aa)+$"}, "behavior": "Isolated", "invert": False}
    replace = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 60 + "!"}
    spoil_tokenizer(folder, pre_tokenizer=split, normalizer=replace)


@gets("takes too long or too much memory")
def tokenizer_that_makes_a_letter_a_gigabyte(folder: Path) -> None:
    replace = {"type": "Replace", "pattern": {"String": "t"}, "content": "t" * 3_000_000}
    again = {"type": "Replace", "pattern": {"String": "t"}, "content": "t" * 900}
    spoil_tokenizer(folder, normalizer={"type": "Sequence", "normalizers": [replace, again]})


@gets("tokenizer.json cannot be read")
def bad_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_bytes(b'{"version":' + b"[" * 100_000)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("good") / "bloom", "bloom")


@pytest.fixture(scope="module")
def answers(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What opening each of them says, all in one process of their own."""
    root = tmp_path_factory.mktemp("hostile") / "models"
    for name, (spoil, _) in HOSTILE.items():
        spoil(Path(shutil.copytree(good, root / name)))
    environment = os.environ | {SETTING: str(root)}
    ran = subprocess.run([sys.executable, "-c", OPEN, *HOSTILE], env=environment, capture_output=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_model_gets_one_sentence(answers: Any, name: str) -> None:
    sentence = answers["said"][name]
    assert HOSTILE[name][1] in sentence
    assert len(sentence) < 300
    assert sentence.endswith(".")


def test_all_of_them_take_little_memory(answers: Any) -> None:
    assert answers["more"] < MEMORY


def test_a_sharded_model_reads_as_the_whole_one(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(good, tmp_path / "sharded"))
    shutil.copytree(good, tmp_path / "whole")
    whole = safetensors.torch.load_file(folder / WEIGHTS)
    (folder / WEIGHTS).unlink()
    for part in (0, 1):
        tensors = {name: whole[name] for name in sorted(whole)[part::2]}
        safetensors.torch.save_file(tensors, folder / f"model-0000{part + 1}-of-00002.safetensors")
    monkeypatch.setenv(SETTING, str(tmp_path))
    np.testing.assert_array_equal(local.read("sharded", TEXT).attention, local.read("whole", TEXT).attention)


def test_a_reader_opens_nothing_but_what_is_listed_and_the_list_ends_and_follows_no_link(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(good, tmp_path / "models" / "a" / "b" / "c")
    shutil.copytree(good, tmp_path / "models" / "1" / "2" / "3" / "4" / "5")
    (tmp_path / "models" / "out").symlink_to(good)
    monkeypatch.setenv(SETTING, str(tmp_path / "models"))
    assert folders() == ("a/b/c",)
    for name in ("../models/a/b/c", "out", str(good)):
        with pytest.raises(ValueError, match="no such folder"):
            local.read(name, TEXT)
    monkeypatch.delenv(SETTING)
    assert folders() == ()
    with pytest.raises(ValueError, match="no such folder"):
        local.read("a/b/c", TEXT)
