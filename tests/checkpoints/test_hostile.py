"""Checkpoints that lie, or that want more than they should get: one sentence, little work, little memory.

They are opened in a process of their own, whose peak of memory is theirs, and which shows that `transformers` was never
even imported for them.
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

import pytest
import safetensors.torch
import torch

from alibi_viz.checkpoints import checkpoint as checkpoints
from alibi_viz.checkpoints.folder import SETTING, folders
from tests.checkpoints.tiny import save

MEMORY = 200 * 2**20  # bytes above what the imports take
OPEN = """
import json, sys
from alibi_viz.checkpoints.checkpoint import load
def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the peak of the imports
before, said = status("VmRSS:"), {}
for name in sys.argv[1:]:
    try:
        load(name)
        said[name] = "opened"
    except ValueError as error:
        said[name] = str(error)
print(json.dumps({"said": said, "more": status("VmHWM:") - before, "imported": "transformers" in sys.modules}))
"""
WEIGHTS, CONFIG = "model.safetensors", "config.json"


def header(folder: Path, change: Callable[[dict], object], end: bytes = b"") -> None:
    """Write the header of the weights anew; the data stay, and `end` follows."""
    data = (folder / WEIGHTS).read_bytes()
    length = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + length])
    change(entries)
    new = json.dumps(entries).encode()
    (folder / WEIGHTS).write_bytes(len(new).to_bytes(8, "little") + new + data[8 + length :] + end)


def first(entries: dict) -> dict:
    return next(entry for name, entry in entries.items() if name != "__metadata__")


def config(folder: Path, **changes: object) -> None:
    raw = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(raw | changes))


def replaced(folder: Path, file: str, data: bytes) -> None:
    (folder / file).unlink(missing_ok=True)
    (folder / file).write_bytes(data)


def lying_length(folder: Path) -> None:
    replaced(folder, WEIGHTS, (2**62).to_bytes(8, "little") + b"{}")


def lying_shape(folder: Path) -> None:
    header(folder, lambda entries: first(entries).update(shape=[2**20, 2**20]))


def huge(folder: Path) -> None:
    def grow(entries: dict) -> None:
        first(entries).update(shape=[2**18, 2**18], data_offsets=[0, 4 * 2**36])

    header(folder, grow)


def overlap(folder: Path) -> None:
    def point_to_the_first(entries: dict) -> None:
        alike: dict[tuple, dict] = {}
        for entry in (entry for name, entry in entries.items() if name != "__metadata__"):
            entry["data_offsets"] = alike.setdefault(tuple(entry["shape"]), entry)["data_offsets"]

    header(folder, point_to_the_first)


def pickled(folder: Path) -> None:
    replaced(folder, WEIGHTS, pickle.dumps({"weights": list(range(1000))}))


def zipped(folder: Path) -> None:
    torch.save({"h.0.weight": torch.zeros(4)}, folder / WEIGHTS)


def link_out(folder: Path) -> None:
    outside = folder.parents[1] / "outside.safetensors"
    shutil.copy(folder / WEIGHTS, outside)
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to(outside)


def link_in_a_circle(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to(folder / WEIGHTS)


def keys(folder: Path) -> None:
    entries = {f"h.{n}.w": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for n in range(100_000)}
    text = json.dumps(entries).encode()
    replaced(folder, WEIGHTS, len(text).to_bytes(8, "little") + text)


def config_keys(folder: Path) -> None:
    config(folder, **{f"key_{n}": n for n in range(100_000)})


def nested(folder: Path) -> None:
    replaced(folder, CONFIG, b'{"model_type":' + b"[" * 30_000 + b"]" * 30_000 + b"}")


def nested_header(folder: Path) -> None:
    text = b'{"a":' + b"[" * 450_000 + b"]" * 450_000 + b"}"
    replaced(folder, WEIGHTS, len(text).to_bytes(8, "little") + text)


def fifo(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    os.mkfifo(folder / WEIGHTS)


def config_fifo(folder: Path) -> None:
    (folder / CONFIG).unlink()
    os.mkfifo(folder / CONFIG)


def sparse(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    with (folder / WEIGHTS).open("wb") as file:
        file.truncate(3 * 10**9)


def sparse_model(folder: Path) -> None:
    """Three gigabytes of zeros that a truthful header and configuration tell of."""
    size = 3 * 10**9

    def last(entries: dict) -> None:
        end = max(entry["data_offsets"][1] for name, entry in entries.items() if name != "__metadata__")
        entries["transformer.more"] = {"dtype": "F32", "shape": [size // 4], "data_offsets": [end, end + size]}

    header(folder, last)
    with (folder / WEIGHTS).open("ab") as file:
        file.truncate(file.tell() + size)


def nan(folder: Path) -> None:
    weights = safetensors.torch.load_file(folder / WEIGHTS)
    weights["transformer.h.2.mlp.dense_h_to_4h.weight"][0, 0] = torch.nan
    safetensors.torch.save_file(weights, folder / WEIGHTS)


def remote_code(folder: Path) -> None:
    config(folder, auto_map={"AutoModel": "modeling_mine.MyModel"})
    (folder / "modeling_mine.py").write_text("raise SystemExit('it ran')")


def only_bin(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")


def no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def bad_tokenizer(folder: Path) -> None:
    replaced(folder, "tokenizer.json", b'{"version":' + b"[" * 100_000)


def shard_out(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    index = {"weight_map": {"h.0": "../../outside.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def other_width(folder: Path) -> None:
    config(folder, hidden_size=48)


def many_layers(folder: Path) -> None:
    config(folder, n_layer=1024)


def quantized(folder: Path) -> None:
    config(folder, quantization_config={"quant_method": "gptq"})


#: What was done to a checkpoint -> words of the sentence about it.
HOSTILE: dict[Callable[[Path], None], str] = {
    lying_length: "no safetensors file",
    lying_shape: "is damaged",
    huge: "is damaged",
    overlap: "is damaged",
    pickled: "no safetensors file",
    zipped: "no safetensors file",
    link_out: "leads out of the folder",
    link_in_a_circle: "is not there",
    keys: "more than 20,000 tensors",
    config_keys: "at most 65,536 are read",
    nested: "nested too deeply",
    nested_header: "is damaged",
    fifo: "not a regular file",
    config_fifo: "not a regular file",
    sparse: "no safetensors file",
    sparse_model: "at most 2,500,000,000",
    nan: "NaN or infinite",
    remote_code: "no code of a checkpoint is run",
    only_bin: "only safetensors files are opened",
    no_tokenizer: "no tokenizer.json",
    bad_tokenizer: "tokenizer.json cannot be read",
    shard_out: "safetensors files of this folder",
    other_width: "config.json says",
    many_layers: "lack",
    quantized: "Quantized",
}


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return save(tmp_path_factory.mktemp("good") / "bloom", "bloom")


@pytest.fixture(scope="module")
def answers(good, tmp_path_factory):
    """What opening each of them says, all in one process of their own."""
    root = tmp_path_factory.mktemp("hostile") / "models"
    for spoil in HOSTILE:
        spoil(Path(shutil.copytree(good, root / spoil.__name__)))
    names = [spoil.__name__ for spoil in HOSTILE]
    environment = os.environ | {SETTING: str(root)}
    ran = subprocess.run([sys.executable, "-c", OPEN, *names], env=environment, capture_output=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("spoil", HOSTILE, ids=lambda spoil: spoil.__name__)
def test_a_hostile_checkpoint_gets_one_sentence(answers, spoil):
    sentence = answers["said"][spoil.__name__]
    assert HOSTILE[spoil] in sentence
    assert len(sentence) < 300
    assert sentence.endswith(".")


def test_all_of_them_take_little_memory_and_no_model_is_built(answers):
    assert answers["more"] < MEMORY
    assert not answers["imported"]


def test_a_sharded_checkpoint_opens_as_the_whole_one_does(good, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(good, tmp_path / "sharded"))
    weights = safetensors.torch.load_file(folder / WEIGHTS)
    (folder / WEIGHTS).unlink()
    files = {name: f"model-0000{1 + number % 2}-of-00002.safetensors" for number, name in enumerate(weights)}
    for file in set(files.values()):
        safetensors.torch.save_file({n: w for n, w in weights.items() if files[n] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))
    monkeypatch.setenv(SETTING, str(tmp_path))
    assert checkpoints.load("sharded").config.layers == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"layer_norm_epsilon": "small"}, "does not take"), ({"layer_norm_epsilon": 1e-5, "n_inner": 5}, "")],
)
def test_what_only_transformers_knows_is_asked_of_it(good, tmp_path, monkeypatch, changes, words):
    config(Path(shutil.copytree(good, tmp_path / "one")), **changes)
    monkeypatch.setenv(SETTING, str(tmp_path))
    if not words:
        assert checkpoints.load("one").config.heads == 6
        return
    with pytest.raises(ValueError, match=words):
        checkpoints.load("one")


def test_the_list_ends_and_follows_no_link(good, tmp_path, monkeypatch):
    shutil.copytree(good, tmp_path / "models" / "a" / "b" / "c")
    deep = tmp_path / "models" / "1" / "2" / "3" / "4" / "5"
    deep.mkdir(parents=True)
    (deep / CONFIG).write_text("{}")
    (tmp_path / "models" / "out").symlink_to(good)
    monkeypatch.setenv(SETTING, str(tmp_path / "models"))
    assert folders() == ("a/b/c",)
    monkeypatch.setenv(SETTING, str(tmp_path / "nowhere"))
    assert folders() == ()
