"""Position methods, one file each, and the registry that finds them.

A method is a class in a file of this folder with its own `name`, `title` and `order`: nothing else lists it.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from typing import Any

from alibi_viz.checks import one_of, whole_number
from alibi_viz.lessons import method_title
from alibi_viz.positions.base import DistanceBias, PositionMethod

__all__ = ["METHODS", "DistanceBias", "PositionMethod", "build", "title_of", "titles_of"]


_modules = [importlib.import_module(file.name) for file in pkgutil.iter_modules(__path__, f"{__name__}.")]
_classes = {cls for module in _modules for _, cls in inspect.getmembers(module, inspect.isclass)}
_named = [cls for cls in _classes if issubclass(cls, PositionMethod) and "name" in vars(cls)]  # a name of its own
METHODS: dict[str, type[PositionMethod]] = {cls.name: cls for cls in sorted(_named, key=lambda cls: cls.order)}


def title_of(name: str, language: str = "") -> str:
    """What a method is called in a language (that of the reader)."""
    return method_title(METHODS[name].title, language)


def titles_of(names: Iterable[str]) -> dict[str, str]:
    """The same of several, by name."""
    return {name: title_of(name) for name in names}


def options_of(method: type[PositionMethod]) -> list[str]:
    """The names of a method's own options, such as `rule` of ALiBi."""
    return [p.name for p in inspect.signature(method).parameters.values() if p.kind is p.KEYWORD_ONLY]


def build(
    name: str, *, heads: int, head_dim: int, width: int | None = None, max_length: int = 2048, **options: Any
) -> PositionMethod:
    """Build the position method registered as `name`, with its own `options`, such as `rule` for ALiBi.

    Other arguments as for PositionMethod; `width` None: heads * head_dim. Raises ValueError for an unknown name or
    option, or a number out of range.
    """
    method = METHODS[one_of(name, "The position method", METHODS)]
    own = options_of(method)
    for option in options:
        if option not in own:
            offered = f"its options are {', '.join(own)}" if own else "it has no options"
            raise ValueError(f"{method.title} has no option {option!r}; {offered}.")
    if width is None:
        width = whole_number(heads, "heads") * whole_number(head_dim, "head_dim")
    return method(heads, head_dim, width, max_length=max_length, **options)
