"""Mistakes with ALiBi's slopes: their formula, their exponents, and the order of the heads."""

import copy
import math
from collections.abc import Sequence

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Pitfall, Run, Version, held_out, moved, perplexity
from alibi_viz.positions.alibi import Alibi
from alibi_viz.results.trained import shipped
from alibi_viz.rules import slopes

COLUMNS = 48
FAR, STEP = 2048, 48  # tokens
HEADS, DEVICES = 8, 2  # of the shipped ALiBi model, and what it is spread over
BLIND = 0.01  # a head that weighs a key FAR tokens back less than 1% lower than the nearest one


def decay(slopes: Sequence[float], step: int = 1) -> Tensor:
    """Weight of a key against the nearest for equal content, e^(-m d), at d = 0, step, 2 step ...: [H, COLUMNS]."""
    return torch.exp(-torch.tensor(slopes)[:, None] * torch.arange(COLUMNS) * step)


# A model that was trained with the slopes of the authors' code is run with those of the paper's sentence, 2^(-8h/n) for
# every n. The two are one where n is a power of two.


def power_wrong(heads: int) -> list[float]:
    return [2 ** (-8 * h / heads) for h in range(1, heads + 1)]


def power_right(heads: int) -> list[float]:
    power = 2 ** math.floor(math.log2(heads))
    extra = [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * (heads - power), 2)]
    return [2 ** (-8 * h / power) for h in range(1, power + 1)] + extra


def power_check(version: Version) -> None:
    """A model trained with the authors' slopes gets these, for powers of two and for all other numbers of heads."""
    for heads in range(1, 129):
        torch.testing.assert_close(torch.tensor(version(heads)), torch.tensor(slopes(heads)))


def power_run(version: Version) -> Run:
    """Of a head's weight, the share on other keys than it should have, for the last of FAR queries: the largest."""
    distances = FAR - 1 - torch.arange(FAR)
    given, right = (-torch.tensor(slopes)[:, None] * distances for slopes in (version(12), power_right(12)))
    return decay(version(12)), max(map(moved, given.softmax(-1), right.softmax(-1)))


# Slopes 2^-1, 2^-2, 2^-3 ... whatever the number of heads: right for 8; with 32, most heads have no position.


def blog_wrong(heads: int) -> list[float]:
    return [2 ** -(h + 1) for h in range(heads)]


def blog_right(heads: int) -> list[float]:
    return [2 ** (-8 * (h + 1) / heads) for h in range(heads)]


def blog_check(version: Version) -> None:
    """However many heads, the gentlest slope is 2^-8: every head can tell near from far."""
    for heads in (1, 2, 4, 8, 16, 32, 64):
        assert min(version(heads)) >= 2**-8, f"{heads} heads: the gentlest slope is {min(version(heads))}"


def blog_run(version: Version) -> Run:
    """How many heads weigh a key FAR tokens back about as much as the nearest one."""
    return decay(version(32), STEP), sum(math.exp(-FAR * slope) > 1 - BLIND for slope in version(32))


# The right slopes in another order: a trained head gets the slope of another head.


def order_wrong(slopes: list[float]) -> list[float]:
    return sorted(slopes)


def order_right(slopes: list[float]) -> list[float]:
    return list(slopes)


def order_check(version: Version) -> None:
    """Every head of a trained model keeps the slope that it was trained with."""
    for heads in (8, 12):
        assert version(slopes(heads)) == slopes(heads), f"{heads} heads: a head has the slope of another one"


def order_run(version: Version) -> Run:
    """The shipped ALiBi model with its slopes in this order."""
    return read_with(version(slopes(HEADS)))


# Under tensor parallelism every device has some of the heads. Here each computes the slopes of a model of that size.


def shards_wrong(heads: int, devices: int, device: int) -> list[float]:
    own = heads // devices
    return slopes(own)


def shards_right(heads: int, devices: int, device: int) -> list[float]:
    own = heads // devices
    return slopes(heads)[own * device : own * (device + 1)]


def shards_check(version: Version) -> None:
    """All devices together have the slopes of the model."""
    for devices in (1, 2, 4, 8):
        together = [slope for device in range(devices) for slope in version(8, devices, device)]
        assert together == slopes(8), f"{devices} devices have other slopes than one"


def shards_run(version: Version) -> Run:
    """The shipped ALiBi model on DEVICES devices."""
    return read_with([slope for device in range(DEVICES) for slope in version(HEADS, DEVICES, device)])


def read_with(slopes: list[float]) -> Run:
    """The shipped ALiBi model reads: mean weight of the keys at each distance in its first layer; its perplexity."""
    model = copy.deepcopy(shipped("alibi"))
    assert isinstance(model.position, Alibi)
    model.position.past = torch.tensor(slopes)
    weights = model.trace(held_out()[:, :-1])[0][0].weights.mean(0)  # [H, T, T]
    by_distance = torch.stack([weights.diagonal(-d, 1, 2).mean(-1) for d in range(COLUMNS)], dim=1)
    return by_distance, perplexity(model)


SLOPES = {
    "slopes_power": Pitfall(power_wrong, power_right, power_check, power_run, row=1, settings={"heads": 12}),
    "slopes_blog": Pitfall(
        *(blog_wrong, blog_right, blog_check, blog_run), row=1, step=STEP, settings={"heads": 32, "far": FAR}
    ),
    "slopes_sorted": Pitfall(order_wrong, order_right, order_check, order_run, domain=(0.0, 0.4), row=1),
    "slopes_shards": Pitfall(
        *(shards_wrong, shards_right, shards_check, shards_run), domain=(0.0, 0.4), row=1, settings={"devices": DEVICES}
    ),
}
