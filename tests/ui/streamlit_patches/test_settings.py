"""Options of Streamlit that its documentation does not name: .streamlit/config.toml says why they are set."""

from __future__ import annotations

import pytest
from streamlit import config
from streamlit.runtime.app_session import AppSession

from alibi_viz.ui.streamlit_patches.sessions import Session
from tests.ui.streamlit_patches.server import Reader

SIZE = "global.minCachedMessageSize"
HIDDEN = (SIZE, "runner.postScriptGC", "global.disableWidgetStateDuplicationWarning")


async def what_the_browser_has_kept(reader: Reader) -> list[str]:
    reader.ask(name="first")
    await reader.rest()
    cached = [said.hash for said in reader.browser.heard]
    reader.browser.heard.clear()
    reader.ask(reader.page("first"), cached=cached)
    await reader.rest()
    return [said.ref_hash for said in reader.browser.heard if said.HasField("ref_hash")]


def test_the_server_refers_to_nothing_that_the_browser_may_have_let_go(read):
    assert read(Session, what_the_browser_has_kept) == []


@pytest.mark.hook(".streamlit/config.toml")
def test_streamlit_alone_refers_to_what_it_sent_before(read):
    ours = config.get_option(SIZE)
    config.set_option(SIZE, 10_000)  # Streamlit's own
    try:
        assert read(AppSession, what_the_browser_has_kept)
    finally:
        config.set_option(SIZE, ours)


@pytest.mark.hook(".streamlit/config.toml")
@pytest.mark.parametrize("name", HIDDEN)
def test_streamlit_alone_sets_it_otherwise(name):
    assert config.get_config_options()[name].default_val != config.get_option(name)
