"""Position methods, one file each, and the registry that finds them.

A method is a class in a file of this folder with its own `name`, `title` and `order`: nothing else lists it.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

from alibi_viz.positions.base import DistanceBias, PositionMethod, one_of, whole_number

__all__ = ["METHODS", "DistanceBias", "PositionMethod", "build"]


def _named_classes() -> Iterator[type[PositionMethod]]:
    """Every class of this package that has a name of its own, not only its parent's."""
    for file in pkgutil.iter_modules(__path__, f"{__name__}."):
        module = importlib.import_module(file.name)
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if cls.__module__ == file.name and issubclass(cls, PositionMethod) and "name" in vars(cls):
                yield cls


METHODS: dict[str, type[PositionMethod]] = {
    method.name: method for method in sorted(_named_classes(), key=lambda method: method.order)
}


def build(
    name: str, *, heads: int, head_dim: int, width: int | None = None, max_length: int = 2048, **options: Any
) -> PositionMethod:
    """Build the position method registered as `name`, a key of METHODS.

    Args:
        heads, head_dim, max_length: see PositionMethod.
        width: width D of the embeddings; None: heads * head_dim.
        options: the method's own options, such as `rule` for ALiBi.

    Raises:
        ValueError: for an unknown name or option, or a number out of range.
    """
    method = METHODS[one_of(name, "The position method", METHODS)]
    parameters = inspect.signature(method).parameters.values()
    known = [parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            offered = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"{method.title} has no option {option!r}; {offered}.")
    if width is None:
        width = whole_number(heads, "heads") * whole_number(head_dim, "head_dim")
    return method(heads, head_dim, width, max_length=max_length, **options)
