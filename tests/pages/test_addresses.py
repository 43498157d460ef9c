"""Addresses that readers have kept open what they opened when they were written: the same controls, the same numbers. So do
links of the Sources page and of the plans.

A line is edited only where other models are shipped, or where a number that it holds was wrong.
"""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz.classroom.plans import HOMEWORK, PLANS
from alibi_viz.lessons import load
from alibi_viz.ui.address import STATE
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import clean
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import address, open_page, params, params_of, release, shown, visible

#: Address -> numbers that stand on the page it opens. A line is edited only where other models are shipped, or where a
#: number that it holds was wrong.
ADDRESSES = {
    "/slopes?heads=12&max_bias=16": ("12 heads", "1/65,536", "150,903", "m_{12} = 2^{-7}"),
    "/bias?n=1000000&head=8&span=4096&row=500000&col=499000&trained=2048&bias_open=table": (
        "0.003906",
        "29.1\u00a0TiB",
        "queries 500,000 to 504,095",
    ),
    "/attention?text=a+b+a+c&heads=6&kv_heads=2&head=5&head_dim=16&content=equal&causal=false": (
        "4 tokens, head 5 of 6",
        "slope 1/2",
        r"\sqrt{16}",
    ),
    "/attention_model?model=t5&layer=2&head=6&attention_model_open=heads": ("223 bytes, layer 2, head 6 of 8",),
    "/compare?methods=t5,learned&grouped=true&stage=weights&cell=9,4&compare_open=tests": ("Learned,vector,",),
    "/lab_sinusoidal?waves_n=64&pair=7&wave_base=1000&waves_width=32": ("129", "4,080"),
    "/lab_rope?scaling=yarn&factor=4&rope_trained=512&position=1000&rope_dim=16": ("position 1,000", "1.139"),
    "/lab_t5?t5_trained=32&buckets=16&max_distance=64&two_sided=true": ("**2** of 16 buckets", "7, 15"),
    "/lab_learned?table_rows=16&tried=15&table_width=8": ("−0.155",),
    "/extrapolation?ext_methods=alibi,rope&ext_protocol=sliding&ext_paper=1024&extrapolation_open=paper": (
        "RoPE (1.49\u00a0L)",
        "ALiBi ×\u00a00.96",
    ),
    "/why?ext_window=2048&why_method=rope&why_open=heads": (
        "**RoPE, all keys: 42.6**",
        "head of slope 1/2",
    ),
    "/train?train=rope,t5&train_length=64&train_steps=300&train_width=32&train_heads=4&train_seed=3&train_open=how": (
        "41,280",
        "76,800",
    ),
    "/early_token_curse?curse_window=2&curse_stride=1&curse_least=2&curse_text=one+two+three+four+five": (
        "**2 of 4** words have a context of fewer than 2 words; in sliding windows, **1**",
    ),
    "/today?today_show=model&today_open=long": ("Jais family", "18.40"),
}


SAID: list[str] = re.findall(r"\]\(([^)]+)\) \|$", load("sources").sections["said"], re.MULTILINE)


#: Address of a step of a plan -> the controls that are spoken of.
STEPS = {step.address: step.controls for step in (*PLANS["10"], *PLANS["50"], *HOMEWORK)}


@pytest.mark.parametrize("address", [*ADDRESSES, *SAID, *STEPS])
def test_an_address_opens_what_it_opened(address):
    parts = urlsplit(address)
    url = dict(parse_qsl(parts.query))
    lesson = parts.path.strip("/") or navigation.FIRST
    at = open_page(lesson, **url)
    assert not at.info, "nothing is corrected"
    table = {param.key: param for param in params_of(at, lesson)}
    assert len(table) == len(params(lesson)), "a key stands twice"
    assert set(STEPS.get(address, ())) <= set(table)
    table |= {param.key: param for param in page_options.PARAMS}
    for key, text in url.items():
        assert shown(at, key) == clean(table[key], text).value, key
    text = visible(at)
    for number in ADDRESSES.get(address, ()):
        assert number in text, f"{number} is not on the page"


@pytest.mark.parametrize(("heads", "cell"), [("1", "0,1"), ("128", "127,16")])
def test_what_a_page_links_to_shows_the_values_of_the_link(heads, cell):
    """The bounds of a page are its own: at the ends of what Slopes passes on, other lessons open without a correction."""
    for link in [link.proto for link in open_page("slopes", heads=heads, cell=cell).get("page_link")]:
        values = dict(parse_qsl(link.query_string))
        at = open_page(link.page, **values)
        assert not at.info, link
        table = {param.key: param for param in params_of(at, link.page)}
        assert {key: shown(at, key) for key in values} == {key: clean(table[key], values[key]).value for key in values}


def test_a_control_that_is_moved_after_a_run_was_broken_off_keeps_what_the_others_say():
    """Streamlit breaks a run off when the reader does something else: not all of the page has been read then."""
    at = open_page("lab_t5", max_distance="64", buckets="16")
    state = at.session_state[STATE]
    state.reads = {"max_distance": state.reads["max_distance"]}
    at.run()
    state.reads_before, state.reads = state.reads, {}  # as in the middle of the next run
    release(at, buckets=24)
    assert address(at) == {"max_distance": "64", "buckets": "24"}


def test_back_also_undoes_what_was_set_in_a_section_that_is_closed_now():
    at = open_page("slopes", slopes_open="trained", target="32", heads="12")
    at.session_state[STATE].values["slopes_open"] = ""  # as its header writes it
    assert address(at.run()) == {"heads": "12"}
    for query, heads in (({}, 8), ({"slopes_open": "trained"}, 8)):
        at.query_params.clear()
        at.query_params.update(query)
        at.run()
        assert shown(at, "heads") == heads
    assert shown(at, "target") == 16
