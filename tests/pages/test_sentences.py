"""Sentences and code fit each other, read off both without running a page.

Each placeholder of a section is a field of a dataclass in the lesson's facts, and each section is used: by its name, or
by a name that the code makes with an f-string.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import get_type_hints

import pytest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import load

LESSONS = sorted(file.parent.name for kind in ("en", "text") for file in (APP_FOLDER / "pages").glob(f"*/{kind}.md"))
WITH_FACTS = [name for name in LESSONS if (APP_FOLDER / "pages" / name / "facts.py").exists()]
PLACEHOLDER = re.compile(r"\{\{([\w.]+)")
TABLE_ROW = re.compile(r"^- [\w.]+: .*$", re.MULTILINE)


def fields(name: str) -> set[str]:
    """The fields of all dataclasses of a lesson's modules of facts."""
    files = (APP_FOLDER / "pages" / name).glob("*facts.py")
    modules = [importlib.import_module(f"pages.{name}.{file.stem}") for file in files]
    kinds = chain.from_iterable(vars(module).values() for module in modules)
    classes = [kind for kind in kinds if dataclasses.is_dataclass(kind) and isinstance(kind, type)]
    assert all(kind.__dataclass_params__.frozen for kind in classes)
    return {name for kind in classes for name in placeholders(kind)}


def placeholders(kind: type) -> Iterator[str]:
    """The names of a dataclass's fields, and with a dot those of the parts that a field has."""
    for name, field in get_type_hints(kind).items():
        yield name
        if dataclasses.is_dataclass(field):
            yield from (f"{name}.{part}" for part in placeholders(field))


@cache
def patterns(folder: Path) -> tuple[re.Pattern[str], ...]:
    """What strings of the code can be: texts as they are, and f-strings with any word in the place of a value."""
    found = set()
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 60:
                found.add(re.escape(node.value))
            if isinstance(node, ast.JoinedStr):
                written = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
                if any(re.search(r"\w{3}", str(part)) for part in written if part):  # else it could be anything
                    found.add("".join(r"[\w.]*" if part is None else re.escape(str(part)) for part in written))
    return tuple(map(re.compile, found - {""}))


@pytest.mark.parametrize("name", WITH_FACTS)
def test_every_placeholder_of_a_section_is_a_field(name):
    unknown = {}
    for section, text in load(name).sections.items():
        prose = TABLE_ROW.sub("", text)  # rows of tables are labels: what shows them fills them
        if missing := set(PLACEHOLDER.findall(prose)) - fields(name):
            unknown[section] = missing
    assert not unknown


@pytest.mark.parametrize("name", LESSONS)
def test_every_section_is_used(name):
    known = [*patterns(APP_FOLDER / "pages" / name), *patterns(APP_FOLDER / "alibi_viz")]
    elsewhere = chain.from_iterable(patterns(APP_FOLDER / "pages" / other) for other in LESSONS if other != name)
    known += elsewhere  # a lesson may show what another one says
    asked = {s: s.replace("latex", "formula") for s in load(name).sections}  # a formula's LaTeX goes with its words
    assert [section for section, use in asked.items() if not any(p.fullmatch(use) for p in known)] == []
