"""Text from the shipped models of both blocks: with the cache, from full passes, and the time of a token.

Notable choices:
- The most likely byte is taken each time, so that both ways have to give the same text.
- Times are medians over a few rounds in which all cases take turns: what else the machine does falls on all alike.
"""

import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.device import pick
from alibi_viz.files import read_weights
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.training import trained_model
from alibi_viz.results import pretrained
from pages.use.study import BLOCKS, Controls, study

WRITTEN = 60  # bytes
LENGTHS = (64, 128, 256, 512, 1024)  # bytes before the one that is timed
ROUNDS = 15
_alone = threading.Lock()  # two readers do not measure each other


@dataclass(frozen=True)
class Text:
    """What a model wrote after a prompt."""

    cached: bytes
    full: bytes  # the same without a cache
    difference: float  # largest of a logit, between the two ways
    scale: float  # largest logit


@dataclass(frozen=True)
class Times:
    """Milliseconds of one more token, float64 [lengths] each, by method."""

    lengths: np.ndarray
    cached: dict[str, np.ndarray]
    full: dict[str, np.ndarray]
    device: str
    threads: int


@lru_cache(maxsize=1)
def models() -> dict[str, DecoderLM]:
    """The shipped model of each block. Raises ValueError, in one sentence, where one is missing or damaged."""
    first = {v.key: v.config for v in study(Controls("steps")).variants if v.key in BLOCKS}
    try:
        return {method: _model(method, config) for method, config in first.items()}
    except (OSError, ValueError):
        raise ValueError("The shipped models of these blocks are missing or damaged.") from None


def _model(method: str, config: TrainConfig) -> DecoderLM:
    weights = read_weights(pretrained.weights_path(method, "blocks", config.heads), config.largest_file)
    return trained_model(config, weights).requires_grad_(False)


@lru_cache(maxsize=64)
@torch.no_grad()
def write(method: str, prompt: bytes) -> Text:
    """WRITTEN bytes after the prompt, token by token, with the cache and from full passes."""
    if not prompt:
        raise ValueError("The prompt is empty. Write a few words.")
    model = models()[method]
    caches = [KVCache.empty() for _ in model.blocks]
    tokens = torch.tensor([list(prompt)])
    cached, full, difference, scale = tokens, tokens, 0.0, 0.0
    new = tokens
    for _ in range(WRITTEN):
        step, whole = model(new, caches=caches)[:, -1], model(full)[:, -1]
        difference, scale = max(difference, float((step - whole).abs().max())), max(scale, float(whole.abs().max()))
        new = step.argmax(-1, keepdim=True)
        cached, full = torch.cat((cached, new), 1), torch.cat((full, whole.argmax(-1, keepdim=True)), 1)
    return Text(_bytes(cached, prompt), _bytes(full, prompt), difference, scale)


def _bytes(tokens: Tensor, prompt: bytes) -> bytes:
    return bytes(tokens[0, len(prompt) :].tolist())


@lru_cache(maxsize=1)
@torch.no_grad()
def times() -> Times:
    """Milliseconds of one more token on this machine. Measured once; `times.cache_clear()` lets it be measured again."""
    with _alone:
        cases: dict[tuple[str, str, int], Callable[[], object]] = {}
        for method, model in models().items():
            for length in LENGTHS:
                tokens = torch.arange(length + 1)[None] % 256
                caches = [KVCache.empty() for _ in model.blocks]
                model(tokens[:, :-1], caches=caches)
                cases["cached", method, length] = _step(model, tokens[:, -1:], caches)
                cases["full", method, length] = lambda model=model, tokens=tokens: model(tokens)  # type: ignore[misc]
        seconds: dict[tuple[str, str, int], list[float]] = {case: [] for case in cases}
        for _ in range(1 + ROUNDS):  # the first warms up
            for case, run in cases.items():
                began = time.perf_counter()
                run()
                seconds[case].append(time.perf_counter() - began)
    medians = {case: 1000 * statistics.median(values[1:]) for case, values in seconds.items()}
    by_way = {
        way: {method: np.array([medians[way, method, length] for length in LENGTHS]) for method in models()}
        for way in ("cached", "full")
    }
    return Times(np.array(LENGTHS), by_way["cached"], by_way["full"], pick("cpu").label, torch.get_num_threads())


def _step(model: DecoderLM, token: Tensor, caches: list[KVCache]) -> Callable[[], object]:
    """One more token; the caches stay as they are, so that every round finds the same length."""
    return lambda: model(token, caches=[KVCache(cache.keys, cache.values) for cache in caches])
