"""The tiny language models in a browser (pictures/lm.js, pictures/train/) against PyTorch: what they read, trace and write,
and what they learn from the same start and batches.

Sums come in another order in both, so a byte may be another one where its draw lies close to an edge between two bytes.
Such bytes are counted (`lm.writing.check`).
"""

import functools
import json
import math
import random
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz import pictures
from alibi_viz.content.words import words
from alibi_viz.lm.config import BLOCKS, FIRST_RUN, TrainConfig
from alibi_viz.lm.corpus import of_language, python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.model import Block, windowed
from alibi_viz.lm.readings import read_as
from alibi_viz.lm.training import batch, build_model, derive_seed, learning_rate, start, train_chunk, trained_model
from alibi_viz.lm.weights import for_browsers, read_weights
from alibi_viz.lm.writing import START, Writer, check
from alibi_viz.positions.t5 import relative_position_bucket
from alibi_viz.results import trained
from alibi_viz.results.comparison import over_blocks
from alibi_viz.results.pretrained import FOLDER, MODELS
from benchmarks import kernels
from pages.attention_model.study import SCREEN, Controls, compute
from pages.heirs import study
from pages.train import tab
from tests.cases import slow, some

LENGTH, SAMPLE = 1_000, 250  # bytes that are read
METHODS = sorted({method for method, _ in MODELS.values()})  # of the shipped models
#: What each method does is compared at random sizes; of the shipped files a few are quick.
SHIPPED = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.safetensors"))
QUICK = ("text/alibi-0", "text/forgetting-0", "text/hybrid-0", "text/learned-0", "blocks/rope-8-0", "ja/t5-0")
PROMPT = b"The function returns a list of "
#: Runs each line: [the body of a function, its `data`]. A float array goes and comes as base64.
SERVER = """
import { stdin } from "node:process";
import { createInterface } from "node:readline";
import * as model from "%s/lm.js";
import * as matrices from "%s/matrices/trained.js";
import * as stairs from "%s/heirs/stairs.js";
import * as training from "%s/train/trainer.js";
import * as verdict from "%s/train/verdict.js";
const core = { ...model, ...matrices, ...stairs, ...training, ...verdict };
const models = {}; // name -> weights
const bytes = (text) => Uint8Array.fromBase64(text);
const told = (array) => new Uint8Array(Float32Array.from(array).buffer).toBase64();
for await (const line of createInterface({ input: stdin })) {
  const [body, data] = JSON.parse(line);
  let answer;
  try {
    answer = { found: new Function("core", "models", "bytes", "told", "data", body)(core, models, bytes, told, data) };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer));
}
"""
READ = """
  const model = new core.Model(models[data.name], data), logits = new Float32Array(256 * bytes(data.text).length);
  for (const [at, byte] of bytes(data.text).entries()) {
    model.read(byte);
    logits.set(model.logits(), 256 * at);
  }
  return told(logits);
"""
WRITE = """
  const model = new core.Model(models[data.name], data), written = [];
  const order = { ...data, prompt: bytes(data.prompt), written: bytes(data.written) };
  const writing = core.write(model, order);
  let next = writing.next();
  for (; !next.done; next = writing.next()) written.push(next.value);
  return [Uint8Array.from(written).toBase64(), next.value];
"""


@pytest.fixture(scope="module")
def js(tmp_path_factory):
    """js(body, data): what JavaScript finds. `core` is lm.js, and what pictures make of its traces."""
    deno = shutil.which("deno", path=str(Path(sys.executable).parent)) or shutil.which("deno")
    if deno is None:
        pytest.skip("no deno")
    script = tmp_path_factory.mktemp("deno") / "server.js"
    script.write_text(SERVER % (5 * (pictures.HERE.as_uri(),)))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([deno, "run", "--quiet", "--allow-read", str(script)], **pipes) as process:

        def run(body, data=None):
            print(json.dumps([body, data]), file=process.stdin, flush=True)
            answer = json.loads(process.stdout.readline())
            assert "error" not in answer, answer["error"]
            return answer.get("found")

        yield run
        process.stdin.close()


def base64(data):
    return b64encode(data).decode()


def floats(text, *shape):
    return torch.from_numpy(np.frombuffer(b64decode(text), dtype=np.float32).copy()).reshape(shape)


def send(js, name, config, model, **options):
    file = for_browsers(config, model, **options)
    js("models[data[0]] = bytes(data[1]).buffer;", [name, base64(file)])


