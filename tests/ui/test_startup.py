"""What a server does in the background after its first answer."""

import subprocess
import sys

from alibi_viz import APP_FOLDER
from alibi_viz.ui.shell import startup

#: The first page, run once; then the modules that are here by now.
FIRST_PAGE = """
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file("app.py", default_timeout=60).run()
assert not at.exception
print([name for name in ("pandas", "dask", "transformers") if name in sys.modules])
"""


def test_the_first_page_waits_for_no_library_of_the_others():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE], cwd=APP_FOLDER, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_every_step_of_the_preparation_works():
    for step in startup.steps():
        step()
