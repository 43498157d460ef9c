"""`import alibi_viz`: its names, its examples, and what it does not import."""

import copy
import doctest
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import numpy as np
import pytest
import torch

import alibi_viz
from alibi_viz import library, tensors
from alibi_viz.pitfalls import certify

DOCS = Path(__file__).parents[2] / "docs"
#: What only the app and the tests need: the core of the package is installed without it.
NOT_CORE = "streamlit plotly pandas dask distributed psutil cryptography segno transformers tokenizers altair".split()


def blocked(*names):
    """Code after which these packages cannot be imported."""
    return f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {names}:
            raise ModuleNotFoundError(f"{{name}} is not part of the core", name=name)
sys.meta_path.insert(0, Blocked())
"""


def test_the_examples_give_what_they_say():
    page = doctest.testfile(str(DOCS / "library.md"), module_relative=False)
    look = {"optionflags": doctest.NORMALIZE_WHITESPACE}
    modules = [doctest.testmod(module, **look) for module in (alibi_viz, library, tensors, certify)]
    for ran in (page, *modules):
        assert ran.attempted
        assert not ran.failed


@pytest.mark.slow
def test_the_notebook_gives_what_it_shows():
    saved = nbformat.read(DOCS / "library.ipynb", as_version=4)
    ran = nbclient.NotebookClient(copy.deepcopy(saved), timeout=300).execute()
    results = [[_plain_outputs(cell) for cell in notebook.cells] for notebook in (saved, ran)]
    assert results[0] == results[1]
    assert any(results[0])


def _plain_outputs(cell):
    return [output["data"]["text/plain"] for output in cell.get("outputs", []) if "data" in output]


@pytest.mark.slow  # `make contracts` says the same of imports
def test_the_names_work_with_the_core_alone_and_importing_them_waits_for_no_torch():
    code = "import alibi_viz\nprint('torch' in sys.modules)\n"
    code += "for name in alibi_viz.__all__: print(name, callable(getattr(alibi_viz, name)))\n"
    code += "print(alibi_viz.check(alibi_viz.slopes(12)).status)\n"
    python = [sys.executable, "-c", blocked(*NOT_CORE) + code]
    printed = subprocess.run(python, capture_output=True, text=True, check=True).stdout.split()
    assert set(alibi_viz.__all__) <= set(printed)
    assert (printed[0], printed[-1]) == ("False", "clean")


def test_the_queries_of_a_bias_are_the_last_keys():
    torch.testing.assert_close(alibi_viz.bias(8, 3, 10), alibi_viz.bias(8, 10)[:, -3:])
    for wrong in ({"keys": 2}, {"form": "other"}, {"rule": "custom"}):
        with pytest.raises(ValueError, match=r"\.$"):
            alibi_viz.bias(8, **({"queries": 3} | wrong))
    with pytest.raises(ValueError, match="too large"):
        alibi_viz.bias(128, 100_000)


def test_a_trace_is_the_attention_of_pytorch():
    q, k, v = torch.randn(3, 1, 4, 9, 8).unbind(0)
    stages = alibi_viz.trace(q[:, :, -2:], k, v)
    mask = alibi_viz.bias(4, 2, 9).masked_fill(torch.ones(2, 9).triu(8).bool(), -torch.inf)
    expected = torch.nn.functional.scaled_dot_product_attention(q[:, :, -2:], k, v, attn_mask=mask)
    torch.testing.assert_close(stages.output, expected)
    with pytest.raises(ValueError, match="they are"):
        alibi_viz.trace(q[0], k, v)
    with pytest.raises(ValueError, match="more queries"):
        alibi_viz.trace(q, k[:, :, :3], v[:, :, :3])


def test_a_trace_takes_arrays_and_lists():
    q, k, v = torch.randn(3, 1, 2, 5, 4).double().numpy()
    q.flags.writeable = False
    options = {"k_positions": np.arange(5), "key_padding_mask": np.array([[True] + [False] * 4])}
    expected = alibi_viz.trace(*map(torch.tensor, (q, k, v)), **{n: torch.tensor(x) for n, x in options.items()})
    for given, more in (
        ((q, k, v), options),
        ((q.tolist(), k.tolist(), v.tolist()), {n: x.tolist() for n, x in options.items()}),
    ):
        torch.testing.assert_close(alibi_viz.trace(*given, **more).output, expected.output.float(), atol=1e-6, rtol=0)
    for wrong, more in (
        ("abc", {}),
        ([[1], [2, 3]], {}),
        (q, {"k_positions": [0.5]}),
        (q, {"key_padding_mask": [[1]]}),
    ):
        with pytest.raises(ValueError, match=r"must be [^\n]*\.$"):
            alibi_viz.trace(wrong, k, v, **more)


@pytest.mark.parametrize("wrong", [True, torch.tensor(True), np.float64(8), "8", None, np.arange(2)])
def test_any_integer_counts_heads_and_nothing_else(wrong):
    for eight in (np.int64(8), np.uint8(8), torch.tensor(8)):
        assert alibi_viz.slopes(eight) == alibi_viz.slopes(8)
    with pytest.raises(ValueError, match="heads must be a whole number"):
        alibi_viz.slopes(wrong)


@pytest.mark.parametrize("values", [[], "", "a", [[1, 2], [3]], torch.zeros(2, 2, 2, 2, 2), [None], 3.0])
def test_what_cannot_be_judged_gets_one_sentence(values):
    assert alibi_viz.check("2^-2, 2^-4, 2^-6, 2^-8").status == alibi_viz.check(alibi_viz.slopes(4)).status == "clean"
    with pytest.raises(ValueError, match=r"^[A-Z“][^\n]*\.$"):
        alibi_viz.check(values)


def test_a_config_is_read_from_every_place(tmp_path):
    text = '{"model_type": "bloom", "n_layer": 2, "n_head": 8, "hidden_size": 64}'
    (tmp_path / "config.json").write_text(text)
    found = alibi_viz.inspect(text)
    assert found.slopes == tuple(alibi_viz.slopes(8))
    for source in (tmp_path, str(tmp_path), tmp_path / "config.json", found.raw):
        assert alibi_viz.inspect(source) == found
    for wrong in (tmp_path / "none", 3, "none", "{", {}):
        with pytest.raises(ValueError, match=r"\.$"):
            alibi_viz.inspect(wrong)


def test_a_picture_is_a_frame_of_its_own():
    picture = library.Picture("bias", {"heads": 12}, '<p title="a">&</p>')
    assert '<iframe srcdoc="&lt;p title=&quot;a&quot;&gt;&amp;&lt;/p&gt;"' in picture._repr_html_()
    assert 'sandbox="allow-scripts"' in picture._repr_html_()
    assert repr(picture) == "show('bias', heads=12): 18 characters of HTML"


@pytest.mark.slow
def test_a_lesson_is_shown(tmp_path):
    picture = alibi_viz.show("bias", heads=12, n=200)
    assert "data-alone" in picture.text
    picture.save(tmp_path / "bias.html")
    assert (tmp_path / "bias.html").read_text(encoding="utf-8") == picture.text
    with pytest.raises(ValueError, match="There is no lesson"):
        alibi_viz.show("nothing")
