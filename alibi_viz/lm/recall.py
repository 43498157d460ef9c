"""Associative recall: a synthetic task that asks a model for the value of one key among several (MQAR, Arora et al. 2023).

A sequence holds several pairs, an upper-case key and its digit, among random small letters. Then a key comes again, and
the model must predict its digit. Keys and digits of a sequence are all different:

    tkM4wbzK7qfhJ1nd...ycaK -> 7, here with three pairs

`distance` is that from the key in its pair to the question. Only answers count, in training and in the measures.

Notable choices:
- Several pairs, so the model must compare keys: of one pair models answered right at any trained distance, and named the
  same digit when another key was asked.
- Which of the pairs is asked is random: where far questions asked for the first pair always, a model that had not learned
  the task was right there (without positions and with 8 pairs, 0.38 at 2 bytes and 1.00 at 2,047).
- A curriculum (STAGES), for two layers need two parts that help only together: a digit that carries its key, and a
  question that looks for that key. Short sequences come first, of two pairs and then questions alone. The bytes a step
  stay the same.
- What failed, all with 4 heads: without a curriculum models named any of the digits so far (ALiBi and RoPE at L = 128 with
  two to four or eight pairs, 1,500 steps, learning rates 2e-3 and 5e-3; ALiBi at L = 32 with four pairs, also with 8 keys,
  with 1e-2). So they did from 16 bytes on with two to four pairs from the start, or with questions among the pairs there.
  With two to four pairs in each later batch, ALiBi told the first pair from the others alone (at distance 2: 0.70 right).
- With it (2,000 steps, 3e-3, one seed, four pairs, trained distances): RoPE 1.00 right, ALiBi 0.95 to 1.00. Sinusoidal
  positions did not learn it (0.15 to 0.23); at 750 of 3,000 steps they were not past two pairs of 16 bytes either.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

LETTERS, FIRST_LETTER = 26, ord("a")
KEYS, FIRST_KEY = 26, ord("A")
DIGITS, FIRST_DIGIT = 10, ord("0")
NEAREST = 2  # the smallest distance: the question follows its pair at once
FEWEST, MOST = 2, 8  # pairs in a sequence
ASKED = 40  # questions in a training sequence, at most
SHORTEST = 16  # bytes of a sequence in the curriculum
STAGES = ((0.25, 8, 2), (0.35, 8, 3), (0.5, 4, MOST), (0.65, 2, MOST), (2, 1, MOST))  # end, part of L, most pairs
IGNORED = -100


@dataclass(frozen=True)
class Questions:
    """Sequences that ask for one pair each, at one distance. Tensors are int64."""

    text: Tensor  # [rows, T] the last byte is the asked key
    digits: Tensor  # [rows, pairs] digits of the pairs, in any order; pair 0 is the asked one
    other: Tensor  # [rows] the key of pair 1, to ask instead
    nearest: Tensor  # [rows] index of the pair nearest to the question


def farthest(length: int, pairs: int = 1) -> int:
    """Largest distance, key to question, in `length` bytes: all the other pairs still have room before the asked one."""
    return length - 1 - 2 * (pairs - 1)


def sequence_length(distance: int, pairs: int) -> int:
    """Bytes of the shortest sequence that a question is asked in: `distance` is the farthest in it."""
    return distance + 1 + 2 * (pairs - 1)


def shortest(pairs: int) -> int:
    """Bytes of a sequence that can hold a question at any distance among so many pairs."""
    return 2 * pairs + 3


def stage(length: int, pairs: int, progress: float) -> tuple[int, int, bool]:
    """Bytes of a sequence, its pairs and whether they all come first, at this share of the training."""
    part, most = next(values for end, *values in STAGES if progress < end)
    pairs = min(pairs, most)
    return min(length, max(length // part, SHORTEST, shortest(pairs))), pairs, part == 8


def recall_batch(
    rows: int, length: int, pairs: int, generator: torch.Generator, *, distance: int = 0, pairs_first: bool = False
) -> tuple[Tensor, Tensor]:
    """Sequences to train on: inputs and targets, int64 [rows, length] each; targets that do not count are -100.

    distance: the farthest; 0: as far as the length allows; fewer pairs where they would not fit. pairs_first: else
    questions for the pairs so far stand among them too.
    """
    most = farthest(length)
    span = min(max(distance, NEAREST) if distance else most, most) + 1  # pairs and questions are within so many bytes
    pairs = min(pairs, (span - 1) // 2)
    items = pairs + min(span - 2 * pairs, ASKED)
    order = torch.rand(rows, items, generator=generator)
    order[:, : pairs if pairs_first else 1] = 2.0  # in any case a pair comes first
    is_pair = torch.zeros(rows, items, dtype=torch.bool).scatter(1, order.topk(pairs).indices, True)
    seen = is_pair.long().cumsum(-1)  # pairs so far
    requested = (torch.rand(rows, items, generator=generator) * seen).long()
    which = torch.where(is_pair, seen - 1, requested)  # the pair that each item is, or asks for
    free = length - span
    offset = (torch.rand(rows, 1, generator=generator) * (free + 1)).long()
    place = offset + _distinct(rows, items, span - pairs, generator).sort(-1).values + seen - is_pair.long()
    text, keys, digits = _sequences(rows, length, pairs, generator)
    answers = digits.gather(1, which)
    row = torch.arange(rows)[:, None].expand_as(place)
    text[row, place] = keys.gather(1, which)
    text[row[is_pair], place[is_pair] + 1] = answers[is_pair]
    targets = torch.full((rows, length), IGNORED)
    targets[row[~is_pair], place[~is_pair]] = answers[~is_pair]
    return text, targets


def recall_questions(rows: int, distance: int, pairs: int, generator: torch.Generator, *, length: int = 0) -> Questions:
    """Questions at one distance, in sequences of `length` bytes, or of `sequence_length` where that is more.

    The rank of the asked pair is random: as many of the other pairs stand before it, from none to all of them. All ranks
    are equally likely; near the question only those for which the rest has room after the asked pair. Where the pairs
    stand on either side is random too.
    """
    length = max(length, sequence_length(distance, pairs))
    before, between = length - 1 - distance, distance - NEAREST  # bytes on either side of the asked pair
    text, keys, digits = _sequences(rows, length, pairs, generator)
    place = torch.full((rows, pairs), before)
    least = max(0, pairs - 1 - between // 2)
    ranks = least + (torch.rand(rows, generator=generator) * (pairs - least)).long()
    for rank in range(least, pairs):
        (same,) = torch.where(ranks == rank)
        sides = ((rank, before, 0), (pairs - 1 - rank, between, before + NEAREST))
        others = torch.cat([start + _apart(len(same), count, size, generator) for count, size, start in sides], dim=1)
        place[same, 1:] = others.gather(1, _distinct(len(same), pairs - 1, pairs - 1, generator))
    row = torch.arange(rows)[:, None]
    text[row, place], text[row, place + 1] = keys, digits
    text[:, -1] = keys[:, 0]
    return Questions(text, digits, keys[:, 1], place.argmax(-1))


def _sequences(rows: int, length: int, pairs: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Random letters [rows, length]; different keys and different digits, [rows, pairs] each."""
    text = torch.randint(LETTERS, (rows, length), generator=generator) + FIRST_LETTER
    keys = _distinct(rows, pairs, KEYS, generator) + FIRST_KEY
    return text, keys, _distinct(rows, pairs, DIGITS, generator) + FIRST_DIGIT


def _apart(rows: int, count: int, size: int, generator: torch.Generator) -> Tensor:
    """Places in `size` bytes of so many pairs, two bytes each, none upon another: int64 [rows, count]."""
    place = _distinct(rows, count, size - count, generator)
    return place + (place[:, :, None] > place[:, None, :]).sum(-1)  # room for each pair's digit


def _distinct(rows: int, count: int, below: int, generator: torch.Generator) -> Tensor:
    """`count` different whole numbers from 0 to below - 1 in every row, in any order: int64 [rows, count]."""
    return torch.rand(rows, below, generator=generator).argsort(-1)[:, :count]
