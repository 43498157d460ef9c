"""What a browser computes under a hand is what PyTorch and NumPy compute: the arithmetic of each picture."""

from __future__ import annotations

import json
import random
from base64 import b64decode
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from alibi_viz.attention.pictures import near_share, nearest
from alibi_viz.charts.palette import LOOKS
from alibi_viz.classroom import drawing
from alibi_viz.content.synthetic import CONTENTS, Setting
from alibi_viz.content.words import words
from alibi_viz.lessons import load
from alibi_viz.lm.words import stretches, whole_words
from alibi_viz.pictures import javascript
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.heirs.message import Message as Stairs
from alibi_viz.pictures.matrices.message import Colours, Message, Model, Panel, Sentence, View, pack
from alibi_viz.pictures.message import pack as pack_message
from alibi_viz.rules import ROPE_SCALINGS
from alibi_viz.rules import slopes as alibi_slopes
from alibi_viz.ui import one_head
from alibi_viz.ui.format import format_number, format_slope
from pages.attention import page as attention_page
from pages.attention import study as attention
from pages.bias import page
from pages.bias import study as bias
from pages.heirs import study as heirs
from pages.lab_rope.study import Controls as Clocks
from pages.lab_rope.study import compute as clocks
from pages.playground import study as playground
from pages.slopes.study import DISTANCES, RULES
from pages.slopes.study import compute as slopes
from pages.story import study as story

#: How many states of a page are tried.
STATES = pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
MATRICES, CURVES = "matrices/view.js", "slopes/view.js"
ATTENTION, PLOT = "attention.js", "plot.js"  # what all pictures share


@pytest.fixture(scope="module")
def js(run_module):
    """js(module, body, message) runs `body` with that module as `core` and the message as `data`."""
    return lambda module, body, message=None: run_module(javascript(module), body, message)


def numbers(texts):
    """JSON has no infinity: numbers travel as texts."""
    return np.array([float(text.replace("Infinity", "inf")) for text in texts])


# What all pictures share


@pytest.mark.parametrize("dark", ["false", "true"])
def test_a_penalty_has_one_colour_in_methods_and_elsewhere(js, dark):
    domain = js("compare/draw.js", "core.COLOURS.added")
    body = f"""[[{json.dumps(domain | {"scale": "linear"})}, {{ quantity: "bias", low: {domain["low"]}, high: 0 }}]]
      .flatMap((both) => [-7.5, -4, -1].map((value) => both.map((colour) => core.colourAt(colour, value, {dark}))))"""
    for pair in js("heatmap.js", body):
        np.testing.assert_allclose(*pair, atol=4)


PAINTED = """(() => {
  const [rows, cols] = [40, 60], colour = { quantity: "bias", low: -9, high: 0, scale: "linear" };
  const diagonals = Float32Array.from({ length: rows + cols - 1 }, (_, at) => at < rows ? (at - rows + 1) / 5 : -Infinity);
  const matrix = Float32Array.from({ length: rows * cols }, (_, at) =>
    diagonals[rows - 1 - Math.floor(at / cols) + at % cols]);
  return [matrix, Object.assign(matrix.slice(), { diagonals })].map((values) => {
    const image = document.createElement("canvas");
    core.paint(image, values, cols, rows, colour, false);
    return [core.range(values), [...image.getContext("2d").getImageData(0, 0, cols, rows).data]];
  });
})()"""


def test_a_matrix_looks_the_same_by_its_cells_and_by_its_diagonals(js):
    by_cells, by_diagonals = js("heatmap.js", PAINTED)
    assert by_diagonals == by_cells
    assert by_cells[0] == pytest.approx([-7.8, 0])
    assert len({*zip(*[iter(by_cells[1])] * 4, strict=True)}) > 30, "its colours differ"


