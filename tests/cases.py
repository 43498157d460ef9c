"""Which cases of a test are quick: `make test` has these alone, `make test-all` every one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], *quick: Any) -> list[Any]:
    """All cases; those that are not named as quick are marked slow."""
    return [pytest.param(case, marks=[] if case in quick else pytest.mark.slow) for case in cases]
