"""The entry point: page configuration, navigation, and the row at the top. Nothing else.

`streamlit run app.py` imports this file once, finds the server's `app` in it, and then runs the file again and again,
as `__main__`, for its readers.
"""

import streamlit as st
from starlette.middleware import Middleware

from alibi_viz.ui import address, weights
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.shell import fairness, navigation, page_chrome, present, startup
from alibi_viz.ui.shell.compression import Compression
from alibi_viz.ui.shell.document import Document
from alibi_viz.ui.shell.response_headers import ResponseHeaders
from alibi_viz.ui.streamlit_patches import callbacks
from alibi_viz.ui.streamlit_patches.same_origin import SameOrigin

#: Addresses of earlier versions: the lesson that shows it now, and what of it is open.
MOVED = {
    "lab_alibi": ("slopes", {"slopes_open": "trained"}),
    "start": ("story", {}),
    "cost": ("use", {"use_open": "memory,time"}),
}


def main() -> None:
    page = navigation.declare(MOVED)
    navigation.lead_on(page)
    row = page_chrome.begin()
    with st.container(key="page"):
        page.run()
    address.close_page(presented=page_options.presenting())
    with row:
        page_chrome.fill_row()
    present.close()
    page_chrome.below_menu()


if __name__ == "__main__":
    main()
else:
    middleware = [Middleware(kind) for kind in (ResponseHeaders, Compression, SameOrigin, fairness.Fairness, Document)]
    app = st.App(
        __file__,
        routes=[*modules.routes(), *weights.routes()],
        middleware=middleware,
        lifespan=startup.serving,
        on_script_error=callbacks.say_failed,
    )
