"""A room: the teacher's question, frozen when it is asked, on the pages of its members, whatever these show; and the plans
of a class and its homework.
"""

import hashlib
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz import rules
from alibi_viz.classroom import drawing, plans, rooms
from alibi_viz.classroom.plans import HOMEWORK, PLANS
from alibi_viz.classroom.rooms import Rooms
from alibi_viz.export import record
from alibi_viz.lessons import languages, load
from alibi_viz.lessons.languages import LANGUAGES
from alibi_viz.results.facts import load_facts
from alibi_viz.ui import classroom
from alibi_viz.ui.shell import navigation, present
from pages.pitfalls.study import wrong_side
from tests.cases import some
from tests.pages.apptest import APP, LESSONS, address, asks, choose, note, open_page, picture, report, said, says

#: Page and address of the teacher -> pages and addresses of three phones that show something else.
ASKED: dict[tuple[str, str], list[tuple[str, str]]] = {
    ("slopes", "heads=8"): [("slopes", "heads=12"), ("slopes", "rule=own list"), ("bias", "lang=zh")],
    ("bias", "n=128"): [("bias", "n=64&lang=ja"), ("bias", "after=true"), ("bias", "n=4")],
    ("recall", "curse_pairs=4"): [
        ("recall", "recall_methods=t5,kerple"),
        ("recall", "curse_pairs=2"),
        ("story", "step=6"),
    ],
    ("pitfalls", "pitfall=sign"): [
        ("pitfalls", "pitfall=sqrt_d"),
        ("pitfalls", "pitfall=sign&lang=zh"),
        ("compare", ""),
    ],
}


def opened(lesson, url, **more):
    return open_page(lesson, **dict(pair.split("=", 1) for pair in url.split("&") if pair), **more)


def again(at, lesson="slopes", **url):
    """The same browser, with another page by its address."""
    fresh = AppTest.from_file(str(APP), default_timeout=60)
    fresh.context = {"theme": "light"}
    fresh.session_state["_reader_owner"] = at.session_state["_reader_owner"]
    fresh.session_state["class_open"] = True
    for key, value in url.items():
        fresh.query_params[key] = value
    return choose(fresh, navigation.url_path(lesson)).run()


def with_a_room(lesson, url=""):
    """The code of a room, and its teacher at that page."""
    teacher = opened(lesson, url)
    teacher.session_state["class_open"] = True
    teacher.run().button(key="room_open").click().run()
    return next(element.value for element in teacher.markdown if element.value.startswith("### "))[4:], teacher


@pytest.fixture
def room():
    return with_a_room("slopes")


def counts_of(at):
    return [bar.proto.text for bar in at.get("progress")]


def options_of(at, name):
    """What the reader can choose from, in answer to the room's question of this name."""
    return [button.label for button in at.button if re.match(rf"question_{name}.*_\d", str(button.key))]


def toasts(at):
    return [toast.value.replace("\\", "") for toast in at.toast]


def vote(at, name, option):
    at.button(key=f"question_{name}_{option}").click().run()
    assert not at.exception
    return at


@pytest.mark.slow  # every page is opened
def test_every_page_that_asks_is_tried_here():
    asking = {name for name in LESSONS if options_of(open_page(name, predict="true"), "")}
    assert asking == {lesson for lesson, _ in ASKED}


@pytest.mark.parametrize("asked", some(ASKED, ("slopes", "heads=8"), ("bias", "n=128")))
def test_three_phones_that_show_something_else_vote_on_what_the_teacher_asked(asked):
    code, teacher = with_a_room(*asked)
    asked_now = classroom.ROOMS.question(code)
    assert asked_now is not None
    english = asked_now.wordings["en"].options
    for number, (lesson, url) in enumerate(ASKED[asked]):
        phone = opened(lesson, url, room=code)
        language = dict(pair.split("=") for pair in url.split("&") if pair).get("lang", "en")
        wording = asked_now.wordings[language]
        assert options_of(phone, asked_now.name) == list(wording.options), "the teacher's, in the reader's language"
        assert wording.text in [element.value for element in phone.markdown]
        option = (number + 1) % len(english)
        vote(phone, asked_now.name, option)
        assert says(said(phone), "shared", "predict.waiting", chosen=wording.options[option]) == (language == "en")
    teacher.run()
    teacher.button(key="room_reveal").click().run()
    counts = [sum((number + 1) % len(english) == option for number in range(3)) for option in range(len(english))]
    marks = ["✓ " if option in asked_now.right else "" for option in range(len(english))]
    shown = [f"{mark}{option}: {count}" for mark, option, count in zip(marks, english, counts, strict=True)]
    assert [text.replace("\\", "") for text in counts_of(teacher)] == shown


