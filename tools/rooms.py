"""How large each room of the project is, beside its budget: python -m tools.rooms

`make lint` calls it. A room that is over its budget by more than a tenth fails: a method, a lesson or a pitfall more always
fits. Who makes a room smaller for good lowers its budget. One that rises does so in a commit of its own, which says what
the reader got for it. Lines are counted as ruff and deno format them; bytes too, so that nothing is won by density.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

CODE = (".py", ".js", ".ts", ".css", ".html")  # all that ships and that people write; texts of lessons are words
#: Where code stands -> how many lines it may have, and what for. The most particular path of a file counts.
BUDGETS = {
    "app.py": (55, "the entry point"),
    "pages": (7_000, "lessons: what each computes and shows"),
    "alibi_viz": (1_350, "languages, and what all packages need"),
    "alibi_viz/positions": (1_150, "methods of position"),
    "alibi_viz/attention": (510, "the real attention, on every device"),
    "alibi_viz/lm": (1_900, "small models: trained, measured, writing"),
    "alibi_viz/jobs": (770, "trainings beside the app"),
    "alibi_viz/results": (690, "what was measured, and how it compares"),
    "alibi_viz/checkpoints": (1_450, "positions of a config; local models"),
    "alibi_viz/pitfalls": (2_150, "mistakes; check, check_model, certify"),
    "alibi_viz/drop_in": (620, "blocks to take away"),
    "alibi_viz/charts": (560, "Plotly charts and the palette"),
    "alibi_viz/pictures": (13_700, "canvas views, models that run in them"),
    "alibi_viz/ui": (5_000, "the app around the lessons"),
    "alibi_viz/ui/site": (620, "the app as files for any web server"),
    "alibi_viz/classroom": (750, "rooms of a class, and its plans"),
    "alibi_viz/content": (220, "sentences and synthetic content"),
    "alibi_viz/export": (1_400, "pictures and pages without a server"),
    "alibi_viz/cli": (560, "the command line"),
    "tools": (2_050, "what makes records and checks the tree"),
    "tests": (17_800, "what a user would lose"),
}
NO_PRODUCT = ("tools", "tests")
STYLES = 3_200  # lines of CSS, wherever it stands
KILOBYTES = 1_800  # of code in the product
WORDS = 18_500  # that a reader of the English lessons reads
#: In a lesson's file, what nobody reads: names of sections and entries, placeholders, and where links lead.
UNREAD = re.compile(r"^## .*|^- [\w.]+:|\{[^}]*\}|\]\([^)]*\)", re.MULTILINE)


def room(file: Path) -> str:
    """The most particular path of BUDGETS that a file stands in."""
    return next(path for path in sorted(BUDGETS, key=len, reverse=True) if file.is_relative_to(path))


def sizes() -> Counter[str]:
    """Lines of code by room, and of CSS; the product's kilobytes of code; words in the English lessons."""
    places = {Path(path).parts[0] for path in BUDGETS}
    files = [file for place in map(Path, places) for file in (place, *place.rglob("*")) if file.suffix in CODE]
    counted: Counter[str] = Counter()
    size = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        counted[room(file)] += text.count("\n")
        counted["CSS"] += text.count("\n") * (file.suffix == ".css")
        size += len(text.encode()) * (room(file) not in NO_PRODUCT)
    counted["kilobytes"] = round(size / 1000)
    counted["words"] = sum(len(UNREAD.sub(" ", text).split()) for text in _lessons())
    return counted


def _lessons() -> Iterator[str]:
    for place in ("pages", "alibi_viz/lessons"):
        yield from (file.read_text(encoding="utf-8") for file in Path(place).rglob("text.md"))


def main() -> int:
    counted, others = sizes(), {"CSS": STYLES, "kilobytes": KILOBYTES, "words": WORDS}
    budgets = {**BUDGETS, **{name: (budget, "in all") for name, budget in others.items()}}
    over = [name for name, (budget, _) in budgets.items() if counted[name] > 1.1 * budget]
    table = Table("room", "size", "budget", "for", box=None)
    for name, (budget, why) in budgets.items():
        table.add_row(name, f"{counted[name]:,}", f"{budget:,}", why, style="bold red" if name in over else None)
    product = sum(counted[name] for name in BUDGETS if name not in NO_PRODUCT)
    console = Console()
    console.print(table)
    console.print(f"The product has {product:,} lines.")
    if over:
        console.print(
            f"Over its budget by more than a tenth: {', '.join(over)}. See CONTRIBUTING.md, “How large it is”."
        )
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
