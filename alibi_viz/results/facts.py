"""What the lessons say of the shipped runs and of the paper's tables: numbers that change when models are trained anew.

`python -m tools.facts` derives facts.json from the records, and `tools.verify` derives it again and compares. A page only
formats it. Methods stand under their keys, lengths in training lengths or bytes, perplexities per byte.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from alibi_viz.lessons import fill, joined, load
from alibi_viz.positions import title_of

FILE = Path(__file__).parent / "facts.json"


@cache
def load_facts(lesson: str) -> dict[str, Any]:
    """The facts of one lesson. Raises KeyError for a lesson that has none."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))[lesson])


def joined_titles(values: Iterable[str] | Mapping[str, float | str], form: str = "{title} {value}") -> str:
    """Methods as a list in a sentence, each with its number if it has one; a dash for none.

    form: names `title` and `value`, as in a lesson's text.
    """
    if not isinstance(values, Mapping):
        return joined(map(title_of, values))
    entries = ({"title": title_of(method), "value": value} for method, value in values.items())
    return joined(fill(form, entry) for entry in entries)


def compared(by_verdict: Mapping[str, Iterable[str]], *, with_itself: bool = False, once: Collection[str] = ()) -> str:
    """Methods as a list in a sentence, by what the rule of `comparison` says of them: “the same: ALiBi; breaks: RoPE”.

    with_itself: each is compared with itself at L, so one that is worse breaks. once: methods that say that they have one
    seed, where the others have more: their interval is another one.
    """
    names = {"worse": "breaks"} if with_itself else {}
    words = load("shared")

    def title(method: str) -> str:
        return words.entry("compared", "one_seed", title=title_of(method)) if method in once else title_of(method)

    groups = ((verdict, joined(map(title, methods))) for verdict, methods in by_verdict.items() if methods)
    return joined(
        (words.entry("compared", names.get(verdict, verdict), methods=methods) for verdict, methods in groups),
        "semicolon",
    )
