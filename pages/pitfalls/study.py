"""The lesson of pitfalls: one of them measured, and on which side of the stage the mistake stands."""

import difflib
import inspect
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from alibi_viz.pitfalls import PITFALLS, Comparison, Pitfall

NAMES = tuple(PITFALLS)


@dataclass(frozen=True)
class Controls:
    pitfall: str  # a key of PITFALLS
    seed: int  # decides which side is wrong


@dataclass(frozen=True)
class Result:
    controls: Controls
    measured: Comparison
    wrong_first: bool  # whether the mistake is picture A

    @property
    def pitfall(self) -> Pitfall:
        return PITFALLS[self.controls.pitfall]


def study(controls: Controls) -> Result:
    """Raises ValueError with a sentence if a trained model is not there."""
    first = Random(f"{controls.seed} {controls.pitfall}").random() < 0.5
    return Result(controls, measure(controls.pitfall), first)


@lru_cache(maxsize=len(PITFALLS))
def measure(name: str) -> Comparison:
    """Both versions of a pitfall, run; once for all readers."""
    return PITFALLS[name].measure()


def neighbour(name: str, step: int) -> str:
    """The pitfall so many places after this one, round and round."""
    return NAMES[(NAMES.index(name) + step) % len(NAMES)]


@lru_cache(maxsize=len(PITFALLS))
def difference(name: str) -> str:
    """The two versions as one text: lines that only the wrong one has begin with −, those of the right one with +."""
    wrong, right = (inspect.getsource(version).splitlines() for version in (PITFALLS[name].wrong, PITFALLS[name].right))
    lines = list(difflib.unified_diff(wrong, right, lineterm="", n=99))[3:]
    return "\n".join(line for line in lines if line.strip("+- "))
