"""The theme of the configuration, as each run tells it."""

import timeit

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from alibi_viz.ui.streamlit_patches import theme_options

ALONE = app_session._populate_theme_msg


def told(tell):
    """As a run fills its message: the whole theme, then its parts."""
    theme = CustomThemeConfig()
    tell(theme)
    tell(theme.light, "theme.light")
    tell(theme.dark, "theme.dark")
    tell(theme.sidebar, "theme.sidebar")
    return theme


def test_a_run_tells_the_theme_of_the_configuration():
    config.set_option("theme.dark.primaryColor", "#4FA3D8")
    theme_options._theme.cache_clear()
    assert told(theme_options.tell) == told(theme_options.tell) == told(ALONE)
    assert not told(theme_options.tell).HasField("sidebar")


def lasts(tell):
    """Seconds, at best."""
    return min(timeit.repeat(lambda: told(tell), number=20, repeat=5))


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/theme_options.py")
def test_streamlit_alone_takes_longer():
    assert lasts(ALONE) > 3 * lasts(theme_options.tell)
