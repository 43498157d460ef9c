"""The plans of a class, and its homework: which address is opened, and for how long. Titles and what is said are sentences
of the lessons (`title`, `said`), in every language.

Notable choices:
- A step says all that its picture depends on, also what is a default: the wall keeps what was set on other pages.
- A control that is spoken of is called as its lesson calls it, so no plan names one that is not there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from urllib.parse import urlencode

from alibi_viz.lessons import load

TEXTS = "lesson"  # the page whose sentences these are


@dataclass(frozen=True)
class Step:
    """A step of a plan, or a task. name: of its sentence."""

    name: str
    page: str
    query: Mapping[str, str]
    minutes: int = 0
    controls: tuple[str, ...] = field(default=(), kw_only=True)  # that are spoken of

    @property
    def address(self) -> str:
        return f"{self.page}?{urlencode(self.query)}"


SLOPES = {"heads": "8", "rule": "code", "max_bias": "8"}
BEYOND = {"n": "512", "trained": "128", "heads": "8", "head": "3", "after": "false", "form": "distance"}
DRAWN = {"step": "6", "story_shown": "false", "story_times": "4"}  # one step back: the same 512 tokens
LAST = {"step": "9", "story_seen": "512"}
PLANS = {
    "10": (
        Step("far", "story", {"step": "2"}, 2),
        Step("slopes", "slopes", SLOPES, 3, controls=("heads",)),
        Step("guess", "story", DRAWN, 3),
        Step("end", "story", LAST, 2),
    ),
    "50": (
        Step("order", "story", {"step": "1", "causal": "false"}, 8, controls=("causal",)),
        Step("slopes", "slopes", SLOPES, 8, controls=("heads",)),
        Step("bias", "bias", BEYOND, 6),
        Step("guess", "story", DRAWN, 7),
        Step("near", "story", {"step": "8", "write_near": "false"}, 5, controls=("write_near",)),
        Step("recall", "recall", {"curse_pairs": "4"}, 6),
        Step("pitfalls", "pitfalls", {"pitfall": "sign"}, 5),
        Step("end", "story", LAST, 5),
    ),
}
HOMEWORK = (
    Step("slopes", "slopes", SLOPES | {"heads": "12"}),
    Step("bias", "bias", BEYOND | {"head": "8"}),
    Step(
        "attention", "attention", {"content": "same words attract", "heads": "8", "head": "2"}, controls=("strength",)
    ),
    Step("pitfalls", "pitfalls", {"pitfall": "sqrt_d"}),
    Step("recall", "recall", {"curse_pairs": "8"}, controls=("curse_pairs",)),
    Step("train", "train", {"train": "alibi,rope"}, controls=("train_seed",)),
)


def starts(plan: str) -> list[int]:
    """At which minute each step begins; the last number is the end."""
    return [0, *accumulate(step.minutes for step in PLANS[plan])]


def title(step: Step, language: str = "") -> str:
    """The question of what is opened. language: "" for that of the reader."""
    lesson = load(step.page, language)
    return lesson.text(f"{step.name}.question" if step.page == "story" else "title")


def said(step: Step, section: str = "say", language: str = "") -> str:
    """What to say in a step (`say`), or a task (`tasks`)."""
    lesson = load(step.page, language)
    return load(TEXTS, language).entry(section, step.name, {key: lesson.label(key) for key in step.controls})
