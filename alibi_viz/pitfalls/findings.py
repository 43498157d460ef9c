"""What “Check yours” says about numbers from outside: findings, each with the numbers of its sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch

EXACT = 1e-5  # of the size of the numbers: what float32 may make of a rule
CLOSE = 6e-3  # what 16-bit formats, or a list printed with three digits, may make of it
FORMATS = {"bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True)
class Finding:
    """One thing that was found. kind: its sentence in the lesson; pitfall: its name in PITFALLS, "" if it is none."""

    kind: str
    numbers: Mapping[str, object] = field(default_factory=dict)
    pitfall: str = ""


@dataclass(frozen=True)
class Verdict:
    """All that was found. slopes: in effect, one a head; difference: the largest from the rule that was found."""

    findings: tuple[Finding, ...]
    slopes: tuple[float, ...] = ()
    difference: float = 0.0
    known: bool = True  # whether a rule was found

    @property
    def pitfalls(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finding.pitfall for finding in self.findings if finding.pitfall))


def stored_as(values: np.ndarray) -> str:
    """The 16-bit format that holds every one of these numbers exactly, or ""."""
    numbers = torch.as_tensor(np.ascontiguousarray(values, dtype=np.float32))
    numbers = numbers[numbers.isfinite()]
    fits = (name for name, dtype in FORMATS.items() if torch.equal(numbers.to(dtype).float(), numbers))
    return next(fits, "")
