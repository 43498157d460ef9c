"""The lesson of pitfalls: one of them measured, on which side its mistake stands, and what is in a reader's numbers."""

import difflib
import inspect
from functools import lru_cache
from random import Random

from alibi_viz.pitfalls import PITFALLS
from alibi_viz.pitfalls.base import Comparison, measure
from alibi_viz.pitfalls.identify import MOST_HEADS, Check, identify
from alibi_viz.pitfalls.reading import read_array
from alibi_viz.typed import parse_numbers

NAMES = tuple(PITFALLS)


@lru_cache(maxsize=len(PITFALLS))
def study(name: str) -> Comparison:
    """Both versions of a pitfall, run; once for all readers."""
    return measure(PITFALLS[name])


def wrong_side(name: str) -> int:
    """Which of the two pictures is the mistake: 0 or 1, the same for every reader."""
    return int(Random(name).random() < 0.5)


def neighbour(name: str, step: int) -> str:
    """The pitfall so many places after this one, round and round."""
    return NAMES[(NAMES.index(name) + step) % len(NAMES)]


@lru_cache(maxsize=len(PITFALLS))
def difference(name: str) -> str:
    """The two versions as one text: lines that only the wrong one has begin with −, those of the right one with +."""
    wrong, right = (
        inspect.getsource(version).replace(f"def {version.__name__}", f"def {name}").splitlines()
        for version in (PITFALLS[name].wrong, PITFALLS[name].right)
    )
    lines = list(difflib.unified_diff(wrong, right, lineterm="", n=99))[3:]
    return "\n".join(line for line in lines if line.strip("+- "))


def judge(typed: str, file: tuple[str, bytes] | None) -> Check:
    """What is in a typed list, or in a file (its name and its bytes). Raises ValueError with a sentence."""
    return identify(read_array(*file) if file else parse_numbers(typed, most=MOST_HEADS))
