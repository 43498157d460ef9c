"""The app's mark: four slopes from one point, as the heads of ALiBi have them, with its name."""

from base64 import b64encode
from functools import cache
from pathlib import Path

import streamlit as st

from alibi_viz.ui.controls import frame

_LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 236 40" width="236" height="40">
<g stroke="{accent}" stroke-width="3.2" stroke-linecap="round" fill="none"><path d="M4 6 L34 11"/>
<path d="M4 6 L34 20" opacity=".85"/><path d="M4 6 L29 33" opacity=".7"/><path d="M4 6 L9 35" opacity=".55"/></g>
<text x="46" y="27" font-family="'Source Serif', Georgia, serif" font-size="21" font-weight="600"
 fill="{text}">{name}</text>
</svg>"""


def _as_address(svg: str) -> str:
    """An image in its own address: of a file Streamlit would look at the disk in every run."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


ICON = _as_address((Path(__file__).parent / "icon.svg").read_text(encoding="utf-8"))


@cache
def _mark(name: str, accent: str, text: str) -> str:
    return _as_address(_LOGO.format(accent=accent, text=text, name=name))


def show(name: str) -> None:
    """The mark and the name over the navigation, in the colours of the theme."""
    accent, text = ("#4FA3D8", "#E4E2DD") if frame.is_dark() else ("#0069A6", "#22262B")
    st.logo(_mark(name, accent, text), size="large", icon_image=ICON)
