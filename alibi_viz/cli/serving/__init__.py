"""The commands that serve the app: `python -m alibi_viz run`, one server; `serve`, several behind nginx for a class.

Nothing here imports torch or Streamlit: they are loaded by the processes that it starts, and it says so meanwhile.
"""

from alibi_viz.cli.serving.commands import run_command, serve_command

__all__ = ["run_command", "serve_command"]
