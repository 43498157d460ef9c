"""alibi_viz: how a Transformer knows where its tokens are, computed live by one real PyTorch attention.

Shapes are written with these letters everywhere in the package:

    B  batch                 T   tokens (Tq of the queries, Tk of the keys)
    H  query heads           Hkv key and value heads (grouped queries when fewer than H)
    D  model width           d   width of one head

The floors, each standing only on those before it: positions, attention, model, training and evaluation, jobs.

    >>> import alibi_viz
    >>> alibi_viz.slopes(4)
    [0.25, 0.0625, 0.015625, 0.00390625]

Each name of `__all__` is imported when it is first asked for. `slopes`, `check`, `inspect` and `show` need no torch.
"""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alibi_viz.library import check, inspect, show
    from alibi_viz.pitfalls.certify import certify
    from alibi_viz.pitfalls.probe import check_model
    from alibi_viz.positions import METHODS, build
    from alibi_viz.rules import slopes
    from alibi_viz.tensors import bias, trace

__version__ = "1.0.0"
_PACKAGE = Path(__file__).parent
#: Where app.py and pages/ stand: inside the package once it is installed, else beside it.
APP_FOLDER = next(folder for folder in (_PACKAGE / "_app", _PACKAGE.parent) if (folder / "app.py").is_file())

__all__ = ["METHODS", "bias", "build", "certify", "check", "check_model", "inspect", "show", "slopes", "trace"]
_MODULES = {  # of the others: library
    "METHODS": "positions",
    "bias": "tensors",
    "build": "positions",
    "certify": "pitfalls.certify",
    "check_model": "pitfalls.probe",
    "slopes": "rules",
    "trace": "tensors",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"alibi_viz.{_MODULES.get(name, 'library')}"), name)
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        raise ImportError(f"alibi_viz.{name} needs torch: pip install 'alibi-viz[torch]'.") from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
