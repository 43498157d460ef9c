"""An n-gram model of bytes: what n - 1 bytes of context can do, without a network. It is the line that a model must beat.

Source: interpolated Witten-Bell smoothing (Chen and Goodman 1999, section 2.6). After the context h, seen c(h) times and
followed by t(h) different bytes,

    p_n(w | h) = ( c(h w) + t(h) p_(n-1)(w | h without its first byte) ) / ( c(h) + t(h) ),    p_0 = 1/256

A context that the training text does not have leaves p_(n-1) as it is.
"""

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def ngram_loss(train: bytes, text: bytes, order: int) -> float:
    """Nats per byte, mean over all predictions of a text (byte i + 1 from those up to i).

    order: n, 1 to 7 (a context and the next byte fit in 56 of 64 bits). Both texts are longer than that.
    """
    probability = np.full(len(text), 1 / 256)  # of every byte of the text
    for n in range(1, order + 1):
        seen, requested = _grams(train, n), _grams(text, n)
        grams, counts = np.unique(seen, return_counts=True)
        contexts, types = np.unique(grams >> 8, return_counts=True)
        totals = np.unique(seen >> 8, return_counts=True)[1]
        follows, total = _looked_up(contexts, types, requested >> 8), _looked_up(contexts, totals, requested >> 8)
        lower = probability[n - 1 :]
        mixed = (_looked_up(grams, counts, requested) + follows * lower) / np.maximum(total + follows, 1)
        probability[n - 1 :] = np.where(follows > 0, mixed, lower)
    return float(-np.log(probability[1:]).mean())


def _grams(text: bytes, n: int) -> Codes:
    """The n bytes that end at each byte from the n-th on, as one number: shifted right by 8 bits, its context."""
    codes = np.frombuffer(text, dtype=np.uint8).astype(np.int64)
    end = len(codes) - n + 1
    return sum((codes[k : k + end] << 8 * (n - 1 - k) for k in range(n)), np.zeros(end, dtype=np.int64))


def _looked_up(keys: Codes, values: Codes, requested: Codes) -> Codes:
    """The value of each key asked for; 0 for a key that is not there."""
    index = np.searchsorted(keys, requested).clip(max=len(keys) - 1)
    return np.where(keys[index] == requested, values[index], 0)
