"""How the larger text is collected from Python's standard library: prose apart from code, and no tables or addresses."""

from __future__ import annotations

from pathlib import Path

from tools import collect
from tools.collect import HELD_OUT, TRAIN, VALIDATION

SOURCE = '''# -*- coding: utf-8 -*-
"""A module about nothing in particular, and a docstring of it."""

# This comment stands over two lines, and both of them
# belong to one paragraph of prose.
# x = do_something(with_these, many_arguments, and_more)

#x = do_something(with_these, many_arguments, and_more)

# Write to somebody@example.org about this, please, if you like.
TABLE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]


def function(argument, another_argument):
    """Return what the function is asked for, and no more."""
    return argument.something(another_argument)
'''


def test_prose_and_code_of_a_module(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    prose, code = collect._module(path)
    assert prose == [
        "A module about nothing in particular, and a docstring of it.",
        "Return what the function is asked for, and no more.",
        "This comment stands over two lines, and both of them\nbelong to one paragraph of prose.\n"
        "x = do_something(with_these, many_arguments, and_more)",
    ]
    assert code == ["def function(argument, another_argument):\n    return argument.something(another_argument)"]


def test_a_file_that_is_no_python_gives_nothing(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("this is ( no Python", encoding="utf-8")
    assert collect._module(path) == ([], [])


def test_parts_follow_from_names_alone() -> None:
    parts = [collect.part(f"module {n}") for n in range(6400)]
    assert 120 < parts.count(HELD_OUT) < 280
    assert 50 < parts.count(VALIDATION) < 150
    assert parts.count(TRAIN) > 5900


def test_no_paragraph_is_in_two_parts(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    shared = "Only an example, but it is long enough to be one."
    names = {
        part: next(n for n in map(str, range(999)) if collect.part(n) == part) for part in (HELD_OUT, VALIDATION, TRAIN)
    }
    own = [
        f"A paragraph of its own, and nobody else has got number {'one two three'.split()[part]}." for part in range(3)
    ]
    found = [(names[part], [shared, own[part]], [f"code of its own {part}: " + "abc"[part] * 50]) for part in names]
    monkeypatch.setattr(collect, "documents", lambda: iter(found))
    parts = collect.collect()
    assert shared in parts[HELD_OUT][0]
    assert shared not in parts[VALIDATION][0] + parts[TRAIN][0]
    assert own[TRAIN] in parts[TRAIN][0]
    assert own[HELD_OUT] not in parts[HELD_OUT][0]  # it shares a long string with the training text
    assert "bbb" in parts[VALIDATION][1]


def test_a_compiled_module_has_the_docstrings_of_its_classes() -> None:
    module = collect._compiled("math")
    assert module is not None
    assert any("square root" in text for text in collect._docs_in(module))
    assert collect._compiled("json") is None
