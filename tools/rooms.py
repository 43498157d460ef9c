"""How large each room of the project is, beside its budget: python -m tools.rooms

`make lint` calls it. A room that is over its budget by more than a tenth fails: a method, a lesson or a pitfall more always
fits. Who makes a room smaller for good lowers its budget. A number is no reason for dense code.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

CODE = (".py", ".js", ".css")  # lines are counted as ruff and deno format them
#: Where code stands -> how many lines it may have. The most particular path of a file counts.
BUDGETS = {
    "app.py": 60,
    "pages": 6_800,
    "alibi_viz": 1_300,  # lessons in their languages, and what all packages stand on
    "alibi_viz/positions": 1_200,
    "alibi_viz/attention": 500,
    "alibi_viz/lm": 1_950,
    "alibi_viz/jobs": 780,
    "alibi_viz/results": 620,
    "alibi_viz/checkpoints": 1_450,
    "alibi_viz/pitfalls": 2_150,
    "alibi_viz/drop_in": 620,
    "alibi_viz/charts": 560,
    "alibi_viz/pictures": 9_300,
    "alibi_viz/ui": 4_250,
    "alibi_viz/ui/site": 470,
    "alibi_viz/classroom": 660,
    "alibi_viz/content": 250,
    "alibi_viz/export": 850,
    "alibi_viz/cli": 600,
    "tools": 1_810,
    "tests": 18_600,
}
WORDS = 16_300  # that a reader of the English lessons reads
#: In a lesson's file, what nobody reads: names of sections and entries, placeholders, and where links lead.
UNREAD = re.compile(r"^## .*|^- [\w.]+:|\{[^}]*\}|\]\([^)]*\)", re.MULTILINE)


def room(file: Path) -> str:
    """The most particular path of BUDGETS that a file stands in."""
    return next(path for path in sorted(BUDGETS, key=len, reverse=True) if file.is_relative_to(path))


def lines() -> Counter[str]:
    """Lines of code by room."""
    places = {Path(path).parts[0] for path in BUDGETS}
    files = [file for place in map(Path, places) for file in (place, *place.rglob("*")) if file.suffix in CODE]
    counted: Counter[str] = Counter()
    for file in files:
        counted[room(file)] += file.read_text(encoding="utf-8").count("\n")
    return counted


def words() -> int:
    """Words in the English lessons."""
    texts = (file.read_text(encoding="utf-8") for place in ("pages", "alibi_viz/lessons") for file in _lessons(place))
    return sum(len(UNREAD.sub(" ", text).split()) for text in texts)


def _lessons(place: str) -> Iterator[Path]:
    return Path(place).rglob("text.md")


def main() -> int:
    sizes = {**lines(), "words": words()}
    budgets = {**BUDGETS, "words": WORDS}
    over = [name for name, budget in budgets.items() if sizes[name] > 1.1 * budget]
    table = Table("room", "lines", "budget", box=None)
    for name, budget in budgets.items():
        table.add_row(name, f"{sizes[name]:,}", f"{budget:,}", style="bold red" if name in over else None)
    console = Console()
    console.print(table)
    if over:
        console.print(
            f"Over its budget by more than a tenth: {', '.join(over)}. See CONTRIBUTING.md, “How large it is”."
        )
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
