"""Models that lie, or that want more than they should get: one sentence, little work, little memory."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from alibi_viz.checkpoints import local
from alibi_viz.checkpoints.folder import SETTING, folders
from tests.cases import some
from tests.checkpoints.tiny import TEXT, save
from tests.hostile.damage import Damage, entry, header

CONFIG, MODEL, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
MEMORY = 200 * 2**20  # bytes that opening one may take


def config(**changes: Any) -> Damage:
    return lambda folder: (folder / CONFIG).write_text(json.dumps(json.loads((folder / CONFIG).read_text()) | changes))


def tokenizer(**parts: Any) -> Damage:
    def rewrite(folder: Path) -> None:
        (folder / TOKENIZER).write_text(json.dumps(json.loads((folder / TOKENIZER).read_text()) | parts))

    return rewrite


def weights(change: Callable[[dict[str, torch.Tensor]], object]) -> Damage:
    def rewrite(folder: Path) -> None:
        numbers = safetensors.torch.load_file(folder / MODEL)
        change(numbers)
        safetensors.torch.save_file(numbers, folder / MODEL)

    return rewrite


def of_weights(damage: Damage) -> Damage:
    return lambda folder: damage(folder / MODEL)


def gigabytes(folder: Path) -> None:
    """Three of zeros that a truthful header tells of, and that take no room on the disk."""
    header(b"", a=entry([3 * 10**9 // 4], 3 * 10**9))(folder / MODEL)
    os.truncate(folder / MODEL, (folder / MODEL).stat().st_size + 3 * 10**9)


def link_out(folder: Path) -> None:
    outside = (folder / MODEL).rename(folder.parents[1] / "outside.safetensors")
    (folder / MODEL).symlink_to(outside)


def fifo(folder: Path) -> None:
    (folder / MODEL).unlink()
    os.mkfifo(folder / MODEL)


def no_name(folder: Path) -> None:
    """A file whose name no page can show, beside one that it can."""
    for name in (os.fsdecode(b"a\xff.bin"), "b.bin"):
        (folder / MODEL).with_name(name).touch()
    (folder / MODEL).unlink()


def code_of_its_own(folder: Path) -> None:
    config(auto_map={"AutoModel": "modeling_mine.MyModel"})(folder)
    (folder / "modeling_mine.py").write_text("raise SystemExit('it ran')")


def two_depths(folder: Path) -> None:
    """A plausible depth where this app looks, and an absurd one where transformers does."""
    config(text_config=json.loads((folder / CONFIG).read_text()), n_layer=10**9)(folder)


def replaced(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


SPLIT = {"type": "Split", "pattern": {"Regex": "(a|a|aa)+$"}, "behavior": "Isolated", "invert": False}
LONG = {"type": "Sequence", "normalizers": [replaced("t", "t" * 3_000_000), replaced("t", "t" * 900)]}
VARIANT = {"transformer.h.0.self_attention.q_norm.weight": torch.ones(4)}  # which transformers does not compute
#: What is done to the folder of a model, and words of the sentence about it.
HOSTILE: dict[str, tuple[Damage, str]] = {
    "pickled": (of_weights(lambda file: file.write_bytes(pickle.dumps([*range(999)]))), "no safetensors file"),
    "lying shape": (of_weights(header(bytes(16), a=entry([2**18, 2**18], 4 * 2**36))), "is damaged"),
    "many tensors": (of_weights(header(b"", **{f"h.{n}.w": entry([0], 0) for n in range(20_000)})), "lack"),
    # A kind of number that the library names and cannot read.
    "small floats": (of_weights(header(bytes(3), a=entry([4], 3, "F6_E2M3"))), "does not hold floats"),
    "gigabytes": (gigabytes, "at most 2,500,000,000"),
    "extra weights": (weights(lambda numbers: numbers.update(VARIANT)), "does not take"),
    "NaN": (
        weights(lambda all_: all_["transformer.h.2.mlp.dense_h_to_4h.weight"].view(-1)[:1].fill_(torch.nan)),
        "NaN or infinite",
    ),
    "link out": (link_out, "leads out of the folder"),
    "no name": (no_name, r"b\.bin but no model"),
    "FIFO": (fifo, "not a regular file"),
    "code of its own": (code_of_its_own, "no code of a model is run"),
    "two depths": (two_depths, "layers or heads twice"),
    "many heads": (config(hidden_size=1024, n_head=256), "at most 128 heads"),
    "many labels": (config(num_labels=10**9, hidden_size=48), "do not fit config.json"),  # transformers names each
    "many layers": (config(n_layer=300), "lack"),
    "other family": (config(model_type="opt", num_hidden_layers=3, num_attention_heads=6), "not of opt"),
    "quantized": (config(quantization_config={"quant_method": "gptq"}), "Quantized"),
    "refused by transformers": (config(layer_norm_epsilon="small"), "does not take"),
    "a tokenizer that searches for ever": (
        tokenizer(pre_tokenizer=SPLIT, normalizer=replaced("a", "a" * 60 + "!")),
        "takes too long or too much memory",
    ),
    "a tokenizer that makes a letter a gigabyte": (tokenizer(normalizer=LONG), "takes too long or too much memory"),
    "bad tokenizer": (
        lambda folder: (folder / TOKENIZER).write_bytes(b'{"version":' + b"[" * 100_000),
        "tokenizer.json cannot be read",
    ),
}
FOR_EVER = [name for name in HOSTILE if name.startswith("a tokenizer that")]  # it takes seconds until one is ended


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("good") / "bloom", "bloom")


@pytest.mark.parametrize("name", some(HOSTILE, *(name for name in HOSTILE if name not in FOR_EVER)))
def test_a_hostile_model_gets_one_sentence_and_little_memory(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    spoil, words = HOSTILE[name]
    monkeypatch.setenv(SETTING, str(tmp_path / "models"))
    spoil(Path(shutil.copytree(good, tmp_path / "models" / name)))
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of what came before
    before = memory("VmRSS:")
    with pytest.raises(ValueError, match=words) as found:
        local.read(name, "the cat")
    assert memory("VmHWM:") - before < MEMORY
    assert len(str(found.value).encode()) < 300
    assert str(found.value).endswith(".")


def memory(name: str) -> int:
    """A line of what Linux says of this process, in bytes."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(row.split()[1]) * 1024 for row in status if row.startswith(name))


def test_a_sharded_model_reads_as_the_whole_one(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(good, tmp_path / "sharded"))
    shutil.copytree(good, tmp_path / "whole")
    whole = safetensors.torch.load_file(folder / MODEL)
    (folder / MODEL).unlink()
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
