"""A slope that every word chooses: the gates of the trained FoX model over a text, as stairs; and its relatives.

Notable choices:
- The model reads bytes, each with a gate f in every head. A word's step is the sum of -ln f over its bytes and the blank
  before it, so a word that stands d words before the query loses the steps of the d words after it.
- A hand changes the steps between words. What the bytes of one word lose of each other, and what q.k gives them, stays as
  trained, under ALiBi's stairs too: the weight of a word is the sum of those of its bytes.
- The query is the last byte of the text's last word.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.inputs import AttentionInputs
from alibi_viz.content.words import last_word, words_with_blanks
from alibi_viz.positions.forgetting import Forgetting
from alibi_viz.positions.inkling import Inkling
from alibi_viz.results import pretrained, table, trained

MODEL = "forgetting"
LAYERS, HEADS = 2, 8  # of it
MOST_WORDS, MOST_BYTES = 24, 480  # of a text
FAR = 16  # training lengths
REPEATED = 192  # bytes: the words again and again, until a window of L/2 hides some


@dataclass(frozen=True)
class Text:
    """The words of a text, and its bytes: the first word's, the second one's with the blank before it, and so on."""

    words: tuple[str, ...]
    parts: tuple[bytes, ...]

    @property
    def query(self) -> int:
        return last_word(self.words)

    @property
    def read(self) -> bytes:
        """Up to the query's last byte."""
        return b"".join(self.parts[: self.query + 1])

    @property
    def ends(self) -> list[int]:
        """The byte after each word up to the query."""
        return np.cumsum([len(part) for part in self.parts[: self.query + 1]]).tolist()


@lru_cache(maxsize=64)
def text_of(sentence: str) -> Text:
    """As many words as are shown."""
    whole = sentence.strip().encode()
    found = words_with_blanks(whole[:MOST_BYTES].decode(errors="ignore"))[:MOST_WORDS]
    return Text(tuple(word for word, _ in found), tuple(part.encode() for _, part in found))


@dataclass(frozen=True)
class Heads:
    """All heads of the model over a text of T bytes and W words up to the query, layer after layer: float64."""

    gates: Tensor  # [N, T] -ln f of each byte
    steps: Tensor  # [N, W] the sum of a word's gates
    match: Tensor  # [N, W] log of a word's weight, but for a constant, before it loses anything to those after it


def weights(match: Tensor, steps: Tensor) -> Tensor:
    """Of the query on each word: match and steps [..., W] -> [..., W]. A word loses the steps of the words after it."""
    return (match - (steps.sum(-1, keepdim=True) - steps.cumsum(-1))).softmax(-1)


@lru_cache(maxsize=32)  # 100 kB each
@torch.inference_mode()
def heads_of(text: Text) -> Heads:
    """What the model makes of a text."""
    lengths = [len(part) for part in text.parts[: text.query + 1]]
    gates, steps, match = list[Tensor](), list[Tensor](), list[Tensor]()
    for layer in layers_of(MODEL, text.read):
        assert isinstance(layer.method, Forgetting)
        sums = layer.method.sums()[0]  # [H, T]
        gates.append(-torch.diff(sums, prepend=torch.zeros(len(sums), 1, dtype=torch.float64)))
        scores = layer.trace(layer.positions[-1:]).content[0, :, 0].double()  # of the query
        words = list(zip(*(values.split(lengths, 1) for values in (gates[-1], sums, scores)), strict=True))
        steps.append(torch.stack([gate.sum(1) for gate, _, _ in words], 1))
        # Within a word a byte loses the gates of those after it.
        match.append(torch.stack([(q_k + c[:, -1:] - c).logsumexp(1) for _, c, q_k in words], 1))
    return Heads(torch.cat(gates), torch.cat(steps), torch.cat(match))


def layers_of(method: str, text: bytes) -> list[AttentionInputs]:
    """What each layer of a shipped model works on."""
    loaded = trained.load(method)
    assert loaded is not None  # is_shipped
    return [trained.inputs(loaded, text, layer) for layer in range(1, loaded.config.layers + 1)]


def is_shipped(method: str) -> bool:
    return method in pretrained.METHODS and trained.load(method) is not None


@dataclass(frozen=True)
class Controls:
    text: Text
    layer: int  # from 1
    head: int  # from 1
    stairs: str  # "fox" or "alibi"
    alibi_step: float
    moved: tuple[tuple[int, float], ...]  # a word's place from 1, and its step that is not the model's


@dataclass(frozen=True)
class Result:
    heads: Heads
    steps: np.ndarray  # float64 [W]: of the chosen head, as chosen
    weights: np.ndarray  # float64 [W]

    @property
    def between(self) -> np.ndarray:
        """The steps that take something from a word before; of a single word its own."""
        return self.steps[1:] if len(self.steps) > 1 else self.steps

    @property
    def tallest(self) -> int:
        """The word with the largest step of those between words."""
        return int(self.between.argmax()) + len(self.steps) - len(self.between)


@lru_cache(maxsize=32)
@torch.inference_mode()
def compute(controls: Controls) -> Result:
    """The stairs, and the weights that they leave."""
    heads = heads_of(controls.text)
    at = (controls.layer - 1) * HEADS + controls.head - 1
    steps = heads.steps[at].clone()
    if controls.stairs == "alibi":
        steps.fill_(controls.alibi_step)
    else:
        for place, step in controls.moved:
            steps[place - 1] = step
    return Result(heads, steps.numpy(), weights(heads.match[at], steps).numpy())


@lru_cache(maxsize=1)
def perplexities() -> dict[str, tuple[float, float, int]]:
    """Of each shipped heir, and of ALiBi and RoPE: per byte at L and at FAR L, in sliding windows; and the seeds."""
    runs = table.losses(protocol="sliding")
    runs = runs[runs.method.isin(["alibi", "rope", *pretrained.HEIRS])]
    near, far = (table.at(runs[runs.length == times * runs.train_length]) for times in (1, FAR))
    seeds = runs.groupby("method", observed=True).seed.nunique()
    return {method: (near[method], far[method], int(seeds[method])) for method in near}


@torch.inference_mode()
def profiles(text: Text, layer: int, head: int) -> np.ndarray:
    """Inkling's, each times how much of it the query takes: float32 [d_rel, distances in bytes]. Their sum is its bias."""
    method = layers_of("inkling", text.read)[layer - 1].method
    assert isinstance(method, Inkling)
    assert method.states is not None
    taken: np.ndarray = (method.states[0, head - 1, -1, :, None] * method.proj).numpy()
    return taken


def window() -> int:
    """Bytes back that the hybrid's layers with RoPE see."""
    return trained.shipped("hybrid").position.window or 0


def repeated(text: Text) -> bytes:
    """The words again and again."""
    return b" ".join([text.read] * (REPEATED // len(text.read) + 1))[:REPEATED]


@torch.inference_mode()
def near_and_far(text: Text) -> list[np.ndarray]:
    """Weights of every byte of the repeated words on those before it, the mean of the heads, by layer: float32 [T, T], -inf
    where a key is hidden."""
    traces = [layer.trace() for layer in layers_of("hybrid", repeated(text))]
    return [trace.weights[0].mean(0).masked_fill(trace.masked[0, 0].isinf(), -math.inf).numpy() for trace in traces]
