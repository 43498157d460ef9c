"""What the sentences of the Cost lesson say of the sizes, and of the shipped measurement."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from alibi_viz.attention.kernel import kernel_width
from alibi_viz.cost import shipped
from alibi_viz.cost.plan import MOST_SECONDS, ROUNDS
from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_bytes, format_number
from pages.cost.study import Controls, Sizes, longest_common, ratios, shipped_times

HEAD_DIM = 128  # of many large models
GPU_HEAD_DIM = kernel_width(HEAD_DIM + 1, torch.device("cuda"))  # with at least one more feature, filled up


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
    at: int  # tokens at which the times are compared
    training_alibi: str  # forward and backward, times as long as attention without positions
    training_sinusoidal: str
    training_built: str  # with a mask that is built in each call
    time_alibi: str  # forward
    trained_tokens: int
    trained_ratio: float  # forward, on the queries and keys of a trained model
    error: str  # largest, of the fused kernel
    error_tokens: int
    device: str  # of the shipped measurement, as in `Machine`
    dtype: str
    threads: str
    torch: str
    head_dim: int = HEAD_DIM
    gpu_head_dim: int = GPU_HEAD_DIM


def facts_of(chosen: Controls, found: Sizes) -> Facts:
    size, data = found.here, shipped.load()
    forward, training = (ratios(shipped_times(kind), "ways") for kind in ("forward", "backward"))
    at = longest_common(training, "alibi", "built")
    machine = machine_of(data["machine"])
    return Facts(
        heads=chosen.heads,
        tokens=chosen.tokens,
        tensor=format_bytes(size["tensor"]),
        row=format_bytes(size["row"]),
        closed=format_bytes(size["closed"]),
        cache=format_bytes(size["cache"]),
        at=at,
        training_alibi=format_number(training["alibi"][at].median),
        training_sinusoidal=format_number(ratios(shipped_times("backward"), "methods")["sinusoidal"][at].median),
        training_built=format_number(training["built"][at].median),
        time_alibi=format_number(forward["alibi"][at].median),
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
