"""Every page through Streamlit's own test runner: at its default, at the extremes, and with a URL that says nonsense."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

APP = Path(__file__).resolve().parents[2] / "app.py"
PAGES = ("start", "slopes", "bias", "attention")
NONSENSE = ("-1", "0", "1e9", "nan", "inf", "abc", "", "[1,2]", "<b>x</b>", "٣", "🙂", "1e999", "\x00", "12.7", "true")


def open_page(name: str, **url: str | list[str]) -> AppTest:
    """The app at /name?url, run once."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    for key, value in url.items():
        at.query_params[key] = value
    at.run()
    if name != "start":
        at.switch_page(f"pages/{name}/page.py")
        for key, value in url.items():
            at.query_params[key] = value
        at.run()
    assert not at.exception, at.exception[0].value
    return at


def said(at: AppTest) -> str:
    return " ".join(element.value for element in (*at.info, *at.warning, *at.markdown, *at.caption))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_and_says_what_it_shows(name):
    at = open_page(name)
    assert at.title[0].value
    assert not at.warning
    assert not at.info
    assert len(said(at)) > 200


@pytest.mark.parametrize(("heads", "rule"), itertools.product(("1", "3", "128"), ("paper", "plain", "2^-h")))
def test_slopes_at_the_extremes(heads, rule):
    at = open_page("slopes", heads=heads, rule=rule, max_bias="32")
    assert len(at.dataframe[0].value) == int(heads)


def test_own_slopes_and_their_mistakes():
    at = open_page("slopes", rule="own list", own="1/2, 0.3")
    assert len(at.dataframe[0].value) == 2
    for text, words in (("", "at least one"), ("1, two", "two"), ("0.5 " * 200, "at most 128"), ("nan", "finite")):
        at.text_input(key="own").set_value(text).run()
        assert not at.exception
        assert words in at.warning[0].value.replace("\\", "")
    at.text_input(key="own").set_value("-0.5, 0").run()
    assert not at.exception
    assert "never halves" in said(at)


@pytest.mark.parametrize("n", ["1", "2", "1000", "1048576"])
@pytest.mark.parametrize("form", ["distance", "key only", "symmetric", "two-sided"])
def test_bias_at_the_extremes(n, form):
    for causal, after, dtype in ((True, False, "float16"), (False, True, "bfloat16")):
        at = open_page(
            "bias",
            n=n,
            form=form,
            causal=str(causal),
            after=str(after),
            dtype=dtype,
            heads="3",
            head="3",
            span="7",
            row=n,
        )
        assert at.session_state["n"] == int(n)


def test_bias_with_every_head():
    open_page("bias", heads="128", head="128", n="4096", colours="whole range")


@pytest.mark.parametrize("content", ["equal", "same words attract", "random"])
def test_attention_at_the_extremes(content):
    for text, heads, strength in (("a", "1", "0"), ("word " * 3000, "32", "4"), ("é 日 🙂 <b> $x$", "12", "1")):
        at = open_page(
            "attention", text=text, heads=heads, strength=strength, content=content, head_dim="1", seed="9999"
        )
        assert not at.warning


def test_attention_explains_what_cannot_be_shown():
    assert "cannot share" in open_page("attention", kv_heads="3").warning[0].value.replace("\\", "")
    assert "empty" in open_page("attention", text="   ").warning[0].value
    at = open_page("attention")
    at.text_area(key="text").set_value("x" * 100_000).run()
    assert not at.exception
    assert "20,000" in said(at)
    at.text_area(key="text").set_value("x " * 5_000).run()
    assert not at.exception
    assert "2,048" in said(at)
    assert at.session_state["strength"] == 1.0


def test_start_needs_the_same_words():
    at = open_page("start", first="a b <img>", second="a c")
    assert "same words" in at.warning[0].value
    at.text_input(key="second").set_value("img > < b a").run()
    assert not at.exception
    assert not at.warning


KEYS = {
    "slopes": ("heads", "rule", "max_bias", "own"),
    "bias": ("n", "heads", "head", "form", "causal", "after", "dtype", "trained", "colours", "row", "col", "span"),
    "attention": (
        "text",
        "unit",
        "content",
        "seed",
        "heads",
        "kv_heads",
        "head_dim",
        "head",
        "strength",
        "causal",
        "cached",
    ),
    "start": ("first", "second"),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("value", NONSENSE)
def test_a_url_can_say_anything(name, value):
    open_page(name, **dict.fromkeys(KEYS[name], value))


def test_a_corrected_value_is_the_nearest_and_is_named():
    at = open_page("slopes", heads="1000000000", max_bias="16")
    assert at.session_state["heads"] == 128
    assert at.session_state["max_bias"] == 16
    assert "too large" in at.info[0].value
    at.number_input(key="heads").set_value(12).run()
    assert not at.info
    assert len(at.dataframe[0].value) == 12


def test_try_this_sets_the_controls():
    at = open_page("slopes")
    at.button(key="try_slopes_twelve").click().run()
    assert at.session_state["heads"] == 12
    assert "no power of two" in said(at)
    at = open_page("bias")
    at.button(key="try_bias_million").click().run()
    assert not at.exception
    assert "1,000,000" in said(at)


def test_a_value_that_does_not_fit_the_next_page_is_corrected_there():
    at = open_page("slopes", heads="112")
    at.switch_page("pages/attention/page.py").run()
    assert not at.exception
    assert at.session_state["heads"] <= 32
