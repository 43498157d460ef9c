"""A measurement, planned once: a reader's page and a benchmark take the same cases, rounds and limits."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import torch

from alibi_viz.cost.cases import BASE, WAYS, Pass, case
from alibi_viz.cost.timing import CallTimes, Case, measure
from alibi_viz.positions import METHODS

ROUNDS, MOST_SECONDS, LONGEST_CALL = 5, 60.0, 2.0
DTYPES = {"cpu": torch.float32, "cuda": torch.bfloat16}
#: What is compared with causal attention without positions. ALiBi itself, which is fused, stands in all of them.
NAMES = {
    "ways": ("alibi", *(way for way in WAYS if way not in ("fused", "flex"))),
    "methods": (*(name for name in METHODS if name != BASE), "cached"),  # whatever the bias: kept, all cost the same
    "flex": ("alibi", "flex"),
}


@dataclass(frozen=True)
class TimingPlan:
    """What is measured, and when it ends. `steps` measures call by call, `finished` all at once."""

    names: tuple[str, ...]
    lengths: tuple[int, ...]
    kind: Pass = "forward"
    device: str = "cpu"
    rounds: int = ROUNDS
    most_seconds: float = MOST_SECONDS  # of all calls together
    longest_call: float = LONGEST_CALL  # seconds; what would take longer is left out

    @property
    def dtype(self) -> torch.dtype:
        return DTYPES[self.device]

    def cases(self) -> list[Case]:
        options = {"device": self.device, "dtype": self.dtype}
        return [case(name, tokens, self.kind, **options) for tokens in self.lengths for name in self.names]

    def steps(self, into: CallTimes) -> Iterator[float]:
        """The share that is done, after every call."""
        limits = {"most_seconds": self.most_seconds, "longest_call": self.longest_call}
        return measure(self.cases(), into, rounds=self.rounds, device=self.device, **limits)

    def finished(self, measured: CallTimes | None = None) -> CallTimes:
        """All calls. measured: what is known already, to which they are added."""
        measured = CallTimes() if measured is None else measured
        for _ in self.steps(measured):
            pass
        return measured

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "TimingPlan":
        given = json.loads(text)
        return cls(**given | {name: tuple(given[name]) for name in ("names", "lengths")})


def compared(what: str, lengths: tuple[int, ...], kind: Pass = "forward", device: str = "cpu") -> TimingPlan:
    """One of NAMES beside causal attention without positions."""
    return TimingPlan((BASE, *NAMES[what]), lengths, kind, device)


if __name__ == "__main__":  # in a process of its own: see `cost.apart`
    plan = TimingPlan.from_json(sys.argv[1])
    torch.set_num_threads(int(sys.argv[2]))
    print(plan.finished().to_json())