def test_softmax_and_the_near_share_are_pytorch_s(js):
    chance = np.random.default_rng(7)
    scores = 5 * chance.normal(size=(30, 9))
    scores[:, 1:][chance.random((30, 8)) < 0.3] = -np.inf  # hidden keys
    rows = [[None if np.isinf(score) else score for score in row] for row in scores.tolist()]
    body = f"{json.dumps(rows)}.map((row) => [...core.softmax(Float64Array.from(row, (x) => x ?? -Infinity))])"
    weights = np.array(js(ATTENTION, body))
    np.testing.assert_allclose(weights, torch.from_numpy(scores).softmax(-1).numpy(), rtol=1e-12, atol=1e-300)
    for count in range(2, 10):
        body = f"{weights[:, :count].tolist()}.map((row) => core.nearShare(row, core.nearestTo({count - 1})))"
        np.testing.assert_allclose(js(ATTENTION, body), [near_share(row, count - 1) for row in weights[:, :count]])


def test_the_slope_of_a_head_is_python_s(js):
    heads = list(range(1, 129))
    found = js(
        ATTENTION, f"{heads}.map((count) => Array.from({{ length: count }}, (_, at) => core.slopeOf(at + 1, count)))"
    )
    assert found == [alibi_slopes(count) for count in heads]
    assert js(ATTENTION, "core.slopeOf(9, 8)") == 2**-8, "fewer heads have another last one"


def test_letters_on_a_colour_are_those_that_can_be_read(js):
    """Their contrast is at least nearly that of the other ones, and 4 : 1."""

    def luminance(colour: str) -> float:
        parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
        return float(
            np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)
        )

    def contrast(one: str, other: str) -> float:
        low, high = sorted((luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)

    colours = sorted({colour for look in LOOKS.values() for colour in (look.light, look.dark)})
    for colour, letters in zip(colours, js(PLOT, f"{colours}.map(core.lettersOn)"), strict=True):
        others = {"#15181c", "#ffffff"} - {letters}
        assert contrast(colour, letters) > max(4, 0.95 * contrast(colour, *others)), colour


def test_what_stands_at_a_pixel_is_found_there_and_names_at_line_ends_keep_apart(js):
    axes = [{"low": 0, "high": 7}, {"low": 3, "high": 80, "log": True}, {"low": 1, "high": 1024, "log": True}]
    body = f"{json.dumps(axes)}.map((axis) => [300, 90, 40].map((end) => core.scaleOf(axis, 300, 40).from(end)))"
    for axis, (low, between, high) in zip(axes, js(PLOT, body), strict=True):
        assert (low, high) == pytest.approx((axis["low"], axis["high"]))
        back = js(PLOT, f"core.scaleOf({json.dumps(axis)}, 300, 40).to({between})")
        assert back == pytest.approx(90)
    chance = random.Random(50)
    for _ in range(20):
        heights = [round(chance.uniform(0, 200), 1) for _ in range(chance.randint(1, 9))]
        found = js(
            PLOT, f"core.apart({heights}.map((y, at) => ({{ y, at }})), 20, 10, 190).map(({{ y, at }}) => [y, at])"
        )
        assert [heights[at] for _, at in found] == sorted(heights), "in the order of the lines"
        assert np.diff([y for y, _ in found]).min(initial=20) > 20 - 1e-9
        assert all(10 <= y <= 190 for y, _ in found)


# A matrix: its message, and the numbers of a cell


def packed(*views):
    return pack(Message("", Hands((), {}), views, Sentence("", {})))


@pytest.mark.parametrize("form", ["causal", "symmetric", "two_sided", "key_only"])
def test_the_number_of_a_cell_is_pytorch_s(js, form):
    strength = 1.75
    i, j = (torch.arange(40.0, dtype=torch.float64).unsqueeze(side) for side in (1, 0))
    content = 3 * torch.randn(40, 40, generator=torch.Generator().manual_seed(1))
    for causal in (True, False):
        bias_of = {
            "causal": -0.3 * (i - j),
            "symmetric": -0.3 * (i - j).abs(),
            "two_sided": -(0.3 + 0.3 * (j > i).double()) * (i - j).abs(),
            "key_only": (0.3 * j).expand(40, 40),
        }[form] * strength
        masked = (content.double() + bias_of).masked_fill((j > i) & causal, -torch.inf)
        stages = {"content": content, "bias": bias_of, "masked": masked, "weights": masked.softmax(-1)}
        model = Model(40, content.numpy(), slope=0.3, future=2.0, form=form, strength=strength, causal=causal)
        message = packed(View([Panel("A", content.numpy(), Colours("weight", (0, 1)), model=model)]))
        for stage, wanted in stages.items():
            body = f"""((message) => {{
              const [head] = core.decode(message.views[0]).models, all = [...Array(40).keys()];
              return all.flatMap((i) => all.map((j) => String(core.evaluate(head, "{stage}", i, j))));
            }})(core.unpack(data))"""
            found = numbers(js(MATRICES, body, message)).reshape(40, 40)
            np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-6 if stage == "weights" else 1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("colours", "ends"),
    [
        (Colours("content", None), [-3, 3]),  # 0 is the middle
        (Colours("bias", None), [-3, 1]),
        (Colours("score", (-10, 0), from_top=True), [-9, 1]),
        (Colours("weight", (0, 1)), [0, 1]),
    ],
)
def test_colours_end_where_the_values_do(js, colours, ends):
    panel = Panel("A", np.array([[-3, -np.inf], [0.5, 1]], dtype=np.float32), colours)
    body = """(({ panels: [{ low, high }] }) => [low, high])(core.decode(core.unpack(data).views[0], "", {}))"""
    assert js(MATRICES, body, packed(View([panel]))) == ends