def test_nothing_is_told_before_the_answer_is_and_who_comes_late_sees_it(room):
    code, teacher = room
    key = teacher.session_state["_reader_owner"]
    for secret in (key, hashlib.sha256(key.encode()).hexdigest()):
        assert secret not in str(address(teacher))
        assert not [block for block in teacher.code if secret in block.value], "a link would give the room away"
    student = vote(open_page("slopes", room=code), "slopes", 1)
    assert "question_skip" not in [button.key for button in student.button], "it would lose the vote"
    assert "**1 of 1** have answered" in said(teacher.run())
    assert not counts_of(teacher), "how they answered"
    teacher.button(key="room_reveal").click().run()
    assert says(said(student.run()), "shared", "predict.right", right="m = 1/256")
    assert says(said(open_page("slopes", room=code)), "shared", "predict.skipped", right="m = 1/256")


def link_labels(at):
    return {link.proto.label: link.proto.query_string for link in at.get("page_link")}


DRAWN = [4.0 + 0.1 * at for at in range(8)] + [float(5 + 4 * at) for at in range(8)]


@pytest.mark.parametrize("lesson", ["story", "extrapolation"])
def test_a_class_draws_and_sees_its_lines_under_what_was_measured(lesson):
    url = "step=6" if lesson == "story" else ""
    code, teacher = with_a_room(lesson, url)
    here, elsewhere, hostile = (
        opened(page, more, room=code) for page, more in ((lesson, url), ("bias", "lang=ja"), ("slopes", ""))
    )
    for phone in (here, elsewhere):
        chart = picture(phone, "drawing")
        assert chart["drawing"]["is_open"], "the chart is where the phone is"
        assert chart["hands"]["values"]["story_shown"] is False
        report(phone, "story", "drawn", DRAWN)
    for wrong in ([], DRAWN[:-1], [*DRAWN, 4.0], [81.0] * 16, [None] * 16, ["4"] * 16, {"a": 1}, 7, [10**400] * 16):
        report(hostile, "story", "drawn", wrong)
        assert toasts(hostile), wrong
    assert says(said(here.run()), "shared", "predict.drawn")
    assert "**2 of 3** have answered" in said(teacher.run())
    assert not picture(teacher, "drawing")["drawing"]["of_class"].size, "no line is shown before all are"
    teacher.button(key="room_reveal").click().run()
    assert says(said(teacher.run()), "shared", "predict.class", alibi="4.7", rope="33")
    for phone in (here, teacher):
        if lesson == "story":
            shown = picture(phone.run(), "drawing")["drawing"]
            assert (shown["is_open"], shown["of_class"].shape) == (False, (2, 16))
        else:
            assert len(phone.run().get("plotly_chart")) == 1
    measured = drawing.measured()
    assert says(said(here), "shared", "predict.yours", alibi="4.7", alibi_at=f"{measured[0]:.3g}", rope="33")
    report(elsewhere, "story", "drawn", DRAWN)
    assert toasts(elsewhere), "it is revealed"
    reloaded = again(here, lesson, **({"step": "6"} if url else {}))
    assert says(said(reloaded), "shared", "predict.yours", alibi="4.7", rope="33"), "the room keeps what was drawn"


def test_a_phone_is_led_to_what_the_teacher_shows_and_not_where_it_is_already(room):
    code, teacher = room
    label = load("shared").entry("room", "here", page=load("slopes").label("page"))
    again(teacher, heads="12")
    student = open_page("bias", room=code, heads="16")
    assert "heads=12" in link_labels(student)[label], "with the teacher's values"
    assert label not in link_labels(again(student, heads="12").run())
    other = again(student, heads="8")
    assert label in link_labels(other.run())
    again(teacher, "lesson")
    assert label in link_labels(student.run()), "notes are nothing that a class looks at"
    again(teacher, "glossary")
    assert label not in link_labels(student.run())


def test_what_the_shown_step_does_not_use_is_no_other_place():
    code, teacher = with_a_room("story", "step=6&story_times=4")
    label = load("shared").entry("room", "here", page=load("story").label("page"))
    assert label not in link_labels(opened("story", "step=6", room=code).run())
    again(teacher, "story", step="5", story_times="4")
    assert label in link_labels(opened("story", "step=5", room=code).run())
    assert label not in link_labels(opened("story", "step=5&story_times=4", room=code).run())


def test_a_second_screen_of_the_class_shows_the_question_and_is_no_student(room):
    code, _ = room
    screen = opened("slopes", "present=true", room=code)
    assert not options_of(screen, "slopes")
    assert "- m = 1/256" in said(screen)
    assert classroom.ROOMS.members(code) == (0, 0)


