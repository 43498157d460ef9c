"""A part of a page that runs by itself (`run_every`) runs on its own page alone.

Without it: a wall goes white for good. N leads to another page; a slow browser that has not yet heard of it asks for the
part of the page before, whose run tells it that it is back there. The browser empties the page, and the next part of the
new one fits nowhere: “Bad delta path index 2”. Back does the same.
Versions: 1.67.
Public ways tried: none tells a run whose page has been left from another; to hold back keys and links until a run has
ended leaves the seconds in which the browser has not heard of the run.
"""

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

_run = ScriptRunner._run_script


def _run_here(runner: ScriptRunner, asked: RerunData) -> None:
    """Run what was asked, unless it is a part of a page that has been left."""
    if not asked.fragment_id_queue or asked.page_script_hash == runner._pages_manager.current_page_script_hash:
        _run(runner, asked)


def install() -> None:
    """For all sessions of this process."""
    ScriptRunner._run_script = _run_here  # type: ignore[method-assign,assignment]
