"""Parts of two pages are told apart, though they have one name."""

from __future__ import annotations

import pytest
from streamlit.runtime.app_session import AppSession

from alibi_viz.ui.streamlit_patches.sessions import Session
from tests.ui.streamlit_patches.server import PAGE, Reader

KEYED = PAGE.replace("@rerun.fragment", '@st.fragment(key="{name}")')


async def a_part_of_each_page(reader: Reader) -> set[str]:
    parts = set()
    for name in ("first", "second"):
        reader.ask(name=name)
        await reader.rest()
        parts.add(reader.part())
    return parts


def test_parts_of_the_same_name_on_two_pages_are_two(read):
    """Else what a control of one page still sends, when it goes away, would run the part of the other one."""
    assert len(read(Session, a_part_of_each_page)) == 2


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/fragment_names.py")
def test_streamlit_alone_takes_them_for_one_also_with_keys(read):
    assert len(read(AppSession, a_part_of_each_page, page=KEYED)) == 1
