"""Two sources side by side, the lines that differ marked: an HTML table without a script, every character escaped.

A row holds a line of each, so that equal lines stay beside each other when they wrap. Where it is narrow, style.css shows
one column: equal lines once, and of different ones first the old and then the new (its rules for "two-sources").
"""

from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest


def changed_lines(first: str, second: str) -> Iterator[tuple[str | None, str | None, bool]]:
    """Rows of (line of the first, line of the second, whether they differ); None: the other has a line more there."""
    a, b = first.splitlines(), second.splitlines()
    for kind, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for left, right in zip_longest(a[a0:a1], b[b0:b1]):
            yield left, right, kind != "equal"


def side_by_side(first: str, second: str, titles: tuple[str, str]) -> str:
    """Both sources in two columns. A changed line has a colour and a sign: − in the first, + in the second."""
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(_row(left, right, changed) for left, right, changed in changed_lines(first, second))
    return f'<table class="two-sources"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _row(left: str | None, right: str | None, changed: bool) -> str:
    cells = []
    for line, sign, kind in ((left, "−", "first"), (right, "+", "second")):
        text = "" if line is None else f"{sign if changed else ' '} {line}"
        look = f"{kind} {'none' if line is None else 'changed' if changed else 'equal'}"
        cells.append(f'<td class="{look}">{escape(text)}</td>')
    return f"<tr>{''.join(cells)}</tr>"
