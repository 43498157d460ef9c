"""The prose of the pages: one Markdown file a page, in named sections, one folder a language.

Notable choices:
- A file is plain Markdown, so that a translator needs no tool: `## name` opens a section, `- key: text` lines in a
  section are a table of short labels, `{{name}}` marks a number that the page puts in.
- A missing section or a missing number is an error, never an empty place on the page; a test opens every file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent
_SECTION = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_ENTRY = re.compile(r"^- ([\w.]+): (.+)$", re.MULTILINE)


class Lesson:
    """The sections of one page."""

    def __init__(self, name: str, sections: Mapping[str, str]) -> None:
        self.name = name
        self.sections = dict(sections)
        self._tables = {key: dict(_ENTRY.findall(text)) for key, text in self.sections.items()}

    def __contains__(self, section: str) -> bool:
        return section in self.sections

    def text(self, section: str, **numbers: object) -> str:
        """The text of a section with its numbers put in. Raises KeyError when either is missing."""
        if section not in self.sections:
            raise KeyError(f"The lesson “{self.name}” has no section “{section}”.")
        return fill(self.sections[section], numbers, f"{self.name}, {section}")

    def entry(self, section: str, key: str, **numbers: object) -> str:
        """One line of a section that is a table of `- key: text` lines."""
        try:
            line = self._tables[section][key]
        except KeyError:
            raise KeyError(f"The lesson “{self.name}” has no entry “{key}” in “{section}”.") from None
        return fill(line, numbers, f"{self.name}, {section}.{key}")

    def entries(self, section: str) -> dict[str, str]:
        """All `- key: text` lines of a section, in their order."""
        if section not in self._tables:
            raise KeyError(f"The lesson “{self.name}” has no section “{section}”.")
        return dict(self._tables[section])

    def label(self, key: str, **numbers: object) -> str:
        """A short label of this page."""
        return self.entry("labels", key, **numbers)


def fill(text: str, numbers: Mapping[str, object], where: str = "text") -> str:
    """Put numbers into the `{{name}}` places of a text. Raises KeyError for a place without a number."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in numbers:
            raise KeyError(f"{where}: no number for “{match[1]}”.")
        return str(numbers[match[1]])

    return _PLACE.sub(value, text)


def parse(text: str) -> dict[str, str]:
    """Split a lesson file into its sections. What stands before the first section is for the translator alone."""
    parts = _SECTION.split(text)
    names, bodies = parts[1::2], parts[2::2]
    if len(set(names)) != len(names):
        raise ValueError(f"A section stands twice: {sorted(n for n in names if names.count(n) > 1)}.")
    return {name: body.strip() for name, body in zip(names, bodies, strict=True)}


@lru_cache(maxsize=64)
def load(name: str, language: str = "en") -> Lesson:
    """The lesson of a page. Raises FileNotFoundError when that language does not have it."""
    return Lesson(name, parse((FOLDER / language / f"{name}.md").read_text(encoding="utf-8")))
