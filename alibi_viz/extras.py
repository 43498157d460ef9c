"""What comes with an extra of the package: the app (`[app]`). The core is the library and a few commands."""

from importlib.util import find_spec

from alibi_viz import __version__

INSTALL = f"pip install 'alibi_viz-{__version__}-py3-none-any.whl[app]'"  # as docs/library.md has it


def has_app() -> bool:
    """Whether Streamlit is installed; it is not imported."""
    return find_spec("streamlit") is not None


def need_app(what: str) -> None:
    """Raises ValueError with the command that installs the app, if it is not there."""
    if not has_app():
        raise ValueError(f"{what} needs the app: {INSTALL}.")
