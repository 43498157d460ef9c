"""What a browser computes under a hand is what PyTorch and NumPy compute: the arithmetic of each picture."""

import json
import random
import unicodedata
from base64 import b64decode
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from alibi_viz.attention.pictures import near_share
from alibi_viz.charts.palette import LOOKS
from alibi_viz.classroom import drawing
from alibi_viz.content.synthetic import CONTENTS, Setting
from alibi_viz.content.words import directions, last_word, tokens, vectors, words
from alibi_viz.lessons import load
from alibi_viz.lm.words import as_rows, characters, in_han_or_kana, stretches, whole_words
from alibi_viz.lm.writing import LONGEST_PROMPT, START
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.heirs.message import Message as Stairs
from alibi_viz.pictures.matrices.message import Colours, Message, Panel, Sentence, View, pack
from alibi_viz.pictures.message import pack as pack_message
from alibi_viz.results.writing import LANGUAGES, language_of
from alibi_viz.rules import ROPE_SCALINGS
from alibi_viz.rules import slopes as alibi_slopes
from alibi_viz.ui import one_head
from alibi_viz.ui.format import format_number, format_slope
from pages.attention import page as attention_page
from pages.attention import study as attention
from pages.bias import page as bias_page
from pages.bias import study as bias
from pages.heirs import study as heirs
from pages.lab_rope.study import Controls as Clocks
from pages.lab_rope.study import compute as clocks
from pages.playground import study as playground
from pages.slopes.study import DISTANCES, RULES
from pages.slopes.study import compute as slopes
from pages.story import study as story
from pages.write.page import beginning
from tests.cases import slow

MATRICES, CURVES = "matrices/view.js", "slopes/view.js"
ATTENTION, PLOT = "attention.js", "plot.js"  # what all pictures share
STORY, HAND = "story/view.js", "playground/view.js"
#: JSON has no infinity: numbers travel as texts.
PLAIN = """function plain(one) {
  return typeof one !== "string" && one?.[Symbol.iterator] ? Array.from(one, (part) => plain(part)) : String(one);
}"""


@pytest.fixture(scope="module")
def js(run_module):
    """js(module, body, message) runs `body` with that module as `core` and the message as `data`."""
    return run_module


ROWS: dict[str, tuple[Any, ...]] = {}


def row(module, expression, draw, *, rtol=1e-9, atol=1e-9, sent=lambda case: case, message=None):
    """The function below computes in Python what this expression does in the browser, of a case `of` that `draw(chance)`
    has made; sent: the case as JSON; message: makes `data`."""

    def keep(python):
        ROWS[python.__name__] = (module, expression, draw, python, rtol, atol, sent, message)
        return python

    return keep


def leaves(value):
    """The numbers and texts of nested lists and arrays."""
    if isinstance(value, list | tuple | np.ndarray):
        for part in value:
            yield from leaves(part)
    else:
        yield value


# What all pictures share


def scores(chance):
    """Some keys are hidden; the first is not."""
    others = [None if chance.random() < 0.3 else 5 * chance.gauss(0, 1) for _ in range(chance.randint(0, 8))]
    return [chance.gauss(0, 5), *others]


@row(ATTENTION, "core.softmax(Float64Array.from(of, (x) => x ?? -Infinity))", scores)
def softmax(case):
    return torch.tensor([-torch.inf if one is None else one for one in case], dtype=torch.float64).softmax(-1).numpy()


@row(
    *(ATTENTION, "core.nearShare(of, core.nearCount(of.length - 1))"),
    lambda chance: [chance.random() for _ in range(chance.randint(3, 9))],
)
def share_of_near_keys(case):
    return near_share(np.array(case), len(case) - 1)


@row(
    *(ATTENTION, "Array.from({ length: of + 1 }, (_, at) => core.slopeOf(at + 1, of))"),
    lambda chance: chance.randint(1, 128),
)
def slopes_of_the_paper(heads):
    """Of a head that is no more there it is the last one's."""
    return [*alibi_slopes(heads), alibi_slopes(heads)[-1]]


