"""Which tabs are open: who watches a training run is told by it (pages/train/server.py).

Without it: nobody could stop or delete a run for 20 seconds after another reader, who watched it, has closed the tab.
Versions: 1.67.
Public ways tried: `st.cache_resource(scope="session", on_release=)` tells of a closed tab. It tells the same of every open
tab when any reader's browser asks the server to empty its caches, and runs would lose those who watch them.
"""

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


def session() -> str:
    """A name for this tab."""
    return context.session_id if (context := get_script_run_ctx()) else ""


def is_connected(session: str) -> bool:
    """Whether this session's tab is open; a reload makes a new session."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)
