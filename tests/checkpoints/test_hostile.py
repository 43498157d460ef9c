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
    rows = 3 * 10**9 // (24 * 4)

    def grow(entries: dict) -> None:
        end = max(entry["data_offsets"][1] for name, entry in entries.items() if name != "__metadata__")
        embedding = entries["transformer.word_embeddings.weight"]
        entries["lm_head.weight"] = dict(embedding)  # the bytes of the small table stay in use
        embedding.update(shape=[rows, 24], data_offsets=[end, end + rows * 24 * 4])

    config(folder, vocab_size=rows)
    header(folder, grow)
    with (folder / WEIGHTS).open("ab") as file:
        file.truncate(file.tell() + rows * 24 * 4)


def extra_weights(folder: Path) -> None:
    """As of a variant of the model that transformers does not compute."""
    weights = safetensors.torch.load_file(folder / WEIGHTS)
    weights["transformer.h.0.self_attention.q_norm.weight"] = torch.ones(4)
    safetensors.torch.save_file(weights, folder / WEIGHTS)


def whole_numbers(folder: Path) -> None:
    weights = safetensors.torch.load_file(folder / WEIGHTS)
    weights["transformer.ln_f.bias"] = torch.ones(24, dtype=torch.int32)
    safetensors.torch.save_file(weights, folder / WEIGHTS)


def small_floats(folder: Path) -> None:
    """A kind of number that the library names and cannot read."""
    text = json.dumps({"a": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [0, 3]}}).encode()
    replaced(folder, WEIGHTS, len(text).to_bytes(8, "little") + text + bytes(3))


def two_depths(folder: Path) -> None:
    """A plausible depth where this app looks, and an absurd one where transformers does."""
    config(folder, text_config=json.loads((folder / CONFIG).read_text()), n_layer=10**9)


def many_labels(folder: Path) -> None:
    """A field of every configuration of transformers, which would make a name for each."""
    config(folder, num_labels=10**9, hidden_size=48)


def many_heads(folder: Path) -> None:
    config(folder, hidden_size=1024, n_head=256)


def other_family(folder: Path) -> None:
    config(folder, model_type="opt", num_hidden_layers=3, num_attention_heads=6)


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


#: What was done to a model -> words of the sentence about it.
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
    extra_weights: "does not take",
    whole_numbers: "does not hold floats",
    small_floats: "does not hold floats",
    two_depths: "layers or heads twice",
    many_labels: "do not fit config.json",
    many_heads: "at most 128 heads",
    other_family: "can be opened, not of opt",
    nan: "NaN or infinite",
    remote_code: "no code of a model is run",
    only_bin: "only safetensors files are opened",
    no_tokenizer: "tokenizer.json is not there",
    bad_tokenizer: "tokenizer.json cannot be read",
    shard_out: "no model.safetensors",
    other_width: "do not fit config.json",
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
def test_a_hostile_model_gets_one_sentence(answers, spoil):
    sentence = answers["said"][spoil.__name__]
    assert HOSTILE[spoil] in sentence
    assert len(sentence) < 300
    assert sentence.endswith(".")


def test_all_of_them_take_little_memory(answers):
    assert answers["more"] < MEMORY


def test_a_sharded_model_opens_as_the_whole_one_does(good, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(good, tmp_path / "sharded"))
    weights = safetensors.torch.load_file(folder / WEIGHTS)
    (folder / WEIGHTS).unlink()
    files = {name: f"model-0000{1 + number % 2}-of-00002.safetensors" for number, name in enumerate(weights)}
    for file in set(files.values()):
        safetensors.torch.save_file({n: w for n, w in weights.items() if files[n] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))
    monkeypatch.setenv(SETTING, str(tmp_path))
    assert local.read("sharded", TEXT).config.layers == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"layer_norm_epsilon": "small"}, "does not take"), ({"layer_norm_epsilon": 1e-5, "n_inner": 5}, "")],
)
def test_what_only_transformers_knows_is_asked_of_it(good, tmp_path, monkeypatch, changes, words):
    config(Path(shutil.copytree(good, tmp_path / "one")), **changes)
    monkeypatch.setenv(SETTING, str(tmp_path))
    if not words:
        assert local.read("one", TEXT).config.heads == 6
        return
    with pytest.raises(ValueError, match=words):
        local.read("one", TEXT)


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
