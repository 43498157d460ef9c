"""Writing on: a model samples the bytes that follow a prompt, one at a time, with its KV cache.

Notable choices:
- New byte i is drawn with the i-th random number that the seed gives. So a text follows from model, prompt, temperature and
  seed, whatever the length and the pieces it is written in: a longer text begins with the shorter one. All models are
  given the same draws.
- A draw u in (0, 1] takes the first byte, in the order of their values, at which the summed probability reaches u.
- No model can begin with nothing: an empty prompt becomes START, a line end, which stands at position 0 of the text.
- A table of positions that ends is the end of the text, not an error. Every byte of the text has a position.
- A text that was written elsewhere, in a browser, is checked in one pass. Its sums come in another order, and logits differ
  by some 6e-5: rarely, a byte drawn from them is another one, and then the draw lies close to an edge between two bytes.
"""

import random
from dataclasses import dataclass

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
LARGEST_CACHE = 268_435_456  # bytes of the keys and values of one text
QUERIES = 128  # at once, where there is a number for each pair: 8 x 128 x 1,000 of them stay in a processor's cache
NEAR_AN_EDGE = 1e-3  # of probability: so far a draw may lie from the byte that was written, and rounding is the reason


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
        if len(self.text) > 1:
            for piece in pieces(self.model, bytes(self.text[:-1])):
                self.model.read(piece, self._caches)


@dataclass(frozen=True)
class Check:
    """What one pass of PyTorch says of a text that a browser has written."""

    written: int  # new bytes
    others: int  # of which PyTorch would have drawn another byte
    farthest: float  # the largest distance of such a draw from the byte that was written, in probability
    first: int | None  # the first byte, counted from the text's begin, of which the distance is above NEAR_AN_EDGE

    @property
    def agrees(self) -> bool:
        return self.first is None


@torch.inference_mode()
def check(model: DecoderLM, prompt: bytes, written: bytes, *, temperature: float, seed: int) -> Check:
    """Whether the model writes these bytes after a prompt: each is drawn anew, after all bytes that stand before it.

    At temperature 0 the distance is that of the two probabilities. Raises ValueError for a text beyond the model's
    positions, and for logits that are NaN or infinite.
    """
    text, caches = (prompt or START) + written, [KVCache() for _ in model.blocks]
    begin = len(text) - len(written)
    logits = torch.cat([model(piece, caches=caches)[0] for piece in pieces(model, text[:-1])])[begin - 1 :]  # [N, 256]
    if not bool(logits.isfinite().all()):
        raise Problem("writing.not_finite")
    taken = torch.frombuffer(bytearray(written), dtype=torch.uint8).long()[:, None]
    if temperature == 0:
        shares = logits.double().softmax(-1)
        distance = shares.amax(-1) - shares.gather(1, taken)[:, 0]
        differs = logits.argmax(-1) != taken[:, 0]
    else:
        sums = summed(logits, temperature)
        sums = torch.cat([torch.zeros(len(sums), 1, dtype=torch.float64), sums / sums[:, -1:]], 1)  # [N, 257]
        drawn = torch.tensor(draws(seed)[: len(written)], dtype=torch.float64)
        low, high = sums.gather(1, taken)[:, 0], sums.gather(1, taken + 1)[:, 0]
        distance = torch.maximum(low - drawn, drawn - high)
        differs = (drawn <= low) | (drawn > high)
    far = (differs & (distance > NEAR_AN_EDGE)).nonzero()
    farthest = float(distance[differs].max()) if bool(differs.any()) else 0.0
    return Check(len(written), int(differs.sum()), farthest, begin + int(far[0]) if len(far) else None)


def pieces(model: DecoderLM, text: bytes) -> tuple[Tensor, ...]:
    """A text, int64 [1, T], in pieces as long as memory allows, or as is fast; or exact: the row of keys by which a whole
    text is read loses digits where it depends on the input."""
    tokens = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()[None]
    most, position = queries_at_once(model, len(text)), model.position
    return tokens.split(min(QUERIES, most) if position.needs_matrix or position.needs_input else most, dim=1)


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