def test_a_token_stands_in_the_sample_of_its_block(js):
    tokens = list(range(30, 60))
    found = js(MATRICES, f"{tokens}.map((token) => core.sampleOf({{ start: 30, step: 7 }}, token))")
    assert found == [(token - 30) // 7 for token in tokens]


# What a hand moves: made from one message, it is what Python sends for the other value


#: Of a view: the preview for other values of its hands (null where the browser waits for Python), and what Python sends.
BOTH = """((message, values) => {
  const [before, after] = message.views.map((view) => core.decode(view, "", message.words));
  const base64 = (numbers) => {
    const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
    return btoa(text);
  };
  const told = (view) => {
    const side = ({ start, step, count }) => [start, step, count];
    const words = view.panels.map(({ heading, note }) => [heading, note]);
    const ends = view.panels.map(({ low, high }) => [low, high]);
    return [side(view.rows), side(view.cols), words, ends, view.panels.map(({ values }) => base64(values))];
  };
  const preview = core.previewed(before, values);
  const waits = !preview || preview.panels.some((panel, at) => panel.values === before.panels[at].values);
  return [waits ? null : told(preview), waits ? null : told(after)];
})(core.unpack(data), %s)"""


def previews(js, before, values, after, state) -> bool:
    """Whether the browser draws a view for other values of its hands before Python has answered; then it is Python's."""
    ours, theirs = js(MATRICES, BOTH % json.dumps(values), packed(before, after))
    if ours is None:
        return False
    assert ours[:3] == theirs[:3], state
    np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-5, atol=1e-9, err_msg=state)
    for one, other in zip(ours[4], theirs[4], strict=True):
        found, sent = (np.frombuffer(b64decode(each), np.float32) for each in (one, other))
        np.testing.assert_allclose(found, sent, rtol=1e-5, atol=1e-5, err_msg=state)
    return True


def random_state(chance):
    """Controls of the Bias page, and the change that a hand makes of them."""
    n, heads = chance.choice((1, 7, 128, 900, 100_000)), chance.randint(1, 32)
    span = chance.choice((0, 0, 40, 700))
    row, col = (chance.randint(0, n - 1) if span else 0 for _ in range(2))
    form, causal, after = chance.choice(list(bias.FORMS)), chance.random() < 0.6, chance.random() < 0.4
    chosen = bias.Controls(
        n, heads, chance.randint(1, heads), form, causal, after, chance.choice((5, 64)), row, col, span
    )
    window = {"row": chance.randint(0, n - 1), "col": chance.randint(0, n - 1), "span": chance.choice((10, 600))}
    changes = ({"heads": chance.randint(1, 128)}, {"n": chance.choice((1, 50, 300, 40_000))}, window)
    return chosen, chance.choice(changes), chance.choice(page.COLOURS)


