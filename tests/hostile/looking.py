"""What must hold after anything that a reader does, and how the cases of a campaign are counted and told."""

from __future__ import annotations

import os
import random
import re
from collections import defaultdict
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from alibi_viz.ui.address import STATE
from alibi_viz.ui.controls.params import clean
from tests.hostile.nonsense import HOST
from tests.pages.apptest import shown, visible

NIGHTLY = int(os.environ.get("ALIBI_VIZ_HOSTILE", "1000"))  # addresses of a slow test
SEED = os.environ.get("ALIBI_VIZ_HOSTILE_SEED", "0")  # another one: other cases
#: What would make a browser ask another host, if it stood unescaped in Markdown or HTML of the page.
LIVE = re.compile(
    rf"(?<!\\)\]\([^)]*{re.escape(HOST)}|(?<!\\)<(img|script|iframe|style)[^>]*{re.escape(HOST)}"
    rf"|^\[a\]: https://{re.escape(HOST)}|(?<!\\)@import url\(https://{re.escape(HOST)}",
    re.MULTILINE,
)


def check(at: AppTest, *, allowed_values: bool = True) -> None:
    """No exception, a whole page, nothing of a reader's text taken for markup, and every control at an allowed value."""
    assert not at.exception, at.exception[0].message + "\n" + "\n".join(at.exception[0].stack_trace)
    assert len(at.title) == 1, "one title"
    visible(at)  # can be read
    written = (*at.markdown, *at.caption, *at.info, *at.warning, *at.success, *at.error)
    live = [element.value for element in written if LIVE.search(element.value)]
    live += [html.proto.body for html in at.get("html") if HOST in html.proto.body]
    assert not live, live[0]
    for param in (read.param for read in at.session_state[STATE].reads.values()) if allowed_values else ():
        if param.kind != "text":
            found = shown(at, param.key)
            assert clean(param, found).problem is None, f"{param.key} = {found!r}"


def campaign(name: str, count: int, case: Callable[[random.Random], object]) -> None:
    """Run so many cases; each has a random generator of its own, made from its number. Tells all that failed."""
    failed: dict[str, list[int]] = defaultdict(list)
    for number in range(count):
        try:
            case(random.Random(f"{SEED} {name} {number}"))
        except Exception as error:
            failed[f"{type(error).__name__}: {error}"[:1500]].append(number)
    assert not failed, "\n".join(f"{name} {numbers[:9]}: {told}" for told, numbers in failed.items())
