"""`python -m tools.writing [LANGUAGE ...] [METHOD ...]`: let shipped models write, and count their words, in one file for
each language, which is shipped.

All of them take some twenty minutes on one core. With languages or methods these alone write; what a file has of other
methods stays.

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
from typing import Any

import torch

from alibi_viz.files import write_atomically
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import of_language
from alibi_viz.lm.model import DecoderLM, windowed
from alibi_viz.lm.runs import environment
from alibi_viz.lm.words import CharacterCount, Count, character_stretches, characters, count, stretches
from alibi_viz.lm.writing import Writer, check
from alibi_viz.results import pretrained, trained, writing
from tools.measures import USUAL_LENGTH

PROMPTS = {  # beginnings that each training text has
    "en": b"The function returns a list of ",
    "zh": "此函数返回".encode(),
    "ja": "この関数は、".encode(),
}
TEMPERATURE = 0.7
BYTES = 1024  # of a text, its prompt included
SEEDS = tuple(range(1, 17))
NEAR = pretrained.WRITERS  # methods that also write with the keys beyond L hidden
NEW_BYTES = 100  # after held-out text
CONTEXTS = (USUAL_LENGTH - NEW_BYTES, 64, 128, 256, 512, 1024, 2048)  # bytes of it; the first stays within L
PLACES = 24  # of the held-out text
LONG_PROMPT = 1024  # bytes
MISS = 1e-4  # of probability; logits that differ by 1e-4 move a sum of probabilities by less
CLOSE = 0.05  # share of words that a draw which tips over may change


def near(method: str, language: str) -> list[bytes]:
    """The new bytes for every seed, by the model that sees no key farther than L."""
    return texts(windowed(trained.shipped(method, language), USUAL_LENGTH), language)[0]


def texts(model: DecoderLM, language: str) -> tuple[list[bytes], Problem | None]:
    """The new bytes for every seed, and why they end early."""
    written, ended, prompt = [], None, PROMPTS[language]
    for seed in SEEDS:
        writer = Writer(model, prompt, temperature=TEMPERATURE, seed=seed)
        writer.write(BYTES - len(prompt))
        written.append(writer.written)
        ended = writer.ended
    return written, ended


def in_stretches(written: list[bytes], language: str) -> tuple[list[Count], list[CharacterCount]]:
    """Words and characters of all texts together, by stretch."""
    prompt, words, whole = PROMPTS[language], [Count(0, 0)] * 4, [CharacterCount(0, 0)] * 4
    for new in written:
        of_text = stretches(writing.words(prompt + new, len(prompt), language), USUAL_LENGTH)
        words = [one + more for one, more in zip(words, of_text, strict=True)]
        of_characters = character_stretches(characters(prompt + new), len(prompt), USUAL_LENGTH)
        whole = [one + more for one, more in zip(whole, of_characters, strict=True)]
    return words, whole


def places(language: str) -> list[int]:
    """Bytes of the held-out text that a context ends before, evenly spread; the longest context fits before the first. None
    is inside a character.
    """
    text, first = of_language(language).held_out, CONTEXTS[-1]
    evenly = (first + (len(text) - first) * index // PLACES for index in range(PLACES))
    return [next(at for at in range(place, len(text)) if text[at] & 0xC0 != 0x80) for place in evenly]


def after_text(model: DecoderLM, language: str) -> list[Count | None]:
    """Words of the new bytes after each context, all places together; None where the positions end before."""
    held_out, most = of_language(language).held_out, model.position.max_position
    counts: list[Count | None] = []
    for context in CONTEXTS:
        total = Count(0, 0)
        for seed, place in enumerate(places(language), 1):
            if most is not None and context + NEW_BYTES > most:
                break
            prompt = held_out[place - context : place]
            text = prompt + Writer(model, prompt, temperature=TEMPERATURE, seed=seed).write(NEW_BYTES)
            total += count(writing.words(text, context, language), context, len(text))
        counts.append(total if total.words else None)
    return counts


def long_prompt(language: str) -> tuple[int, int]:
    """Where a prompt of about LONG_PROMPT bytes begins and ends in the held-out text: the first one that begins with a
    paragraph. In English it is of plain characters and ends after a word, within a line; elsewhere after a paragraph.
    """
    text = of_language(language).held_out
    if language != "en":
        begin = text.index(b"\n\n") + 2
        return begin, text.index(b"\n\n", begin + LONG_PROMPT) + 2
    for match in re.finditer(rb"\n\n(?=[A-Z][a-z]+ [a-z])", text):
        prompt = text[match.end() : match.end() + LONG_PROMPT]
        if prompt.isascii() and re.search(rb"[a-z] $", prompt):
            return match.end(), match.end() + LONG_PROMPT
    raise ValueError("The held-out text has no such prompt.")


def write(language: str, methods: Sequence[str]) -> None:
    """Write the file of a language, or its part about these methods."""
    torch.set_num_threads(1)
    path, corpus = pretrained.writing_path(language), of_language(language)
    of_texts: dict[str, list[bytes]] = {}
    of_near = {method: near(method, language) for method in NEAR if method in methods}
    ends: dict[str, object] = {}
    after: dict[str, list[Count | None]] = {}
    for method in methods:
        model = trained.shipped(method, language)
        of_texts[method], ended = texts(model, language)
        ends |= {method: ended.to_plain()} if ended else {}
        after[method] = after_text(model, language)
        counted = (*in_stretches(of_texts[method], language), after[method])
        shares = (" ".join(map(_percent, counts)) for counts in counted)
        print(language, method, *shares, sep=" | ", flush=True)
    data: dict[str, Any] = {
        "made_with": environment(),
        "corpus": corpus.sha256,
        "prompt": PROMPTS[language].decode("latin-1"),
        "temperature": TEMPERATURE,
        "seeds": SEEDS,
        **_written("", of_texts, language),
        "ends": ends,
        "window": USUAL_LENGTH,
        **_written("near_", of_near, language),
        "contexts": CONTEXTS,
        "places": places(language),
        "new_bytes": NEW_BYTES,
        "after": {method: [c and vars(c) for c in counts] for method, counts in after.items()},
        "long_span": long_prompt(language),
    }
    if set(methods) != set(pretrained.METHODS_OF[language]):
        before = json.loads(path.read_bytes())
        parts = ("texts", "stretches", "characters")  # by method
        data |= {
            part: before[part] | data[part] for part in (*parts, *(f"near_{part}" for part in parts), "ends", "after")
        }
    write_atomically(path, json.dumps(data, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def _written(about: str, of_methods: dict[str, list[bytes]], language: str) -> dict[str, Any]:
    """Texts of models and what is counted in them, as it stands in the file. about: before the names of the parts."""
    counts = {method: in_stretches(written, language) for method, written in of_methods.items()}
    return {
        f"{about}texts": {
            method: [text.decode("latin-1") for text in written] for method, written in of_methods.items()
        },
        f"{about}stretches": {method: list(map(vars, words)) for method, (words, _) in counts.items()},
        f"{about}characters": {method: list(map(vars, whole)) for method, (_, whole) in counts.items()},
    }


def _percent(c: Count | CharacterCount | None) -> str:
    return "-" if c is None or c.share is None else f"{100 * c.share:.0f}"


@torch.inference_mode()
def problems_of_texts(
    about: str,
    model: DecoderLM,
    language: str,
    written: Sequence[bytes],
    counted: tuple[Sequence[Count], Sequence[CharacterCount]],
) -> list[str]:
    """What is wrong with the shipped texts of a model, and with what is counted in them. about: what it is."""
    file, problems = writing.shipped(language), []
    for seed, text in zip(file.seeds, written, strict=True):
        miss = check(model, file.prompt, text, temperature=file.temperature, seed=seed).farthest
        if not miss <= MISS:
            problems.append(f"{about}, seed {seed}: a byte is not the one that its draw takes (by {miss:.4f}).")
    if in_stretches(list(written), language) != tuple(map(list, counted)):
        problems.append(f"{about}: the words and characters of its texts are not those that are counted.")
    return problems


def problems_of(method: str, language: str) -> list[str]:
    """What the shipped file says of a method that its weights do not give, one sentence each."""
    torch.set_num_threads(1)
    file, model, problems = writing.shipped(language), trained.shipped(method, language), []
    counted = file.stretches[method], file.characters[method]
    problems += problems_of_texts(method, model, language, file.texts[method], counted)
    if method in NEAR:
        changed, about = windowed(model, USUAL_LENGTH), f"{method}, far keys hidden"
        counted = file.near_stretches[method], file.near_characters[method]
        problems += problems_of_texts(about, changed, language, file.near_texts[method], counted)
    for context, old, new in zip(file.contexts, file.after[method], after_text(model, language), strict=True):
        shares = [None if c is None else c.share for c in (old, new)]
        if None in shares and shares != [None, None]:
            problems.append(f"{method}, after {context} bytes: one has a share, the other none.")
        elif shares[0] is not None and shares[1] is not None and not abs(shares[0] - shares[1]) <= CLOSE:
            problems.append(f"{method}, after {context} bytes: the share differs by {abs(shares[0] - shares[1]):.3f}.")
    return problems


def main(names: Sequence[str]) -> None:
    """Write the files of the languages and the methods that are named; of none: of all that are shipped."""
    languages = [name for name in names if name in pretrained.OF_LANGUAGE]
    chosen = {name for name in names if name not in languages}
    for language in languages or pretrained.OF_LANGUAGE:
        methods = [method for method in pretrained.METHODS_OF[language] if method in chosen or not chosen]
        if methods:
            write(language, methods)


if __name__ == "__main__":
    main(sys.argv[1:])