def axis(chance):
    low, high = sorted((chance.uniform(0.5, 9), chance.uniform(10, 2_000)))
    return {"low": low, "high": high, "log": chance.random() < 0.5}, chance.uniform(40, 300)


@row(PLOT, "((axis) => [axis.from(of[1]), axis.to(axis.from(of[1]))])(core.scaleOf(of[0], 300, 40))", axis)
def on_axis(case):
    """The value at a pixel between 300, where the axis begins, and 40."""
    ends, pixel = case
    share = (300 - pixel) / 260
    low, high = np.log([ends["low"], ends["high"]]) if ends["log"] else (ends["low"], ends["high"])
    value = low + share * (high - low)
    return [np.exp(value) if ends["log"] else value, pixel]


def packed(*views):
    return pack(Message("", Hands((), {}), views, Sentence("", {})))


def slopes_of_hands(chance):
    entries = range(chance.randint(1, 128))
    own = [chance.choice([f"1/{chance.randint(1, 999)}", f"{chance.uniform(-0.1, 2):.6g}"]) for _ in entries]
    rule, top = chance.choice(list(RULES)), chance.randint(2, 64) / 2
    return {"heads": chance.randint(1, 128), "rule": rule, "max_bias": top, "own": ", ".join(own)}


#: Python stops where a negative slope leaves the picture.
DRAWN = f"""(() => {{
  const all = core.slopesOf(of), distances = Float32Array.from({DISTANCES.tolist()});
  const curves = core.curvesOf({{ distances }}, all, of), most = (weights) => weights.map((one) => Math.min(one, Math.E));
  return [all, curves.map(({{ family }}) => family), curves.map(({{ weights }}) => most(weights))];
}})()"""


@row(CURVES, DRAWN, slopes_of_hands, rtol=1e-5, atol=1e-5)
def drawn(case):
    own = tuple(float(Fraction(entry)) for entry in case["own"].split(", "))
    expected = slopes(case["heads"], case["rule"], case["max_bias"], own)
    return [expected.slopes, expected.families, expected.weights]


@row(
    *(CURVES, "Math.exp(-core.rateThrough(...of) * of[0])"),
    lambda chance: [chance.uniform(1, 300), chance.uniform(0.01, 0.9)],
)
def through_the_hand(case):
    return case[1]


HANDS = ("rope_dim", "rope_base", "scaling", "factor", "rope_trained", "position")
DIALS = "((dials) => [...Object.values(dials), core.countsOf(dials, of.position).beyond])(core.dialsOf(of))"


def of_clocks(chance):
    dim, base = 2 * chance.randint(2, 64), round(2 * 10 ** chance.uniform(0, 6.3))
    scaling, factor = chance.choice(ROPE_SCALINGS), chance.randint(2, 256) / 2
    state = (dim, base, scaling, factor, round(10 ** chance.uniform(0, 5)), chance.randint(0, 16_384))
    return dict(zip(HANDS, state, strict=True))


@row("clocks/view.js", DIALS, of_clocks)
def dials(case):
    expected = clocks(Clocks(*case.values()))
    return [expected.turns, expected.plain, expected.trained, (~expected.within).sum()]


# What a reader types

PIECES = "the Cat's don’t 3.14 U.S.A. a:b straße ΟΔΟΣ İ 猫追老鼠 ネズミを猫が追う แมว हिन्दी".split()
PIECES += [*"שלם قط 고양이 é 👩‍👧 🙂 ！？ --".split(), ",", "\n", "\u3000", "\ufeff", "\u200b"]


def typed(chance):
    """Words and signs of many scripts, with and without blanks between, and without control characters."""
    latin = (chr(chance.choice((chance.randint(0x21, 0x7E), chance.randint(0xA0, 0x24F)))) for _ in range(9))
    return chance.choice(("", " ", "  ")).join(chance.choices([*PIECES, *latin], k=chance.randint(0, 12)))


