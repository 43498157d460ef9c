"""A connection that comes back is known by what Streamlit itself reads from it."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers
from streamlit.web.server.starlette import starlette_websocket

from alibi_viz.ui.streamlit_patches.returning import comes_back


@pytest.mark.parametrize("protocols", [None, "streamlit", "streamlit, token", "streamlit, token, session"])
def test_it_is_one_that_names_its_session(protocols: str | None) -> None:
    headers = Headers({"sec-websocket-protocol": protocols} if protocols else {})
    _, _, session = starlette_websocket._parse_subprotocols(headers)
    assert comes_back(headers) == (session is not None)


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/returning.py")
def test_streamlit_alone_has_no_public_name_for_it() -> None:
    assert not hasattr(starlette_websocket, "parse_subprotocols")
