"""What differs between two sources, side by side: an HTML table without a script, every character escaped.

A row holds a line of each, so that equal lines stay beside each other when they wrap. Where it is narrow, style.css shows
one column: equal lines once, and of different ones first the old and then the new (its rules for "two-sources").
"""

from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest

AROUND = 1  # equal lines beside changed ones; what is farther is left out


def changed_lines(first: str, second: str, around: int = AROUND) -> Iterator[tuple[str | None, str | None, str]]:
    """Rows of a line of each (None: no line) and what they are: "equal", "changed", or "gap" for equal ones left out."""
    a, b, end = first.splitlines(), second.splitlines(), 0
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(around):
        if group[0][1] > end:
            yield "⋮", "⋮", "gap"
        for kind, a0, a1, b0, b1 in group:
            for left, right in zip_longest(a[a0:a1], b[b0:b1]):
                yield left, right, "equal" if kind == "equal" else "changed"
        end = group[-1][2]
    if end < len(a):
        yield "⋮", "⋮", "gap"


def side_by_side(first: str, second: str, titles: tuple[str, str], label: str) -> str:
    """Both sources in two columns that scroll inside themselves. label: what they are, for screen readers.

    A changed line has a colour and a sign: − in the first, + in the second.
    """
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(_row(*row) for row in changed_lines(first, second))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="two-sources" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'


def _row(left: str | None, right: str | None, kind: str) -> str:
    cells = []
    for line, sign, side in ((left, "−", "first"), (right, "+", "second")):
        text = "" if line is None else f"{sign if kind == 'changed' else ' '} {line}"
        cells.append(f'<td class="{side} {"none" if line is None else kind}">{escape(text)}</td>')
    return f"<tr>{''.join(cells)}</tr>"