@row("words.js", '["words", "characters"].map((unit) => core.tokensOf(of, unit))', typed)
def cut_as_icu_does(text):
    return [tokens(text, unit) for unit in ("words", "characters")]


@row("words.js", "core.closingOf(core.tokensOf(of))", typed)
def signs_that_close_it(text):
    found = words(text)
    return [len(found) - 1 - last_word(found) if found else 0]


KNOWN = frozenset((b"the", b"cat", b"sat"))


def bytes_of_any_kind(chance):
    """Letters, Han characters and kana, signs, and bytes that are no UTF-8; the end may cut a character."""
    parts = [
        b"The list",
        b" ",
        b"a cab",
        "\u8001\u9f20\u3001".encode(),
        "\u30c7\u30fc\u30bf\u3092".encode(),
        "\U0001f600\xe9".encode(),
        b"\xff",
        b"\xe5\xad",
    ]
    text = b"".join(chance.choice(parts) for _ in range(chance.randint(0, 12)))
    return list(text[: chance.randint(0, len(text))]), chance.randint(0, 9)


@row("lm_words.js", "core.charactersOf(Uint8Array.from(of[0]))", bytes_of_any_kind, rtol=0, atol=0)
def whole_characters(case):
    return characters(bytes(case[0]))


@row(
    "lm_words.js",
    f"core.wordsOf(Uint8Array.from(of[0]), of[1], new Set({[w.decode() for w in KNOWN]}), false)",
    bytes_of_any_kind,
)
def words_of_letters(case):
    return as_rows(whole_words(bytes(case[0]), case[1], KNOWN)).ravel()


HAN = {f"{word}".encode() for word in ("\u8001\u9f20", "\u30c7\u30fc\u30bf")}


@row(
    "lm_words.js",
    f"core.wordsOf(Uint8Array.from(of[0]), of[1], new Set({[w.decode() for w in HAN]}), true)",
    bytes_of_any_kind,
)
def words_of_han_and_kana(case):
    return as_rows(whole_words(bytes(case[0]), case[1], frozenset(HAN), in_han_or_kana)).ravel()


def typed_to_write_on(chance):
    letters = chance.choices(["the cat", " 12 ?", "\u732b", "\u8001\u9f20", "\u304c", "\u0442", "x" * 2_040], k=3)
    return "".join(letters[: chance.randint(0, 3)])


@row("lm_texts.js", "core.languageOf(...of)", lambda chance: (typed_to_write_on(chance), chance.choice(LANGUAGES)))
def language_that_writes_on(case):
    return [language_of(*case)]


@row("lm_texts.js", "core.promptOf(of, [])", typed_to_write_on)
def bytes_that_a_text_begins_with(text):
    return [*(beginning(text, 0) or START)]


def held_out(language, size):
    return beginning("", size, language)


@row(
    *("lm_texts.js", "core.endOf(...of)"),
    lambda chance: (chance.choice(LANGUAGES), chance.randint(1, LONGEST_PROMPT)),
    sent=lambda case: [[*held_out(case[0], LONGEST_PROMPT)], case[1]],
)
def end_of_a_text(case):
    return [*held_out(*case)]


def names(chance):
    """A word of any letters, how many numbers, and a seed."""
    letters = (chr(chance.choice((chance.randint(1, 0x7FF), chance.randint(0x800, 0xD7FF)))) for _ in range(99))
    known = [letter for letter in letters if unicodedata.category(letter) != "Cn"]  # else the browser may know more
    return "".join(known[: chance.randint(0, 12)]), chance.choice((1, 2, 16, 32)), chance.randint(0, 9_999)


#: The same bits.
EXACT = (
    "((word, width, seed) => [core.normals(word, width, seed), ...core.directions([word, 'a'], width, seed)])(...of)"
)


@row("words.js", EXACT, names, rtol=0, atol=0)
def vectors_of_words(case):
    word, width, seed = case
    return [vectors([word], width, seed)[0], *directions([word, "a"], width, seed)]


