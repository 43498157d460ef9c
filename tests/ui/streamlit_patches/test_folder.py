"""Every file that reaches into Streamlit says why, and has a test that fails when it can go."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from alibi_viz.ui import streamlit_patches

FOLDER = Path(streamlit_patches.__file__).parent
TESTS = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in FOLDER.glob("*.py") if path.stem != "__init__")
MARK = re.compile(r'^@pytest\.mark\.hook\("(.+)"\)$', re.MULTILINE)
NAMED = {name for path in TESTS.rglob("test_*.py") for name in MARK.findall(path.read_text(encoding="utf-8"))}
LABELS = ["Without it", "Versions", "Public ways tried"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_says_what_breaks_without_it_and_what_was_tried(path: Path) -> None:
    about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert [label for line in about.splitlines() if (label := line.partition(":")[0]) in LABELS] == LABELS
    assert str(path.relative_to(TESTS.parent)) in NAMED


def test_no_test_is_about_a_file_that_is_gone() -> None:
    assert [name for name in sorted(NAMED) if not (TESTS.parent / name).is_file()] == []
