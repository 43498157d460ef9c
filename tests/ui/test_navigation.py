"""The table of pages: every folder has its place in the menu, and the menu is short."""

from __future__ import annotations

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import load
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import open_page, shown

MOST = 18  # entries, so that all are in sight


def test_every_page_is_in_the_menu_once():
    folders = {file.parent.name for file in (APP_FOLDER / "pages").glob("*/page.py")}
    entries = [entry for entries in navigation.SECTIONS.values() for entry in entries]
    assert sorted(name for entry in entries for name in entry) == sorted(folders)
    assert len(entries) <= MOST, "the menu is full: make the lesson a tab of another entry"
    shared = [next(iter(entry)) for entry in entries if len(entry) > 1]
    assert list(load("words").entries("menu")) == shared, "an entry with tabs has a title, and no other"


def test_the_next_lesson_is_the_next_tab_and_then_the_next_entry():
    order = list(navigation.ICONS)
    assert [navigation.following(name) for name in order] == [*order[1:], None]
    for entry in navigation.ENTRIES.values():
        for name, after in zip(entry, [*entry][1:], strict=False):
            assert navigation.following(name) == (after if after in navigation.ICONS else None)


def test_a_page_with_tabs_links_to_the_others_and_takes_its_settings_along():
    at = open_page("why", predict="true", ext_methods="alibi,t5")
    links = {link.proto.label: link.proto for link in at.get("page_link")}
    assert links["The result"].page == "extrapolation"
    assert links["The result"].query_string == "predict=true"
    assert "Why it breaks" not in links, "the open tab is no link"
    at.switch_page("pages/extrapolation/page.py").run()
    assert shown(at, "ext_methods") == "alibi,t5"
    tabs = set(map(navigation.tab, navigation.ENTRIES["lab_rope"]))
    assert not tabs & {link.proto.label for link in open_page("slopes").get("page_link")}


def test_a_link_that_asks_asks_on_the_pages_that_follow():
    at = open_page("slopes", predict="true")
    assert at.button(key="question_skip")
    at.switch_page("pages/bias/page.py").run()
    assert at.button(key="question_skip")
    assert "question_skip" not in [button.key for button in open_page("slopes").button]


def test_the_theme_button_turns_the_theme():
    at = open_page("slopes", "light")
    at.button(key="turn_theme").click().run()
    assert at.session_state["theme"] == "dark"
    at.button(key="turn_theme").click().run()
    assert at.session_state["theme"] == "light"