SENTENCE = "the cat bit the rat and the dog saw the cat".split()
LINES = drawing.lines()


def order(chance):
    slope = round(chance.choice((0, 0.5 * chance.random())), 4)
    return chance.sample(range(11), 11), slope, chance.random() < 0.5


@row(STORY, f"core.weightsOf(core.contentOf({SENTENCE}), ...of)", order, rtol=0, atol=1e-5)
def weights_of_the_story(case):
    return story.attention(SENTENCE, case[0], case[1], causal=case[2])


@row(
    *(STORY, "of[0].map((distance) => core.worthAt(of[1], of[2], distance))"),
    lambda chance: (sorted(chance.sample(range(1, 11), 3)), 0.5 * chance.random()),
    rtol=0,
    atol=1e-6,
    sent=lambda case: (case[0], float(equal_words(case[1])[-1]), case[1]),
)
def falling_curve_of_the_story(case):
    """Of equal words each has the weight of the one that asks, times e to minus the slope for each step back."""
    return [equal_words(case[1])[10 - distance] for distance in case[0]]


def equal_words(slope):
    return story.attention(["cat"] * 11, range(11), slope, causal=True)[-1]


@row(
    *(STORY, "core.measuredAt(...of)", lambda chance: (chance.randrange(len(LINES)), chance.uniform(0.5, 16))),
    sent=lambda case: (LINES[case[0]].times, LINES[case[0]].values, case[1]),
)
def on_line(case):
    line, times = LINES[case[0]], case[1]
    return np.exp(np.interp(np.log(times), np.log(line.times), np.log(line.values)))


def written(chance):
    text = " ".join(chance.choices(("the", "Cat", "sat", "on", "xyz", "t-h", "quark"), k=chance.randint(0, 200)))
    return text, chance.randint(0, 40), chance.randint(8, 200), chance.randint(0, len(text))


def sent_words(case):
    text, begin, length, moment = case
    found = [(word.start, word.end, int(word.known)) for word in whole_words(text.encode(), begin, KNOWN)]
    return {"words": [*leaves(found)]}, moment, length


@row("write/view.js", "core.knownOf(...of).map((one) => one && [one.known, one.all])", written, sent=sent_words)
def known(case):
    """Of what is written up to a byte, in each stretch, where there are a few."""
    text, begin, length, moment = case
    counts = stretches(whole_words(text.encode()[:moment], begin, KNOWN), length)
    return [None if count.words < 4 else [count.known, count.words] for count in counts]


#: The weights of each head, and those without ALiBi.
STORE = """(() => {
  const store = new core.Store(of);
  store.setWords(of.words);
  const plain = store.weights(store.query, 0);
  const rows = Array.from({ length: store.heads }, (_, at) => store.weights(store.query, store.rate(at + 1)));
  return [...rows, plain];
})()"""
TEXTS = ("the cat sat on the mat and the dog sat on the rug near the cat", "a", "a b c", "to be or not to be 🙂")
TEXTS += (" ".join(f"w{n % 70}" for n in range(200)),)


def of_playground(chance):
    text, heads = tuple(words(chance.choice(TEXTS))), chance.choice(playground.COUNTS)
    bent = chance.sample(range(1, heads + 1), chance.randint(0, heads))
    own = tuple((head, chance.uniform(playground.GENTLEST, playground.STEEPEST)) for head in bent)
    ratio = chance.choice((chance.uniform(1, 16), chance.randint(2, 32) / 2))
    chosen = playground.Controls(text, heads, 1, chance.uniform(0, 4), own, 0, ratio)
    few = chance.choice((min(chosen.count, 4), chosen.count))  # often one of the first, with few words before it
    return replace(chosen, back=chance.randrange(few))


def sent_playground(chosen):
    values = {"heads": str(chosen.heads), "head": 1, "strength": chosen.strength, "query": chosen.back}
    values |= {"ratio": chosen.ratio, "slopes": ", ".join(f"{head}:{slope!r}" for head, slope in chosen.own)}
    return {"words": chosen.words, "values": values}


