"""An address without a page."""

from types import SimpleNamespace

import pytest
from streamlit.commands import navigation
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from alibi_viz.lessons import load
from alibi_viz.ui.streamlit_patches import page_not_found
from tests.pages.apptest import APP, open_page

ALONE = navigation.send_page_not_found


def test_the_first_page_says_once_and_in_the_language_of_the_reader_that_there_is_no_page(monkeypatch):
    monkeypatch.setattr(navigation, "send_page_not_found", ALONE)
    page_not_found.install()
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.query_params["lang"] = "zh"
    lost = load("shared", "zh").entry("site", "lost")
    with monkeypatch.context() as asked:  # as a browser does
        asked.setattr(PagesManager, "intended_page_name", "no_such_page")
        assert lost in at.run().info[0].value
    assert not any(lost in box.value for box in at.run().info)


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/page_not_found.py")
def test_streamlit_alone_has_its_browser_say_it_in_english():
    told: list = []
    ALONE(SimpleNamespace(enqueue=told.append))
    assert [message.WhichOneof("type") for message in told] == ["page_not_found"]


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/page_of_app.py")
def test_streamlit_alone_opens_no_page_that_is_a_function():
    with pytest.raises(ValueError, match="navigation page"):
        open_page("slopes").switch_page("pages/bias/page.py")
