"""`alibi-viz check` and `alibi-viz inspect`, for a person and for CI.

Exit status: 0 all is well; 1 a known mistake, or nothing that this app knows; 2 it cannot be read.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from alibi_viz import library
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checks import unicode_text
from alibi_viz.files import read_file
from alibi_viz.lessons import load
from alibi_viz.lessons.numbers import format_slope
from alibi_viz.pitfalls.reading import ENDINGS, MOST_BYTES, read_array

STDIN = "-"
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def check_command(
    source: Annotated[
        str, typer.Argument(help="Slopes or a bias: .npy, .safetensors, .csv; a list as .txt; - reads one.")
    ],
    as_json: Json = False,
) -> int:
    """Say which rule slopes or a bias follow, and which known mistake is in them. Exit status 0, 1 or 2."""
    found = library.check(_values(source))
    if as_json:
        typer.echo(json.dumps(asdict(found), allow_nan=False, ensure_ascii=False))
    else:
        _print(load("pitfalls").text(f"verdict.{found.status}"), {"": list(found.sentences)})
    return 0 if found.status == "clean" else 1


def _values(source: str) -> Any:
    """A typed list, or the array of a file. Raises ValueError with one sentence."""
    if source == STDIN:
        return _list(sys.stdin.buffer.read(MOST_BYTES + 1))
    try:
        data = read_file(Path(source), MOST_BYTES)
    except OSError as error:
        raise ValueError(f"{source} cannot be read: {error.strerror or 'it is no file'}.") from None
    ending = source.rpartition(".")[2].lower()
    return read_array(source, data) if ending in ENDINGS else _list(data)


def _list(data: bytes) -> str:
    try:
        text = data[:MOST_BYTES].decode("utf-8-sig")
    except UnicodeError:
        raise ValueError("A list of slopes must be text in UTF-8.") from None
    return unicode_text(text, "The list")


def inspect_command(
    config: Annotated[Path, typer.Argument(help="A config.json, or the folder of a model; its code is never run.")],
    as_json: Json = False,
) -> int:
    """Say what a model does with position, from its config.json. Exit status 0, 1 or 2."""
    found = library.inspect(config)
    rows = _rows(found)
    if as_json:
        typer.echo(json.dumps(rows, allow_nan=False, ensure_ascii=False))
    else:
        labels = load("models").entries("facts")
        shown = rows | {"method": found.title}
        _print("", {labels.get(name, name): value for name, value in shown.items() if value not in (None, [])})
    return 0 if found.known else 1


def _rows(found: ModelConfig) -> dict[str, Any]:
    """What is known of a model, by names that stay."""
    names = ("method", "layers", "heads", "kv_heads", "head_dim", "width", "train_length", "window", "causal")
    rows = {"model_type": found.family, "known": found.known} | {name: getattr(found, name) for name in names}
    more = ("scaled_length", "window_layers", "local_base", "nope_layers", "not_computed")
    rows |= {"runs_code": found.runs_code, "rope_off": found.rope_off} | {name: getattr(found, name) for name in more}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in {**rows, **found.options}.items()
    }


def _print(title: str, rows: dict[str, Any]) -> None:
    table = Table(title=title or None, show_header=False)
    for name, value in rows.items():
        if isinstance(value, list) and name:
            table.add_row(name, ", ".join(format_slope(x) if isinstance(x, float) else str(x) for x in value))
        else:
            for line in value if isinstance(value, list) else [value]:
                table.add_row(*((name,) if name else ()), str(line))
    Console(markup=False).print(table)
