"""Interleaved timings: one call of every case in turn, round after round; the median and the quartiles of each are kept.

Notable choices:
- Every call is one step of an iterator. So a page can take a few steps a run, show how far it is, and stop between
  two calls; a script takes them all. No thread is needed.
- What else the machine does falls on all cases alike. A ratio of two cases is the median of the rounds' ratios.
- A case that cannot run here, or would take too long, is left out with a sentence; the others go on.
"""

import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import torch

Call = Callable[[], object]
ROUNDS = 9


@dataclass(frozen=True)
class Case:
    """One thing to measure. `prepare` makes its call, and is not measured itself; ValueError says why it cannot run."""

    name: str
    tokens: int
    prepare: Callable[[], Call]


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        if len(values) < 2:
            return cls(values[0], values[0], values[0])
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(statistics.median(values), low, high)


@dataclass
class CallTimes:
    """The seconds of every call so far, by case and length; and what was left out, with the reason."""

    seconds: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    left_out: dict[tuple[str, int], str] = field(default_factory=dict)

    def spread(self, name: str, tokens: int) -> Spread:
        return Spread.of(self.seconds[name, tokens])

    def ratio(self, name: str, base: str, tokens: int) -> Spread:
        """time(name) / time(base), round by round."""
        pairs = zip(self.seconds[name, tokens], self.seconds[base, tokens], strict=False)
        return Spread.of([a / b for a, b in pairs])

    def to_json(self) -> str:
        """Plain text for another process; `from_json` reads it back."""
        return json.dumps([[[*key, value] for key, value in part.items()] for part in (self.seconds, self.left_out)])

    @classmethod
    def from_json(cls, text: str) -> "CallTimes":
        return cls(*({(name, tokens): value for name, tokens, value in part} for part in json.loads(text)))

    def lengths(self, name: str) -> list[int]:
        """Where the case has been measured."""
        return sorted(tokens for case, tokens in self.seconds if case == name)


def measure(
    cases: Sequence[Case],
    into: CallTimes,
    *,
    rounds: int = ROUNDS,
    device: str = "cpu",
    most_seconds: float = 60.0,
    longest_call: float = 2.0,
) -> Iterator[float]:
    """Measure all cases, length by length; yields after every call, with the share that is done.

    It ends when all calls together have taken `most_seconds`. A case is left out where one call would take more than
    `longest_call` seconds, judged by its time at a shorter length and the square of the lengths.
    """
    lengths = sorted({case.tokens for case in cases})
    whole, done, spent = len(cases) * (rounds + 1), 0, 0.0
    for tokens in lengths:
        calls: dict[str, Call] = {}
        for case in (case for case in cases if case.tokens == tokens):
            try:
                _check_time(case, into, longest_call)
                calls[case.name] = case.prepare()
                spent += seconds(calls[case.name], device)  # warm, not kept
            except (ValueError, NotImplementedError) as reason:
                calls.pop(case.name, None)
                into.left_out[case.name, tokens] = str(reason)
                done += rounds
            done += 1
            yield done / whole
        for _ in range(rounds):
            for name, call in calls.items():
                if spent > most_seconds:
                    return
                took = seconds(call, device)
                into.seconds.setdefault((name, tokens), []).append(took)
                spent += took
                done += 1
                yield min(done / whole, 1.0)


def _check_time(case: Case, into: CallTimes, longest: float) -> None:
    for shorter in reversed([tokens for tokens in into.lengths(case.name) if tokens < case.tokens]):
        expected = into.spread(case.name, shorter).median * (case.tokens / shorter) ** 2
        if expected > longest:
            raise ValueError(f"One call would take about {expected:.0f} s.")
        return
    if reason := next((said for (name, _), said in into.left_out.items() if name == case.name), ""):
        raise ValueError(reason)


def seconds(call: Call, device: str = "cpu") -> float:
    """How long one call takes; on a GPU until its result is there."""
    if device == "cuda":
        torch.cuda.synchronize()
    began = time.perf_counter()
    call()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began
