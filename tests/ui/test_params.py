"""Whatever a URL or a widget says becomes an allowed value."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.typed import parse_numbers, printable, strip_control_characters
from alibi_viz.ui.controls.params import Param, clean

HEADS = Param("heads", "int", 8, low=1, high=128)
STRENGTH = Param("strength", "float", 1.0, low=0, high=4, step=0.05)
RULE = Param("rule", "choice", "paper", choices=("paper", "plain"))
TEXT = Param("text", "text", "hello", longest=10)
FLAG = Param("after", "flag", False)
CELL = Param("cell", "cell", "")
ANYTHING = st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.booleans(), st.lists(st.text()), st.binary())


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


@pytest.mark.parametrize(
    ("raw", "value", "problem"),
    [
        ("12", 12, None),
        ("0", 1, "too_small"),
        ("-3", 1, "too_small"),
        ("1e9", 128, "too_large"),
        ("inf", 128, "too_large"),
        ("nan", 8, "not_a_number"),
        ("many", 8, "not_a_number"),
        ("12.7", 12, "not_whole"),
        (["3", "5"], 5, None),
        ([], 8, None),
        (None, 8, "not_a_number"),
    ],
)
def test_heads_from_a_url(raw, value, problem):
    cleaned = clean(HEADS, raw)
    assert (cleaned.value, cleaned.problem) == (value, problem)


def test_a_number_field_reads_an_exponent():
    """Streamlit's field for whole numbers takes the 1 of “1e6”; that for other numbers takes all."""
    field = HEADS.field(8)
    assert all(isinstance(field[name], float) for name in ("value", "min_value", "max_value", "step"))
    assert field["format"] % field["value"] == "8"
    assert "format" not in STRENGTH.field(1.0)


def test_texts_lose_control_characters_and_keep_the_rest():
    assert clean(TEXT, "a\x00b\u202e").value == "ab\u202e"
    assert clean(TEXT, "a\nb").value == "a b"
    assert clean(TEXT, "<b>é日🙂").value == "<b>é日🙂"
    assert clean(TEXT, "x" * 100_000).problem == "too_long"


def test_a_refused_value_is_shown_short_and_without_markdown():
    assert printable("[a](http://b) **c** <script>") == "ahttp://b c script"
    assert len(printable("y" * 1000)) == 24


def test_lists_of_numbers():
    assert parse_numbers("1/2, 0.25; 1e-3", 8) == [0.5, 0.25, 1e-3]
    for bad in ("a", "1/0", "nan", "inf", "1e999"):
        with pytest.raises(ValueError, match="number"):
            parse_numbers(bad, 8)
    for form in ("[0.5, 0.25]", "tensor([0.5000, 0.2500])", "2^-1, 2^-2", "2**-1 2^−2", "2^-(1/2) 2^-(3/2)"):
        first, second = parse_numbers(form, 8)
        assert second == pytest.approx(first / 2)
    for bad in ("2^", "2^2^2", "2^-1e9x", "10^999", "[1", "(-1)^(1/2)"):
        with pytest.raises(ValueError, match="number"):
            parse_numbers(bad, 8)
    with pytest.raises(ValueError, match="at most 2"):
        parse_numbers("1 2 3", 2)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_a_list_of_numbers_is_read_back(values):
    read = parse_numbers(", ".join(repr(v) for v in values), 8)
    assert all(math.isclose(a, b) or a == b for a, b in zip(read, values, strict=True))


@pytest.mark.parametrize(
    ("raw", "value", "problem"),
    [("15,7", "15,7", None), (" 015 , 0 ", "15,0", None), ("", "", None), ("-1,2", "", "not_a_cell")]
    + [(raw, "", "not_a_cell") for raw in ("1", "1,2,3", "1.5,2", "١,٢", "a,b", "123456789,1")],
)
def test_a_cell_is_two_whole_numbers(raw, value, problem):
    cleaned = clean(CELL, raw)
    assert (cleaned.value, cleaned.problem) == (value, problem)
