"""`alibi-viz export` and `alibi-viz site`: pictures as files that move, without a server.

Both run in a process of their own: see alibi_viz.render.
"""

from pathlib import Path
from typing import Annotated

import typer

from alibi_viz.render import run


def export_command(
    context: typer.Context,
    lesson: Annotated[str, typer.Argument(help="The lesson, as in its address: bias, slopes, attention.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
) -> int:
    """Save the picture of a lesson as one HTML file that moves. Its controls: --heads 12 --n 512, as in the address."""
    return run("export", lesson, str(output.resolve()), *_pairs(context.args)).returncode


def site_command(folder: Annotated[Path, typer.Argument(help="The folder to write into; it is made.")]) -> int:
    """Write a site without a server: every picture that moves by itself, and an index."""
    return run("site", str(folder.resolve())).returncode


def _pairs(arguments: list[str]) -> list[str]:
    """--heads 12 -> heads=12. Raises ValueError for what is no such pair."""
    names, values = arguments[::2], arguments[1::2]
    if len(names) != len(values) or not all(name.startswith("--") and len(name) > 2 for name in names):
        raise ValueError("Controls are given as --name value, for example --heads 12.")
    return [f"{name[2:]}={value}" for name, value in zip(names, values, strict=True)]
