"""Writes the TypeScript types of the messages from their dataclasses, so that Python and JavaScript cannot drift.

`python -m tests.message_types` writes a message.d.ts beside every message.py; a test says when one is out of date.
"""

import dataclasses
import importlib
import re
import textwrap
import types
import typing
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from alibi_viz import pictures

MESSAGES = sorted(pictures.HERE.rglob("message.py"))
SIMPLE = dict.fromkeys((int, float), "number") | dict.fromkeys((bytes, np.ndarray), "Numbers")
SIMPLE |= {str: "string", bool: "boolean", type(None): "null", object: "unknown"}
HEAD = "// Written by `python -m tests.message_types` from message.py.\n"


def written(path: Path) -> str:
    """The types of one message.py: its dataclasses, and the dictionary of what may be left out."""
    parts = path.relative_to(pictures.HERE).with_suffix("").parts
    module = importlib.import_module(".".join(("alibi_viz.pictures", *parts)))
    classes = [found for found in vars(module).values() if isinstance(found, type)]
    kinds = [kind for kind in classes if dataclasses.is_dataclass(kind) or typing.is_typeddict(kind)]
    own = "".join(_declared(kind) for kind in kinds if kind.__module__ == module.__name__)
    foreign = "".join(
        f'import type {{ {kind.__name__} }} from "../{kind.__module__.split(".")[2]}/message.d.ts";\n'
        for kind in kinds
        if kind.__module__ != module.__name__ and re.search(rf"\b{kind.__name__}\b", own)
    )
    if "Numbers" in own:
        foreign = f'import type {{ Numbers }} from "../unpack.js";\n{foreign}'
    return f"{HEAD}\n{foreign}{own}"


def _declared(kind: type) -> str:
    above = "".join(f"{base.__name__} & " for base in kind.__bases__ if dataclasses.is_dataclass(base))
    own = "; ".join(f"{name}: {_typed(typing.get_type_hints(kind)[name])}" for name in kind.__annotations__)
    lines = textwrap.wrap(f"export type {kind.__name__} = {above}{{ {own} }};", 120, subsequent_indent="  ")
    return "\n".join([*lines, ""])


def _typed(hint: typing.Any) -> str:
    origin, args = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in SIMPLE:
        return SIMPLE[origin]
    if origin is typing.Literal:
        return " | ".join(f'"{value}"' for value in args)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(dict.fromkeys(map(_typed, args)))
    if origin is tuple and args[-1] is not Ellipsis:
        return f"[{', '.join(map(_typed, args))}]"
    if origin is Mapping:
        return f"Record<string, {_typed(args[1])}>"
    if args:  # of one kind: a list, or what is read as one
        inner = _typed(args[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    return hint.__name__


if __name__ == "__main__":
    for message in MESSAGES:
        message.with_suffix(".d.ts").write_text(written(message), encoding="utf-8")