@row(HAND, STORE, of_playground, rtol=0, atol=1e-5, sent=sent_playground)
def weights_of_heads(chosen):
    result = playground.compute(chosen)
    return [*result.rows, result.plain]


WORDS = "the cat sat on a mat and dog ran to rug by rain".split()


def of_attention(chance):
    """Controls of the Attention page; of a long text a square is several tokens."""
    content, heads = chance.choice(CONTENTS), chance.choice((1, 2, 8, 12, 64, 128))
    dim, seed = chance.choice((4, 32)), chance.randint(0, 99)
    setting = Setting(heads, dim, content=content, seed=seed, embedding_width=min(heads * dim, attention_page.WIDEST))
    tokens = tuple(
        chance.choice(WORDS) for _ in range(chance.choice((chance.randint(1, 60), chance.randint(100, 300))))
    )
    strength, causal = chance.choice((0.0, 0.5, 1.0, round(4 * chance.random(), 2))), chance.random() < 0.7
    return attention.Controls(setting, tokens, heads, chance.randint(1, heads), strength, causal)


def view_of_attention(controls):
    follows = attention_page.FOLLOWS
    return one_head.stages(load("attention"), attention.compute(controls), filename="", follows=follows)


#: Of the text's last word, as the sentence under the hands says it.
SAID = """(({ query, window, near, near_plain }) => [query, window, near, near_plain])(core.sharesOf(
  core.previewed(core.decode(core.unpack(data).views[0], "", {}), of, of.tokens)))"""


def sent_attention(chosen):
    setting = chosen.setting
    values = {name: getattr(setting, name) for name in ("content", "seed", "heads", "head_dim")} | {"kv_heads": 0}
    return values | {name: getattr(chosen, name) for name in ("causal", "strength", "head", "tokens")}


@row(
    *(MATRICES, SAID, lambda chance: replace(of_attention(chance), tokens=tuple(chance.choices(WORDS, k=9)))),
    sent=sent_attention,
    message=lambda: packed(view_of_attention(of_attention(random.Random(1)))),
)
def shares_of_the_last_word(chosen):
    head = attention.compute(chosen)
    return [chosen.tokens[-1], head.near[0], *(f"{share:.0%}" for share in head.near[1:])]


READ = heirs.text_of(load("shared").entry("examples", "sentence"))


def of_heirs(chance):
    moved = tuple((place, round(chance.uniform(0, 3), 3)) for place in sorted(chance.sample(range(2, 17), 3)))
    head, step = chance.randint(1, heirs.HEADS), round(chance.uniform(0, 3), 2)
    return heirs.Controls(READ, chance.randint(1, heirs.LAYERS), head, chance.choice(("fox", "alibi")), step, moved)


def sent_steps(state):
    steps = ",".join(f"{place}:{step}" for place, step in state.moved)
    values = {"layer": state.layer, "head": state.head, "stairs": state.stairs, "alibi_step": state.alibi_step}
    return values | {"fox_steps": steps}


def stairs():
    found, nothing = heirs.heads_of(READ), np.zeros(1, np.float32)
    arrays = {name: getattr(found, name).numpy().astype(np.float32) for name in ("gates", "steps", "match")}
    about = {"hands": Hands((), {}), "model": "", "words": {}, "alt": "", "filename": "", "weights": nothing}
    return pack_message(Stairs(READ.words, READ.query, heirs.HEADS, "", READ.ends, **arrays, **about))


@row(
    "heirs/view.js",
    "core.stairsOf(core.unpack(data), of).row",
    of_heirs,
    rtol=0,
    atol=1e-5,
    sent=sent_steps,
    message=stairs,
)
def steps_of_heirs(state):
    return heirs.compute(state).weights


ODD = [0.0, 1e-4, 9.99e-8, 99.95, 999.96, 0.5, 2.5, 1234.5, -127.5, 12345.5, 999999.5, 1e9, 5e-324, 1.7e308, 1.23456]