@STATES
def test_states_of_the_bias_page_are_drawn_as_python_sends_them(js, count):
    chance, text, compared = random.Random(43), load("bias"), 0
    for number in range(count):
        chosen, change, colours = random_state(chance)
        other = replace(chosen, **change)
        other = replace(other, head=min(other.head, other.heads))
        before, after = (page.large(text, bias.compute(each), colours, "", None) for each in (chosen, other))
        compared += previews(js, before, vars(other), after, f"state {number}: {chosen}, {change}")
    assert compared > 0.75 * count  # weights that need whole rows of a long text wait for Python


#: The sentence under the matrices: “… gives 52% of its weight on earlier tokens to the nearest 3.”
NEAR = """core.Matrices.prototype.nearShare.call({
  message: { note: { near: PAIR } }, views: [{ message: core.decode(core.unpack(data).views[0], "", {}) }] }).near"""


def percents(*shares):
    return 100 * np.array(shares)


WORDS = "the cat sat on a mat and dog ran to rug by rain".split()


def random_attention(chance):
    """Controls of the Attention page, and those that a hand makes of them."""
    content, heads = chance.choice(CONTENTS), chance.choice((1, 2, 8, 12, 64, 128))
    setting = Setting(heads, chance.choice((4, 32)), content=content, seed=chance.randint(0, 99))
    words = tuple(chance.choice(WORDS) for _ in range(chance.randint(1, 60)))
    strength, causal = chance.choice((0.0, 0.5, 1.0, 3.7)), chance.random() < 0.7
    chosen = attention.Controls(setting, words, heads, chance.randint(1, heads), strength, causal)
    if content == "random" or chance.random() < 0.5:
        return chosen, replace(chosen, strength=round(4 * chance.random(), 2))
    heads = chance.randint(1, 128)
    return chosen, replace(chosen, setting=replace(setting, heads=heads), kv_heads=heads, head=min(chosen.head, heads))


@STATES
def test_states_of_the_attention_page_are_drawn_as_pytorch_computes_them(js, count):
    chance, text = random.Random(44), load("attention")
    for number in range(count):
        states = random_attention(chance)
        before, after = (
            one_head.stages(text, attention.compute(each), filename="", follows=attention_page.follows(each))
            for each in states
        )
        values = {"strength": states[1].strength, "heads": states[1].setting.heads, "head": states[1].head}
        assert previews(js, before, values, after, f"state {number}: {states}")
        sentence = one_head.sentence(result := attention.compute(states[1]))
        if not number % 4 and sentence.near:
            shares = result.near[1:]
            said = [js(MATRICES, NEAR.replace("PAIR", str([*sentence.near])), packed(after))]
            said += [sentence.numbers[name] for name in ("near", "near_plain")]
            np.testing.assert_allclose([int(text[:-1]) for text in said], percents(shares[0], *shares), atol=0.501)


@STATES
def test_states_of_the_slopes_page_are_python_s(js, count):
    chance = random.Random(43)
    states = []
    for _ in range(count):
        entries = range(chance.randint(1, 128))
        own = [chance.choice([f"1/{chance.randint(1, 999)}", f"{chance.uniform(-0.1, 2):.6g}"]) for _ in entries]
        rule, top = chance.choice(list(RULES)), chance.randint(2, 64) / 2
        states.append({"heads": chance.randint(1, 128), "rule": rule, "max_bias": top, "own": ", ".join(own)})
    body = """states.map((values) => {
      const all = core.slopesOf(values), curves = core.curvesOf({ distances: Float32Array.from(DISTANCES) }, all, values);
      const drawn = curves.map(({ weights }) => [...weights].map((one) => Math.min(one, 9)));
      return [all, curves.map(({ family }) => family), drawn];
    })"""
    ours = js(CURVES, f"((states, DISTANCES) => {body})({states!r}, {DISTANCES.tolist()})")
    for values, (found, families, weights) in zip(states, ours, strict=True):
        own_slopes = tuple(float(Fraction(entry)) for entry in values["own"].split(", "))
        expected = slopes(values["heads"], values["rule"], values["max_bias"], own_slopes)
        np.testing.assert_allclose(found, expected.slopes, rtol=1e-12)
        assert families == expected.families
        drawn = np.minimum(np.float64(weights), np.e)  # Python stops where a negative slope leaves the picture
        np.testing.assert_allclose(drawn, expected.weights, rtol=1e-5, atol=1e-5)


