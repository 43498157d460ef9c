"""Which page the app runs in Streamlit's test runner: a file and the site are made of what it sends.

Without it: the runner runs the first page; `AppTest.switch_page` finds others by their files, and ours are functions.
Versions: 1.67.
Public ways tried: `st.switch_page` takes such a page, but only while a page runs.
"""

from typing import Any

from streamlit.util import calc_hash


def choose(app: Any, path: str) -> Any:
    """The next run of the app (an AppTest) is that of the page at this address."""
    app._page_hash = calc_hash(path)
    return app
