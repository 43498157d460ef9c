"""The playground: one sentence through one attention with ALiBi's bias, in PyTorch, and the measured models beside it.

Notable choices:
- The content is “same words attract” of `alibi_viz.content.synthetic`: random word vectors of one length, so that every
  word matches itself best.
- Heads share queries and keys: what differs between them is the slope alone. One more head without a slope has the
  weights that there would be without ALiBi.
- The text is pulled longer by its own words in front, so that its last word stays the last.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.content.synthetic import ATTRACTION
from alibi_viz.content.words import SPREAD, directions, last_word
from alibi_viz.pictures.playground.message import MOST_WORDS
from alibi_viz.positions.alibi import Alibi
from alibi_viz.rules import slopes

COUNTS = (1, 2, 4, 8, 16)  # of heads
GENTLEST, STEEPEST = 1 / 1024, 2.0  # slopes that a hand can set
TIMES = 16.0  # the text is pulled to at most so many times its length
HEAD_DIM = SPREAD
WHOLE = 128  # words: of a text up to this length every pair is computed


@dataclass(frozen=True)
class Controls:
    words: tuple[str, ...]  # of the text, 1 to MOST_WORDS
    heads: int  # one of COUNTS
    head: int  # from 1
    strength: float
    own: tuple[tuple[int, float], ...]  # head, and its slope that is not the rule's
    back: int  # words after the query
    ratio: float  # lengths of the text

    @property
    def count(self) -> int:
        """Words in all; a half is rounded up, as the browser does."""
        return min(max(math.floor(len(self.words) * self.ratio + 0.5), len(self.words)), MOST_WORDS)

    @property
    def query(self) -> int:
        """Its position, from 0."""
        return max(0, self.count - 1 - self.back)

    @property
    def order(self) -> list[int]:
        """Which word of the text stands at each position."""
        length = len(self.words)
        return [length - 1 - (self.count - 1 - i) % length for i in range(self.count)]

    @property
    def slopes(self) -> list[float]:
        """One a head, without strength."""
        return [dict(self.own).get(head, slope) for head, slope in enumerate(slopes(self.heads), start=1)]


@dataclass(frozen=True)
class Result:
    rows: np.ndarray  # float32 [H, query + 1]: weights of the query in every head
    plain: np.ndarray  # float32 [query + 1]: without ALiBi
    matrix: np.ndarray | None  # float32 [T, T]: weights of the chosen head, every query; None for a long text


@lru_cache(maxsize=16)  # most readers open the same picture
@torch.inference_mode()
def compute(controls: Controls) -> Result:
    """Each stage that the picture shows, by one traced attention."""
    ids, table = content(controls.words)
    count, query, heads = controls.count, controls.query, controls.heads + 1
    x = torch.from_numpy(table)[[ids[word] for word in controls.order]].expand(1, heads, -1, -1)  # [1, H + 1, T, d]
    position = Alibi(heads, HEAD_DIM, HEAD_DIM * heads, slopes=[*controls.slopes, 0.0], strength=controls.strength)
    keys = torch.arange(count)
    queries = keys if count <= WHOLE else keys[query : query + 1]
    weights = trace_attention(x[:, :, queries], x, x, position, queries, keys).weights[0].numpy()  # [H + 1, Tq, T]
    rows = weights[:, query if count <= WHOLE else 0, : query + 1]
    return Result(rows[:-1], rows[-1], weights[controls.head - 1] if count <= WHOLE else None)


@lru_cache(maxsize=32)
def content(words: tuple[str, ...]) -> tuple[list[int], np.ndarray]:
    """The number of each word among the distinct ones (capitals do not count), and a vector for each: float32 [U, d].

    q.k / sqrt(d) of a word with itself is ATTRACTION, and less with any other.
    """
    lowered = [word.lower() for word in words]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(lowered))}
    scaled = directions(list(numbers), HEAD_DIM) * np.float32(np.sqrt(ATTRACTION * np.sqrt(HEAD_DIM)))
    return [numbers[word] for word in lowered], scaled


def closing(words: tuple[str, ...]) -> int:
    """How many signs close the text after its last word, which is the first query."""
    return len(words) - 1 - last_word(words)


def nearest_count(heads: int) -> int:
    """Of the numbers of heads that can be shown the nearest, by ratio."""
    return min(COUNTS, key=lambda count: (abs(math.log2(count / heads)), -count))