def test_a_bent_curve_passes_through_the_hand_and_its_slope_is_written_as_it_is_read(js):
    places = [(d, share) for d in (1, 7.5, 300) for share in (0.01, 0.4, 0.9)]
    rates = js(CURVES, f"{[list(place) for place in places]}.map(([d, share]) => core.rateThrough(d, share))")
    assert [np.exp(-rate * d) for rate, (d, _) in zip(rates, places, strict=True)] == pytest.approx(
        [share for _, share in places]
    )
    written = js(CURVES, "[1 / 256, 0.5, 1 / 3, 0.30000049, 1.5].map(core.writtenSlope)")
    assert written == ["1/256", "1/2", "1/3", "0.3", "1.5"]


NAMES = ("rope_dim", "rope_base", "scaling", "factor", "rope_trained", "position")


@STATES
def test_states_of_the_clocks_are_python_s(js, count):
    chance, states = random.Random(45), []
    for _ in range(count):
        dim, base = 2 * chance.randint(2, 64), round(2 * 10 ** chance.uniform(0, 6.3))
        scaling, factor = chance.choice(ROPE_SCALINGS), chance.randint(2, 256) / 2
        states.append((dim, base, scaling, factor, round(10 ** chance.uniform(0, 5)), chance.randint(0, 16_384)))
    values = [dict(zip(NAMES, state, strict=True)) for state in states]
    body = f"{values!r}.map(core.dialsOf).map((dials) => Object.values(dials).map((all) => [...all]))"
    for state, ours in zip(states, js("clocks/view.js", body), strict=True):
        expected = clocks(Clocks(*state))
        for found, one in zip(ours, (expected.turns, expected.plain, expected.trained), strict=True):
            np.testing.assert_allclose(found, one, rtol=1e-12, err_msg=str(state))
    past = js(
        "clocks/view.js", f"{values!r}.map((values) => core.countsOf(core.dialsOf(values), values.position).beyond)"
    )
    assert past == [int((~clocks(Clocks(*state)).within).sum()) for state in states]


def test_two_hundred_states_of_the_story_are_pytorch_s(js):
    sentence, chance = "the cat bit the rat and the dog saw the cat".split(), random.Random(48)
    content, _ = story.attention(sentence, range(11), 0.0, causal=True)
    states = [
        (chance.sample(range(11), 11), round(chance.choice((0, 0.5 * chance.random())), 4), chance.random() < 0.5)
        for _ in range(200)
    ]
    body = f"""{json.dumps(states)}.map(([order, slope, causal]) =>
      [...core.weightsOf({content.ravel().tolist()!r}, order, slope, causal)])"""
    for (order, slope, causal), found in zip(states, js("story/view.js", body), strict=True):
        _, expected = story.attention(sentence, order, slope, causal=causal)
        np.testing.assert_allclose(found, expected.ravel(), atol=1e-5)


def test_between_measured_lengths_a_line_of_the_story_is_straight_in_both_logarithms(js):
    for line in drawing.lines():
        at = np.geomspace(0.5, 16, 40)
        expected = np.exp(np.interp(np.log(at), np.log(line.times), np.log(line.values)))
        body = f"{at.tolist()!r}.map((times) => core.between({line.times!r}, {line.values!r}, times))"
        np.testing.assert_allclose(js("story/view.js", body), expected, rtol=1e-9)


def test_words_of_a_text_are_counted_as_python_counts_them(js):
    words = story.written("rope", 3).words
    for end in (130, 500, 1024):
        chosen = words[(words[:, 0] >= 128) & (words[:, 1] <= end)]
        found = js("story/view.js", f"core.countWords({words.ravel().tolist()!r}, 128, {end})")
        assert found == [int(chosen[:, 2].sum()), len(chosen)]


