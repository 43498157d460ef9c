"""What the configuration says of the theme is worked out once, and told in every run as it was.

Without it: each run looks through all options six times for those of the theme: 0.5 ms of a run of 12.
Versions: 1.67.
Public ways tried: there is none; a configuration without a theme is looked through as often.
"""

from functools import cache

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

_tell = app_session._populate_theme_msg


@cache
def _theme(section: str) -> CustomThemeConfig:
    theme = CustomThemeConfig()
    _tell(theme, section)
    return theme


def tell(msg: CustomThemeConfig, section: str = "theme") -> None:
    """Write the options of this section into the message; of none, the message keeps no trace."""
    if _theme(section).ByteSize():
        msg.MergeFrom(_theme(section))


def install() -> None:
    """For all runs of this server."""
    app_session._populate_theme_msg = tell
