"""The matrix view in a real browser: its arithmetic against NumPy and PyTorch, and the whole view in a running app."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from alibi_viz.content.synthetic import CONTENTS, Setting
from alibi_viz.lessons import load
from alibi_viz.pictures import javascript
from alibi_viz.ui.components.matrix_view import Axis, Colours, Model, Panel, pack
from alibi_viz.ui.format import format_number
from pages.attention import page as attention_page
from pages.attention import study as attention
from pages.bias import page
from pages.bias import study as bias
from tests.ui.unpacking import unpack


@pytest.fixture(scope="module")
def js(run_module):
    """js(body, message) runs `body` with the component's module as `core` and the message as `data`."""
    return partial(run_module, javascript("matrix_view/entry.js"))


def one_panel(values, **changes):
    return Panel("A", np.asarray(values, np.float32), Colours("weight", (0, 1)), **changes)


def test_decode_gives_back_what_pack_was_given(js):
    values = np.array([[0.1, 2], [-np.inf, 1e-20]], np.float32)
    message = pack([one_panel(values)], rows=Axis(3, labels=("α", "<b>"), name="query"))
    header, cells = js("(m => [m, Array.from(m.panels[0].values, String)])(core.decode(data))", message)
    assert header["rows"] == {"start": 3, "step": 1, "count": 2, "labels": ["α", "<b>"], "name": "query"}
    expected = [[float(word.replace("Infinity", "inf")) for word in cells]]
    np.testing.assert_array_equal(np.array(expected, np.float32).reshape(2, 2), values)


def test_decode_reads_a_message_that_is_not_aligned(js):
    shifted = "(b => (b.set(data, 3), b.subarray(3)))(new Uint8Array(data.length + 3))"
    body = f"Array.from(core.decode({shifted}).panels[0].values)"
    assert js(body, pack([one_panel([[1, 2]])])) == [1, 2]


