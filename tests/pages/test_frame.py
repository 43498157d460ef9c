"""What surrounds every lesson: presented, with questions, in a room; links, other pages, and files after a sleep."""

from __future__ import annotations

import hashlib
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from alibi_viz.charts.palette import ink
from alibi_viz.classroom import rooms
from alibi_viz.lessons import load
from alibi_viz.ui.address import STATE
from alibi_viz.ui.page import settings
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import APP, TRAINED, address, asks, hands, open_page, release, said, says, send, shown


def test_presented_a_page_is_its_picture():
    at = open_page("slopes", present="true")
    assert at.get("bidi_component")
    assert not at.expander
    assert not says(said(at), "words", "labels.seen")
    assert address(at) == {"present": "true"}
    assert says(said(open_page("slopes")), "words", "labels.seen")


def test_the_theme_of_the_address_colours_the_pictures():
    for theme, other in (("dark", "light"), ("light", "dark")):
        at = open_page("story", other, theme=theme, scene="4")
        assert ink(theme == "dark").text in at.get("plotly_chart")[0].proto.spec
        assert ink(theme != "dark").text not in at.get("plotly_chart")[0].proto.spec
        assert address(at) == {"theme": theme, "scene": "4"}


def test_a_question_is_answered_from_the_live_numbers():
    at = open_page("slopes", heads="8", predict="true")
    assert asks(at)
    at.button(key="question_slopes.predict_0").click().run()
    assert says(said(at), "words", "predict.wrong", chosen="Head 1, m = 1/2", right="Head 8, m = 1/256")
    assert not asks(at)
    at = open_page("slopes", rule="own list", own="1/256, 1/4, 1/2", predict="true")
    at.button(key="question_slopes.predict_0").click().run()
    assert says(said(at), "words", "predict.right", chosen="Head 1, m = 1/256")


def test_questions_are_asked_of_those_who_want_them_and_can_be_skipped():
    plain = open_page("slopes")
    assert not asks(plain)
    assert not any(link.proto.query_string for link in plain.get("page_link"))
    at = open_page("slopes", predict="true")
    links = {link.proto.page: link.proto.query_string for link in at.get("page_link")}
    assert links[navigation.following("slopes")] == "predict=true"
    at.button(key="question_skip").click().run()
    assert says(said(at), "words", "predict.skipped", right="Head 8, m = 1/256")
    at.switch_page("pages/bias/page.py").run()
    assert asks(at)
    assert address(at) == {"predict": "true"}


@pytest.fixture
def room():
    """The code of a room with its teacher at Slopes."""
    teacher = open_page("slopes")
    teacher.button(key="room_open").click().run()
    code = next(element.value for element in teacher.markdown if element.value.startswith("### "))[4:]
    return code, teacher


def counts_of(at: AppTest) -> list[str]:
    return [bar.proto.text for bar in at.get("progress")]


def again(at: AppTest, lesson: str = "slopes", **url: str) -> AppTest:
    """The same browser, with another page by its address."""
    fresh = AppTest.from_file(str(APP), default_timeout=60)
    fresh.context = {"theme": "light"}
    fresh.session_state["_reader_key"] = at.session_state["_reader_key"]
    for key, value in url.items():
        fresh.query_params[key] = value
    fresh._page_hash = calc_hash(navigation.url_path(lesson))
    return fresh.run()


def test_a_class_answers_and_the_teacher_reveals(room):
    code, teacher = room
    key = teacher.session_state["_reader_key"]
    for secret in (key, hashlib.sha256(key.encode()).hexdigest()):
        assert secret not in str(address(teacher))
        assert not [block for block in teacher.code if secret in block.value], "a link would give the room away"
    students = [open_page("slopes", room=code) for _ in range(3)]
    for student, option in zip(students, (2, 2, 0), strict=True):
        assert "question_skip" not in [button.key for button in student.button], "it would lose the vote"
        student.button(key=f"question_slopes.predict_{option}").click().run()
        assert "Your teacher will reveal the answer" in said(student)
    teacher.run()
    assert "**3 of 3** have answered" in said(teacher)
    assert not counts_of(teacher), "how they answered is not shown before the answer is"
    teacher.button(key="room_reveal").click().run()
    assert counts_of(teacher) == ["Head 1, m = 1/2: 1", "Head 5, m = 1/32: 0", "✓ Head 8, m = 1/256: 2"]
    for student, words in zip(students, ("That is right", "That is right", "The answer is **Head 8"), strict=True):
        assert words in said(student.run())
    assert "Head 8" in said(open_page("slopes", room=code)), "who comes late sees what was revealed"


def test_who_loads_the_page_again_has_the_same_place_in_the_room(room):
    code, teacher = room
    student = open_page("slopes", room=code)
    student.button(key="question_slopes.predict_2").click().run()
    for page in (again(student, room=code), again(student), again(student, "bias")):
        assert code in said(page)
    leaver = open_page("slopes", room=code)
    assert "**1 of 2** have answered" in said(again(teacher))
    again(leaver, room=code).button(key="room_leave").click().run()
    for page in (again(teacher), again(teacher, heads="12"), again(teacher, room=code)):
        assert "**1 of 1** have answered" in said(page)
    page.button(key="room_reveal").click().run()
    assert "✓ Head 8, m = 1/256: 1" in counts_of(page)
    assert "That is right" in said(student.run())
    again(teacher).button(key="room_close").click().run()
    assert f"There is no room “{code}”" in again(student, room=code).info[0].value


def test_a_room_that_is_full_or_not_there_is_said_and_changes_nothing(room, monkeypatch):
    code, _ = room
    monkeypatch.setattr(rooms, "MEMBERS", 1)
    assert not open_page("slopes", room=code).info
    late = open_page("slopes", room=code)
    assert f"Room “{code}” is full" in late.info[0].value
    assert not asks(late)
    at = open_page("slopes", room="ZZZZZ", predict="true")
    assert "There is no room “ZZZZZ”" in at.info[0].value
    assert asks(at)
    assert "<b>" not in open_page("slopes", room="<b>x</b>").info[0].value


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


def test_the_settings_of_a_picture_have_the_names_of_its_page():
    values = settings(open_page("attention", **TRAINED).session_state[STATE], load("attention"))
    assert (values["Content"], values["Model"]) == ("trained model", "ALiBi")
    assert "Seed" not in values, "it has no meaning for a trained model"


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
    assert load("words").entry("share", "left_out") in [box.value for box in at.warning]
    assert "Save the text" in [button.label for button in at.get("download_button")]


@pytest.mark.parametrize("packed", ["🙂", "eJw", "A" * 50_000])
def test_a_link_whose_text_cannot_be_read_says_so(packed):
    at = open_page("attention", packed=packed)
    assert [box.value for box in at.info] == [load("words").entry("problems", "cut")]
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
    at.switch_page("pages/compare/page.py").run()
    assert shown(at, "head") == 8
    assert "too large" in at.info[0].value
    at.switch_page("pages/playground/page.py").run()
    assert hands(at)["values"]["heads"] == "16"
    at.switch_page("pages/attention/page.py").run()
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
    gone = load("words").label("upload_gone")
    assert gone not in said(at)
    state = FileUploaderState()
    state.uploaded_file_info.add(file_id="of another server", name="config.json", size=3)
    send(at, WidgetState(id=at.file_uploader(key=key).id, file_uploader_state_value=state))
    assert not at.exception
    assert gone in said(at)
