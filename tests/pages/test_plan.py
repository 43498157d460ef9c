"""The plans of a class and its homework: an address opens what its sentences speak of, and asks what its plan counts on."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz.classroom import plans
from alibi_viz.classroom.plans import HOMEWORK, PLANS
from alibi_viz.lessons import languages, load
from alibi_viz.ui import classroom
from alibi_viz.ui.controls.params import clean
from alibi_viz.ui.shell import present
from tests.pages.apptest import open_page, params_of, said, shown
from tests.pages.test_room import again, with_a_room

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


def test_homework_is_six_tasks_with_addresses_that_can_be_read_on_paper():
    for language in languages.LANGUAGES:
        at = open_page("lesson", lesson_plan="homework", lang=language)
        printed = re.findall(r"\[(\S+)\]\((\S+)\)", said(at))
        assert len(printed) == len(HOMEWORK) == 6
        for (text, link), step in zip(printed, HOMEWORK, strict=True):
            assert text == link
            assert urlsplit(link).path.endswith(f"/{step.page}")
            assert dict(parse_qsl(urlsplit(link).query)) == step.query
