"""Which cases of a test are quick: `make test` has these alone, `make test-all` every one."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow(*case: Any) -> Any:
    """A case that `make test-all` alone has."""
    return pytest.param(*case, marks=pytest.mark.slow)


def some(cases: Iterable[Any], *quick: Any) -> list[Any]:
    """All cases; those that are not named as quick are marked slow."""
    return [case if case in quick else slow(case) for case in cases]
