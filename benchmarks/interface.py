"""`make docs`: what others build on, in one file: addresses, file formats, names of the library, commands.

What stands in it is kept. A test compares it with the code, so that a change of it is made on purpose, and is listed in
CHANGELOG.md.
"""

import dataclasses
import inspect
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

import alibi_viz
from alibi_viz import cli
from alibi_viz.attention.attention import Trace
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.table import FAMILIES
from alibi_viz.library import Picture
from alibi_viz.lm.runs import RECORD, STATE, WEIGHTS, Run
from alibi_viz.pitfalls.reading import ENDINGS
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.shell import navigation
from benchmarks import control_names
from benchmarks.control_names import controls

FILE = Path("docs/interface.md")
LEAD = """# What others build on

Made by `make docs`. Addresses, files, names and commands that stand here stay as they are; what changes is listed in
[CHANGELOG.md](../CHANGELOG.md). The values that each control takes are in [controls.md](controls.md).
"""


def addresses() -> Iterator[str]:
    yield from ("", "## Addresses", "", f"On every page: {_names(param.key for param in page_options.PARAMS)}.", "")
    for name in navigation.ICONS:
        yield f"- `/{name}`: {_names(param.key for param in controls(name))}"


def formats() -> Iterator[str]:
    yield from ("", "## Files", "")
    yield f"- Read by `check` and by “Check yours”: {_names('.' + ending for ending in ENDINGS)}; a list of slopes as text."
    yield f"- Read by `inspect` and by “My model”: `config.json` of {_names(FAMILIES)}; of others what it says."
    fields = (field.name for field in dataclasses.fields(Run))
    yield f"- A run is a folder with {_names((RECORD, WEIGHTS, STATE))}; its record has {_names(fields)}."
    yield "- Written by `export` and `show`: HTML, one file that loads nothing."


def library() -> Iterator[str]:
    yield from ("", "## Library: `import alibi_viz`", "")
    for name in alibi_viz.__all__:
        value = getattr(alibi_viz, name)
        if callable(value):
            yield f"- `{name}{_signature(value)}`"
        else:
            yield f"- `{name}`: {_names(value)}"
    yield f"- `Check`, of `check`, `certify` and `check_model`, has {_names(alibi_viz.check('1/2, 1/4').to_dict())}"
    for kind in (Trace, ModelConfig, Picture):
        yield f"- `{kind.__name__}` has {_names(field.name for field in dataclasses.fields(kind))}"


def commands() -> Iterator[str]:
    yield from ("", "## Commands: `alibi-viz`", "")
    group: Any = typer.main.get_command(cli.commands())
    for name, command in sorted(group.commands.items()):
        options = [max(param.opts, key=len) for param in command.params if param.name != "help"]
        yield f"- `{' '.join([name, *options])}`"
    yield from (
        "",
        "Exit status: 0; 1 if `check` or `inspect` finds a mistake, or nothing known; 2 for wrong input.",
    )


def _signature(value: Any) -> str:
    """How it is called; the types are in its docstring."""
    given = inspect.signature(value).parameters.values()
    return str(inspect.Signature([parameter.replace(annotation=parameter.empty) for parameter in given]))


def _names(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def text() -> str:
    """The whole file."""
    return "\n".join([LEAD.rstrip(), *addresses(), *formats(), *library(), *commands()]) + "\n"


def main() -> int:
    """Write both files: each needs every page opened, and one process opens them once."""
    logging.disable(logging.WARNING)  # Streamlit's lines about pages that have no reader
    control_names.FILE.write_text(control_names.text(), encoding="utf-8")
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
