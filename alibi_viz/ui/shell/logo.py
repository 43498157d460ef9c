"""The app's mark: four slopes from one point, as the heads of ALiBi have them, with its name."""

from pathlib import Path

import streamlit as st

from alibi_viz.ui.shell.style import is_dark

ICON = Path(__file__).parent / "icon.svg"
_LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 236 40" width="236" height="40">
<g stroke="{accent}" stroke-width="3.2" stroke-linecap="round" fill="none"><path d="M4 6 L34 11"/>
<path d="M4 6 L34 20" opacity=".85"/><path d="M4 6 L29 33" opacity=".7"/><path d="M4 6 L9 35" opacity=".55"/></g>
<text x="46" y="27" font-family="'Source Serif', Georgia, serif" font-size="21" font-weight="600"
 fill="{text}">{name}</text>
</svg>"""


def show(name: str) -> None:
    """The mark and the name over the navigation, in the colours of the theme."""
    accent, text = ("#4FA3D8", "#E4E2DD") if is_dark() else ("#0069A6", "#22262B")
    st.logo(_LOGO.format(accent=accent, text=text, name=name), size="large", icon_image=str(ICON))