@pytest.fixture(scope="module")
def shipped(js):
    """shipped(name): the model of a file, which JavaScript has under the same name."""

    @functools.cache
    def load(name):
        config = TrainConfig(**json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["config"])
        model = trained_model(config, read_weights(FOLDER / f"{name}.safetensors", config.largest_file))
        send(js, name, config, model, dtype=torch.float16)
        return model.eval().requires_grad_(False)

    return load


@pytest.fixture(scope="module")
def tiny(js):
    """tiny(method, **shape): one that is not trained, with no number as at the start; JavaScript has it as "tiny"."""

    def build(method, seed=0, **shape):
        config = TrainConfig(method, **{"width": 16, "layers": 2, "heads": 2, "head_dim": 8, "length": 16} | shape)
        torch.manual_seed(seed)
        model = build_model(config).eval().requires_grad_(False)
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
        send(js, "tiny", config, model)
        return model

    return build


def text_of(name, length):
    folder = name.split("/")[0]
    return of_language(folder if folder in ("zh", "ja") else "en").held_out[:length]


def readable(model, text):
    return text[: model.position.max_position]


def apart(js, name, model, text, window=0):
    """The largest difference of two probabilities of the byte that follows, over all bytes of a text.

    PyTorch's are those of the path that shows every stage: FoX's fused path is itself off by 1e-4 at 1,000 bytes.
    """
    found = floats(js(READ, {"name": name, "text": base64(text), "window": window}), -1, 256)
    with torch.inference_mode():
        model, tokens = windowed(model, window) if window else model, torch.tensor([list(text)])
        logits = (model.trace(tokens)[1] if isinstance(model.blocks[0], Block) else model(tokens))[0]
    return float((found.double().softmax(-1) - logits.double().softmax(-1)).abs().max())


@pytest.mark.parametrize(
    ("name", "length"), [*((name, SAMPLE) for name in QUICK), *(slow(name, LENGTH) for name in SHIPPED)]
)
def test_a_shipped_model_expects_the_same_bytes(js, shipped, name, length):
    model = shipped(name)
    assert apart(js, name, model, readable(model, text_of(name, length))) < 1e-4


SHAPES = st.fixed_dictionaries(
    {
        "width": st.integers(8, 21),
        "layers": st.integers(1, 3),
        "heads": st.integers(1, 5),
        "head_dim": st.integers(1, 6).map(lambda half: 2 * half),
        "length": st.integers(8, 70),
    }
)


@pytest.mark.parametrize(("method", "block"), [(method, block) for block, of in BLOCKS.items() for method in of])
@settings(max_examples=8)
@given(shape=SHAPES, text=st.binary(min_size=1, max_size=60), seed=st.integers(0, 99), window=st.integers(0, 40))
def test_a_model_of_any_size_expects_the_same_bytes(js, tiny, method, block, shape, text, seed, window):
    model = tiny(method, seed, block=block, **shape)
    assert apart(js, "tiny", model, readable(model, text), window if block == "gpt" else 0) < 1e-4


@pytest.mark.parametrize(
    "method", some(["alibi", "rope", "t5", "kerple", "kerple_power", "sandwich", "none"], "alibi", "rope", "t5")
)
@given(text=st.binary(min_size=1, max_size=40), clamp=st.integers(1, 20))
def test_a_model_with_clamped_distances_expects_the_same_bytes(js, tiny, method, text, clamp):
    model = tiny(method)
    found = floats(js(READ, {"name": "tiny", "text": base64(text), "clamp": clamp}), -1, 256)
    logits = read_as(model, "clamped", clamp)(torch.tensor([list(text)]))[0]
    assert float((found.softmax(-1) - logits.softmax(-1)).abs().max()) < 1e-4


def test_every_method_that_is_shipped_has_its_entry_and_any_other_says_so(js, tiny):
    assert set(js("return Object.keys(core.POSITIONS);")) == set(METHODS)
    tiny("alibi")
    body = "core.POSITIONS.other = core.POSITIONS.alibi; delete core.POSITIONS.alibi;"
    back = "core.POSITIONS.alibi = core.POSITIONS.other; delete core.POSITIONS.other;"
    said = js(
        f"{body} try {{ new core.Model(models.tiny); }} catch (error) {{ return error.message; }} finally {{ {back} }}"
    )
    assert said == "alibi"


