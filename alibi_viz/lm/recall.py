"""Recall: a made-up task that asks whether a model still finds what stood far away.

A sequence is filled with random small letters. A pair, an upper-case key and its digit, stands somewhere; `distance`
bytes after the key the same key comes again, and the model must name the digit:

    qhzpK7wnbsktfmvcyxaerjuK7dlgo

Only the digit after a repeated key counts, in training and in the score; chance is one in ten. Nothing but the pair
itself tells the digit, so whoever answers has looked that far back.

Notable choices:
- One pair a sequence, so the key need only be noticed, not compared with others. With four pairs, two layers of width 64
  do not learn the comparison in 800 steps (ALiBi, L = 64: right in 0.24 to 0.43 of the answers beyond the nearest): the
  task was made easier, and what it shows is that a far byte is found, not that keys are told apart.
- Letters, not dots, fill the rest: between dots the three methods tried (ALiBi, RoPE, sinusoidal) find the digit at any
  distance up to 255, since nothing else stands out; the weight that many letters take together is what makes far
  places hard.
- Training draws every distance up to the farthest one, so that no single distance can be learned by heart.
"""

from __future__ import annotations

import torch
from torch import Tensor

LETTERS, FIRST_LETTER = 26, ord("a")
KEYS, FIRST_KEY = 26, ord("A")
VALUES, FIRST_VALUE = 10, ord("0")
PAIRS = 1  # a sequence; see above
NEAREST = 2  # distance at which the question follows its pair at once
IGNORED = -100


def farthest(length: int) -> int:
    """Largest distance, key to question, that a sequence of `length` bytes can hold with its answer as target."""
    return length - 1


def recall_batch(
    rows: int, length: int, distance: int, generator: torch.Generator, *, pairs: int = PAIRS
) -> tuple[Tensor, Tensor]:
    """Sequences to train on: inputs and targets, int64 [rows, length] each; targets that do not count are -100.

    Distances run from 2 to `distance`, 0 for as far as the length allows. Every sequence is one byte longer than its
    inputs, as any text: the target of byte i is byte i + 1.
    """
    most = min(distance or farthest(length), farthest(length))
    text = _letters(rows, length + 1, generator)
    targets = torch.full((rows, length), IGNORED)
    free = torch.ones(rows, length + 1, dtype=torch.bool)
    row = torch.arange(rows)
    keys = torch.rand(rows, KEYS, generator=generator).argsort(-1)[:, :pairs] + FIRST_KEY
    values = torch.randint(VALUES, (rows, pairs), generator=generator) + FIRST_VALUE
    for pair in range(pairs):
        gap = NEAREST + (torch.rand(rows, generator=generator) * (most - NEAREST + 1)).long()
        first = (torch.rand(rows, generator=generator) * (length - gap)).long()
        again = first + gap
        # A pair that would overwrite another is left out of its row.
        fits = free[row, first] & free[row, first + 1] & free[row, again] & free[row, again + 1]
        _place(text, free, row[fits], first[fits], keys[fits, pair], values[fits, pair])
        _place(text, free, row[fits], again[fits], keys[fits, pair], values[fits, pair])
        targets[row[fits], again[fits]] = values[fits, pair]
    return text[:, :-1], targets


def _letters(rows: int, length: int, generator: torch.Generator) -> Tensor:
    return torch.randint(LETTERS, (rows, length), generator=generator) + FIRST_LETTER


def _place(text: Tensor, free: Tensor, row: Tensor, at: Tensor, key: Tensor, value: Tensor) -> None:
    text[row, at], text[row, at + 1] = key, value
    free[row, at] = free[row, at + 1] = False


def recall_question(
    rows: int, distance: int, generator: torch.Generator, *, pairs: int = PAIRS
) -> tuple[Tensor, Tensor]:
    """Sequences to measure one distance: inputs int64 [rows, distance + 1], answers int64 [rows].

    The pair asked for stands first, the question last; the other pairs stand between them where there is room.
    """
    text = _letters(rows, distance + 1, generator)
    keys = torch.rand(rows, KEYS, generator=generator).argsort(-1)[:, :pairs] + FIRST_KEY
    values = torch.randint(VALUES, (rows, pairs), generator=generator) + FIRST_VALUE
    text[:, 0], text[:, 1], text[:, -1] = keys[:, 0], values[:, 0], keys[:, 0]
    places = (distance - 2) // 2  # pairs that fit between
    others = min(pairs - 1, places)
    if others > 0:
        at = 2 + 2 * torch.rand(rows, places, generator=generator).argsort(-1)[:, :others]  # [rows, others]
        text.scatter_(1, at, keys[:, 1 : others + 1])
        text.scatter_(1, at + 1, values[:, 1 : others + 1])
    return text, values[:, 0]
