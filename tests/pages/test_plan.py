"""The plans of a class and its homework: an address opens what its sentences speak of, and asks what its plan counts on."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.util import calc_hash

from alibi_viz.classroom import plans
from alibi_viz.classroom.plans import HOMEWORK, PLANS
from alibi_viz.lessons import languages, load
from alibi_viz.ui import classroom
from alibi_viz.ui.controls.params import clean
from alibi_viz.ui.shell import navigation, present
from tests.pages.apptest import open_page, params_of, report, said, shown
from tests.pages.test_room import again, opened, with_a_room

STEPS = {step.address: step for step in (*PLANS["10"], *PLANS["50"], *HOMEWORK)}
KEYS = re.compile(r"`(\w+)`")


@pytest.mark.parametrize("address", STEPS)
def test_an_address_opens_and_has_the_controls_that_are_spoken_of(address):
    step = STEPS[address]
    at = open_page(step.page, **step.query)
    assert not at.info, "nothing is corrected"
    table = {param.key: param for param in params_of(at, step.page)}
    for key, text in step.query.items():
        assert shown(at, key) == clean(table[key], text).value, key
    assert set(step.controls) <= set(table), "what is spoken of is there"


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


def test_n_leads_the_wall_on_and_back_and_the_second_window_follows_and_takes_no_question_away():
    code, teacher = with_a_room("slopes")
    notes = again(teacher, "lesson", lesson_plan="10").button(key="plan_follow").click().run()
    steps = PLANS["10"]
    assert f"1. {plans.title(steps[0])}" in said(notes)
    assert load("lesson").label("not_begun") in said(notes), "the clock waits for the wall"
    wall = again(teacher, steps[0].page, **steps[0].query, present="true")
    for number in (2, 3, 4, 4):
        step = steps[number - 1]
        report(wall, "keys", "pressed", ["N"])
        place = classroom.ROOMS.place(code)
        assert place is not None
        assert place.page == step.page
        wall._page_hash = calc_hash(navigation.url_path(step.page))  # the test runner does not follow a switch
        assert step.query.items() <= place.query.items()
        assert f"{number}. {plans.title(step)}" in said(notes.run())
        if number == 3:
            opened("bias", "", room=code)
            assert "**0 of 1** have answered" in said(notes.run()), "the wall's question is still asked"
    assert "Minute 1 of 10" in said(notes.run())
    wall = again(teacher, "glossary", present="true")
    report(wall, "keys", "pressed", ["N"])
    assert classroom.ROOMS.place(code) == place, "where the wall has strayed, it comes back"
    wall = again(teacher, "slopes", present="true")
    again(teacher).button(key="room_close").click().run()
    for window in (notes, wall):
        assert f"There is no room “{code}”" in window.run().info[0].value, "a room that has ended is said"


def test_to_look_at_the_notes_changes_no_plan_and_the_button_does():
    code, teacher = with_a_room("slopes")
    rooms, label = classroom.ROOMS, load("lesson").label("follow")
    notes = again(teacher, "lesson")
    assert rooms.course(code)[0] is None, "nothing has begun"
    again(teacher, "lesson", lesson_plan="10").button(key="plan_follow").click().run()
    rooms.follow(code, teacher.session_state["_reader_owner"], "10", 2)
    begun, _ = rooms.course(code)
    assert begun is not None
    for url in ({}, {"lesson_plan": "50"}, {"lesson_plan": "homework"}, {"lesson_plan": "<b>"}):
        at = again(teacher, "lesson", **url)
        assert rooms.course(code)[0] == begun, url
        assert (label in [button.label for button in at.button]) == (url == {"lesson_plan": "50"})
        step = f"3. {plans.title(PLANS['10'][2])}"
        assert (step in said(at)) == (url in ({}, {"lesson_plan": "<b>"})), "without a plan it is the room's"
    followed = again(teacher, "lesson")
    again(teacher, "lesson", lesson_plan="50").button(key="plan_follow").click().run()
    for window in (notes, followed):
        assert f"1. {plans.title(PLANS['50'][0])}" in said(window.run()), "a window without a plan follows the room"


def test_homework_is_six_tasks_with_addresses_that_can_be_read_on_paper():
    for language in languages.LANGUAGES:
        at = open_page("lesson", lesson_plan="homework", lang=language)
        printed = re.findall(r"\[(\S+)\]\((\S+)\)", said(at))
        assert len(printed) == len(HOMEWORK) == 6
        for (text, link), step in zip(printed, HOMEWORK, strict=True):
            assert text == link
            assert urlsplit(link).path.endswith(f"/{step.page}")
            assert dict(parse_qsl(urlsplit(link).query)) == step.query
