"""How large the project is, against how large it may be: python -m tools.ceilings product=30000 tests=12500

`make lint` calls it. A ceiling is a ratchet: who makes something smaller lowers it, and nobody raises it silently.
A number is no reason for dense code.
"""

import re
import sys
from pathlib import Path

CODE = (".py", ".js", ".css")
#: What is counted -> the folders and files it stands in, and the endings of their names.
KINDS = {
    "product": (("alibi_viz", "pages", "app.py"), CODE),
    "tools": (("tools",), CODE),
    "tests": (("tests",), CODE),
    "words": (("alibi_viz/lessons", "pages"), ("/text.md",)),  # that a reader of the English lessons reads
}
#: In a lesson's file, what nobody reads: names of sections and entries, placeholders, and where links lead.
UNREAD = re.compile(r"^## .*|^- [\w.]+:|\{[^}]*\}|\]\([^)]*\)", re.MULTILINE)


def size(kind: str) -> int:
    """Lines of code, or words."""
    places, endings = KINDS[kind]
    files = [file for place in map(Path, places) for file in (place, *place.rglob("*")) if str(file).endswith(endings)]
    texts = (file.read_text(encoding="utf-8") for file in files)
    return sum(len(UNREAD.sub(" ", text).split()) if kind == "words" else text.count("\n") for text in texts)


def main(*ceilings: str) -> int:
    is_above = False
    for kind, most in (ceiling.split("=") for ceiling in ceilings):
        now = size(kind)
        is_above |= now > int(most)
        print(f"{kind}: {now:,} of at most {int(most):,}")
    return int(is_above)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
