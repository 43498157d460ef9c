"""The theme of the configuration, as each run tells it."""

from __future__ import annotations

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from alibi_viz.ui.streamlit_patches import theme_options

ALONE = app_session._populate_theme_msg


def told(tell) -> CustomThemeConfig:
    """As a run fills its message: the whole theme, then its parts."""
    theme = CustomThemeConfig()
    tell(theme)
    tell(theme.light, "theme.light")
    tell(theme.dark, "theme.dark")
    tell(theme.sidebar, "theme.sidebar")
    return theme


@pytest.fixture
def looked(monkeypatch) -> list[str]:
    """The sections whose options were looked for."""
    sections, look = [], config.get_options_for_section
    monkeypatch.setattr(config, "get_options_for_section", lambda section: sections.append(section) or look(section))
    return sections


def test_a_run_tells_the_same_theme_without_looking_for_it_again(looked):
    config.set_option("theme.dark.primaryColor", "#4FA3D8")
    theme_options._theme.cache_clear()
    first = told(theme_options.tell)
    looked.clear()
    assert told(theme_options.tell) == first == told(ALONE)
    assert not first.HasField("sidebar")
    assert len(looked) == 4, "Streamlit's own"


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/theme_options.py")
def test_streamlit_alone_looks_for_the_theme_in_every_run(looked):
    told(ALONE)
    told(ALONE)
    assert looked.count("theme") == 2
