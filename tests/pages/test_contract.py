"""What every lesson keeps, from the controls that its page reads; and what its addresses have opened."""

import json
import re
from urllib.parse import parse_qsl, urlsplit

import plotly.graph_objects as go
import pytest

from alibi_viz.charts.palette import ink
from alibi_viz.classroom.plans import HOMEWORK, PLANS
from alibi_viz.lessons import load, path
from alibi_viz.ui.address import STATE, to_text
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import clean
from alibi_viz.ui.shell import navigation
from tests.cases import some
from tests.pages.apptest import (
    LESSONS,
    NONSENSE,
    address,
    hands,
    open_page,
    params,
    params_of,
    presets,
    release,
    said,
    shown,
    visible,
)

#: Elements and containers of a closed page with what stands around it. Each is a message: what a run costs is mostly these.
MOST_MESSAGES = 55
#: In place of a number: nothing, or an object of Python's.
LEFTOVERS = re.compile(r"\bNone\b|\bnan\b|<bound method|<built-in|<generator| object at 0x|\{'\w+': |\['\w+'[,\]]")


def check(at, lesson, language="en"):
    """What holds for a page in any state."""
    assert at.title[0].value == load(lesson, language).text("title")
    assert not re.search(r"\{\w+.{0,8}\}", re.sub(r"\$\$?.*?\$\$?", "", said(at))), "a name without its number"
    for param in params_of(at, lesson):
        if param.key in at.session_state[STATE].reads and param.kind != "text":
            assert clean(param, shown(at, param.key)).problem is None, param.key
    assert [name for name, why in grey(at._tree) if not why] == [], "what is grey says why"


def grey(tree):
    """Name and help of every disabled control."""
    for node in getattr(tree, "children", {}).values():
        proto = getattr(node, "proto", None)
        for part in (proto, getattr(proto, "popover", None)):
            if getattr(part, "disabled", False):
                yield getattr(part, "label", "") or type(node).__name__, getattr(part, "help", "")
        yield from grey(node)


def messages(tree):
    """The elements and containers below this one."""
    return sum(1 + messages(node) for node in getattr(tree, "children", {}).values())


def values_of(at, lesson):
    """What the page shows for each of its controls that it has drawn or read."""
    keys = (param.key for param in params(lesson))
    return {key: shown(at, key) for key in keys if key in at.session_state[STATE].reads}


def check_opened(at, lesson, url, theme, language="en"):
    """What holds for a page that is opened at an allowed address."""
    check(at, lesson, language)
    assert not at.info
    assert not at.warning
    assert not LEFTOVERS.search(visible(at))
    assert address(at) == url, "defaults are left out of the address"
    assert at.get("plotly_chart") or at.get("bidi_component"), "a lesson shows a picture"
    assert len(hands(at)["presets"]) <= 5, "a stage has at most five presets"
    for link in (link.proto for link in at.get("page_link")):
        table = {param.key: param for param in (*params(link.page), *page_options.PARAMS)}
        assert all(clean(table[key], value).problem is None for key, value in parse_qsl(link.query_string)), link
    for hand in hands(at)["hands"]:
        for value, title in hand.get("options", ()):
            assert load(lesson, language).choice(value) in (value, title), "a choice is called as the lesson calls it"
    for chart in at.get("plotly_chart"):
        assert chart.proto.alt, "a picture has words for those who do not see it"
        assert go.Figure(json.loads(chart.proto.spec)).data, "a chart is valid, and has something in it"
        assert ink(theme == "dark").text in chart.proto.spec, "charts follow the theme"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_opens_closed_and_a_text_may_be_empty(lesson):
    at = open_page(lesson)
    check_opened(at, lesson, {}, "light")
    assert messages(at._tree) <= MOST_MESSAGES
    for text in ("", " \u200b", "x"):
        # A wrong code of a room is answered slowly, to everybody: tests/unit/test_rooms.py.
        boxes = {box.key: box for box in (*at.text_area, *at.text_input) if box.key != "room_code"}
        if not boxes:
            break
        filled = [param for param in params(lesson) if param.key in boxes and param.default]
        for box in boxes.values():
            box.set_value(text)
        at.run()
        assert not at.exception, at.exception[0].value
        check(at, lesson)
        if filled and not text:
            assert at.warning, "what is missing is told"


@pytest.mark.parametrize("turn", some(range(4), 0, 1))
@pytest.mark.parametrize("lesson", LESSONS)
def test_an_address_can_say_anything(lesson, turn):
    """Another kind of nonsense for each control, and for the same control in each turn."""
    url = {param.key: NONSENSE[(place + 4 * turn) % len(NONSENSE)] for place, param in enumerate(params(lesson))}
    at = open_page(lesson, **url)
    check(at, lesson)
    corrected = [param for param in params(lesson) if clean(param, url[param.key]).problem]
    assert bool(at.info) >= bool(corrected), "what was corrected is said"


def end_of(param, end):
    """The first or the last value that a control takes."""
    if param.kind in ("int", "float"):
        return str(getattr(param, end))
    return (param.choices or ("true", "false"))[0 if end == "low" else -1]


@pytest.mark.parametrize(("end", "language"), [("low", "ja"), ("high", "en")])
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_range_can_be_used_to_its_end(lesson, end, language):
    url = {param.key: end_of(param, end) for param in params(lesson) if param.kind != "text"}
    check(open_page(lesson, **url, lang=language), lesson, language)


@pytest.mark.parametrize("lesson", LESSONS)
def test_presets_set_their_controls_and_make_a_link(lesson):
    """Those on top of a picture, and those beside a chart."""
    at = open_page(lesson)
    opened = [{key: to_text(value) for key, value in preset["values"].items()} for preset in hands(at)["presets"]]
    for turn, (name, values) in enumerate(() if opened else presets(lesson).items()):
        at.button(key=f"try_{lesson}_{name}").click().run()
        check_preset(at, lesson)
        now = values_of(at, lesson)
        assert now.items() >= values.items(), name
        if turn < 2:  # two links are enough
            assert values_of(open_page(lesson, **address(at)), lesson).items() >= now.items(), name
    for number, url in enumerate(opened if presets(lesson) else ()):  # of pitfalls: the one before, and the next
        check_preset(at := open_page(lesson, **url), lesson)
        given = hands(at)
        told = [place for place, one in enumerate(given["presets"]) if one["values"].items() <= given["values"].items()]
        assert told == [number], "they are told apart"


def check_preset(at, lesson):
    assert not at.exception
    check(at, lesson)
    assert not at.info
    assert not LEFTOVERS.search(visible(at))


@pytest.mark.parametrize("name", ["extrapolation", "why", "train", "early_token_curse", "recall", "today"])
def test_no_result_is_typed_by_hand(name):
    """Outside placeholders, formulas, citations and sources a lesson has no decimal, percentage or number above 100."""
    allowed = {"103", "128", "512", "2017", "2025", "1.1", "1.3"}  # WikiText-103; T5; years; 1.1 times; 1.3 billion
    parts = re.split(r"^## (.+)\n", path(name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    quiet = ("sources", "latex", "chart", "choices", "help", "labels")
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if section.split(".")[0] not in quiet:
            text = re.sub(r"\{.*?\}|\$.*?\$|`.*?`|and others \d{4}|\[[\d.]+\]\(\S+?\)|\]\(\S+?\)", "", body)
            typed = set(re.findall(r"\d+\.\d+|\d+ ?%|(?<![\w,])\d{3,}(?!\w)", text)) - allowed
            assert not typed, (section, typed)


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
