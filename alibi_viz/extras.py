"""What comes with an extra of the package: the app (`alibi-viz[app]`). The core is the library and a few commands."""

from importlib.util import find_spec


def has_app() -> bool:
    """Whether Streamlit is installed; it is not imported."""
    return find_spec("streamlit") is not None


def need_app(what: str) -> None:
    """Raises ValueError with the command that installs the app, if it is not there."""
    if not has_app():
        raise ValueError(f"{what} needs the app: pip install 'alibi-viz[app]'.")
