"""The plans of a class and its homework: what is said has its keys, and what is asked is what a plan counts on."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz import rules
from alibi_viz.classroom import plans
from alibi_viz.classroom.plans import HOMEWORK, PLANS
from alibi_viz.lessons import languages, load
from alibi_viz.results.facts import load_facts
from alibi_viz.ui import classroom
from alibi_viz.ui.shell import present
from pages.pitfalls.study import wrong_side
from tests.pages.apptest import open_page, said
from tests.pages.test_room import again, with_a_room

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