def test_buckets_of_t5_have_the_same_edges(js):
    cases = [(buckets, farthest) for buckets in (8, 32) for farthest in (17, 32, 64, 100, 128, 256, 1024)]
    body = "return data.map(([b, f]) => Array.from({ length: 2000 }, (_, d) => core.bucketOf(d, b, f)));"
    for (buckets, farthest), found in zip(cases, js(body, cases), strict=True):
        assert found == relative_position_bucket(-torch.arange(2000), False, buckets, farthest).tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("size", "head", "strength"), [(3, 2, 0.0), (100, 8, 0.5), slow(500, 1, 1.0)])
def test_a_head_in_the_browser_has_the_pictures_of_python(js, shipped, method, size, head, strength):
    """Inside a trained model: every stage, also where a square is several bytes; and what the sentence says."""
    loaded = trained.load(method)
    text = text_of("text", min(size, loaded.max_bytes))
    shipped(f"text/{method}-0")
    step, strength = math.ceil(len(text) / SCREEN), strength if loaded.slopes else 1.0
    body = """
      const { strength, layer, head, step } = data, model = new core.Model(models[data.name], { strength });
      const found = core.stagesOf(core.trace(model, bytes(data.text), layer, { of: [head], step }), head, step);
      return Object.fromEntries(Object.entries(found).map(([name, x]) => [name, x.length ? told(x) : x]));
    """
    for layer in (1, 2):
        result = compute(Controls(loaded, text, layer, head, strength))
        sent = {"name": f"text/{method}-0", "text": base64(text), "layer": layer - 1, "head": head - 1, "step": step}
        found = js(body, sent | {"strength": strength})
        expected = {name: getattr(result.stages, name) for name in ("content", "bias", "weights")}
        expected |= {"masked": result.stages.scores, "alone": result.alone}
        for name, array in expected.items():
            if array is not None:
                atol = 1e-4 if name in ("weights", "alone") else 2e-3
                np.testing.assert_allclose(floats(found[name], *array.shape), array, rtol=1e-4, atol=atol, err_msg=name)
        if result.near and len(text) > 1:
            np.testing.assert_allclose([found["near"], found["plain"]], result.near[1:], atol=1e-4)


@pytest.mark.parametrize(
    "text", ["the cat sat.  Then it left (at 10)!", " \u732b?", "a", slow("word " * 100), slow("\u00e9" * 500)]
)
def test_gates_over_a_sentence_are_those_of_python(js, shipped, text):
    shipped("text/forgetting-0")
    body = """
      const { ends, read, ...given } = core.readIn(data.text, data.words);
      const model = () => new core.Model(models["text/forgetting-0"]);
      const layers = [0, 1].map((layer) => core.trace(model(), read, layer, { of: [] }));
      const heads = core.headsIn(layers, ends);
      return [given, ends, read.toBase64(), told(heads.gates), told(heads.steps), told(heads.match)];
    """
    given = study.text_of(text)
    heads = study.heads_of(given)
    about, ends, found_read, *arrays = js(body, {"text": text, "words": words(text)[: study.MOST_WORDS]})
    assert about == {"tokens": list(given.words), "query": given.query}
    assert (ends, b64decode(found_read)) == (given.ends, given.read)
    for found, expected in zip(arrays, (heads.gates, heads.steps, heads.match), strict=True):
        np.testing.assert_allclose(floats(found, *expected.shape), expected, rtol=1e-4, atol=1e-4)


@given(seed=st.integers(0, 2**32 - 1), skipped=st.sampled_from([0, 1, 622, 623, 1300]))
def test_draws_are_those_of_python(js, seed, skipped):
    numbers = random.Random(seed)
    expected = [numbers.random() for _ in range(skipped + 5)]
    body = "const next = core.pythonRandom(data[0]); return Array.from({ length: data[1] }, next);"
    assert js(body, [seed, skipped + 5]) == expected


def written(js, name, **order):
    sent = {"name": name, "temperature": 0.7, "seed": 1, "length": 30, "prompt": START, "written": b"", **order}
    new, reason = js(WRITE, {key: base64(value) if isinstance(value, bytes) else value for key, value in sent.items()})
    return b64decode(new), reason


WRITING = ("text/alibi-0", "text/rope-0", "text/inkling-0")