def some_numbers(chance):
    some = [10 ** chance.uniform(-12, 12) * chance.choice((-1, 1)) for _ in range(50)]
    return [*some, *ODD, *range(chance.randint(-20, 0), 2000, 70)]


@row(MATRICES, "of.map((x) => [3, 6, undefined].map((digits) => core.formatNumber(x, digits)))", some_numbers)
def written_numbers(case):
    return [[format_number(x, 3), format_number(x, 6), format_number(x)] for x in case]


@row(CURVES, "of.map((x) => core.formatSlope(x))", some_numbers)
def written_slopes(case):
    return [format_slope(x) for x in case]


@pytest.mark.parametrize("count", [8, slow(200)])
@pytest.mark.parametrize("name", ROWS)
def test_what_a_browser_computes_is_python_s(js, name, count):
    module, expression, draw, python, rtol, atol, sent, message = ROWS[name]
    chance = random.Random(43)
    cases = [draw(chance) for _ in range(count)]
    given = json.dumps([*map(sent, cases)])
    body = f"((plain, cases) => cases.map((of) => plain({expression})))({PLAIN}, {given})"
    found = js(module, body, message() if message else None)
    for case, one in zip(cases, found, strict=True):
        ours, expected = [*leaves(one)], [*leaves(python(case))]
        assert len(ours) == len(expected), case
        numbers = [at for at, value in enumerate(expected) if not isinstance(value, str | None)]
        others = [at for at in range(len(expected)) if at not in numbers]
        assert [ours[at] for at in others] == ["null" if expected[at] is None else expected[at] for at in others], case
        found_numbers, theirs = [float(ours[at]) for at in numbers], [float(expected[at]) for at in numbers]
        np.testing.assert_allclose(found_numbers, theirs, rtol, atol, err_msg=str(case))


#: What a hand makes of the playground: the nearest word like the query's, its slopes, its query, its words.
HANDED = """((words, act, values) => {
  const hands = { values: { heads: "8", head: 2, strength: 1, query: 0, ratio: 1, slopes: "", ...values },
    set(values) { Object.assign(this.values, values); } };
  const store = new core.Store(hands);
  store.setWords([...words]);
  if (act) store[act[0]](act[1]);
  return [store.key(), hands.values.slopes, hands.values.query, store.count];
})"""


@pytest.mark.parametrize(
    ("module", "body", "expected"),
    [
        (
            CURVES,
            "[1 / 256, 0.5, 1 / 3, 0.30000049, 1.5].map(core.writtenSlope)",
            ["1/256", "1/2", "1/3", "0.3", "1.5"],
        ),
        (MATRICES, "[Infinity, -Infinity, NaN].map((x) => core.formatNumber(x))", ["∞", "−∞", "–"]),
        (ATTENTION, "core.halving(0.5)", pytest.approx(np.log(2) / 0.5)),
        (HAND, f'["abacba", "acaaa", "bca", "aa"].map((words) => {HANDED}(words)[0])', [2, 2, 0, 0]),  # no neighbour
        (HAND, f'{HANDED}("abc", ["bend", 0.251])[1]', ""),  # near its rule a slope is the rule's
        (HAND, f'{HANDED}("abc", ["bend", 0.5])[1]', "2:0.5"),
        (
            HAND,
            f'{HANDED}("abcabc", ["setTimes", 1], {{ ratio: 4, query: 20 }}).slice(1)',
            ["", 5, 6],
        ),  # it stays in it
        (STORY, 'core.reordered("a b, c", ["a", "b", ",", "c"], [1, 0, 2, 3])', "b a, c"),
        (STORY, 'core.reordered("猫追老鼠", ["猫", "追", "老鼠"], [2, 1, 0])', "老鼠追猫"),
        (STORY, 'core.reordered("another text", ["a", "q"], [1, 0])', "another text"),
        (STORY, '["ابن 3", "שלום world", "“ابن” 3"].map(core.runsLeft)', [True] * 3),
        (STORY, '["the قط sat", "猫追老鼠", "1 + 2"].map(core.runsLeft)', [False] * 3),
    ],
)
def test_by_hand(js, module, body, expected):
    assert js(module, body) == expected


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


