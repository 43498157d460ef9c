"""Writes the TypeScript types of the messages from their dataclasses, so that Python and JavaScript cannot drift.

`python -m tests.message_types` writes a message.d.ts beside every message.py; a test says when one is out of date.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
import textwrap
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from alibi_viz import pictures

MESSAGES = sorted(pictures.HERE.rglob("message.py"))
SIMPLE = {
    int: "number",
    float: "number",
    bytes: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
    object: "unknown",
}
HEAD = "// Written by `python -m tests.message_types` from message.py. An array travels as its number.\n"


def written(path: Path) -> str:
    """The types of one message.py: its dataclasses, and the dictionary of what may be left out."""
    parts = path.relative_to(pictures.HERE).with_suffix("").parts
    module = importlib.import_module(".".join(("alibi_viz.pictures", *parts)))
    kinds = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and (dataclasses.is_dataclass(kind) or typing.is_typeddict(kind))
        and kind.__module__ == module.__name__
    ]
    own = "".join(_declared(kind, vars(module)) for kind in kinds)
    foreign = [
        f'import type {{ {name} }} from "../{kind.__module__.split(".")[2]}/message.d.ts";\n'
        for name, kind in vars(module).items()
        if dataclasses.is_dataclass(kind) and kind.__module__ != module.__name__ and re.search(rf"\b{name}\b", own)
    ]
    return HEAD + "\n" + "".join(foreign) + own


def _declared(kind: type, names: dict[str, typing.Any]) -> str:
    hints = typing.get_type_hints(kind, globalns=names)
    fields = "; ".join(f"{name}: {_typed(hint)}" for name, hint in hints.items())
    return (
        "\n".join(textwrap.wrap(f"export type {kind.__name__} = {{ {fields} }};", 120, subsequent_indent="  ")) + "\n"
    )


def _typed(hint: typing.Any) -> str:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in SIMPLE:
        return SIMPLE[hint]
    if origin is np.ndarray:
        return "number"
    if origin is typing.Literal:
        return " | ".join(f'"{value}"' for value in args)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(dict.fromkeys(map(_typed, args)))
    if origin is tuple and args[-1] is not Ellipsis:
        return f"[{', '.join(map(_typed, args))}]"
    if origin in (tuple, list, Sequence):
        inner = _typed(args[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is Mapping:
        return f"Record<string, {_typed(args[1])}>"
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return hint.__name__
    raise TypeError(f"no TypeScript type for {hint}")


if __name__ == "__main__":
    for message in MESSAGES:
        message.with_suffix(".d.ts").write_text(written(message), encoding="utf-8")
