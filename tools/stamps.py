"""Put stamps into the headings of new translations: python -m tools.stamps zh

A stamp says which English a section was translated from (alibi_viz/lessons/languages.py). Headings that have one are left
alone: after a change of the English, the translator takes the old stamp out when the translation has followed.
"""

import re
import sys
from pathlib import Path

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import OF_ALL, path
from alibi_viz.lessons.languages import LANGUAGES, beside, parse, stamp


def stamped(text: str, english: str) -> str:
    """A translation with a stamp in each heading."""
    sections = parse(english)

    def heading(match: re.Match[str]) -> str:
        name = match[1]
        return f"## {name} <!-- {stamp(sections[name][0])} -->" if name in sections else match[0]

    return re.sub(r"^## +([\w.]+) *$", heading, text, flags=re.MULTILINE)


def main(language: str) -> None:
    if language not in LANGUAGES:
        raise SystemExit(f"There is no language {language}; there are {', '.join(LANGUAGES)}.")
    for file in [*map(path, OF_ALL), *sorted(Path(APP_FOLDER, "pages").glob("*/text.md"))]:
        if (translation := beside(file, language)).is_file():
            text = translation.read_text(encoding="utf-8")
            translation.write_text(stamped(text, file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
