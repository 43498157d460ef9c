"""A model that a browser's tab trains (pictures/train/trainer.js) against PyTorch, from the same start and batches."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz import pictures
from alibi_viz.lm.config import FIRST_RUN, TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.training import batch, build_model, derive_seed, learning_rate, start, train_chunk
from alibi_viz.results.comparison import over_blocks
from benchmarks import kernels
from pages.train import tab
from tests.parity.test_browser_models import READ, base64, floats, js  # noqa: F401

STEPS = 10
#: One trainer, with the numbers of PyTorch in it.
BEGIN = """
  const kernels = new WebAssembly.Module(bytes(data.kernels));
  const trainer = new core.Trainer(kernels, data.config, bytes(data.train)), { parameters } = trainer;
  const numbers = (text) => new Float32Array(bytes(text).buffer);
  for (const [name, { weight, size }] of Object.entries(parameters)) {
    trainer.array(weight, size).set(numbers(data.weights[name]));
  }
  trainer.prepare();
  models.trainer = trainer;
  trainer.learn(data.starts);
  const gradients = Object.entries(parameters).map(([name, { gradient, size }]) => {
    const found = [name, told(trainer.array(gradient, size))];
    trainer.array(gradient, size).fill(0);
    return found;
  });
  return Object.fromEntries(gradients);
"""
GO_ON = "const { trainer } = models; return data.map((starts) => trainer.advance(starts));"
MEASURE = """
  const { trainer } = models;
  models.file = trainer.file();
  return data.windows.map(([length, stride]) => trainer.evaluate(bytes(data.text), length, stride));
"""


@pytest.mark.parametrize("method", tab.METHODS)
def test_a_tab_trains_and_measures_as_pytorch_does(js, method):  # noqa: F811
    """Gradients of the first step, the losses of ten, measurements in both protocols, and the file of the weights."""
    whole = python_text()
    corpus = replace(whole, train=whole.train[:20_000], held_out=whole.held_out[:3000])
    config = TrainConfig(method, **FIRST_RUN | {"width": 32, "seed": 3})
    state, text = start(config, corpus), torch.frombuffer(bytearray(corpus.train), dtype=torch.uint8)

    def starts(step: int) -> list[int]:
        random = torch.Generator().manual_seed(derive_seed(config.seed, "batch", step))
        return torch.randint(len(text) - config.length, (config.batch, 1), generator=random).flatten().tolist()

    sent = {
        "kernels": base64((kernels.FOLDER / kernels.OUTPUT).read_bytes()),
        "config": tab.config_of(config),
        "train": base64(corpus.train),
        "weights": {name: base64(weight.numpy().tobytes()) for name, weight in state.weights.items()},
        "starts": starts(0),
    }
    found, model = js(BEGIN, sent), build_model(config)
    inputs, targets = batch(config, 0, text)
    F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum").backward()
    assert found.keys() == {name for name, _ in model.named_parameters()}
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(floats(found[name], *parameter.shape), parameter.grad, rtol=1e-4, atol=2e-4)
    after = train_chunk(state, STEPS, corpus)
    losses = js(GO_ON, [starts(step) for step in range(STEPS)])
    np.testing.assert_allclose(losses, after.losses, rtol=0, atol=2e-5)
    windows = [(64, 64), (64, 16), (512, 128)]
    measured = js(MEASURE, {"text": base64(corpus.held_out), "windows": windows})
    trained = after.model()
    for (length, stride), entry in zip(windows, measured, strict=True):
        expected = evaluate(trained, corpus.held_out, length, stride)
        assert entry["loss"] == pytest.approx(expected["loss"], abs=1e-4)
        np.testing.assert_allclose(entry["by_block"], expected["by_block"], rtol=0, atol=2e-4)
    js("models.tab = models.file;")
    read = floats(js(READ, {"name": "tab", "text": base64(corpus.held_out[:80])}), -1, 256)
    with torch.inference_mode():
        expected = trained(torch.tensor([list(corpus.held_out[:80])]))[0]
    torch.testing.assert_close(read.softmax(-1), expected.softmax(-1), rtol=0, atol=1e-4)


def test_the_rate_of_every_step_is_pytorch_s(js):  # noqa: F811
    config = TrainConfig(**FIRST_RUN)
    body = (
        "return Array.from({ length: data.steps }, (_, at) => core.Trainer.prototype.rate.call({ config: data }, at));"
    )
    expected = [learning_rate(config, step) for step in range(config.steps)]
    assert js(body, tab.config_of(config)) == pytest.approx(expected)


@given(values=st.lists(st.floats(-1, 1), min_size=5, max_size=16), shift=st.floats(-1, 1))
def test_a_verdict_in_the_tab_is_that_of_the_rule(js, values, shift):  # noqa: F811
    """But where an end of the interval lies close to its border: the samples are others."""
    differences = np.array(values) / 4 + shift
    expected = over_blocks(differences)
    edges = [abs(abs(end) - tab.RULE["worse"]) for end in (expected.low, expected.high) if math.isfinite(end)]
    if all(edge > 0.03 for edge in edges):
        assert js("return core.verdictOf(...data);", [differences.tolist(), tab.RULE]) == expected.verdict


def test_the_kernels_are_made_of_their_source():
    """`make docs` compiles them again."""
    assert (kernels.FOLDER / kernels.SUMS).read_text(encoding="utf-8") == kernels.sums()
    assert pictures.HERE in kernels.FOLDER.parents