def test_votes_that_do_not_count_are_told_to_the_teacher_who_can_count_them(room, monkeypatch):
    code, teacher = room
    monkeypatch.setattr(rooms, "RUSH", 2)
    for _ in range(3):
        student = vote(open_page("slopes", room=code), "slopes", 1)
    assert says(said(student), "shared", "predict.waiting"), "its own vote is there"
    teacher.run()
    assert "**2 of 3** have answered" in said(teacher)
    assert "1 votes do not count" in said(teacher)
    teacher.button(key="room_count").click().run()
    assert "**3 of 3** have answered" in said(teacher)
    assert "room_count" not in [button.key for button in teacher.button]


def test_a_member_finds_the_picture_of_the_question(room):
    code, teacher = room
    again(teacher, heads="12", rule="plain")  # the room keeps what was asked
    student = open_page("bias", room=code, heads="16")
    label = load("shared").entry("room", "picture", page=load("slopes").label("page"))
    (query,) = (link.proto.query_string for link in student.get("page_link") if link.proto.label == label)
    assert "heads=8" in query
    assert "rule=code" in query, "whatever the reader has set elsewhere"
    here = open_page("slopes", room=code)
    assert label not in [link.proto.label for link in here.get("page_link")]


def test_pitfalls_are_read_alone_where_the_room_does_not_ask_them_and_half_are_right_by_luck(room):
    code, teacher = room
    student = open_page("pitfalls", room=code)
    assert options_of(student, "slopes")
    student.button(key="question_pitfalls.slopes_power_0").click().run()
    assert note(student), "answered alone"
    again(teacher, "pitfalls")
    assert not note(student.run()), "the room answers it together"
    assert options_of(student, "pitfalls.slopes_power")
    wall = again(teacher, "pitfalls")
    wall.button(key="room_reveal").click().run()
    assert note(student.run())
    assert all(says(said(page), "shared", "predict.luck") for page in (wall, open_page("slopes", room=code)))
    other = again(student, "pitfalls", pitfall="sign")
    assert not note(other)
    other.button(key="question_pitfalls.sign_0").click().run()
    assert note(other)


def test_a_console_on_another_device_shows_votes_asks_again_and_answers(room):
    code, teacher = room
    students = [vote(open_page("slopes", room=code), "slopes", option) for option in (1, 2)]
    key = classroom.ROOMS.key(code, teacher.session_state["_reader_owner"])
    assert says(open_page("lesson", room=code, desk=key[1:]).warning[0].value, "problems", "rooms.not_teacher")
    desk = open_page("lesson", room=code, desk=key)
    assert key not in str(address(desk))
    assert classroom.ROOMS.members(code) == (3, 3), "the one with a wrong key has joined, this one has not"
    desk.button(key="desk_votes").click().run()
    assert counts_of(desk) == counts_of(teacher.run()) == ["m = 1/512: 0", "m = 1/256: 1", "m = 1/128: 1"]
    assert says(said(students[0].run()), "shared", "predict.shown")
    assert all(button.disabled for button in students[0].button if str(button.key).startswith("question_slopes"))
    desk.button(key="desk_again").click().run()
    assert says(said(students[0].run()), "shared", "predict.second")
    for student in students:
        vote(student.run(), "slopes", 1)
    desk.run().button(key="desk_answer").click().run()
    bars = ["m = 1/512: 0 → 0", "✓ m = 1/256: 1 → 2", "m = 1/128: 1 → 0"]
    assert [text for text in counts_of(teacher.run()) if text] == bars
    reasons = load("slopes").entries("reasons")
    assert all(reasons[thought] in said(teacher) for thought in ("half", "same", "twice"))
    told = said(students[1].run())
    assert (reasons["same"] in told, reasons["twice"] in told) == (True, False), "what was chosen last"


def test_what_is_left_of_a_class_has_both_votes_its_lines_and_what_was_most_missed(room):
    code, teacher = room
    owner, every = teacher.session_state["_reader_owner"], classroom.ROOMS
    student = vote(open_page("slopes", room=code), "slopes", 0)
    every.ask_again(code, owner, 1)
    vote(student.run(), "slopes", 2)
    again(teacher, "story", step="6")
    report(student.run(), "story", "drawn", DRAWN)
    for language, words in ((one, load("lesson", one).entries("record")) for one in LANGUAGES):
        asked = every.questions(code, owner)
        table = record.rows(asked, language)
        votes = [(row[words["first"]], row.get(words["second"])) for row in table[:3]]
        assert votes == [("1", "0"), ("0", "0"), ("0", "1")]
        assert table[3][words["first"]] == "4.7", "where ALiBi's line ends"
        file = record.document(asked, language, "A <class>", "")
        assert "A &lt;class&gt;" in file
        assert file.count("<polyline") == 4
        assert file.index(words["missed"]) < file.index("100 %") < file.index("1/512")


