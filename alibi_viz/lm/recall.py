"""Associative recall: a synthetic task that asks whether a model can use one byte far back.

A sequence of random small letters holds one pair, an upper-case key and its digit. `distance` bytes after the key the same
key comes again, and the model must predict the digit:

    qhzpK7wnbsktfmvcyxaerjuK7dlgo

Only the digit after the repeated key counts, in training and in the accuracy; chance is one in ten. Nothing but the pair
tells the digit, so a model that predicts it has attended that far back.

Notable choices:
- One pair a sequence, so the key need only be noticed, not told from others: with four pairs, two layers of width 64 did
  not learn to compare keys in 800 steps (ALiBi, L = 64: 0.24 to 0.43 right beyond the nearest).
- Letters, not dots, fill the rest: between dots ALiBi, RoPE and sinusoidal find the digit at any distance up to 255; the
  weight that many letters take together makes far positions hard.
- Training draws every distance up to the farthest one, so that no single distance can be learned by heart.
"""

import torch
from torch import Tensor

LETTERS, FIRST_LETTER = 26, ord("a")
KEYS, FIRST_KEY = 26, ord("A")
DIGITS, FIRST_DIGIT = 10, ord("0")
NEAREST = 2  # the smallest distance: the question follows its pair at once
IGNORED = -100


def farthest(length: int) -> int:
    """Largest distance, key to question, that a sequence of `length` bytes can hold with its answer as target."""
    return length - 1


def recall_batch(rows: int, length: int, distance: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Sequences to train on: inputs and targets, int64 [rows, length] each; targets that do not count are -100."""
    most = min(distance or farthest(length), farthest(length))  # 0: as far as the length allows
    text, keys, digits = _sequences(rows, length + 1, generator)  # the target of byte i is byte i + 1
    gap = NEAREST + (torch.rand(rows, generator=generator) * (most - NEAREST + 1)).long()
    first = (torch.rand(rows, generator=generator) * (length - gap)).long()
    row = torch.arange(rows)
    for position in (first, first + gap):
        text[row, position], text[row, position + 1] = keys, digits
    targets = torch.full((rows, length), IGNORED)
    targets[row, first + gap] = digits
    return text[:, :-1], targets


def recall_question(rows: int, distance: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Sequences that measure one distance: inputs int64 [rows, distance + 1], the answers int64 [rows]."""
    text, keys, digits = _sequences(rows, distance + 1, generator)
    text[:, 0], text[:, 1], text[:, -1] = keys, digits, keys  # the pair first, the repeated key last
    return text, digits


def _sequences(rows: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Random letters [rows, length], and a random key and digit for each row, [rows]."""
    text = torch.randint(LETTERS, (rows, length), generator=generator) + FIRST_LETTER
    keys = torch.rand(rows, KEYS, generator=generator).argsort(-1)[:, 0] + FIRST_KEY
    digits = torch.randint(DIGITS, (rows,), generator=generator) + FIRST_DIGIT
    return text, keys, digits
