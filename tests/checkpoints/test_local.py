"""Tiny models of every family open, with the attention of transformers, bit for bit; and those that lie, or want more than
they should get, give one sentence, little work, little memory.
"""

import json
import os
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from alibi_viz.checkpoints import local
from alibi_viz.checkpoints.folder import SETTING, folders
from alibi_viz.checkpoints.tokenizing import encode
from tests.cases import some
from tests.checkpoints.tiny import TEXT, ids_of, save, theirs
from tests.hostile.damage import Damage, entry, header


@pytest.fixture(scope="module", autouse=True)
def models(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    for family in local.OPENED:
        save(root / family, family)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SETTING, str(root))
        yield root


@pytest.mark.parametrize("family", local.OPENED)
def test_attention_is_that_of_transformers(models, family):
    reading = local.read(family, TEXT)
    ids = ids_of(TEXT)[: len(reading.tokens)]
    assert reading.attention.std() > 0.01, "the heads differ"
    if family != "falcon":  # see below
        np.testing.assert_array_equal(reading.attention, theirs(models / family, ids))
    assert reading.attention.shape == (3, 6, len(ids), len(ids))
    assert (reading.config.family, reading.given) == (family, len(TEXT.split()))
    assert reading.tokens[:3] == ("the", "cat", "sat")
    assert len(ids) == (16 if family == "gpt2" else reading.given), "a table of positions ends"


@pytest.mark.parametrize(("family", "changes"), [("mpt", {"attn_config": {"alibi_bias_max": 16}}), ("falcon", {})])
def test_a_bias_that_transformers_gets_wrong_is_right_here(models, family, changes):
    """It ignores MPT's alibi_bias_max, and its eager attention adds Falcon's bias twice. With one content everywhere,
    attention is the softmax of the bias alone."""
    save(models / "far", family, **changes)
    reading = local.read("far", "cat cat cat cat")
    slopes = torch.tensor(reading.config.slopes)
    bias = -slopes[:, None, None] * (torch.arange(4)[:, None] - torch.arange(4)).abs()
    expected = bias.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf).softmax(-1)
    np.testing.assert_allclose(reading.attention[0], expected, atol=1e-2 if family == "falcon" else 1e-6)  # bfloat16


def test_only_the_first_tokens_come_back_however_many_there_are(models):
    """A rule of a tokenizer can make a hundred thousand of one word."""
    special = {"SpecialToken": {"id": "[UNK]", "type_id": 0}}
    many = {"type": "TemplateProcessing", "single": [special] * 100_000, "pair": [special]}
    many["special_tokens"] = {"[UNK]": {"id": "[UNK]", "ids": [0], "tokens": ["[UNK]"]}}
    tokenizer = json.loads((models / "bloom" / "tokenizer.json").read_text()) | {"post_processor": many}
    found = encode(json.dumps(tokenizer).encode(), "the", 5)
    assert (len(found.ids), len(found.names), len(found.offsets), found.given) == (5, 5, 5, 100_000)


def test_nothing_of_the_process_is_changed(models):
    dtype, state = torch.get_default_dtype(), torch.get_rng_state()
    local.read("bloom", "the cat")
    assert torch.get_default_dtype() == dtype
    assert torch.equal(torch.get_rng_state(), state), "no number is drawn that another reader would have had"


def test_many_heads_read_a_shorter_text():
    config = replace(local.read("bloom", TEXT).config, heads=1024, layers=1024)
    assert local.longest(config) ** 2 * 1024 * 1024 <= local.MOST_WEIGHTS


CONFIG, MODEL, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
MEMORY = 200 * 2**20  # bytes that opening one may take


def config(**changes):
    return lambda folder: (folder / CONFIG).write_text(json.dumps(json.loads((folder / CONFIG).read_text()) | changes))


def tokenizer(**parts):
    def rewrite(folder):
        (folder / TOKENIZER).write_text(json.dumps(json.loads((folder / TOKENIZER).read_text()) | parts))

    return rewrite


def weights(change):
    def rewrite(folder):
        numbers = safetensors.torch.load_file(folder / MODEL)
        change(numbers)
        safetensors.torch.save_file(numbers, folder / MODEL)

    return rewrite


def of_weights(damage):
    return lambda folder: damage(folder / MODEL)


def gigabytes(folder):
    """Three of zeros that a truthful header tells of, and that take no room on the disk."""
    header(b"", a=entry([3 * 10**9 // 4], 3 * 10**9))(folder / MODEL)
    os.truncate(folder / MODEL, (folder / MODEL).stat().st_size + 3 * 10**9)


def link_out(folder):
    outside = (folder / MODEL).rename(folder.parents[1] / "outside.safetensors")
    (folder / MODEL).symlink_to(outside)


def fifo(folder):
    (folder / MODEL).unlink()
    os.mkfifo(folder / MODEL)


def no_name(folder):
    """A file whose name no page can show, beside one that it can."""
    for name in (os.fsdecode(b"a\xff.bin"), "b.bin"):
        (folder / MODEL).with_name(name).touch()
    (folder / MODEL).unlink()


def code_of_its_own(folder):
    config(auto_map={"AutoModel": "modeling_mine.MyModel"})(folder)
    (folder / "modeling_mine.py").write_text("raise SystemExit('it ran')")


def two_depths(folder):
    """A plausible depth where this app looks, and an absurd one where transformers does."""
    config(text_config=json.loads((folder / CONFIG).read_text()), n_layer=10**9)(folder)


def replaced(pattern, content):
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
def good(tmp_path_factory):
    return save(tmp_path_factory.mktemp("good") / "bloom", "bloom")


@pytest.mark.parametrize("name", some(HOSTILE, *(name for name in HOSTILE if name not in FOR_EVER)))
def test_a_hostile_model_gets_one_sentence_and_little_memory(good, tmp_path, monkeypatch, name):
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


def memory(name):
    """A line of what Linux says of this process, in bytes."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(row.split()[1]) * 1024 for row in status if row.startswith(name))


def test_a_sharded_model_reads_as_the_whole_one(good, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(good, tmp_path / "sharded"))
    shutil.copytree(good, tmp_path / "whole")
    whole = safetensors.torch.load_file(folder / MODEL)
    (folder / MODEL).unlink()
    for part in (0, 1):
        tensors = {name: whole[name] for name in sorted(whole)[part::2]}
        safetensors.torch.save_file(tensors, folder / f"model-0000{part + 1}-of-00002.safetensors")
    monkeypatch.setenv(SETTING, str(tmp_path))
    np.testing.assert_array_equal(local.read("sharded", TEXT).attention, local.read("whole", TEXT).attention)


def test_a_reader_opens_nothing_but_what_is_listed_and_the_list_ends_and_follows_no_link(good, tmp_path, monkeypatch):
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
