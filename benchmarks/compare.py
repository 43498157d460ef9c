"""The Compare page: the server's time for one choice.

Server time is a whole run of the page in Streamlit's test runner, for a head that no earlier result is of: nothing comes
from memory.
"""

import statistics
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

from alibi_viz.ui.streamlit_patches.page_of_app import choose
from benchmarks.report import Figure

APP = Path(__file__).resolve().parents[1] / "app.py"
HEADS = range(2, 9)


def server_time(times: int) -> Figure:
    """Median milliseconds of one run of the page after another head was chosen; times: lengths of its text."""
    at = AppTest.from_file(str(APP), default_timeout=60).run()
    choose(at, "compare")
    at.query_params["times"], at.query_params["head"] = str(times), "1"
    at.run()
    took = []
    for head in HEADS:
        at.query_params["head"] = str(head)
        start = time.perf_counter()
        at.run()
        took.append(1000 * (time.perf_counter() - start))
    return Figure(f"Compare page, server time of one head, {times} times the text", statistics.median(took), "ms", 300)


def measure() -> list[Figure]:
    return [server_time(times) for times in (1, 16)]
