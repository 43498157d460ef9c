"""Pages as a lecture or a class sees them: presented, with questions, in a room; and links to them."""

from __future__ import annotations

import hashlib
import json
import re
from hashlib import sha256
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from alibi_viz.charts.palette import ink
from alibi_viz.classroom import rooms
from alibi_viz.lessons import load
from alibi_viz.ui import caption, classroom, exporting
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import (
    APP,
    LESSONS,
    TRAINED,
    address,
    asks,
    open_page,
    presets,
    release,
    said,
    says,
    send,
    shown,
)


def test_presented_a_page_is_its_picture():
    at = open_page("slopes", present="true")
    assert at.get("plotly_chart") or at.get("bidi_component")
    assert not at.expander
    assert "What you see" not in said(at)
    assert address(at) == {"present": "true"}
    assert "What you see" in said(open_page("slopes"))


def test_a_question_is_answered_from_the_live_numbers():
    at = open_page("slopes", heads="8", predict="true")
    assert asks(at)
    at.button(key="question_slopes.predict_0").click().run()
    assert says(said(at), "words", "predict.wrong", chosen="Head 1, m = 1/2", right="Head 8, m = 1/256")
    assert not asks(at)
    at = open_page("slopes", rule="own list", own="1/256, 1/4, 1/2", predict="true")
    at.button(key="question_slopes.predict_0").click().run()
    assert "Head 1, m = 1/256**. That is right." in said(at)


def test_questions_are_asked_of_those_who_want_them_and_can_be_skipped():
    at = open_page("slopes")
    assert not asks(at)
    assert "question_skip" not in [button.key for button in at.button]
    assert address(at) == {}
    at = open_page("slopes", predict="true")
    at.button(key="question_skip").click().run()
    assert "The answer is **Head 8" in said(at)
    assert address(at) == {"predict": "true"}
    at.switch_page("pages/bias/page.py").run()
    assert asks(at)
    assert address(at) == {"predict": "true"}


def test_the_link_to_the_next_lesson_asks_too():
    links = {link.proto.page: link.proto.query_string for link in open_page("slopes", predict="true").get("page_link")}
    assert links[navigation.following("slopes")] == "predict=true"
    assert not any(link.proto.query_string for link in open_page("slopes").get("page_link"))


@pytest.fixture
def room():
    """The code of a room with its teacher at Slopes."""
    classroom.rooms.forget()
    teacher = open_page("slopes")
    teacher.button(key="room_open").click().run()
    code = next(element.value for element in teacher.markdown if element.value.startswith("### "))[4:]
    yield code, teacher
    classroom.rooms.forget()


def test_a_class_answers_and_the_teacher_reveals(room):
    code, teacher = room
    students = [open_page("slopes", room=code) for _ in range(3)]
    for student, option in zip(students, (2, 2, 0), strict=True):
        assert "question_skip" not in [button.key for button in student.button], "it would lose the vote"
        student.button(key=f"question_slopes.predict_{option}").click().run()
        assert "Your teacher will reveal the answer" in said(student)
    teacher.run()
    assert "**3 of 3** have answered" in said(teacher)
    assert not counts_of(teacher), "how they answered is not shown before the answer is"
    counts = classroom.rooms().tally(code, "slopes.predict", 3).counts
    assert counts == (1, 0, 2)
    teacher.button(key="room_reveal").click().run()
    assert counts_of(teacher) == ["Head 1, m = 1/2: 1", "Head 5, m = 1/32: 0", "✓ Head 8, m = 1/256: 2"]
    for student, words in zip(students, ("That is right", "That is right", "The answer is **Head 8"), strict=True):
        assert words in said(student.run())
    assert "Head 8" in said(open_page("slopes", room=code)), "who comes late sees what was revealed"


def counts_of(at: AppTest) -> list[str]:
    return [bar.proto.text for bar in at.get("progress")]


def test_a_room_that_is_not_there_is_said(room):
    code, _ = room
    assert not open_page("slopes", room=code).info
    assert "There is no room “ZZZZZ”" in open_page("slopes", room="ZZZZZ").info[0].value
    assert "<b>" not in open_page("slopes", room="<b>x</b>").info[0].value


