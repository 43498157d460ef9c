"""What is declared, what is found, and the verdict: clean means that nothing differs from the declaration or is open."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from alibi_viz.checks import finite_number, whole_number
from alibi_viz.lessons import joined, load
from alibi_viz.lessons.numbers import format_slope

Weight = Literal["note", "open", "differs"]  # of a finding
LISTED = 16  # slopes in a sentence
NAMED = 8  # heads or layers in a sentence


@dataclass(frozen=True)
class Declared:
    """What the numbers are meant to be. None: it was not said, and only the best known is clean."""

    heads: int | None = None
    max_bias: float | None = None  # the largest exponent of the authors' code: 8 in the paper
    causal: bool | None = None
    window: int | None = None  # keys that a query sees, itself among them
    # bool [Tq, Tk] or [B, Tq, Tk], True where a query may attend: of a prefix, documents
    mask: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name, value in (("heads", self.heads), ("window", self.window)):
            if value is not None:
                whole_number(value, name)
        if self.max_bias is not None:
            finite_number(self.max_bias, "max_bias", positive=True)
        if self.mask is not None:
            if self.mask.dtype != bool or self.mask.ndim not in (2, 3):
                raise ValueError(
                    "A mask is bool, [queries, keys] or [texts, queries, keys]: True where a query may attend."
                )
            if self.window is not None:
                raise ValueError("Declare a mask or a window: the mask says all that is hidden.")


@dataclass(frozen=True)
class Finding:
    """kind: its sentence in the lesson, with these numbers, or tuples of heads or layers; pitfall: of PITFALLS, or ""."""

    kind: str
    numbers: Mapping[str, object] = field(default_factory=dict)
    pitfall: str = ""
    weight: Weight = "note"

    def said(self) -> dict[str, object]:
        """The numbers, as its sentence has them."""
        numbers = self.numbers.items()
        return {key: listed(list(map(str, of)), NAMED) if isinstance(of, tuple) else of for key, of in numbers}


@dataclass(frozen=True, repr=False)
class Check:
    """What is in slopes, a bias, an attention or a model. status: "clean", "pitfall" (it differs from what was declared,
    mostly by a known mistake) or "unknown" (not all of it is known, or could be seen). A mistake counts more."""

    findings: tuple[Finding, ...]
    slopes: tuple[float, ...] = ()  # in effect, one a head
    difference: float | None = None  # the largest from the rule, of numbers that were given or shown

    @property
    def kinds(self) -> tuple[str, ...]:
        """The name of each finding, in order."""
        return tuple(finding.kind for finding in self.findings)

    @property
    def pitfalls(self) -> tuple[str, ...]:
        """Names of lessons: /pitfalls?pitfall=NAME."""
        return tuple(dict.fromkeys(finding.pitfall for finding in self.findings if finding.pitfall))

    @property
    def status(self) -> Literal["unknown", "pitfall", "clean"]:
        weights = {finding.weight for finding in self.findings}
        if self.pitfalls or "differs" in weights:
            return "pitfall"
        return "unknown" if "open" in weights else "clean"

    @property
    def verdict(self) -> str:
        return load("pitfalls").text(f"verdict_{self.status}")

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the lesson says of it: a sentence for each finding, the largest difference, the slopes."""
        text = load("pitfalls")
        lines = [text.entry("found", finding.kind, finding.said()) for finding in self.findings]
        if self.slopes and self.difference is not None and self.status != "unknown":
            lines.append(text.text("found_difference", {"difference": self.difference}))
        if self.slopes:
            slopes = listed(list(map(format_slope, self.slopes)), LISTED)
            lines.append(text.text("found_slopes", {"slopes": slopes}))
        return tuple(lines)

    def to_dict(self) -> dict[str, object]:
        """All that is said of it, for JSON."""
        names = ("status", "sentences", "kinds", "pitfalls", "slopes", "difference")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return "\n".join((self.verdict, *(f"- {line}" for line in self.sentences)))


def listed(items: Sequence[str], most: int) -> str:
    """The first of them, in the reader's language: 1, 2, 3 …"""
    first = joined(items[:most])
    return load("shared").entry("lists", "more", first=first) if len(items) > most else first


def said(error: Exception) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:160]}".rstrip(".: ")


def distinct(findings: Iterable[Finding]) -> list[Finding]:
    """The first of each kind, in order."""
    kept: dict[str, Finding] = {}
    for finding in findings:
        kept.setdefault(finding.kind, finding)
    return list(kept.values())