STORE = """((state) => { const store = new core.Store(state);
  const vectors = Float32Array.from(state.vectors); vectors.shape = state.shape;
  store.setWords(state.words, Uint16Array.from(state.ids), vectors);
  const plain = store.weights(store.query, 0), parts = {}, words = {near: "{count}", plain: "{share}"};
  const rows = Array.from({length: store.heads}, (_, at) => store.weights(store.query, store.rate(at + 1)));
  for (const name of ["big", "near", "plain", "legend"]) parts[name] = document.createElement("p");
  const said = (row) => (core.showShare(parts, store, row, plain, words),
    ["big", "near", "plain"].map((name) => parts[name].textContent.replace("< 1%", "0.5%").replace("%", "")));
  return [[...rows, plain].map((row) => Array.from(row)), rows.map(said)];
})"""


@STATES
def test_states_of_the_playground_are_pytorch_s(js, count):
    rng, texts = (
        random.Random(0),
        (
            "the cat sat on the mat and the dog sat on the rug near the cat",
            "a",
            "a b c",
            "to be or not to be 🙂",
            " ".join(f"w{n % 70}" for n in range(200)),
        ),
    )
    worst = 0.0
    for _ in range(count):
        text = tuple(words(rng.choice(texts)))
        heads = rng.choice(playground.COUNTS)
        bent = rng.sample(range(1, heads + 1), rng.randint(0, heads))
        own = {head: rng.uniform(playground.GENTLEST, playground.STEEPEST) for head in bent}
        strength, ratio = rng.uniform(0, 4), rng.choice((rng.uniform(1, 16), rng.randint(2, 32) / 2))
        count = playground.Controls(text, heads, 1, strength, (), 0, ratio).count
        query = rng.randrange(rng.choice((min(count, 4), count)))  # often one of the first, with few words before it
        chosen = playground.Controls(text, heads, 1, strength, tuple(own.items()), query, ratio)
        result = playground.compute(chosen)
        values = {"heads": str(heads), "head": 1, "strength": strength, "query": chosen.back, "ratio": ratio}
        values["slopes"] = ", ".join(f"{head}:{slope!r}" for head, slope in own.items())
        state = {"words": text, "ids": result.ids, "shape": result.vectors.shape, "values": values}
        state["vectors"] = result.vectors.ravel().tolist()
        ours, said = js("playground/view.js", f"{STORE}({json.dumps(state)})")
        worst = max(worst, float(np.abs(np.array(ours) - [*result.rows, result.plain]).max()))
        if chosen.query:  # of its weight on earlier words “52% is on the nearest 3; 16% without ALiBi”
            shares = [
                percents(near_share(row, chosen.query), near_share(result.plain, chosen.query)) for row in result.rows
            ]
            found = np.array(said, dtype=np.float64)
            np.testing.assert_allclose(found[:, [0, 2]], shares, atol=0.501)
            assert (found[:, 1] == nearest(chosen.query)).all()
    assert worst <= 1e-5


def test_the_known_words_of_every_moment_are_python_s(js):
    """Of what is written up to byte n, in each stretch, where there are a few."""
    chance, known = random.Random(49), frozenset((b"the", b"cat", b"sat"))
    for _ in range(60):
        text = " ".join(
            chance.choices(("the", "Cat", "sat", "on", "xyz", "t-h", "quark"), k=chance.randint(0, 200))
        ).encode()
        begin, length, moment = chance.randint(0, 40), chance.randint(8, 200), chance.randint(0, len(text))
        written = [(word.start, word.end, int(word.known)) for word in whole_words(text, begin, known)]
        body = f"core.knownOf({{ words: {[x for word in written for x in word]} }}, {moment}, {length})"
        counts = stretches(whole_words(text[:moment], begin, known), length)
        assert js("write/view.js", body) == [
            None if count.words < 4 else {"known": count.known, "all": count.words} for count in counts
        ]