@pytest.mark.parametrize(
    ("name", "length"),
    [*((name, 150) for name in WRITING), *(slow(name, LENGTH) for name in SHIPPED if name[:2] in ("te", "zh", "ja"))],
)
def test_a_shipped_model_writes_the_same_text(js, shipped, name, length):
    """Or the draw of another byte lies within 1e-3 of an edge between two bytes, which `check` looks at."""
    model, total, others = shipped(name), 0, 0
    choices = [(temperature, seed, 0) for temperature, seed in ((0.7, 1), (0.7, 2), (0.7, 3), (0, 1))]
    for temperature, seed, window in (*choices, (0.7, 1, 128)):
        order = {"temperature": temperature, "seed": seed, "window": window, "length": length}
        new, reason = written(js, name, prompt=PROMPT, **order)
        most = model.position.max_position or LENGTH + len(PROMPT)
        assert (len(new), reason) == (min(length, most - len(PROMPT)), "table" if most - len(PROMPT) < length else "")
        of = windowed(model, window) if window else model
        found = check(of, PROMPT, new, temperature=temperature, seed=seed)
        assert found.agrees, (temperature, seed, window, found)
        total, others = total + len(new), others + found.others
    assert others <= 1 + total / 1_000, "rare"


@given(prompt=st.binary(min_size=1, max_size=20), cut=st.integers(0, 30), temperature=st.sampled_from([0, 0.7, 2.0]))
@settings(max_examples=25)
def test_any_beginning_and_a_text_that_goes_on(js, tiny, prompt, cut, temperature):
    model = tiny("kerple")
    whole, _ = written(js, "tiny", prompt=prompt, temperature=temperature)
    assert check(model, prompt, whole, temperature=temperature, seed=1).agrees
    rest, _ = written(js, "tiny", prompt=prompt, written=whole[:cut], temperature=temperature, length=30 - cut)
    assert whole[:cut] + rest == whole


@pytest.mark.parametrize(("before", "left"), [(1, 15), (15, 1), (16, 0), (40, 0)])
def test_a_table_ends_a_text_where_pytorch_ends_it(js, tiny, before, left):
    model = tiny("learned")
    new, reason = written(js, "tiny", prompt=b"a" * before)
    assert (len(new), reason) == (left, "table")
    assert len(Writer(model, b"a" * before).write(30)) == left


def test_a_text_ends_at_16_training_lengths_or_with_the_memory(js, tiny):
    body = "const { most, reason } = new core.Model(models.tiny); return [most, reason];"
    for shape, expected in (
        ({"length": 16}, [4096, "length"]),
        ({"length": 512}, [8192, "length"]),
        ({"length": 512, "heads": 64, "head_dim": 128}, [2**28 // (8 * 2 * 64 * 128), "memory"]),
    ):
        tiny("alibi", **shape)
        assert js(body) == expected


@pytest.mark.parametrize("number", ["NaN", "Infinity"])
def test_numbers_that_are_not_finite_are_said(js, number):
    with pytest.raises(AssertionError, match="not finite"):
        js(f"return core.sample(new Float32Array(256).fill({number}), 0.7, 0.5);")


def test_options_that_it_does_not_know_are_refused(js):
    config = TrainConfig("t5", (("faithful", True),), width=16, heads=2, head_dim=8)
    send(js, "other", config, build_model(config))
    with pytest.raises(AssertionError, match="faithful"):
        js("new core.Model(models.other);")


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
def test_a_tab_trains_and_measures_as_pytorch_does(js, method):
    """Gradients of the first step, the losses of ten, measurements in both protocols, and the file of the weights."""
    whole = python_text()
    corpus = replace(whole, train=whole.train[:20_000], held_out=whole.held_out[:3000])
    config = TrainConfig(method, **FIRST_RUN | {"width": 32, "seed": 3})
    state, text = start(config, corpus), torch.frombuffer(bytearray(corpus.train), dtype=torch.uint8)

    def starts(step):
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


def test_the_rate_of_every_step_is_pytorch_s(js):
    config = TrainConfig(**FIRST_RUN)
    body = (
        "return Array.from({ length: data.steps }, (_, at) => core.Trainer.prototype.rate.call({ config: data }, at));"
    )
    expected = [learning_rate(config, step) for step in range(config.steps)]
    assert js(body, tab.config_of(config)) == pytest.approx(expected)


@given(values=st.lists(st.floats(-1, 1), min_size=5, max_size=16), shift=st.floats(-1, 1))
def test_a_verdict_in_the_tab_is_that_of_the_rule(js, values, shift):
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
