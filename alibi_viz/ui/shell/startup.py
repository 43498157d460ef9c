"""What a server does once, before it serves anyone: import the libraries, and set them apart from garbage collection; mend
Streamlit's sessions (streamlit_patches/); and let go what the data folder need not keep.

Why the first: a full collection walks over every object of torch, Plotly, pandas and Dask, some 270,000 of them, with the
interpreter's lock held: 0.2 to 0.4 seconds in which no reader is served. Streamlit asks for one after every run unless
`runner.postScriptGC` is off (.streamlit/config.toml), and Python starts one by itself now and then. What is imported
lives as long as the server, so it is frozen: a collection then looks only at what the runs have made since.
"""

import gc
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches import sessions

LIBRARIES = (
    "torch",
    "pandas",
    "plotly.graph_objects",
    "alibi_viz.results.trained",
    "alibi_viz.results.table",
    "alibi_viz.jobs",
)


@asynccontextmanager
async def serving(_: object) -> AsyncIterator[None]:
    """For `st.App(lifespan=)`: all of it, before the server listens."""
    navigation.announce()
    sessions.install()
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    from alibi_viz.lm.runs import RunStore  # it imports torch, and all of that is to be imported above

    RunStore().make_room()
    yield
