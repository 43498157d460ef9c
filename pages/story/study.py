"""What the story computes and looks up.

Notable choices:
- Steps 1 to 4 use one head, “same words attract” of the playground: what they show of attention without positions holds for
  any weights, since no term of it depends on a place.
- Measured steps read the shipped models on held-out text. Perplexities are per byte, in sliding windows, means of the
  seeds (`table.means`). Where far keys are hidden it is the first seed, whose weights are shipped.
- In the last step contexts are truly cut: a prediction from the last N bytes alone.
"""

import math
import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.content.synthetic import ATTRACTION
from alibi_viz.content.words import SPREAD, directions
from alibi_viz.lm.words import as_rows
from alibi_viz.pictures.story.message import Written
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.rotary import inv_freq
from alibi_viz.results import pretrained, table, writing

FEWEST = 2  # words of a sentence
HEADS = 8  # as in the shipped models
DIAL_WIDTH = 16  # numbers of a head of those models: eight dials of RoPE
DIALS = (0, 2, 4)  # that are drawn
_DRAWN = r"\d\d?\.\d\d(?:,\d\d?\.\d\d){7}"  # a line: perplexities at eight places
LONG = 8  # training lengths of the windows in which far keys are hidden, and of the texts


def read_order(text: str, count: int) -> tuple[int, ...]:
    """The places that an address names, “1,0,2”; the sentence's own order where they are not those of `count` words."""
    try:
        order = tuple(map(int, text.split(",")))
    except ValueError:
        order = ()
    return order if sorted(order) == list(range(count)) else tuple(range(count))


def read_guess(text: str) -> str:
    """Both lines that a reader has drawn in step 6, as an address has them: perplexities; "" where it has none.

    A line that is not drawn has empty places.
    """
    return text if re.fullmatch(rf"({_DRAWN}|,{{7}}),({_DRAWN}|,{{7}})", text) else ""


@torch.no_grad()
def attention(sentence: Sequence[str], order: Sequence[int], slope: float, *, causal: bool) -> np.ndarray:
    """Weights of one head over the sentence in this order: float32 [T, T].

    A row and a column a word in the sentence's own order. Without a mask ALiBi is symmetric, since its causal form rewards
    later keys.
    """
    x = torch.from_numpy(directions([sentence[word] for word in order], SPREAD))[None, None]
    x = x * math.sqrt(ATTRACTION * math.sqrt(SPREAD))
    method = Alibi(1, SPREAD, SPREAD, slopes=[slope], form="causal" if causal else "symmetric")
    positions = torch.arange(len(sentence))
    trace = trace_attention(x, x, x, method, positions, positions, causal=causal)
    places = np.argsort(order)  # the place of each word
    weights: np.ndarray = trace.weights[0, 0].numpy()[np.ix_(places, places)]
    return weights


def thetas() -> list[float]:
    """Angles a token of the dials that are drawn."""
    return [float(inv_freq(DIAL_WIDTH)[dial]) for dial in DIALS]


def language_of_models(reader: str) -> str:
    """The language that the models of steps 7 and 8 write: the reader's, if all of its models are shipped; else English."""
    is_whole = reader in writing.LANGUAGES and {*pretrained.WRITERS} <= {*pretrained.METHODS_OF[reader]}
    return reader if is_whole else "en"


def readings(method: str, language: str = "en") -> tuple[float, float, float]:
    """Perplexity of a writer, first seed, in the second half of windows of LONG times L: with all keys, with those farther
    than L - 1 hidden, and with distances clamped (`lm.readings`)."""
    entries, length = table.readings_of(pretrained.model_name(method, language)), LONG * table.train_length()
    losses = {entry["reading"]: entry["loss"] for entry in entries if entry["length"] == length}
    return math.exp(losses["all"]), math.exp(losses["near"]), math.exp(losses["clamped"])


def control(language: str = "en") -> float:
    """Perplexity of sinusoidal positions, first seed, in sliding windows of LONG times L with the far keys hidden."""
    (near,) = pretrained.load("sinusoidal", pretrained.SEEDS[0], pretrained.OF_LANGUAGE[language])["near_keys"]
    return math.exp(near["loss"])


@cache
def written(method: str, seed: int, language: str = "en") -> Written:
    """What a writer wrote with this seed, with all keys and with the near ones."""
    file = writing.shipped(language)
    at = file.seeds.index(seed)
    text, near = (_counted(file.prompt, texts[method][at], language) for texts in (file.texts, file.near_texts))
    return Written(method, *text, *near, *readings(method, language))


def _counted(prompt: bytes, new: bytes, language: str) -> tuple[np.ndarray, np.ndarray]:
    """The whole text, uint8; and its words: first byte, byte after, known."""
    text = prompt + new
    found = writing.words(text, len(prompt), language)
    return np.frombuffer(text, dtype=np.uint8), as_rows(found)
