"""When a run has learned enough: one criterion for every method and length.

A run of a fixed number of steps has a learning rate that falls as a cosine. A run with a `stretch` (steps) trains until it
gains little: warm-up, then a constant rate for as long as the loss on the validation text still falls by `least_gain` a
stretch, then one more stretch in which the rate falls to zero.

Notable choices:
- A cosine must know its length in advance; a constant rate with a short fall at the end reaches the same loss without
  (Hu et al. 2024, arXiv 2404.06395; Hägele et al. 2024, arXiv 2405.18392).
- The loss is taken VALIDATIONS times a stretch, on a text that is neither trained on nor held out for the results. Means
  over a whole stretch are compared: single losses at a constant rate go up and down by more than they gain.
- A loss that rises ends the constant rate too. The weights of the lowest validation loss are those of the finished run.
- Everything follows from the configuration and the validation losses so far: a run that is resumed decides the same.
"""

import math
from collections.abc import Sequence

from alibi_viz.lm.config import VALIDATIONS, TrainConfig
from alibi_viz.lm.recall import CURRICULUM


def every(config: TrainConfig) -> int:
    """Steps from one validation loss to the next; 0: none are taken."""
    return config.stretch // VALIDATIONS


def curriculum_progress(config: TrainConfig, step: int) -> float:
    """How far the recall task is on its way from short sequences to long ones (`recall.STAGES`).

    With a criterion it is there in half the time: the rest of the steps is for what the criterion asks.
    """
    return step / config.steps * (2 if config.stretch else 1)


def plateau_end(config: TrainConfig, validation: Sequence[float]) -> int | None:
    """The step at which the constant rate ends, by the validation losses so far; None: not yet.

    At the latest it ends one stretch before the last step of the configuration. Recall is judged from the end of its
    curriculum on.
    """
    latest = config.steps - config.stretch
    for end in range(2 * VALIDATIONS, len(validation) + 1):
        begin, middle = end - 2 * VALIDATIONS, end - VALIDATIONS
        gain = (sum(validation[begin:middle]) - sum(validation[middle:end])) / VALIDATIONS
        is_judged = not config.is_recall or curriculum_progress(config, begin * every(config)) >= CURRICULUM
        if is_judged and gain < config.least_gain:
            return min(end * every(config), latest)
    return latest if len(validation) * every(config) >= latest else None


def last_step(config: TrainConfig, validation: Sequence[float]) -> int:
    """Steps of the run, as far as is known: those of its configuration until the criterion is met."""
    end = plateau_end(config, validation) if config.stretch else None
    return config.steps if end is None else end + config.stretch


def learning_rate(config: TrainConfig, step: int, validation: Sequence[float] = ()) -> float:
    """Linear warm-up; then a cosine down to a tenth, or a constant rate and a straight fall to zero.

    A short run warms up for at most a quarter of its steps.
    """
    warmup = min(config.warmup, config.steps // 4)
    if step < warmup:
        return config.learning_rate * (step + 1) / warmup
    if config.stretch:
        left = last_step(config, validation) - step  # steps
        falls = plateau_end(config, validation) is not None
        return config.learning_rate * (min(1.0, left / config.stretch) if falls else 1.0)
    progress = (step - warmup) / max(config.steps - warmup, 1)
    return config.learning_rate * (0.1 + 0.45 * (1 + math.cos(math.pi * progress)))
