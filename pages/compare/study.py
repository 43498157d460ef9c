"""Side by side: the same words, the same vectors and the same attention, once for each position method.

Notable choices:
- The sizes are those of the shipped models, so their trained parameters fit; a method that learns nothing has none.
- One mechanism for all: `add_to_embeddings` is always called, then the projections, then the traced attention. A method
  does its work in whichever of the three places it acts; no line here asks which method it is. What it adds to a score is
  measured, not taken from a formula: its score less the score without positions; -inf where it hides the key.
- A longer text is the same words again. The text itself stands for the training length, so a table of learned positions
  has as many rows as the text has words, and ends there.
- Of a long text every so many queries and keys are shown. Each cell is still the exact number of one pair: the softmax
  runs over all keys, and its log-sum is kept.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.content.synthetic import Setting, build_method, embed, project, table_source
from alibi_viz.lessons.problems import Problem
from alibi_viz.positions import PositionMethod
from alibi_viz.results import table, trained

MOST_WORDS = 64  # of a text; and of the queries and keys of a picture
TIMES = (1, 2, 4, 8, 16)  # lengths of the text; and of the training, at which models were measured
SETTING = Setting(heads=8, head_dim=16, embedding_width=64, weights="trained")
FEW_KV_HEADS = 2  # of grouped-query attention
QUERY, KEY, SHIFT = 24, 16, 16  # the pair of positions that is moved, and by how many


@dataclass(frozen=True)
class Controls:
    words: tuple[str, ...]  # of the text, 1 to MOST_WORDS
    methods: tuple[str, ...]  # keys of METHODS
    content: str  # of synthetic.CONTENTS
    head: int  # from 1
    times: int = 1  # lengths of the text
    query: int = 0  # whose whole row is computed
    grouped: bool = False  # heads share FEW_KV_HEADS keys and values
    device: str = "cpu"

    @property
    def count(self) -> int:
        """Words in all."""
        return len(self.words) * self.times

    @property
    def setting(self) -> Setting:
        return replace(SETTING, content=self.content, train_length=len(self.words), device=self.device)

    def method(self, name: str) -> PositionMethod:
        return built(name, len(self.words), self.device)[0]

    @property
    def kv_heads(self) -> int:
        return FEW_KV_HEADS if self.grouped else SETTING.heads


@dataclass(frozen=True)
class Added:
    """What one method adds to the scores of one head, and what its softmax divides by.

    Pairs are those of `Result.positions`, a row of keys up to the query after the other: P = S (S + 1) / 2 of them. A
    method whose positions end has fewer rows.
    """

    method: str
    cells: np.ndarray  # float32 [P]
    logsum: np.ndarray  # float32 [S]: log of the sum of e^score over all keys that the query attends to
    row: np.ndarray  # float32 [query + 1]: of one query, every key; empty where the method has no such position
    row_logsum: float
    problem: Problem | None  # where the method's positions end


@dataclass(frozen=True)
class Result:
    positions: np.ndarray  # int64 [S], rising: of the queries and keys that are shown
    content: np.ndarray  # float32 [P]: scores without positions
    row: np.ndarray  # float32 [query + 1]: the same of the chosen query, every key
    added: tuple[Added, ...]  # by method


@lru_cache(maxsize=32)  # 60 kB each; most readers open the same picture
@torch.inference_mode()
def compute(controls: Controls) -> Result:
    """Every method on the same words."""
    positions = sampled_positions(controls.count)
    x = embed(controls.words * controls.times, controls.setting)  # [1, T, D]
    queries = torch.from_numpy(np.append(positions, controls.query)).to(x.device)
    plain = trace(controls.method("none"), controls, x, queries)
    content = plain.content[0, 0]  # [S + 1, T]
    added = tuple(_added(name, controls, x, queries, content) for name in controls.methods)
    row = content[-1, : controls.query + 1].cpu().numpy()
    return Result(positions, below(content[:-1], positions), row, added)


def sampled_positions(count: int) -> np.ndarray:
    """At most MOST_WORDS of so many positions, a whole number apart and the last among them: so equal distances meet."""
    step = math.ceil(count / MOST_WORDS)
    return np.arange((count - 1) % step, count, step)


def below(matrix: Tensor, positions: np.ndarray) -> np.ndarray:
    """[S, T] -> float32 [P]: of each query the shown keys up to itself."""
    rows = matrix[:, torch.from_numpy(positions[: len(matrix)]).to(matrix.device)].cpu().numpy()
    return rows[np.tril_indices(len(rows))]


def trace(method: PositionMethod, controls: Controls, x: Tensor, queries: Tensor) -> Trace:
    """One attention over all words [1, T, D], of these queries and of the chosen head: H of the result is 1."""
    keys, setting = torch.arange(x.shape[1], device=x.device), controls.setting
    x_q, x_k = (method.add_to_embeddings(x[:, positions], positions) for positions in (queries, keys))
    q, k, v = project(x_q, setting, "q"), *(project(x_k, setting, name, controls.kv_heads) for name in ("k", "v"))
    return trace_attention(q, k, v, method.given(x_k).for_queries(queries), queries, keys, head=controls.head - 1)


def _added(name: str, controls: Controls, x: Tensor, queries: Tensor, content: Tensor) -> Added:
    method, count = controls.method(name), controls.count
    known = min(count, method.max_position or count)  # words that it has positions for
    inside = queries[queries < known]
    traced = trace(method, controls, x[:, :known], inside)
    scores = traced.masked[0, 0]  # [Tq, known]
    added = scores - content[queries < known, :known]  # -inf where a key is hidden
    sums, has_row = scores.logsumexp(-1).cpu().numpy(), controls.query < known
    rows = len(inside) - has_row
    positions = sampled_positions(count)[:rows]
    row = added[-1, : controls.query + 1].cpu().numpy() if has_row else np.zeros(0, np.float32)
    problem = method.no_vector(count - 1) if known < count else None
    return Added(name, below(added[:rows], positions), sums[:rows], row, float(sums[-1]) if has_row else 0.0, problem)


def weight(result: Result, added: Added, key: int) -> float:
    """That the query of the whole row gives to a key."""
    return math.exp(result.row[key] + added.row[key] - added.row_logsum)


@lru_cache(maxsize=128)
def built(name: str, rows: int = MOST_WORDS, device: str = "cpu") -> tuple[PositionMethod, trained.Loaded | None]:
    """A method, and the shipped model that its parameters come from; None: it has none, or they are at initialization.

    rows: of a table of positions.
    """
    setting = replace(SETTING, train_length=rows, device=device)
    return build_method(name, setting), table_source(name, setting)


@lru_cache(maxsize=16)
def perplexity(name: str) -> dict[int, float]:
    """Per byte in sliding windows, by the times of the training length, as far as it could be measured."""
    runs = table.losses(protocol="sliding")
    runs = runs[runs.method == name].assign(times=runs.length / runs.train_length)
    means = table.means(runs, "perplexity", "times").set_index("times")["mean"]
    return {times: float(means[times]) for times in TIMES if times in means}


@lru_cache(maxsize=32)
@torch.inference_mode()
def moved(controls: Controls) -> dict[str, tuple[float, float, float]]:
    """What each method makes of two changes: the score of the pair QUERY, KEY; of the same pair, SHIFT words later; and the
    largest change of the last word's output when the words before it are reversed.

    The pair is read in the middle of one word again and again; the reversed words are the reader's own.
    """
    one_word = replace(controls, content="equal", words=("",) * MOST_WORDS, times=1)
    own_words = replace(controls, content="same words attract", times=1)
    turned = replace(own_words, words=(*own_words.words[-2::-1], own_words.words[-1]))

    def read(name: str, chosen: Controls, query: int) -> Trace:
        x = embed(chosen.words, chosen.setting)
        return trace(chosen.method(name), chosen, x, torch.tensor([query], device=x.device))

    found, last = {}, len(controls.words) - 1
    for name in controls.methods:
        before = read(name, one_word, QUERY).masked[0, 0, 0, KEY]
        after = read(name, one_word, QUERY + SHIFT).masked[0, 0, 0, KEY + SHIFT]
        change = read(name, own_words, last).output - read(name, turned, last).output
        found[name] = float(before), float(after), float(change.abs().max())
    return found
