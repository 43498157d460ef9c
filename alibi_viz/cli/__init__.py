"""The command line: `python -m alibi_viz`, or `alibi-viz` where it is installed. Without a command it serves the app.

Notable choices:
- What a command needs (torch, Dask, Streamlit) is imported when it runs: help and wrong arguments are answered at once.
- A wrong argument gives one line on standard error and exit status 2: no traceback and no box. So the app runs with
  `standalone_mode=False`, and `main` turns errors into that line.
"""

import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from alibi_viz import __version__
from alibi_viz.checks import unicode_text
from alibi_viz.render import INSTALL, has_app, need_app
from alibi_viz.user_input import strip_control_characters

LOOPBACK = "127.0.0.1"
MOST_HEADS = 1024  # of a table of slopes: keeps a slip of the keyboard from filling the screen
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def slopes(
    heads: Annotated[int, typer.Argument(help=f"Number of heads, 1 to {MOST_HEADS}.")],
    rule: Annotated[str, typer.Option(help="code (the authors’), sentence (the paper’s) or blog.")] = "code",
    max_bias: Annotated[float, typer.Option(help="Exponent of the gentlest head (8 in the paper).")] = 8.0,
    as_json: Json = False,
) -> None:
    """Print the ALiBi slope of every head."""
    from alibi_viz.cli import reports

    rows = reports.slope_rows(heads, rule, max_bias)
    if as_json:
        typer.echo(json.dumps({"heads": heads, "rule": rule, "max_bias": max_bias, "slopes": rows}, allow_nan=False))
    else:
        reports.print_slopes(rows, f"ALiBi slopes, {heads} heads, rule: {rule}")


