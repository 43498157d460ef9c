"""What is measured of a finished run: parts of its record, each from its weights alone.

`tools.pretrained` fills in the parts that a record lacks, and `tools.verify` measures the same parts of the shipped weights
again.

Notable choices:
- Both protocols, on the whole held-out text, for every run. What only explains a model is measured for the first seed.
- Stretched models are measured at L too: what a change gains beyond L may cost at L itself.
- Nothing is trained, and no function changes the model that it gets: what is changed is a copy.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import TOKENS, block_means, evaluate
from alibi_viz.lm.evaluation import recall as measure_recall
from alibi_viz.lm.evaluation import windows as evaluated_windows
from alibi_viz.lm.model import Block, DecoderLM, windowed
from alibi_viz.lm.readings import READINGS, ReadAs, Reading, can_be_clamped, read_as
from alibi_viz.lm.training import build_model, load_weights
from alibi_viz.positions import METHODS
from alibi_viz.positions.alibi import Alibi

Entries = list[dict[str, Any]]
TIMES = (0.5, 1, 1.25, 1.5, 2, 4, 8, 16)  # training lengths
WINDOWS = (64, 128, 256, 512, 1024, 2048)  # bytes, for models of different training lengths
LONGER = (2, 4, 8, 16)  # training lengths that a trained model is stretched to
CONTEXTS = tuple(2**power for power in range(10))  # 1 .. 512 bytes
PREDICTIONS = 16_384  # that are made from each of them
IN_BLOCK = 256  # of these, as far apart as they are: about a BLOCK of the text
SEEN = (1, 2, 4, 8, 16, 32, 64, 128)  # keys up to this distance are seen
NEAR = (2, 8, 32, 64)  # recall: distances within the training length
FAR = 4  # training lengths of the windows in which far keys are hidden, and their weight is summed
LONG = 8  # training lengths of the sliding windows in which far keys are hidden
READ = (4, 8, 16)  # training lengths of the windows that are read otherwise
SPANS, SPAN = 16, 1024  # of the text, and their predictions: PREDICTIONS together
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


@torch.inference_mode()
def contexts(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Loss of the same predictions from the last 1, 2, ... bytes alone, as far as the method can read: how far back the
    model really looks. They are spread evenly over the text, and each has the longest context before it.
    """
    readable = [context for context in CONTEXTS if context <= (model.position.max_position or CONTEXTS[-1])]
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()
    targets = torch.linspace(readable[-1], len(text) - 1, PREDICTIONS, dtype=torch.float64).long()
    entries: Entries = []
    for context in readable:
        losses = []
        for part in targets.split(max(1, TOKENS // context)):
            rows, caches = data[part[:, None] + torch.arange(-context, 0)], [KVCache() for _ in model.blocks]
            if context > 1:
                model.read(rows[:, :-1], caches)
            logits = model(rows[:, -1:], caches=caches)[:, -1]
            losses.append(F.cross_entropy(logits, data[part], reduction="none").double())
        every = torch.cat(losses)
        measured = {"loss": round(float(every.mean()), 5), "by_block": block_means(every, IN_BLOCK)}
        entries.append({"context": context, "predictions": PREDICTIONS, **measured})
    return entries


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
        changed = build_model(replace(config, options=tuple((dict(config.options) | options).items())))
        load_weights(changed, weights)
        models[way] = changed.eval()
    flatter = copy.deepcopy(model)
    if isinstance(flatter.position, Alibi):  # flatter slopes for the half of the heads that sees the farthest
        slopes = flatter.position.past
        flatter.position.past = torch.where(slopes <= slopes.median(), slopes / times, slopes)
        models["gentle half"] = flatter
    return models


def without_heads(model: DecoderLM, config: TrainConfig, text: bytes) -> list[list[float]]:
    """Loss at L without each head: a list a layer.

    A head is left out by zeros where the output projection reads it: the others stay as they are.
    """
    changed, losses = copy.deepcopy(model), []
    for block in changed.blocks:
        assert isinstance(block, Block)
        weight = block.attention.to_out.weight
        whole, of_layer = weight.detach().clone(), list[float]()
        for columns in torch.arange(weight.shape[1]).split(model.position.head_dim):
            weight.data[:, columns] = 0
            of_layer.append(round(evaluate(changed, text, config.length)["loss"], 5))
            weight.data.copy_(whole)
        losses.append(of_layer)
    return losses


def windows(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Loss at L, and at FAR times L where the method can read it: the keys behind a window hidden, and none hidden."""
    entries: Entries = []
    for length in (config.length, FAR * config.length):
        for window in sorted({*SEEN, length}) if (model.position.max_position or length) >= length else ():
            loss = evaluate(windowed(model, window), text, length)["loss"]
            entries.append({"length": length, "window": window, "loss": round(loss, 5)})
    return entries


def near_keys(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Loss in sliding windows of LONG times L, the keys farther than L hidden in every layer; with all keys it is that of
    `sliding`. Empty where the method cannot read them."""
    length = LONG * config.length
    if (model.position.max_position or length) < length:
        return []
    measured = evaluate(windowed(model, config.length), text, length, length // QUARTER, positions=False)
    return [{"window": config.length, **measured}]


@torch.inference_mode()
def weights_beyond(model: DecoderLM, config: TrainConfig, text: bytes) -> list[list[float]]:
    """Share of a query's weight on the keys that `windows` hides, those farther than L: by layer and head, the mean over
    all queries that have such keys, in nonoverlapping windows of FAR times L. Empty where the method cannot read them.
    """
    length = FAR * config.length
    if (model.position.max_position or length) < length:
        return []
    data, place = torch.frombuffer(bytearray(text), dtype=torch.uint8).long(), torch.arange(length)
    is_far = place[:, None] - place > config.length  # [T, T]
    sums, count = torch.zeros(len(model.blocks), model.position.heads, dtype=torch.float64), 0
    for begin, end, _ in evaluated_windows(len(text) - 1, length, length):
        stages, _ = model.trace(data[None, begin:end])
        tokens = end - begin
        for layer, stage in enumerate(stages):
            sums[layer] += (stage.weights[0] * is_far[:tokens, :tokens]).double().sum((1, 2))
        count += max(tokens - config.length - 1, 0)
    return [[round(share, 5) for share in of_layer] for of_layer in (sums / count).tolist()]


@torch.inference_mode()
def readings(model: DecoderLM, config: TrainConfig, text: bytes, times: Sequence[int] = READ) -> Entries:
    """Loss of the same predictions, read otherwise (`lm.readings`): those of the second half of each window, of `times` L
    and of L itself. A clamped reading that changes nothing has no loss, but says the "same"; where the method has no
    distance, or cannot read so far, there is no entry.
    """
    length, data = config.length, torch.frombuffer(bytearray(text), dtype=torch.uint8).long()
    if model.position.max_position is not None:
        return []
    probe = data[None, : 2 * length]
    clamps = can_be_clamped(model.position)
    same = clamps and torch.equal(*(read_as(model, way, length)(probe) for way in ("all", "clamped")))
    entries: Entries = []
    for n, reading in ((1, READINGS[0]), *((n, reading) for n in times for reading in READINGS)):
        entry = {"reading": reading, "length": n * length}
        if "clamped" in reading and same:
            entries.append(entry | {"same": True})
        elif clamps or "clamped" not in reading:
            losses = _second_halves(read_as(model, reading, length), data, n * length)
            entries.append(entry | {"loss": round(float(losses.mean()), 5), "by_block": block_means(losses, SPAN)})
    return entries


def _second_halves(model: DecoderLM, data: Tensor, length: int) -> Tensor:
    """Losses float64 [PREDICTIONS], in the order of the text, with at least half of `length` bytes before each: of spans
    that are spread evenly over the text, the same ones for every length."""
    longest, half = USUAL_LENGTH * max(READ), length // 2
    spans = torch.linspace(longest // 2, len(data) - 1 - SPAN, SPANS, dtype=torch.float64).long()
    begins = (spans[:, None] + torch.arange(0, SPAN, half) - half).flatten()
    losses = []
    for part in begins.split(max(1, longest // length)):
        rows = data[part[:, None] + torch.arange(length + 1)]
        logits = model(rows[:, :-1])[:, half:]
        losses.append(F.cross_entropy(logits.flatten(0, 1), rows[:, half + 1 :].flatten(), reduction="none").double())
    return torch.cat(losses)


@torch.inference_mode()
def entropy(model: DecoderLM, config: TrainConfig, text: bytes, reading: Reading) -> float:
    """Of the last layer's weights, in nats: the mean over its heads and the second half of windows of LONG times L."""
    length, read = LONG * config.length, read_as(model, reading, config.length)
    data, block = torch.frombuffer(bytearray(text), dtype=torch.uint8).long(), read.blocks[-1]
    assert isinstance(block, Block)
    assert isinstance(block.attention, ReadAs)
    means = []
    for begin in torch.linspace(0, len(data) - length, SPANS, dtype=torch.float64).long():
        x = read.before(data[None, begin : begin + length], len(read.blocks) - 1)
        parts = block.attention.weights(block.attention_norm(x))
        means.append(
            torch.cat([torch.special.entr(part).sum(-1) for part, _ in parts], dim=-1)[..., length // 2 :].mean()
        )
    return round(float(torch.stack(means).mean()), 4)


def recall(model: DecoderLM, config: TrainConfig, text: bytes) -> Entries:
    """Right answers and the wrong-key control, at every distance and number of pairs."""
    far = Plan(times=TIMES[1:]).windows(config)
    requested = {*far, *((distance, pairs) for distance in NEAR for _, pairs in far)}
    in_order = sorted(requested, key=lambda question: question[::-1])
    return [measure_recall(model, distance, pairs, length=config.length) for distance, pairs in in_order]


Part = Callable[[DecoderLM, TrainConfig, bytes], Any]
OF_SET: dict[str, tuple[Part, ...]] = {  # by set
    "text": (nonoverlapping, sliding),
    "twice": (nonoverlapping, sliding),
    "lengths": (nonoverlapping, sliding),
    "blocks": (nonoverlapping,),
    "recall": (recall,),
    "depth": (nonoverlapping, sliding),
    "live": (nonoverlapping, sliding),
    "zh": (sliding, near_keys),
    "ja": (sliding, near_keys),
}
OF_FIRST: tuple[Part, ...] = (
    contexts,
    longer,
    without_heads,
    windows,
    near_keys,
    weights_beyond,
)  # of "text", the first seed, beside these


def parts(config: TrainConfig, kind: str) -> dict[str, Part]:
    """What is measured of a run of this set, by the name in its record."""
    chosen = OF_SET[kind] + (OF_FIRST if kind == "text" and config.seed == 0 else ())
    return {part.__name__: part for part in chosen}