def test_a_number_sets_a_preset_and_t_turns_the_theme():
    at = open_page("extrapolation", present="true")
    keys = [f"try_extrapolation_{key}" for key in presets("extrapolation")]
    assert shortcuts(at) == {str(number): key for number, key in enumerate(keys, 1)}
    assert any('"Escape"' in part.proto.json for part in keyboards(at))
    plain = open_page("extrapolation")
    assert (keyboards(plain), shortcuts(plain)) == ([], {}), "keys are for presenting"


def shortcuts(at: AppTest) -> dict[str, str | None]:
    return {button.proto.shortcut: button.key for button in at.button if button.proto.shortcut}


def keyboards(at: AppTest) -> list:
    return [part for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_keys"]


def test_the_theme_of_the_address_colours_the_pictures():
    for theme, other in (("dark", "light"), ("light", "dark")):
        at = open_page("story", other, theme=theme, scene="4")
        assert ink(theme == "dark").text in at.get("plotly_chart")[0].proto.spec
        assert ink(theme != "dark").text not in at.get("plotly_chart")[0].proto.spec
        assert address(at) == {"theme": theme, "scene": "4"}


def test_the_key_of_a_browser_is_in_no_link(room):
    _, teacher = room
    key = teacher.session_state["_reader_key"]
    for secret in (key, hashlib.sha256(key.encode()).hexdigest()):
        assert secret not in str(address(teacher))
        assert all(secret not in block.value for block in teacher.code)


def again(at: AppTest, lesson: str = "slopes", **url: str) -> AppTest:
    """The same browser, with another page by its address."""
    fresh = AppTest.from_file(str(APP), default_timeout=60)
    fresh.context = {"theme": "light"}
    fresh.session_state["_reader_key"] = at.session_state["_reader_key"]
    for key, value in url.items():
        fresh.query_params[key] = value
    fresh._page_hash = calc_hash(navigation.url_path(lesson))
    return fresh.run()


def test_a_teacher_who_loads_the_page_again_has_the_room(room):
    code, teacher = room
    student = open_page("slopes", room=code)
    student.button(key="question_slopes.predict_2").click().run()
    for page in (again(teacher), again(teacher, heads="12"), again(teacher, room=code)):
        assert "**1 of 1** have answered" in said(page)
    page.button(key="room_reveal").click().run()
    assert "✓ Head 8, m = 1/256: 1" in counts_of(page)
    assert "That is right" in said(student.run())
    again(teacher).button(key="room_close").click().run()
    assert "There is no room" in student.run().info[0].value


def test_a_student_who_loads_the_page_again_is_the_same_member(room):
    code, teacher = room
    student = open_page("slopes", room=code)
    student.button(key="question_slopes.predict_2").click().run()
    for page in (again(student, room=code), again(student), again(student, "bias")):
        assert code in said(page)
    assert "Your teacher" in said(again(student))
    assert "**1 of 1** have answered" in said(teacher.run())
    again(student, room=code).button(key="room_leave").click().run()
    assert "**0 of 0** have answered" in said(teacher.run())


def test_a_full_room_is_said(room, monkeypatch):
    code, _ = room
    monkeypatch.setattr(rooms, "MEMBERS", 1)
    open_page("slopes", room=code)
    late = open_page("slopes", room=code)
    assert f"Room “{code}” is full" in late.info[0].value
    assert "**Question.**" not in said(late)


def test_a_room_that_is_not_there_changes_nothing():
    at = open_page("slopes", room="NOPE1", predict="true")
    assert asks(at)
    assert "Your teacher" not in said(at)
    assert not asks(open_page("slopes", room="NOPE1"))


def shared(at: AppTest) -> str:
    """The query of the link that “Share” offers."""
    at.session_state["share_open"] = True  # the reader opens it
    at.run()
    (link,) = (block.value for block in at.code if not block.value or block.value.startswith(("http", "?")))
    return urlsplit(link).query


def test_share_makes_a_link_to_this_view():
    assert parse_qs(shared(open_page("slopes", heads="12"))) == {"heads": ["12"]}
    at = open_page("slopes", heads="12", predict="true")
    assert parse_qs(shared(at)) == {"heads": ["12"], "predict": ["true"]}, "what the sender sees"
    at.session_state["share_present"] = True
    assert parse_qs(shared(at)) == {"heads": ["12"], "predict": ["true"], "present": ["true"]}
    assert parse_qs(shared(open_page("slopes", theme="dark"))) == {"theme": ["dark"]}


@pytest.mark.parametrize(
    ("lesson", "url", "listed", "absent"),
    [
        (
            "compare",
            {},
            "Methods, from left to right: No positions, Learned, Sinusoidal, RoPE, T5 bias, ALiBi",
            "alibi,",
        ),
        ("attention", TRAINED, "Content: trained model · Model: ALiBi", "Causal|Seed|Tokens: words"),
        ("slopes", {"heads": "12", "slopes_open": "table"}, "Heads: 12 · Rule: paper", "Look closer"),
    ],
)
def test_a_csv_says_the_settings_of_the_picture_by_names_of_the_page(monkeypatch, lesson, url, listed, absent):
    captions = []
    monkeypatch.setattr(exporting, "keep", lambda: captions.append(caption.caption()))
    open_page(lesson, **url)
    assert listed in captions[0]
    assert not re.search(absent, captions[0])


LONG = " ".join(map(str, range(400, 1000)))
TOO_LONG = " ".join(sha256(str(number).encode()).hexdigest() for number in range(300))


def test_a_long_text_is_in_the_link():
    at = release(open_page("attention"), text=LONG, is_step=False)
    assert "text" not in address(at), "it is packed"
    assert shown(open_page("attention", **address(at)), "text") == LONG
    assert shown(open_page("attention", **dict(parse_qsl(shared(at)))), "text") == LONG
    assert not at.get("download_button")


def test_a_text_that_no_link_can_hold_is_said_and_saved():
    at = release(open_page("attention"), text=TOO_LONG, is_step=False)
    assert "too long for a link" in said(at)
    assert shown(release(at, strength=2.0), "text") == TOO_LONG
    shared(at)
    assert load("words").entry("share", "left_out") in [box.value for box in at.warning]
    assert "Save the text" in [button.label for button in at.get("download_button")]


@pytest.mark.parametrize("packed", ["x", "🙂", "eJw", "A" * 50_000])
def test_a_link_whose_text_cannot_be_read_says_so(packed):
    at = open_page("attention", packed=packed)
    assert [box.value for box in at.info] == [load("words").entry("problems", "cut")]
    assert "packed" not in address(at)


def test_the_texts_that_a_tab_has_kept_are_checked():
    at = open_page("attention")
    (line,) = (part.proto for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_address")
    kept = {"texts": {"text": "a\x00b" + "c" * 30_000, "heads": "99", "other": "y"}}
    send(at, WidgetState(id=line.id, json_value=json.dumps(kept)))
    assert shown(at, "text") == ("ab" + "c" * 30_000)[:19_999]
    assert shown(at, "heads") == 8


def test_a_locked_cell_stays_in_the_address_while_the_picture_has_it():
    assert address(open_page("bias", cell="100,90")) == {"cell": "100,90"}
    assert address(open_page("bias", n="512", cell="100,90")) == {"n": "512", "cell": "100,90"}
    assert address(open_page("bias", n="64", cell="100,90")) == {"n": "64"}


@pytest.mark.parametrize("lesson", ["bias", "attention", "slopes"])
def test_a_cell_outside_the_picture_is_said(lesson):
    at = open_page(lesson, cell="99999999,1")
    at.run()
    assert "cell" not in address(at)
    assert "99999999,1 is outside the picture" in at.info[0].value


#: Pictures of the others lock none.
WITH_CELLS = {"slopes", "bias", "attention", "compare", "lab_learned", "pitfalls"}


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_is_no_cell_is_said_on_every_page(lesson):
    """Under the name that the words have for it: no lesson may call something else so."""
    at = open_page(lesson, cell="a,b")
    if lesson in WITH_CELLS:
        assert "Locked cell: “a,b” is not a cell" in at.info[0].value
    assert "cell" not in address(at)
