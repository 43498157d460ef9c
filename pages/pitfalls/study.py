"""The lesson of pitfalls: one of them measured, on which side its mistake stands, and what is in a reader's numbers."""

import inspect
from functools import lru_cache
from random import Random

from alibi_viz.pitfalls.base import Comparison, measure
from alibi_viz.pitfalls.identify import MOST_HEADS
from alibi_viz.pitfalls.judge import identify
from alibi_viz.pitfalls.reading import read_array
from alibi_viz.pitfalls.table import PITFALLS
from alibi_viz.pitfalls.verdict import Check
from alibi_viz.user_input import parse_numbers

NAMES = tuple(PITFALLS)


@lru_cache(maxsize=len(PITFALLS))
def compute(name: str) -> Comparison:
    """Both versions of a pitfall, run; once for all readers."""
    return measure(PITFALLS[name])


def wrong_side(name: str) -> int:
    """Which of the two pictures is the mistake: 0 or 1, the same for every reader."""
    return int(Random(name).random() < 0.5)


def neighbour(name: str, step: int) -> str:
    """The pitfall so many places after this one, round and round."""
    return NAMES[(NAMES.index(name) + step) % len(NAMES)]


@lru_cache(maxsize=len(PITFALLS))
def versions(name: str) -> tuple[str, str]:
    """The source of the wrong version and of the right one, both under the name of the pitfall."""
    wrong, right = (
        inspect.getsource(version).replace(f"def {version.__name__}", f"def {name}")
        for version in (PITFALLS[name].wrong, PITFALLS[name].right)
    )
    return wrong, right


def judge(typed: str, file: tuple[str, bytes] | None) -> Check:
    """What is in a typed list, or in a file (its name and its bytes). Raises ValueError with a sentence."""
    return identify(read_array(*file) if file else parse_numbers(typed, most=MOST_HEADS))
