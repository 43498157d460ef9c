"""`python -m tools.writing [METHOD ...]`: let shipped models write, and count their words, in one file that is shipped.

All of them take some ten minutes on one core. With methods these alone write, and what the file has of others stays.

Notable choices:
- What a model writes after a prompt holds its own mistakes. What it writes after held-out text does not: the second table
  tells the two apart. There every context ends at the same places, and the draws of a place are the same for all.
- `verify` does not ask for the same bytes, since sums in another order may tip a draw. Each shipped byte must be the one
  that its draw takes from the logits of one pass, within MISS of probability; a wrong byte misses by far more.
- The first table is counted again from the shipped bytes, and must be equal. The second is written again.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from alibi_viz.files import write_atomically
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.runs import environment
from alibi_viz.lm.windowed import windowed
from alibi_viz.lm.words import Count, count, known_words, stretches, whole_words
from alibi_viz.lm.writing import START, Writer, draws, summed
from alibi_viz.results import pretrained, trained, writing
from tools.measures import USUAL_LENGTH

PROMPT = b"The function returns a list of "
TEMPERATURE = 0.7
BYTES = 1024  # of a text, its prompt included
SEEDS = tuple(range(1, 17))
NEAR = ("alibi", "rope", "t5", "sinusoidal")  # methods that also write with the keys beyond L hidden
NEW_BYTES = 100  # after held-out text
CONTEXTS = (USUAL_LENGTH - NEW_BYTES, 64, 128, 256, 512, 1024, 2048)  # bytes of it; the first stays within L
PLACES = 24  # of the held-out text
LONG_PROMPT = 1024  # bytes
MISS = 1e-4  # of probability; logits that differ by 1e-4 move a sum of probabilities by less
CLOSE = 0.05  # share of words that a draw which tips over may change


def near(method: str) -> list[bytes]:
    """The new bytes for every seed, by the model that sees no key farther than L."""
    return texts(windowed(trained.shipped(method), USUAL_LENGTH))[0]


def texts(model: DecoderLM) -> tuple[list[bytes], Problem | None]:
    """The new bytes for every seed, and why they end early."""
    written, ended = [], None
    for seed in SEEDS:
        writer = Writer(model, PROMPT, temperature=TEMPERATURE, seed=seed)
        writer.write(BYTES - len(PROMPT))
        written.append(writer.written)
        ended = writer.ended
    return written, ended


def in_stretches(written: list[bytes]) -> list[Count]:
    """Words of all texts together, by stretch."""
    known, total = known_words(python_text().train), [Count(0, 0)] * 4
    for new in written:
        words = whole_words(PROMPT + new, len(PROMPT), known)
        total = [one + more for one, more in zip(total, stretches(words, USUAL_LENGTH), strict=True)]
    return total


def places() -> list[int]:
    """Bytes of the held-out text that a context ends before, evenly spread; the longest context fits before the first."""
    first, last = CONTEXTS[-1], len(python_text().held_out)
    return [first + (last - first) * index // PLACES for index in range(PLACES)]


def after_text(model: DecoderLM) -> list[Count | None]:
    """Words of the new bytes after each context, all places together; None where the positions end before."""
    corpus = python_text()
    counts: list[Count | None] = []
    known, most = known_words(corpus.train), model.position.max_position
    for context in CONTEXTS:
        total = Count(0, 0)
        for seed, place in enumerate(places(), 1):
            if most is not None and context + NEW_BYTES > most:
                break
            prompt = corpus.held_out[place - context : place]
            text = prompt + Writer(model, prompt, temperature=TEMPERATURE, seed=seed).write(NEW_BYTES)
            total += count(whole_words(text, context, known), context, len(text))
        counts.append(total if total.words else None)
    return counts


def long_prompt() -> tuple[int, int]:
    """Where a prompt of LONG_PROMPT bytes begins and ends in the held-out text: the first one of plain characters that
    begins with a paragraph and ends after a word, within a line.
    """
    text = python_text().held_out
    for match in re.finditer(rb"\n\n(?=[A-Z][a-z]+ [a-z])", text):
        prompt = text[match.end() : match.end() + LONG_PROMPT]
        if prompt.isascii() and re.search(rb"[a-z] $", prompt):
            return match.end(), match.end() + LONG_PROMPT
    raise ValueError("The held-out text has no such prompt.")


def write(path: Path, methods: Sequence[str] = pretrained.METHODS) -> None:
    """Write the file, or its part about these methods."""
    torch.set_num_threads(1)
    corpus = python_text()
    of_texts: dict[str, list[bytes]] = {}
    of_near = {method: near(method) for method in NEAR if method in methods}
    ends: dict[str, object] = {}
    after: dict[str, list[Count | None]] = {}
    for method in methods:
        model = trained.shipped(method)
        of_texts[method], ended = texts(model)
        ends |= {method: ended.to_plain()} if ended else {}
        after[method] = after_text(model)
        print(method, *map(_percent, in_stretches(of_texts[method])), "|", *map(_percent, after[method]), flush=True)
    data: dict[str, Any] = {
        "made_with": environment(),
        "corpus": corpus.sha256,
        "prompt": PROMPT.decode("latin-1"),
        "temperature": TEMPERATURE,
        "seeds": SEEDS,
        "texts": {method: [text.decode("latin-1") for text in written] for method, written in of_texts.items()},
        "ends": ends,
        "stretches": {method: [vars(c) for c in in_stretches(written)] for method, written in of_texts.items()},
        **_near(of_near),
        "contexts": CONTEXTS,
        "places": places(),
        "new_bytes": NEW_BYTES,
        "after": {method: [c and vars(c) for c in counts] for method, counts in after.items()},
        "long_span": long_prompt(),
    }
    if set(methods) != set(pretrained.METHODS):
        before = json.loads(path.read_bytes())
        by_method = ("texts", "ends", "stretches", "near_texts", "near_stretches", "after")
        data |= {part: before[part] | data[part] for part in by_method}
    write_atomically(path, json.dumps(data, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def _near(written: dict[str, list[bytes]]) -> dict[str, Any]:
    """What models that see no key farther than L have written, as it stands in the file."""
    return {
        "window": USUAL_LENGTH,
        "near_texts": {method: [text.decode("latin-1") for text in texts] for method, texts in written.items()},
        "near_stretches": {method: [vars(c) for c in in_stretches(texts)] for method, texts in written.items()},
    }


def _percent(c: Count | None) -> str:
    return "-" if c is None or c.share is None else f"{100 * c.share:.0f} ({c.words})"


@torch.inference_mode()
def largest_miss(model: DecoderLM, prompt: bytes, written: bytes, *, temperature: float, seed: int) -> float:
    """How far the draws are from the bytes that were written: in probability, largest over the bytes; 0: none is.

    The logits are those of one pass along the text, so a byte that was drawn at the edge to its neighbour may be missed by
    as much as rounding moves that edge; any other by much more. The temperature must be above 0.
    """
    text = (prompt or START) + written
    tokens = torch.frombuffer(bytearray(text[:-1]), dtype=torch.uint8).long()[None]
    logits = model(tokens)[0, -len(written) :]
    reached = summed(logits, temperature)
    reached = reached / reached[:, -1:]
    taken = torch.frombuffer(bytearray(written), dtype=torch.uint8).long()[:, None]
    high = reached.gather(1, taken)[:, 0]
    low = torch.where(taken > 0, reached.gather(1, (taken - 1).clamp(min=0)), 0.0)[:, 0]
    draw = torch.tensor(draws(seed)[: len(written)], dtype=torch.float64)
    return max(0.0, float(torch.maximum(low - draw, draw - high).max()))


def problems_of_texts(about: str, model: DecoderLM, texts: Sequence[bytes], counted: Sequence[Count]) -> list[str]:
    """What is wrong with the shipped texts of a model, and with the words that are counted in them. about: what it is."""
    file, problems = writing.shipped(), []
    for seed, text in zip(file.seeds, texts, strict=True):
        miss = largest_miss(model, file.prompt, text, temperature=file.temperature, seed=seed)
        if not miss <= MISS:
            problems.append(f"{about}, seed {seed}: a byte is not the one that its draw takes (by {miss:.4f}).")
    if in_stretches(list(texts)) != list(counted):
        problems.append(f"{about}: the words of its texts are not those that are counted.")
    return problems


def problems_of(method: str) -> list[str]:
    """What the shipped file says of a method that its weights do not give, one sentence each."""
    torch.set_num_threads(1)
    file, model = writing.shipped(), trained.shipped(method)
    problems = []
    problems += problems_of_texts(method, model, file.texts[method], file.stretches[method])
    if method in NEAR:
        changed, about = windowed(model, USUAL_LENGTH), f"{method}, far keys hidden"
        problems += problems_of_texts(about, changed, file.near_texts[method], file.near_stretches[method])
    for context, old, new in zip(file.contexts, file.after[method], after_text(model), strict=True):
        shares = [None if c is None else c.share for c in (old, new)]
        if None in shares and shares != [None, None]:
            problems.append(f"{method}, after {context} bytes: one has a share, the other none.")
        elif shares[0] is not None and shares[1] is not None and not abs(shares[0] - shares[1]) <= CLOSE:
            problems.append(f"{method}, after {context} bytes: the share differs by {abs(shares[0] - shares[1]):.3f}.")
    return problems


if __name__ == "__main__":
    write(pretrained.WRITING, sys.argv[1:] or pretrained.METHODS)
