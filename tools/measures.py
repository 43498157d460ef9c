"""What is measured of a finished run: parts of its record, each from its weights alone.

`tools.pretrained` fills in the parts that a record lacks, and `tools.verify` measures the same parts of the shipped weights
again.

Notable choices:
- Both protocols, on the whole held-out text, for every run. What only explains a model is measured for the first seed.
- Stretched models are measured at L too: what a change gains beyond L may cost at L itself.
"""

from collections.abc import Callable
from typing import Any

from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.evaluation import recall as measure_recall
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.training import build_model, load_weights
from alibi_viz.positions import METHODS
from tools.probes import context_losses, flattened, losses_by_window, losses_without_heads

Entries = list[dict[str, Any]]
TIMES = (0.5, 1, 1.25, 1.5, 2, 4, 8, 16)  # training lengths
WINDOWS = (64, 128, 256, 512, 1024, 2048)  # bytes, for models of different training lengths
LONGER = (2, 4, 8, 16)  # training lengths that a trained model is stretched to
CONTEXTS = tuple(2**power for power in range(10))  # 1 .. 512 bytes
PREDICTIONS = 2048  # that are made from each of them
SEEN = (1, 2, 4, 8, 16, 32, 64, 128)  # keys up to this distance are seen
NEAR = (2, 8, 32, 64)  # recall: distances within the training length
SAMPLE = 24_576  # bytes of the held-out text: enough to compare one model with itself
QUARTER = 4  # a sliding window moves by so much of its length
USUAL_LENGTH = 128  # L of every set but "lengths"


def lengths(config: TrainConfig) -> list[int]:
    """Window lengths in bytes: multiples of L; the same for all where L differs."""
    if config.length != USUAL_LENGTH:
        return list(WINDOWS)
    return [int(config.length * times) for times in TIMES]


def nonoverlapping(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Loss, and loss by position, in windows that follow each other."""
    return [evaluate(model, text, length) for length in lengths(config)]


def sliding(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Loss in windows that move by a quarter of their length."""
    return [evaluate(model, text, length, length // QUARTER, positions=False) for length in lengths(config)]


def contexts(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Loss with the context cut, as far as the method can read."""
    most = model.position.max_position or CONTEXTS[-1]
    readable = [context for context in CONTEXTS if context <= most]
    losses = context_losses(model, text, readable, PREDICTIONS)
    return [{"context": context, "loss": round(loss, 5)} for context, loss in zip(readable, losses, strict=True)]


def longer(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """The model with every way that its method has to be stretched without training: beyond L, and at L itself."""
    entries: Entries = []
    for times in LONGER:
        for way, changed in stretched(model, config, times).items():
            for length in (config.length, config.length * times):
                measured = evaluate(changed, text, length, positions=False)
                entries.append({"way": way, "times": times, **measured})
    return entries


def stretched(model: DecoderLM, config: TrainConfig, times: float) -> dict[str, DecoderLM]:
    """The model for `times` its training length, by the name of the way."""
    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}
    models = {}
    for way, options in METHODS[config.method].longer_options(config.length, times).items():
        changed = build_model(TrainConfig.from_dict(config.to_dict() | {"options": dict(config.options) | options}))
        load_weights(changed, weights)
        models[way] = changed.eval()
    if config.method == "alibi":
        models["gentle half"] = flattened(model, 1 / times, gentle=True)
    return models


def without_heads(model: DecoderLM, config: TrainConfig, text: bytes) -> list[list[float]]:
    """Loss at L without each head, on a sample: a list a layer."""
    return [[round(loss, 5) for loss in layer] for layer in losses_without_heads(model, text[:SAMPLE], config.length)]


def windows(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Loss on a sample at L, and at 4 L where the method can read it: the keys behind a window hidden, and none hidden."""
    readable = [n for n in (config.length, 4 * config.length) if (model.position.max_position or n) >= n]
    return [
        {"length": length, "window": window, "loss": round(loss, 5)}
        for length in readable
        for seen in [sorted({*SEEN, length})]
        for window, loss in zip(seen, losses_by_window(model, text[:SAMPLE], length, seen), strict=True)
    ]


def recall(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Right answers and the wrong-key control, at every distance and number of pairs."""
    far = Plan(times=TIMES[1:]).windows(config)
    asked = {*far, *((distance, pairs) for distance in NEAR for _, pairs in far)}
    in_order = sorted(asked, key=lambda question: question[::-1])
    return [measure_recall(model, distance, pairs, length=config.length) for distance, pairs in in_order]


Part = Callable[[DecoderLM, TrainConfig, bytes], Any]
FOR_ALL: dict[str, tuple[Part, ...]] = {  # by set
    "text": (nonoverlapping, sliding, contexts),
    "twice": (nonoverlapping, sliding),
    "lengths": (nonoverlapping, sliding),
    "blocks": (nonoverlapping,),
    "recall": (recall,),
    "depth": (nonoverlapping, sliding, contexts),
    "live": (nonoverlapping, sliding),
}
FOR_FIRST: dict[str, tuple[Part, ...]] = {  # of the first seed, beside these
    "text": (longer, without_heads, windows),
    "blocks": (without_heads,),
    "depth": (without_heads, windows),
}


def parts(config: TrainConfig, kind: str) -> dict[str, Part]:
    """What is measured of a run of this set, by the name in its record."""
    chosen = FOR_ALL[kind] + (FOR_FIRST.get(kind, ()) if config.seed == 0 else ())
    return {part.__name__: part for part in chosen}
