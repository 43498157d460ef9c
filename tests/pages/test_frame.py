"""What surrounds every lesson: presented, with questions; links, other pages, and files after a sleep."""

import hashlib
import json
import re
from itertools import cycle, product
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.palette import ink
from alibi_viz.lessons import joined, load
from alibi_viz.lessons.languages import LANGUAGES
from alibi_viz.ui.address import STATE, to_text
from alibi_viz.ui.page import settings
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.site.page import Page
from alibi_viz.ui.streamlit_patches.page_of_app import choose
from tests.cases import some
from tests.pages.apptest import address, asks, hands, open_page, release, report, said, says, send, shown, unpack


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hint_names_every_key_of_a_lecture(language):
    at = open_page("slopes", present="true", lang=language)
    part = next(part.proto for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_keys")
    letters = [key for key in json.loads(part.json)["names"] if len(key) == 1 and key.isupper()]
    assert letters
    hint = load("shared", language).label("keys")
    assert hint in [element.value for element in at.caption]
    assert all(re.search(rf"(?<![A-Za-z]){letter}(?![A-Za-z])", hint) for letter in letters)


def test_a_key_reveals_the_answer_also_to_a_reader_alone():
    at = open_page("slopes", present="true", predict="true")
    assert asks(report(at, "keys", "pressed", ["T"])), "another key does not"
    assert says(said(report(at, "keys", "pressed", ["R"])), "shared", "predict.skipped", right="m = 1/256")


def test_the_theme_of_the_address_colours_the_pictures():
    for theme, other in (("dark", "light"), ("light", "dark")):
        at = open_page("lab_t5", other, theme=theme, buckets="16")
        assert ink(theme == "dark").text in at.get("plotly_chart")[0].proto.spec
        assert ink(theme != "dark").text not in at.get("plotly_chart")[0].proto.spec
        assert address(at) == {"theme": theme, "buckets": "16"}


def test_a_question_is_answered_from_the_live_numbers():
    at = open_page("slopes", heads="8", predict="true")
    assert asks(at)
    at.button(key="question_slopes_0").click().run()
    assert says(said(at), "shared", "predict.wrong", chosen="m = 1/512", right="m = 1/256")
    assert not asks(at)
    at = open_page("slopes", rule="2^-h", predict="true")
    at.button(key="question_slopes_0").click().run()
    assert says(said(at), "shared", "predict.right", chosen="m = 1/65,536")
    assert not asks(open_page("slopes", rule="own list", predict="true")), "a list has no more heads"


def test_questions_are_asked_of_those_who_want_them_and_can_be_skipped():
    plain = open_page("slopes")
    assert not asks(plain)
    assert not any(link.proto.query_string for link in plain.get("page_link"))
    at = open_page("slopes", predict="true")
    links = {link.proto.page: link.proto.query_string for link in at.get("page_link")}
    assert links[navigation.following("slopes")] == "predict=true"
    at.button(key="question_skip").click().run()
    assert says(said(at), "shared", "predict.skipped", right="m = 1/256")
    choose(at, "bias").run()
    assert asks(at)
    assert address(at) == {"predict": "true"}


def shared(at: AppTest) -> dict[str, list[str]]:
    """The query of the link that “Share” offers."""
    at.session_state["share_open"] = True  # the reader opens it
    at.run()
    (link,) = (block.value for block in at.code if not block.value or block.value.startswith(("http", "?")))
    return parse_qs(urlsplit(link).query)


def test_share_makes_a_link_to_this_view():
    at = open_page("slopes", heads="12", predict="true")
    assert shared(at) == {"heads": ["12"], "predict": ["true"]}, "what the sender sees"
    at.session_state["share_present"] = True
    assert shared(at) == {"heads": ["12"], "predict": ["true"], "present": ["true"]}
    assert shared(open_page("slopes", theme="dark")) == {"theme": ["dark"]}
    order = [node.type for node in at._tree if node.type in ("code", "toggle", "checkbox")]
    assert order.index("code") < min(order.index(kind) for kind in order if kind != "code"), "the link comes first"


def titled(hand: dict[str, Any], value: object, language: str) -> str:
    """What a hand shows of its value."""
    titles, text = dict(hand.get("options", ())), to_text(value)
    if hand["kind"] == "switch":
        return load("shared", language).label(text)
    names = text.split(",") if hand["kind"] == "multi_choice" else [text]
    return joined((titles.get(name, name) for name in names), language=language)


@pytest.mark.parametrize(
    "opened", some(product(LANGUAGES, navigation.ENTRIES), *zip(cycle(LANGUAGES), navigation.ENTRIES, strict=False))
)
def test_the_site_and_its_captions_call_the_hands_as_the_app_does(opened):
    """Outside a run, where there is no reader: each value by the title that its hand shows, and no hand out of sight; the
    choices of the site are the hands and presets of the app."""
    language, lesson = opened
    at = open_page(lesson, lang=language)
    state = at.session_state[STATE]
    line, site = f" · {settings(state, load(lesson, language))} · ", Page(at, lesson, language)
    every = [unpack(part.proto.bytes) for part in at.get("bidi_component") if len(part.proto.bytes) > 8]
    for row in [message["hands"] for message in every if message.get("size") in ("stage", "row")]:
        now = row["values"]
        for hand in [hand for hand in row["hands"] if hand["key"] in state.reads]:
            shown, name = titled(hand, now[hand["key"]], language), joined((hand["label"], ""), "colon", language)
            _, is_said, said = line.partition(f" · {name}")
            if any(now[key] not in uses for key, uses in (hand["visible_when"] or {}).items()):
                assert not is_said, hand["key"]
            else:
                short, is_cut, _ = said.partition("…")
                assert said.startswith(f"{shown} · ") or (is_cut and shown.startswith(short)), hand["key"]
        if row["states"] is not None:
            for preset in row["presets"]:
                assert {key: to_text(value) for key, value in preset["values"].items()} in site.offers
            for hand in row["hands"]:
                values_of_hand = [{hand["key"]: value} for value, _ in hand.get("options", ())]
                assert hand["key"] not in row["states"] or all(one in site.offers for one in values_of_hand)


LONG = " ".join(map(str, range(400, 1000)))
TOO_LONG = " ".join(hashlib.sha256(str(number).encode()).hexdigest() for number in range(300))


def test_a_long_text_is_in_the_link():
    at = release(open_page("attention"), text=LONG, is_step=False)
    assert "text" not in address(at), "it is packed"
    assert shown(open_page("attention", **address(at)), "text") == LONG
    assert shown(open_page("attention", **shared(at)), "text") == LONG
    assert not at.get("download_button")


def test_a_text_that_no_link_can_hold_is_said_and_saved():
    at = release(open_page("attention"), text=TOO_LONG, is_step=False)
    assert "too long for a link" in said(at)
    assert shown(release(at, strength=2.0), "text") == TOO_LONG
    shared(at)
    assert load("shared").entry("share", "left_out") in [box.value for box in at.warning]
    assert "Save the text" in [button.label for button in at.get("download_button")]


@pytest.mark.parametrize("packed", ["🙂", "eJw", "A" * 50_000])
def test_a_link_whose_text_cannot_be_read_says_so(packed):
    at = open_page("attention", packed=packed)
    assert [box.value for box in at.info] == [load("shared").entry("problems", "cut")]
    assert "packed" not in address(at)


def test_a_locked_cell_stays_in_the_address_while_the_picture_has_it():
    assert address(open_page("bias", n="512", cell="100,90")) == {"n": "512", "cell": "100,90"}
    assert address(open_page("bias", n="64", cell="100,90")) == {"n": "64"}
    for lesson in ("bias", "attention", "slopes"):
        at = open_page(lesson, cell="99999999,1").run()
        assert "99999999,1 is outside the picture" in at.info[0].value
        assert "cell" not in address(at)


def test_a_corrected_value_is_the_nearest_is_named_and_stays_for_the_page_next_door():
    at = open_page("attention", heads="112", head="100")
    choose(at, "compare").run()
    assert shown(at, "head") == 8
    assert "too large" in at.info[0].value
    choose(at, "").run()
    assert hands(at)["values"]["heads"] == "16"
    choose(at, "attention").run()
    assert (shown(at, "heads"), shown(at, "head")) == (112, 100)
    assert address(at) == {"heads": "112", "head": "100"}


UPLOADS = {
    "model_upload": ("models", {"model_source": "config"}),
    "pitfalls_upload": ("pitfalls", {"pitfalls_open": "mine"}),
    "train_upload": ("train", {"train_text": "own text"}),
}


@pytest.mark.parametrize("key", UPLOADS)
def test_a_file_that_is_not_here_is_asked_for_again(key):
    lesson, url = UPLOADS[key]
    at = open_page(lesson, predict="false", **url)
    gone = load("shared").label("upload_gone")
    assert gone not in said(at)
    state = FileUploaderState()
    state.uploaded_file_info.add(file_id="of another server", name="config.json", size=3)
    send(at, WidgetState(id=at.file_uploader(key=key).id, file_uploader_state_value=state))
    assert not at.exception
    assert gone in said(at)
