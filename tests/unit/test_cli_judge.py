"""`alibi-viz check` and `alibi-viz inspect`: what they print, and their exit status."""

import io
import json
import sys

import numpy as np
import pytest
import safetensors.torch
import torch

from alibi_viz import bias
from alibi_viz.cli import main
from alibi_viz.rules import slopes

BLOOM = {"model_type": "bloom", "n_layer": 2, "n_head": 8, "hidden_size": 64}


def said(capsys, *arguments):
    status = main([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def saved(folder, name, values):
    path = folder / name
    if name.endswith(".npy"):
        np.save(path, np.asarray(values, dtype=np.float32))
    elif name.endswith(".safetensors"):
        path.write_bytes(safetensors.torch.save({"values": torch.as_tensor(values, dtype=torch.float32).contiguous()}))
    else:
        path.write_text(str(values))
    return str(path)


@pytest.mark.parametrize("name", ["mask.npy", "mask.safetensors", "mask.csv"])
def test_a_mask_is_declared_in_a_file(name, tmp_path, capsys):
    allowed = torch.ones(16, 16, dtype=torch.bool).tril() & (torch.arange(16) > 2)
    own, path = saved(tmp_path, "own.npy", bias(8, 16).masked_fill(~allowed, -1e4)), tmp_path / name
    if name.endswith(".npy"):
        np.save(path, allowed.numpy())
    elif name.endswith(".csv"):
        np.savetxt(path, allowed.numpy(), fmt="%d", delimiter=",")
    else:
        path.write_bytes(safetensors.torch.save({"mask": allowed}))
    assert [said(capsys, "check", own, *mask)[0] for mask in ([], ["--mask", str(path)])] == [1, 0]
    assert main(["check", own, "--mask", own]) == 2, "numbers other than 0 and 1"
    assert (main(["check", str(path)]), name.endswith("csv")) in ((2, False), (1, True)), "a mask is no bias"


def test_a_list_comes_from_standard_input(monkeypatch, capsys):
    for text, expected in (("2^-4, 2^-8", 0), ("[0.0625, 0.00390625]", 0), ("1/2 1/4", 1), ("words", 2)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main(["check", "-"]) == expected
        printed = capsys.readouterr()
        assert bool(printed.err) == (expected == 2)
        assert ("No mistake" in printed.out) == (expected == 0)


def test_nothing_that_a_file_says_is_a_command_to_the_terminal(tmp_path, capsys):
    config = {"model_type": "bl\x1b[31moom\x9b2J", "num_attention_heads": 8, "hidden_size": 64}
    (tmp_path / "config.json").write_text(json.dumps(config))
    for arguments in (["inspect", str(tmp_path)], ["inspect", str(tmp_path), "--json"]):
        main(arguments)
        printed = capsys.readouterr()
        assert not {"\x1b", "\x9b"} & {*printed.out, *printed.err}


def test_a_config_and_its_folder(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps(BLOOM))
    for source in (tmp_path, tmp_path / "config.json"):
        status, found = said(capsys, "inspect", str(source))
        assert status == 0
        assert (found["model_type"], found["method"], found["heads"]) == ("bloom", "alibi", 8)
        assert found["slopes"] == slopes(8)
        assert (found["runs_code"], found["unread"]) == (False, [])
    assert main(["inspect", str(tmp_path)]) == 0
    assert "ALiBi" in capsys.readouterr().out


@pytest.mark.parametrize("more", [{"is_causal": False}, {"auto_map": {"AutoModel": "x.py"}}])
def test_a_field_that_is_not_read_is_listed_with_status_1(more, tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps(BLOOM | more))
    status, found = said(capsys, "inspect", str(tmp_path))
    assert (status, found["known"], len(found["unread"])) == (1, False, 1)
    assert found["runs_code"] == ("auto_map" in more), "the file asks for code; it is said, and nothing is run"
    assert main(["inspect", str(tmp_path)]) == 1
    assert next(iter(more)) in capsys.readouterr().out


def test_what_transformers_ignores_is_said(tmp_path, capsys):
    mpt = {"model_type": "mpt", "n_heads": 8, "n_layers": 2, "d_model": 64}
    (tmp_path / "config.json").write_text(json.dumps(mpt | {"attn_config": {"alibi": True, "alibi_bias_max": 16}}))
    assert main(["inspect", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "transformers ignores" in printed
    assert "alibi_bias_max" in printed


def test_a_model_that_cannot_be_opened_is_one_line_and_status_2(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps(BLOOM))
    for arguments in (["--model", str(tmp_path)], ["--model", "none"], ["--model", str(tmp_path), "slopes.npy"], []):
        assert main(["check", *arguments]) == 2
        printed = capsys.readouterr()
        assert (printed.out, printed.err.count("\n")) == ("", 1)
