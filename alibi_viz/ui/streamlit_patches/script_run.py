"""Whether this thread runs a page for a reader.

Without it: a thread that trains, or the terminal, asks which language its reader has, and Streamlit warns that there is no
session.
Versions: 1.67.
Public ways tried: `st.session_state` and `st.query_params` answer outside of a run too, with a warning; `st.context` is
empty there without a word, as it also is for a browser that names no language.
"""

from streamlit.runtime.scriptrunner import get_script_run_ctx


def is_running() -> bool:
    return get_script_run_ctx(suppress_warning=True) is not None
