"""The command line: `python -m alibi_viz`, or `alibi-viz` where it is installed. Without a command it serves the app.

A wrong argument gives one line on standard error and exit status 2: no traceback and no box. So the app runs with
`standalone_mode=False`, and `main` turns errors into that line.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from alibi_viz import __version__
from alibi_viz.checks import unicode_text
from alibi_viz.extras import has_app, need_app

RUN = "run"
CORE = ("slopes", "check", "inspect")  # they do without the app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


_VERSION = typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")


def _root(version: Annotated[bool, _VERSION] = False) -> None:
    """How a Transformer knows where its tokens are: ALiBi and its rivals."""


def load(arguments: Sequence[str]) -> typer.Typer:
    """The commands; if the first of `arguments` is one that needs no torch yet, or not the app, its like alone."""
    first = [*arguments, RUN][0]
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(_root)
    if first not in CORE and has_app():
        from alibi_viz.cli.run import run_command

        app.command(RUN)(run_command)
    if first != RUN:
        _add_core(app)
    if first not in (RUN, *CORE) and has_app():
        _add_rest(app)
    return app


def _add_core(app: typer.Typer) -> None:
    from alibi_viz.cli.judge import check_command, inspect_command
    from alibi_viz.cli.slopes import slopes_command

    # Unknown options count as arguments, so that -3 is refused as a number and not as an option.
    app.command("slopes", context_settings={"ignore_unknown_options": True})(slopes_command)
    app.command("check")(check_command)
    app.command("inspect")(inspect_command)


def _add_rest(app: typer.Typer) -> None:
    from alibi_viz.cli.export import export_command, site_command
    from alibi_viz.cli.train import train_command

    app.command("train")(train_command)
    open_ended = {"allow_extra_args": True, "ignore_unknown_options": True}  # a lesson's controls
    app.command("export", context_settings=open_ended)(export_command)
    app.command("site")(site_command)


def main(arguments: Sequence[str], app: typer.Typer | None = None) -> int:
    """Run the command line with `arguments` (none: `run`) and return the exit status. app: what `load` returned."""
    try:
        for argument in arguments:
            unicode_text(argument, f"The argument {argument!r}")  # bytes that are no UTF-8 arrive as lone surrogates
        first = [*arguments, RUN][0]
        if first not in CORE and not first.startswith("-"):
            need_app(f"“{first}”")
        status: Any = (app or load(arguments))(args=list(arguments) or [RUN], standalone_mode=False)
    except Exception as error:
        # typer's own errors are known by a method: it carries its own copy of click in some releases and not in others.
        describe = getattr(error, "format_message", None)
        if describe is None and not isinstance(error, ValueError):
            raise
        message = " ".join(str(describe()).split()) if describe is not None else str(error)
        print(f"Error: {message or 'a command is missing; try --help.'}", file=sys.stderr)
        return 2
    return status if isinstance(status, int) else 0
