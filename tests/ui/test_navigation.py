"""The menu: every lesson has its place, the next one is said, and settings go along."""

from alibi_viz import APP_FOLDER
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import choose, open_page, shown


def test_every_lesson_is_in_the_menu_once_and_leads_to_the_next():
    folders = {file.parent.name for file in (APP_FOLDER / "pages").glob("*/page.py")}
    entries = [entry for entries in navigation.SECTIONS.values() for entry in entries]
    listed = [name for entry in entries for name in entry]
    assert sorted([*listed, *navigation.UNLISTED]) == sorted(folders)
    order = list(navigation.ICONS)
    assert [navigation.following(name) for name in order] == [*order[1:], None]


def test_a_page_with_tabs_links_to_the_others_and_takes_its_settings_along():
    at = open_page("why", predict="true", ext_methods="alibi,t5")
    links = {link.proto.page: link.proto.query_string for link in at.get("page_link")}
    assert links["extrapolation"] == "predict=true"
    assert "why" not in links, "the open tab is no link"
    choose(at, "extrapolation").run()
    assert shown(at, "ext_methods") == "alibi,t5"