def check(
    source: Annotated[
        str, typer.Argument(help="Slopes or a bias: .npy, .safetensors, .csv; a list as .txt; - reads one.")
    ] = "",
    model: Annotated[Path | None, typer.Option(help="Or the folder of a model, which reads short texts.")] = None,
    heads: Annotated[
        int | None, typer.Option(help="Heads of the whole model, where a file has several texts or a part.")
    ] = None,
    max_bias: Annotated[
        float | None, typer.Option(help="The largest exponent that is meant; 8, or 16, which is named.")
    ] = None,
    causal: Annotated[bool | None, typer.Option(help="Later keys must be hidden; --no-causal: none may be.")] = None,
    window: Annotated[int | None, typer.Option(help="Tokens of the sliding window that is meant.")] = None,
    mask: Annotated[
        Path | None, typer.Option(help="A file of a mask, bool or 0 and 1: True where a query may attend.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Say whether slopes, a bias or a model are ALiBi as declared, and which mistake is in them. Exit status 0, 1 or 2."""
    from alibi_viz.cli import reports

    if bool(source) == (model is not None):
        raise ValueError("Give slopes or a bias to check, or --model FOLDER.")
    declared: dict[str, Any] = {"max_bias": max_bias, "causal": causal, "window": window}
    if model is None:
        return reports.check(source, as_json=as_json, heads=heads, mask=mask, **declared)
    if heads is not None or mask is not None:
        raise ValueError("A model has heads and masks of its own: --heads and --mask are for slopes and a bias.")
    return reports.check_model(model, as_json=as_json, **declared)


def inspect(
    config: Annotated[Path, typer.Argument(help="A config.json, or the folder of a model; its code is never run.")],
    as_json: Json = False,
) -> int:
    """Say what a model does with position, from its config.json. Exit status 0, 1 or 2."""
    from alibi_viz.cli import reports

    return reports.inspect(config, as_json=as_json)


def run(
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port; if it is taken, the next one that is free.")
    ] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0: every network of this machine.")] = LOOPBACK,
) -> int:
    """Serve the app."""
    from alibi_viz.cli.serving import serve

    return serve(host, port)


def train(
    methods: Annotated[list[str], typer.Argument(help="One or more of: alibi rope t5 sinusoidal learned none ...")],
    seeds: Annotated[str, typer.Option(help="Weights and batches follow from it; several with commas between.")] = "0",
    steps: Annotated[int, typer.Option(help="Training steps.")] = 2000,
    length: Annotated[int, typer.Option(help="Training length L in bytes.")] = 128,
    width: Annotated[int, typer.Option(help="Width of the model.")] = 64,
    layers: Annotated[int, typer.Option(help="Layers.")] = 2,
    heads: Annotated[int, typer.Option(help="Heads of width 16.")] = 8,
    text: Annotated[
        str, typer.Option(help="python-text, recall, or a UTF-8 file of 20,000 bytes to 5 MB.")
    ] = "python-text",
    data: Annotated[Path | None, typer.Option(help="Folder of the runs; ALIBI_VIZ_DATA, or ./data.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="tcp://host:port of an existing Dask cluster.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes; as many as cores.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, mps or xpu; the fastest.")] = None,
) -> int:
    """Train small language models that differ in their positions, and measure them at many lengths."""
    from alibi_viz.cli.training import train_and_print

    shape = {"steps": steps, "length": length, "width": width, "layers": layers, "heads": heads}
    return train_and_print(methods, seeds, shape, text, data=data, cluster=(workers, scheduler), device=device)


def export(
    context: typer.Context,
    lesson: Annotated[str, typer.Argument(help="The lesson, as in its address: bias, slopes, attention.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
) -> int:
    """Save the picture of a lesson as one HTML file that moves. Its controls: --heads 12 --n 512, as in the address."""
    from alibi_viz import render

    controls = pairs(context.args)
    render.check(lesson, output)
    return render.run("exporting", "export", lesson, str(output.resolve()), *controls)


def site(
    output: Annotated[Path, typer.Argument(help="The folder to write; it is made if it is not there.")],
    url: Annotated[str, typer.Option(help="The address that it will have, for search engines and previews.")] = "",
    repository: Annotated[str, typer.Option(help="The address of the code, for readers.")] = "",
) -> int:
    """Make a folder of all lessons in all languages: for any static host, below any path, or from the disk."""
    from alibi_viz import render

    return render.site(output.resolve(), url, repository)


def pairs(arguments: list[str]) -> list[str]:
    """--heads 12 -> heads=12. Raises ValueError for what is no such pair."""
    names, values = arguments[::2], arguments[1::2]
    if len(names) != len(values) or not all(name.startswith("--") and len(name) > 2 for name in names):
        raise ValueError("Controls are given as --name value, for example --heads 12.")
    return [f"{name[2:]}={value}" for name, value in zip(names, values, strict=True)]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """How a Transformer knows where its tokens are: ALiBi and its rivals."""


CORE: dict[str, Callable[..., object]] = {"slopes": slopes, "check": check, "inspect": inspect}
OF_APP: dict[str, Callable[..., object]] = {"run": run, "train": train, "export": export, "site": site}


def commands() -> typer.Typer:
    """All commands. Where the app is not installed, the help says which ones it adds."""
    missing = "" if has_app() else f"{INSTALL} adds: {', '.join(OF_APP)}."
    app = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, epilog=missing or None
    )
    app.callback()(_root)
    # Unknown options count as arguments, so that -3 is refused as a number, and a lesson has controls of its own.
    settings = {"slopes": {"ignore_unknown_options": True}}
    settings["export"] = {"ignore_unknown_options": True, "allow_extra_args": True}
    for name, command in (CORE | OF_APP).items():
        app.command(context_settings=settings.get(name), hidden=bool(missing) and name in OF_APP)(command)
    return app


def main(arguments: Sequence[str]) -> int:
    """Run the command line with `arguments` (none: `run`) and return the exit status."""
    for stream in (sys.stdout, sys.stderr):  # a terminal of another encoding gets “?” for a letter, and not an error
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        for argument in arguments:
            unicode_text(argument, f"The argument {argument!r}")  # bytes that are no UTF-8 arrive as lone surrogates
        first = [*arguments, "run"][0]
        if first in OF_APP:
            need_app(f"“{first}”")
        status: Any = commands()(args=list(arguments) or ["run"], standalone_mode=False)
    except Exception as error:
        # typer's own errors are known by a method: it carries its own copy of click in some releases and not in others.
        describe = getattr(error, "format_message", None)
        if describe is None and not isinstance(error, ValueError | ImportError):
            raise
        message = " ".join(str(describe()).split()) if describe is not None else str(error)
        # Names that a person or a file gave may hold what a terminal takes for commands.
        message = strip_control_characters(message or "a command is missing; try --help.")
        print(f"Error: {message}", file=sys.stderr)
        return 2
    return status if isinstance(status, int) else 0
