"""Writing on: a model samples the bytes that follow a prompt, one at a time, with its KV cache.

Notable choices:
- New byte i is drawn with the i-th random number that the seed gives. So a text follows from model, prompt, temperature and
  seed, whatever the length and the pieces it is written in: a longer text begins with the shorter one. All models are
  given the same draws.
- A draw u in (0, 1] takes the first byte, in the order of their values, at which the summed probability reaches u.
- No model can begin with nothing: an empty prompt becomes START, a line end, which stands at position 0 of the text.
- A table of positions that ends is the end of the text, not an error. Every byte of the text has a position.
- A text whose keys and values were given up is read again in one pass. Its sums come in another order, and logits differ by
  some 6e-5: rarely, a byte drawn from them is another one.
"""

import random

import torch
from torch import Tensor

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.evaluation import queries_at_once
from alibi_viz.lm.model import DecoderLM

START = b"\n"
LONGEST_PROMPT = 2048  # bytes
LONGEST = 2048  # bytes that are written after it
HIGHEST_TEMPERATURE = 2.0
LARGEST_SEED = 2**31 - 1
LARGEST_CACHE = 268_435_456  # bytes of the keys and values of one text


class Writer:
    """One text that a model writes on. `prompt` and `text` (prompt and new bytes) are its bytes so far.

    temperature: 0 takes the most likely byte. written: new bytes that are there already, as this model wrote them.
    Raises ValueError, in one sentence, for a model whose keys and values take too much memory.
    """

    def __init__(
        self, model: DecoderLM, prompt: bytes, *, temperature: float = 0.7, seed: int = 1, written: bytes = b""
    ) -> None:
        self.prompt, self.temperature = prompt or START, temperature
        self.model, self.text = model, bytearray(self.prompt + written)
        self._draws = draws(seed)
        self._caches: list[KVCache] = []  # of every byte but the last, from the first `write` on
        inner = model.position.heads * model.position.head_dim
        if 8 * inner * len(model.blocks) * (len(self.prompt) + LONGEST) > LARGEST_CACHE:
            raise Problem("writing.too_large")

    @property
    def written(self) -> bytes:
        """The new bytes."""
        return bytes(self.text[len(self.prompt) :])

    @property
    def ended(self) -> Problem | None:
        """Why the text cannot go on; None if it can."""
        most = self.model.position.max_position
        if most is not None and len(self.text) >= most:
            return self.model.position.no_vector(most)
        full = len(self.text) >= len(self.prompt) + LONGEST
        return Problem("writing.full", most=LONGEST) if full else None

    @property
    def memory(self) -> int:
        """Bytes of the keys and values."""
        return sum(cache.nbytes for cache in self._caches)

    @torch.inference_mode()
    def write(self, count: int) -> bytes:
        """Write up to `count` bytes more, and return them: fewer only where the text has `ended`.

        Raises ValueError if the logits became NaN or infinite; what was written before stays.
        """
        begin = len(self.text)
        for _ in range(count):
            if self.ended:
                break
            if not self._caches:
                self._read()
            logits = self.model(torch.tensor([[self.text[-1]]]), caches=self._caches)[0, -1]  # [256]
            draw = self._draws[len(self.text) - len(self.prompt)]
            self.text.append(sample(logits, self.temperature, draw))
        return bytes(self.text[begin:])

    def _read(self) -> None:
        """Fill the caches with all bytes but the last."""
        self._caches = [KVCache() for _ in self.model.blocks]
        tokens = torch.frombuffer(bytearray(self.text), dtype=torch.uint8).long()[None]
        if tokens.shape[1] > 1:
            for piece in tokens[:, :-1].split(queries_at_once(self.model, tokens.shape[1]), dim=1):
                self.model.read(piece, self._caches)


def draws(seed: int) -> list[float]:
    """The random numbers of the new bytes, in (0, 1], the same on every machine and in every Python."""
    numbers = random.Random(seed)
    return [1.0 - numbers.random() for _ in range(LONGEST)]


def sample(logits: Tensor, temperature: float, draw: float) -> int:
    """The byte that a draw in (0, 1] takes from logits [256]. Raises ValueError if one of them is NaN or infinite."""
    if not bool(logits.isfinite().all()):
        raise Problem("writing.not_finite")
    if temperature == 0:
        return int(logits.argmax())
    reached = summed(logits, temperature)
    return int(torch.searchsorted(reached, draw * reached[-1]))


def summed(logits: Tensor, temperature: float) -> Tensor:
    """Sums over the bytes up to each one of what is proportional to their probability: float64, the shape of the logits."""
    logits = logits.double()
    return ((logits - logits.amax(-1, keepdim=True)) / temperature).exp().cumsum(-1)