@pytest.mark.parametrize(
    ("act", "lesson"),
    [("leads", "slopes"), ("ask", "slopes"), ("put_away", "compare"), ("show", "slopes"), ("begin", "slopes")],
)
def test_a_page_does_not_fail_where_its_room_ends_meanwhile(room, act, lesson, monkeypatch):
    code, teacher = room
    every = classroom.ROOMS
    every.follow(code, owner := every._rooms[code].owner, "10")
    every.turn(code, owner, 1)  # that step is at Slopes
    before = getattr(Rooms, act)

    def too_late(*args, **options):
        every._rooms = {}
        return before(*args, **options)

    monkeypatch.setattr(Rooms, act, too_late)
    at = again(teacher, lesson)
    assert not at.exception
    assert not every._rooms, "it has ended in this run"


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


KEYS = re.compile(r"`(\w+)`")


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_what_is_said_names_only_keys_that_a_presentation_has(language):
    lesson = load(plans.TEXTS, language)
    sections = (lesson.sections["say"], lesson.sections["labels"], lesson.text("lead"))
    assert set(KEYS.findall(" ".join(sections))) <= set(present.ACTS)
    for section, steps in (("say", (*PLANS["10"], *PLANS["50"])), ("tasks", HOMEWORK)):
        assert set(lesson.entries(section)) == {step.name for step in steps}, "each line is said somewhere"
        for step in steps:
            assert plans.said(step, section, language)
            assert plans.title(step, language)


@pytest.mark.parametrize(("plan", "count", "questions"), [("10", 4, 2), ("50", 8, 5)])
def test_a_plan_has_its_minutes_and_its_questions(plan, count, questions):
    code, teacher = with_a_room("slopes")
    names = set()
    for step in PLANS[plan]:
        again(teacher, step.page, **step.query, present="true")
        if question := classroom.ROOMS.question(code):
            names.add(question.name)
    assert (len(PLANS[plan]), plans.starts(plan)[-1], len(names)) == (count, int(plan), questions)


def test_a_step_that_is_turned_to_is_on_the_wall_once_and_a_key_goes_back():
    code, wall = with_a_room("slopes", "present=true")
    desk = again(wall, "lesson", lesson_plan="10")
    desk.button(key="plan_follow").click().run()
    for key, at in (("plan_next", 1), ("plan_step_3", 3), ("plan_back", 2)):
        desk.button(key=key).click().run()
        wall.run()
        place = classroom.ROOMS.place(code)
        assert (place.page, place.query.get("step")) == (PLANS["10"][at].page, PLANS["10"][at].query.get("step"))
    wall.query_params.clear()
    other = again(wall, "bias", present="true")
    assert classroom.ROOMS.place(code).page == "bias", "a window that opens is not moved"
    assert not other.exception


def test_homework_is_six_tasks_with_addresses_that_can_be_read_on_paper():
    for language in languages.LANGUAGES:
        at = open_page("lesson", lesson_plan="homework", lang=language)
        printed = re.findall(r"\[(\S+)\]\((\S+)\)", said(at))
        assert len(printed) == len(HOMEWORK) == 6
        for (text, link), step in zip(printed, HOMEWORK, strict=True):
            assert text == link
            assert urlsplit(link).path.endswith(f"/{step.page}")
            assert dict(parse_qsl(urlsplit(link).query)) == step.query


def test_the_answers_to_the_homework_hold():
    docs = Path("docs/class.md").read_text(encoding="utf-8")
    answers = docs[docs.index("## Answers to the homework") : docs.index("## A server")].split("\n")
    slopes, bias, attention, pitfalls, recall, train = (line for line in answers if re.match(r"\d\. ", line))
    assert rules.slopes(12)[:8] == rules.slopes(8) == [2.0**-head for head in range(1, 9)]
    assert rules.slopes(12)[8:] == rules.slopes(16)[:8:2] == [2 ** -(head + 0.5) for head in range(4)]
    assert "1/2 to 1/256" in slopes
    assert f"{1 / rules.slopes(8)[7]:.0f} tokens" in bias
    assert "**Pitfalls.** " + "AB"[wrong_side("sqrt_d")] in pitfalls
    far = {pairs: load_facts("recall")[pairs]["far"] for pairs in ("2", "4", "8")}
    assert all(here["t5"] == 1 and max(here["alibi"], here["rope"]) < 0.4 for here in far.values())
    assert ["none" in here for here in far.values()] == [True, True, False]
    assert all(word in line for line, word in ((attention, "cat"), (recall, "T5"), (train, "2 L")))


def test_homework_leads_to_the_site_where_one_is_named(monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_SITE", "https://example.org/alibi/")
    for language, folder in (("en", ""), ("ja", "ja/")):
        at = open_page("lesson", lesson_plan="homework", lang=language)
        links = re.findall(r"\[\S+\]\((\S+)\)", said(at))
        places = [f"https://example.org/alibi/{folder}{step.page}/" for step in HOMEWORK]
        assert [link.partition("?")[0] for link in links] == places