def test_letters_on_a_colour_can_be_read(js):
    """Their contrast is at least 4 : 1."""

    def luminance(colour):
        parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.2126, 0.7152, 0.0722))

    colours = sorted({colour for look in LOOKS.values() for colour in (look.light, look.dark)})
    for colour, letters in zip(colours, js(PLOT, f"{colours}.map(core.lettersOn)"), strict=True):
        low, high = sorted((luminance(colour), luminance(letters)))
        assert (high + 0.05) / (low + 0.05) > 4, colour


def test_names_at_line_ends_keep_apart(js):
    chance = random.Random(50)
    for _ in range(20):
        heights = [round(chance.uniform(0, 200), 1) for _ in range(chance.randint(1, 9))]
        body = f"core.apart({heights}.map((y, at) => ({{ y, at }})), 20, 10, 190).map(({{ y, at }}) => [y, at])"
        found = js(PLOT, body)
        assert [heights[at] for _, at in found] == sorted(heights), "in the order of the lines"
        assert np.diff([y for y, _ in found]).min(initial=20) > 20 - 1e-9
        assert all(10 <= y <= 190 for y, _ in found)


# A matrix under a hand: made from one message, it is what Python sends for the other value


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
  const preview = core.previewed(before, values, values.tokens);
  const waits = !preview || preview.panels.some((panel, at) => panel.values === before.panels[at].values);
  return [waits ? null : told(preview), waits ? null : told(after)];
})(core.unpack(data), %s)"""


def on_bias(chance):
    """What the hands say, and the view before and after."""
    n, heads = chance.choice((1, 7, 128, 900, 100_000)), chance.randint(1, 32)
    span = chance.choice((0, 0, 40, 700))
    row, col = (chance.randint(0, n - 1) if span else 0 for _ in range(2))
    form, causal, after = chance.choice(list(bias.FORMS)), chance.random() < 0.6, chance.random() < 0.4
    head, trained = chance.randint(1, heads), chance.choice((5, 64))
    chosen = bias.Controls(n, heads, head, form, causal, after, trained, row, col, span)
    window = {"row": chance.randint(0, n - 1), "col": chance.randint(0, n - 1), "span": chance.choice((10, 600))}
    changes = ({"heads": chance.randint(1, 128)}, {"n": chance.choice((1, 50, 300, 40_000))}, window)
    other, colours = replace(chosen, **chance.choice(changes)), chance.choice(bias_page.COLOURS)
    other = replace(other, head=min(other.head, other.heads))
    return vars(other), *(bias_page.large(load("bias"), bias.compute(each), colours, "") for each in (chosen, other))


def on_attention(chance):
    """Any two states: nothing of the first is left."""
    before, after = of_attention(chance), of_attention(chance)
    return sent_attention(after), view_of_attention(before), view_of_attention(after)


@pytest.mark.parametrize("count", [8, slow(200)])
@pytest.mark.parametrize(("draw", "least"), [(on_bias, 0.75), (on_attention, 1)])
def test_a_view_under_a_hand_is_what_python_sends(js, draw, least, count):
    """least: the share of changes that the browser draws; weights that need whole rows of a long text wait for Python."""
    chance, compared = random.Random(43), 0
    for number in range(count):
        values, before, after = draw(chance)
        ours, theirs = js(MATRICES, BOTH % json.dumps(values), packed(before, after))
        if ours is None:
            continue
        compared, state = compared + 1, f"state {number}: {values}"
        assert ours[:3] == theirs[:3], state
        np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-5, atol=1e-9, err_msg=state)
        for one, other in zip(ours[4], theirs[4], strict=True):
            found, sent = (np.frombuffer(b64decode(each), np.float32) for each in (one, other))
            np.testing.assert_allclose(found, sent, rtol=1e-5, atol=1e-5, err_msg=state)
    assert compared >= least * count
