"""What the sentences of the Cost lesson say of the sizes, and of the shipped measurement."""

from collections.abc import Mapping
from dataclasses import dataclass

from alibi_viz.cost import shipped
from alibi_viz.cost.plan import MOST_SECONDS, ROUNDS
from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_bytes, format_number
from pages.cost.study import Controls, Sizes, longest_common, ratios, shipped_times


def names_of(lesson: Lesson) -> dict[str, str]:
    """Case -> for the reader: a method's title, or the lesson's name for a way to compute ALiBi."""
    return TITLES | lesson.entries("names")


@dataclass(frozen=True)
class Machine:
    """Where a measurement was made."""

    device: str
    dtype: str
    threads: str
    torch: str


def machine_of(record: Mapping[str, str]) -> Machine:
    return Machine(record["device"], record["dtype"], record["threads"], record["torch"])


@dataclass(frozen=True)
class Facts:
    heads: int
    tokens: int
    tensor: str  # bytes of the bias: a full tensor, a row of keys, the slopes
    row: str
    closed: str
    cache: str  # bytes of a layer's keys and values
    rows_share: str  # cache / row
    at: int  # tokens at which the times are compared, forward
    time_alibi: str  # times as long as attention without positions
    time_built: str  # the same with a mask that is built in each call
    at_training: int  # tokens, forward and backward
    training_alibi: str
    training_built: str
    trained_tokens: int
    trained_ratio: float  # forward, on the queries and keys of a trained model
    error: str  # largest, of the fused kernel
    error_tokens: int
    device: str  # of the shipped measurement, as in `Machine`
    dtype: str
    threads: str
    torch: str


def facts_of(chosen: Controls, found: Sizes) -> Facts:
    size, data = found.here, shipped.load()
    times, training = (ratios(shipped_times(kind), "ways") for kind in ("forward", "backward"))
    at, at_training = longest_common(times, "alibi", "built", "cached"), longest_common(training, "alibi", "built")
    machine = machine_of(data["machine"])
    return Facts(
        heads=chosen.heads,
        tokens=chosen.tokens,
        tensor=format_bytes(size["tensor"]),
        row=format_bytes(size["row"]),
        closed=format_bytes(size["closed"]),
        cache=format_bytes(size["cache"]),
        rows_share=format_number(size["cache"] / size["row"]),
        at=at,
        time_alibi=format_number(times["alibi"][at].median),
        time_built=format_number(times["built"][at].median),
        at_training=at_training,
        training_alibi=format_number(training["alibi"][at_training].median),
        training_built=format_number(training["built"][at_training].median),
        trained_tokens=data["trained_tokens"],
        trained_ratio=data["trained"][0],
        error=format_number(data["errors"]["fused"], 2),
        error_tokens=data["error_tokens"],
        device=machine.device,
        dtype=machine.dtype,
        threads=machine.threads,
        torch=machine.torch,
    )


@dataclass(frozen=True)
class Here:
    """Limits of a measurement on the reader's device."""

    seconds: int = int(MOST_SECONDS)
    rounds: int = ROUNDS


@dataclass(frozen=True)
class Memory:
    tokens: int  # of the call whose memory was measured