BROKEN = {
    "empty": (b"", "not bytes"),
    "header too long": (b"\xff\xff\xff\x7f" + b"x" * 20, "does not fit"),
    "cut short": (pack([one_panel(np.ones((8, 8)))])[:-64], "outside the message"),
    "wrong count": (pack([one_panel([[1, 2]])]).replace(b'"count":2', b'"count":3'), "do not fit the axes"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_message_is_refused_with_a_sentence(js, case):
    message, sentence = BROKEN[case]
    body = "(() => { try { core.decode(data); return 'accepted' } catch (error) { return error.message } })()"
    assert sentence in js(body, message)


def numpy_stages(content, slope, future, form, strength, causal):
    i, j = np.arange(content.shape[0])[:, None], np.arange(content.shape[1])[None, :]
    bias = {
        "causal": -slope * (i - j),
        "symmetric": -slope * np.abs(i - j),
        "two_sided": -np.where(j > i, future, slope) * np.abs(i - j),
        "key_only": slope * j + 0 * i,
    }[form] * strength
    scores = content.astype(np.float64) + bias
    masked = np.where(causal & (j > i), -np.inf, scores)
    exp = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = exp / exp.sum(axis=1, keepdims=True)
    return {"content": content, "bias": bias, "scores": scores, "masked": masked, "weights": weights}


def wide(rows):
    return np.array([[float(cell) if cell is not None else -np.inf for cell in row] for row in rows])


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("form", ["causal", "symmetric", "two_sided", "key_only"])
def test_evaluate_and_preview_agree_with_numpy(js, form, causal):
    rng = np.random.default_rng(1)
    content = (3 * rng.standard_normal((9, 9))).astype(np.float32)
    model = Model(content=content, slope=0.3, future_slope=0.7, form=form, strength=1.0, causal=causal)
    message = pack([one_panel(content, model=model)])
    expected = numpy_stages(content, 0.3, 0.7, form, 1.75, causal)
    for stage, wanted in expected.items():
        body = f"""(() => {{
          const m = core.decode(data), head = core.withStrength(m.models[0], 1.75);
          const exact = Array.from({{length: 9}}, (_, i) => Array.from({{length: 9}}, (_, j) =>
            core.evaluate(head, "{stage}", i, j)));
          const out = core.preview(head, "{stage}", m, new Float32Array(81), m.panels[0].values);
          return [exact, Array.from({{length: 9}}, (_, i) => Array.from(out.slice(9 * i, 9 * i + 9)))];
        }})()"""
        exact, previewed = (wide(rows) for rows in js(body, message))
        np.testing.assert_allclose(exact, wanted, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(previewed, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_bias_is_rounded_as_torch_stores_it(js, dtype):
    slope, n = 2**-0.5, 70_000
    wanted = (torch.tensor(slope) * torch.arange(n)).to(getattr(torch, dtype)).double()
    model = Model(slope=float(np.float32(slope)), form="key_only", total=n, dtype=dtype)
    message = pack([one_panel([[0]], model=model)], rows=Axis(n // 2), cols=Axis(n // 2))
    body = f"((head) => Array.from({{length: {n}}}, (_, j) => core.bias(head, 0, j)))(core.decode(data).models[0])"
    rounded = js(body, message)
    np.testing.assert_array_equal(rounded, wanted.numpy())
    at = n // 2
    weight = js(f'core.evaluate(core.decode(data).models[0], "weights", {at}, {at})', message)
    assert weight == pytest.approx(float(wanted[: at + 1].softmax(-1)[-1]), rel=1e-9)


@pytest.mark.parametrize(("dtype", "end"), [("float16", 65_504), ("bfloat16", 200_000)])
def test_a_bias_beyond_the_format_is_infinite(js, dtype, end):
    values = [-0.0, 1.0, end, 65_519.0, 65_520.0, -200_000.0]
    wanted = torch.tensor(values).to(getattr(torch, dtype)).tolist()
    assert js(f"{values}.map((x) => String(core.stored(x, '{dtype}')))") == [
        str(x).replace("inf", "Infinity").removesuffix(".0").replace("-0", "0") for x in wanted
    ]


def test_preview_of_weights_agrees_with_torch(js):
    generator = torch.Generator().manual_seed(3)
    q, k = torch.randn(2, 64, 16, generator=generator)
    distance = torch.arange(64)[:, None] - torch.arange(64)[None, :]
    scores = q @ k.T / 4 - 0.5 * 0.125 * distance
    weights = scores.masked_fill(distance < 0, -torch.inf).softmax(-1)
    hidden = np.where(distance.numpy() < 0, -np.inf, 0).astype(np.float32)
    model = Model(content=(q.numpy(), k.numpy(), 0.25), slope=0.125)
    message = pack([one_panel(hidden, model=model)])
    body = """(() => { const m = core.decode(data), head = core.withStrength(m.models[0], 0.5);
      return Array.from(core.preview(head, "weights", m, new Float32Array(4096), m.panels[0].values)) })()"""
    drawn = np.array([-np.inf if cell is None else cell for cell in js(body, message)]).reshape(64, 64)
    np.testing.assert_array_equal(np.isinf(drawn), hidden == -np.inf)
    np.testing.assert_allclose(np.where(np.isinf(drawn), 0, drawn), weights.numpy(), atol=1e-6)


def random_state(chance):
    """Controls of the Bias page, and the change that a hand makes of them."""
    n, heads = chance.choice((1, 7, 128, 900, 100_000)), chance.randint(1, 32)
    span = chance.choice((0, 0, 40, 700))
    row, col = (chance.randint(0, n - 1) if span else 0 for _ in range(2))
    form, causal, after = chance.choice(list(bias.FORMS)), chance.random() < 0.6, chance.random() < 0.4
    chosen = bias.Controls(
        n, heads, chance.randint(1, heads), form, causal, after, chance.choice((5, 64)), row, col, span
    )
    change = {"heads": chance.randint(1, 128)} if chance.random() < 0.5 else {"n": chance.choice((1, 50, 300, 40_000))}
    return chosen, change, chance.choice(page.COLOURS)


def large(chosen, colours):
    return page.large(load("bias"), bias.study(chosen), colours, "", None)


def test_two_hundred_states_of_the_bias_page_are_drawn_as_python_sends_them(js):
    """What a hand moves, made from one message, is the message that Python makes for the other value."""
    chance, compared = random.Random(43), 0
    for number in range(200):
        chosen, change, colours = random_state(chance)
        other = replace(chosen, **change)
        other = replace(other, head=min(other.head, other.heads))
        value = next(iter(change.values()))
        body = f"""(() => {{
          const m = core.decode(data), fresh = (_, cells) => new Float32Array(cells);
          const shown = core.previewMessage(m, m.follows[{0 if "heads" in change else 1}], {value}, fresh);
          if (!shown) return null;
          const {{ rows, cols, marks, panels }} = shown, {{ title, caption, low, high, values, mine }} = panels[0];
          return {{ mine, rows, cols, marks, title, caption, low, high, values: Array.from(values, String) }};
        }})()"""
        ours = js(body, large(chosen, colours))
        if ours is None or not ours.get("mine"):
            continue  # weights that need whole rows of a long text wait for Python
        compared += 1
        header, arrays = unpack(large(other, colours))
        (panel,) = header["panels"]
        state = f"state {number}: {chosen}, {change}"
        for side in ("rows", "cols"):
            assert [ours[side][name] for name in ("start", "step", "count")] == [
                header[side][name] for name in ("start", "step", "count")
            ], state
        assert [mark["label"] for mark in ours["marks"]] == [mark["label"] for mark in header["marks"]], state
        assert (ours["title"], ours["caption"]) == (panel["title"], panel["caption"]), state
        assert (ours["low"], ours["high"]) == pytest.approx(panel["colours"]["domain"], rel=1e-5, abs=1e-9), state
        values = np.array([float(value.replace("Infinity", "inf")) for value in ours["values"]])
        wanted = arrays[panel["values"]].ravel()
        np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-5, err_msg=state)
    assert compared > 150


WORDS = "the cat sat on a mat and dog ran to rug by rain".split()


def random_attention(chance):
    """Controls of the Attention page, and the change that a hand makes of them."""
    content, heads = chance.choice(CONTENTS), chance.choice((1, 2, 8, 12, 64, 128))
    setting = Setting(heads, chance.choice((4, 32)), content=content, seed=chance.randint(0, 99))
    words = tuple(chance.choice(WORDS) for _ in range(chance.randint(1, 60)))
    strength, causal = chance.choice((0.0, 0.5, 1.0, 3.7)), chance.random() < 0.7
    chosen = attention.MadeUp(setting, words, heads, chance.randint(1, heads), strength, causal)
    if content != "random" and chance.random() < 0.5:
        return chosen, "heads", chance.randint(1, 128)
    return chosen, "strength", round(4 * chance.random(), 2)


def stages(chosen):
    return attention_page.stages(load("attention"), chosen, attention.study(chosen), (), None, "")


def test_two_hundred_states_of_the_attention_page_are_drawn_as_pytorch_computes_them(js):
    """Every stage of what a hand moves, made from one message, is that of the message for the other value."""
    chance = random.Random(44)
    for number in range(200):
        chosen, hand, value = random_attention(chance)
        if hand == "heads":
            setting = replace(chosen.setting, heads=value)
            other = replace(chosen, setting=setting, kv_heads=value, head=min(chosen.head, value))
        else:
            other = replace(chosen, strength=value)
        body = f"""(() => {{
          const m = core.decode(data), fresh = (_, cells) => new Float32Array(cells);
          const follow = m.follows.find(({{ channel }}) => channel === "{hand}");
          const {{ panels }} = core.previewMessage(m, follow, {value}, fresh);
          return panels.map(({{ title, values }}) => [title, Array.from(values, String)]);
        }})()"""
        ours = js(body, stages(chosen))
        header, arrays = unpack(stages(other))
        state = f"state {number}: {chosen}, {hand} {value}"
        assert [title for title, _ in ours] == [panel["title"] for panel in header["panels"]], state
        for (_, drawn), panel in zip(ours, header["panels"], strict=True):
            values = np.array([float(text.replace("Infinity", "inf")) for text in drawn])
            wanted = arrays[panel["values"]].ravel()
            np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-5, err_msg=state)


def test_a_preview_does_not_depend_on_the_one_before(js):
    chosen = bias.Controls(100, 8, 3, "distance", True, True, 64, 0, 0, 0)
    body = """(() => {
      const m = core.decode(data), fresh = (_, cells) => new Float32Array(cells);
      const values = (message, n) => core.previewMessage(message, m.follows[1], n, fresh).panels[0].values;
      values(m, 120);
      return [values(m, 200), values(core.decode(data), 200)].map((all) => Array.from(all));
    })()"""
    second, alone = js(body, large(chosen, page.COLOURS[0]))
    assert len(second) == 200 * 200
    assert second == alone


def test_weights_that_need_whole_rows_of_a_long_text_are_not_previewed(js):
    chosen = bias.Controls(128, 8, 3, "key only", True, True, 64, 0, 0, 0)
    body = "(m => core.previewMessage(m, m.follows[1], 500000, () => null))(core.decode(data))"
    assert js(body, large(chosen, page.COLOURS[0])) is None


def test_a_window_knows_exact_weights_from_the_sent_row_statistics(js):
    rng = np.random.default_rng(2)
    content = rng.standard_normal((40, 40)).astype(np.float32)
    expected = numpy_stages(content, 0.1, 0.1, "causal", 1.0, True)
    masked = expected["masked"]
    logsum = np.log(np.exp(masked).sum(axis=1))
    window = content[20:30, 10:20]
    message = pack(
        [one_panel(window, model=Model(content=window, slope=0.1, logsum=logsum))],
        rows=Axis(20, name="query"),
        cols=Axis(10),
    )
    result = js("(m => core.evaluate(m.models[0], 'weights', 25, 15))(core.decode(data))", message)
    assert result == pytest.approx(expected["weights"][25, 15], rel=1e-6)
    can = js("(m => core.canPreview(m.models[0], 'weights', m))(core.decode(data))", message)
    assert can is False, "the row is not on the screen, so its softmax cannot be previewed"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("-1", "−1"),
        ("0.1 + 0.2", "0.3"),
        ("-63.5", "−63.5"),
        ("1234.5678", "1,235"),
        ("-127.5", "−127.5"),
        ("0.003125", "0.003125"),
        ("3.2e-8", "3.2 × 10⁻⁸"),
        ("-1.5e9", "−1.5 × 10⁹"),
        ("-Infinity", "−∞"),
        ("NaN", "–"),
        ("1000000", "1,000,000"),
    ],
)
def test_numbers_read_well(js, value, text):
    assert js(f"core.formatExact({value})") == text


@pytest.mark.parametrize("digits", [3, 4, 6])
def test_python_writes_numbers_in_the_same_way(js, digits):
    rng = np.random.default_rng(5)
    values = (10 ** rng.uniform(-12, 12, 2000) * rng.choice([-1, 1], 2000)).tolist()
    values += [0.0, 1e-4, 9.99e-8, 99.95, 999.96, 0.5, 2.5, 1234.5, -127.5, 12345.5, 999999.5, 1e9, 5e-324, 1.7e308]
    values += list(range(-20, 2000, 7))
    formatted = js(f"{json.dumps(values)}.map((value) => core.formatNumber(value, {digits}))")
    assert formatted == [format_number(value, digits) for value in values]
    values += [1.23456, 98.7654]  # and with the digits that both have by default
    others = js(f"[Infinity, -Infinity, NaN, ...{json.dumps(values)}].map((x) => core.formatNumber(x))")
    assert others == list(map(format_number, (np.inf, -np.inf, np.nan, *values)))


def test_templates_fill_known_names_and_leave_the_rest(js):
    body = "core.fillTemplate('a {x} b {y}', name => name === 'x' ? '<i>' : undefined)"
    assert js(body) == [["a ", False], ["<i>", True], [" b ", False], ["{y}", False]]


def test_long_labels_are_shortened_by_letters(js):
    assert js("core.shorten('🙂🙂🙂🙂', 3)") == "🙂🙂…"


def test_masked_cells_have_no_colour(js):
    message = pack([one_panel([[0, -np.inf, 1]])])
    body = """(() => { const m = core.decode(data), out = new Uint32Array(3);
      core.colourize(m.panels[0], m.panels[0].values, core.colours("weight", false), out); return Array.from(out) })()"""
    zero, masked, one = js(body, message)
    assert masked == 0
    assert zero >> 24 == one >> 24 == 255


@pytest.mark.parametrize("low", [-10, 0, 54])
def test_a_bias_deepens_downwards_wherever_its_domain_lies(js, low):
    ends = Panel("A", np.array([[low, low + 10]], np.float32), Colours("bias", (low, low + 10)))
    body = """(() => { const m = core.decode(data), out = new Uint32Array(2), table = core.colours("bias", false);
      core.colourize(m.panels[0], m.panels[0].values, table, out); return [...out].map((c) => table.indexOf(c)) })()"""
    assert js(body, pack([ends])) == [255, 0]