def test_what_a_hand_makes_of_the_playground(js):
    body = """((told) => {
      const hands = { values: { heads: "8", head: 2, strength: 1, query: 0, ratio: 1, slopes: "", ...told.values },
        set(values) { Object.assign(this.values, values); } };
      const store = new core.Store(hands), ids = [...told.words].map((word) => "abc".indexOf(word));
      const vectors = Object.assign(Float32Array.from([3, 0, 0, 0, 3, 0, 0, 0, 3]), { shape: [3, 3] });
      store.setWords([...told.words], Uint16Array.from(ids), vectors);
      if (told.act) store[told.act[0]](told.act[1]);
      return [store.key(), hands.values.slopes, hands.values.query, store.count, core.halving(0.5)];
    })(STATE)"""

    def after(words, act=None, **values):
        state = json.dumps({"words": words, "act": act, "values": values})
        key, *others, half = js("playground/view.js", body.replace("STATE", state))
        assert half == pytest.approx(np.log(2) / 0.5)
        return key, others

    assert [after(words)[0] for words in ("abacba", "acaaa", "bca", "aa")] == [2, 2, 0, 0], "the nearest, no neighbour"
    assert after("abc", ["bend", 0.251])[1][0] == "", "near its rule a slope is the rule's"
    assert after("abc", ["bend", 0.5])[1][0] == "2:0.5"
    assert after("abcabc", ["setTimes", 1], ratio=4, query=20)[1] == ["", 5, 6], "the query stays in the text"


# How numbers are written


def test_python_writes_numbers_and_slopes_in_the_same_way(js):
    rng = np.random.default_rng(5)
    values = (10 ** rng.uniform(-12, 12, 2000) * rng.choice([-1, 1], 2000)).tolist()
    values += [0.0, 1e-4, 9.99e-8, 99.95, 999.96, 0.5, 2.5, 1234.5, -127.5, 12345.5, 999999.5, 1e9, 5e-324, 1.7e308]
    values += list(range(-20, 2000, 7))
    for digits in (3, 6):
        formatted = js(MATRICES, f"{json.dumps(values)}.map((value) => core.formatNumber(value, {digits}))")
        assert formatted == [format_number(value, digits) for value in values]
    read = js(CURVES, f"{json.dumps(values)}.map((value) => core.formatSlope(value))")
    assert read == [format_slope(value) for value in values]
    values += [1.23456, 98.7654]  # and with the digits that both have by default
    others = js(MATRICES, f"[Infinity, -Infinity, NaN, ...{json.dumps(values)}].map((x) => core.formatNumber(x))")
    assert others == list(map(format_number, (np.inf, -np.inf, np.nan, *values)))


# The stairs of a trained head


@STATES
def test_the_weights_under_moved_steps_are_pytorch_s(js, count):
    chance = random.Random(67)
    text = heirs.text_of(load("shared").entry("examples", "sentence"))
    found = heirs.heads_of(text)
    arrays = {name: getattr(found, name).numpy().astype(np.float32) for name in ("gates", "steps", "match")}
    nothing = np.zeros(1, np.float32)
    message = Stairs(
        Hands((), {}),
        text.words,
        text.query,
        heirs.HEADS,
        "",
        text.ends,
        **arrays,
        weights=nothing,
        words={},
        alt="",
        filename="",
    )
    states = [
        heirs.Controls(
            text,
            chance.randint(1, heirs.LAYERS),
            chance.randint(1, heirs.HEADS),
            chance.choice(("fox", "alibi")),
            round(chance.uniform(0, 3), 2),
            tuple((place, round(chance.uniform(0, 3), 3)) for place in sorted(chance.sample(range(2, 17), 3))),
        )
        for _ in range(count)
    ]
    values = [
        {
            "layer": state.layer,
            "head": state.head,
            "stairs": state.stairs,
            "alibi_step": state.alibi_step,
            "fox_steps": ",".join(f"{place}:{step}" for place, step in state.moved),
        }
        for state in states
    ]
    stairs = "core.stairsOf(core.unpack(data), values)"
    body = f"{json.dumps(values)}.map((values) => [[...{stairs}.row], core.forgotten({stairs})])"
    for state, (row, forgotten) in zip(states, js("heirs/view.js", body, pack_message(message)), strict=True):
        weights = heirs.compute(state).weights
        np.testing.assert_allclose(row, weights, atol=1e-5)
        lost = found.match[(state.layer - 1) * heirs.HEADS + state.head - 1].softmax(-1).numpy() - weights
        assert lost[forgotten] == pytest.approx(lost[:-1].max(), abs=1e-6), "no other word has lost more"
