"""Whatever a URL or a widget says becomes an allowed value; long texts that it packs come out as they went in."""

import base64
import json
import math
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.ui.controls.packing import LONGEST, UNPACKED, pack, unpack
from alibi_viz.ui.controls.params import Param, clean
from alibi_viz.user_input import parse_numbers, printable, strip_control_characters

HEADS = Param("heads", "int", 8, low=1, high=128)
STRENGTH = Param("strength", "float", 1.0, low=0, high=4)
RULE = Param("rule", "choice", "paper", choices=("paper", "plain"))
TEXT = Param("text", "text", "hello", longest=10)
FLAG = Param("after", "flag", False)
CELL = Param("cell", "cell", "")
ANYTHING = st.one_of(st.text(st.characters()), st.integers(), st.floats(), st.none(), st.booleans(), st.binary())


@given(ANYTHING)
def test_anything_becomes_an_allowed_value(raw):
    for param in (HEADS, STRENGTH):
        value = clean(param, raw).value
        assert param.low <= value <= param.high
        assert isinstance(value, int if param.kind == "int" else float)
    assert clean(RULE, raw).value in RULE.choices
    assert clean(FLAG, raw).value in (True, False)
    assert re.fullmatch(r"|\d{1,8},\d{1,8}", clean(CELL, raw).value)
    text = clean(TEXT, raw).value
    assert len(text) <= 10
    assert strip_control_characters(text) == text
    text.encode()  # half of a surrogate pair is no character


@pytest.mark.parametrize(
    ("param", "raw", "value", "problem"),
    [
        (HEADS, "-3", 1, "too_small"),
        (HEADS, "inf", 128, "too_large"),
        (HEADS, "nan", 8, "not_a_number"),
        (HEADS, "12.7", 12, "not_whole"),
        (CELL, " 015 , 0 ", "15,0", None),
        (CELL, "١,٢", "", "not_a_cell"),
        (TEXT, "a\nb", "a b", None),
        (TEXT, "a\x00b\u202e", "ab\u202e", "control"),
        (TEXT, "x" * 100_000, "x" * 10, "too_long"),
    ],
)
def test_a_wrong_value_becomes_the_nearest_and_is_told(param, raw, value, problem):
    cleaned = clean(param, raw)
    assert (cleaned.value, cleaned.problem) == (value, problem)


def test_a_refused_value_is_shown_short_and_without_markdown():
    assert printable("[a](http://b) **c** <script>") == "ahttp://b c script"
    assert len(printable("y" * 1000)) == 24


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_a_list_of_numbers_is_read_back(values):
    read = parse_numbers(", ".join(repr(v) for v in values), 8)
    assert all(math.isclose(a, b) or a == b for a, b in zip(read, values, strict=True))


def test_slopes_are_read_as_people_write_them():
    lists = ("1/2 0.25", "tensor([0.5000, 0.2500])", "2^-1; 2**-2", "2^-1 2^−2", "2^-(1/1) 2^-(4/2)")
    for form in (*lists, "1/2，0.25", "1/2；0.25", "1/2、0.25"):
        assert parse_numbers(form, 8) == pytest.approx([0.5, 0.25])
    for bad in ("a", "1/0", "nan", "1e999", "2^2^2", "10^999", "[1", "(-1)^(1/2)"):
        with pytest.raises(ValueError, match="number"):
            parse_numbers(bad, 8)
    with pytest.raises(ValueError, match="at most 2"):
        parse_numbers("1 2 3", 2)


TEXTS = st.dictionaries(st.sampled_from(["text", "passage"]), st.text(st.characters(exclude_categories=["Cs"])))


def packed(raw):
    return base64.urlsafe_b64encode(zlib.compress(raw)).decode().rstrip("=")


@given(TEXTS)
def test_what_is_packed_is_read_back(texts):
    link, left_out = pack(tuple(texts.items()))
    assert not left_out
    assert (unpack(link) if link else {}) == texts


JSON = st.dictionaries(st.text(), st.text() | st.integers() | st.none()) | st.lists(st.text())


@given(st.text() | st.text("ABCabc019-_") | JSON.map(lambda value: packed(json.dumps(value).encode())))
def test_anything_is_read_or_refused(raw):
    try:
        texts = unpack(raw)
    except ValueError:
        return
    assert all(isinstance(text, str) for text in texts.values())


BOMB = json.dumps({"text": "a" * (2 * UNPACKED)}).encode()


@pytest.mark.parametrize("raw", [b"[1]", b"null", b"[" * 100_000, BOMB], ids=["list", "null", "deep", "bomb"])
def test_what_is_no_small_table_of_texts_is_refused(raw):
    assert len(packed(raw)) < LONGEST
    with pytest.raises(ValueError, match="packed texts"):
        unpack(packed(raw))
