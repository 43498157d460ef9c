"""Small runs shipped with the project, as data: made by `make pretrained`, no number typed by hand.

Each set is a folder with one record a run, and of some the weights of the first seed:

    text      every method on the built-in text, those of SEEDED with every seed as far as they are trained; weights
    twice     the methods of MAIN, trained for twice the steps (first seed): does the order at L still move?
    lengths   ALiBi and sinusoidal positions, trained at other lengths with the same number of bytes (first seed)
    depth     no positions, with four layers (first seed)
    recall    every method on the recall task (first seed); weights of the methods of MAIN
    blocks    RoPE and ALiBi in layers of the kind "llama" (first seed); weights
    live      every method, trained as briefly as a reader's first run
    zh, ja    the methods of MAIN that WRITERS names, on text in Chinese and in Japanese (first seed); weights
"""

import json
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, get_args

FOLDER = Path(__file__).parent
COSTS = FOLDER / "costs.json"  # time of a training step, by method and training length
READINGS = FOLDER / "readings.json"  # the first seed read otherwise, by method: `lm.readings`
PENALTIES = FOLDER / "penalties.json"  # short runs whose penalty on far keys has another shape: `tools.penalties`
MAIN = ("alibi", "rope", "t5", "sinusoidal", "learned", "none")  # what a page shows before a reader chooses
HEIRS = ("forgetting", "hybrid", "inkling")  # what came after ALiBi
TRAINED = (*MAIN, "kerple", "kerple_power", "sandwich", "fire", *HEIRS)  # in the order of tables
WRITERS = ("alibi", "rope", "t5", "sinusoidal")  # what is trained in each language, as far as it is
SEEDS = (0, 1, 2)
SEEDED = (*MAIN, "fire", *HEIRS[:2])  # methods of which every seed is trained
Kind = Literal["text", "twice", "lengths", "depth", "recall", "blocks", "live", "zh", "ja"]
KINDS: tuple[Kind, ...] = get_args(Kind)
OF_LANGUAGE: dict[str, Kind] = {"en": "text", "zh": "zh", "ja": "ja"}  # sets of models, by the language of their text


def weights_path(method: str, language: str = "en") -> Path:
    """Weights of the method's first model of text in a language."""
    return FOLDER / OF_LANGUAGE[language] / f"{method}-{SEEDS[0]}.safetensors"


def model_name(method: str, language: str = "en") -> str:
    """What a method's first model of text is called: its method, with the language before it where that is not English."""
    return method if language == "en" else f"{language}/{method}"


#: By the language of their text the methods of TRAINED that are shipped: one counts with its first model.
METHODS_OF = {
    language: tuple(method for method in TRAINED if weights_path(method, language).is_file())
    for language in OF_LANGUAGE
}
METHODS = METHODS_OF["en"]
#: The first models of text that are shipped, by name: method and language.
MODELS = {
    model_name(method, language): (method, language) for language, methods in METHODS_OF.items() for method in methods
}


def writing_path(language: str = "en") -> Path:
    """What the models of text in a language write, and how much of it are words: `results.writing`."""
    return FOLDER / ("writing.json" if language == "en" else f"writing-{language}.json")


@lru_cache(maxsize=len(KINDS))
def load_all(kind: Kind = "text") -> tuple[dict[str, Any], ...]:
    """Every record of one set: method by method, then by training length, steps and seed. Read once, never changed."""
    records = [json.loads(file.read_text(encoding="utf-8")) for file in (FOLDER / kind).glob("*.json")]
    numbers = itemgetter("length", "steps", "seed")
    return tuple(
        sorted(records, key=lambda record: (METHODS.index(record["config"]["method"]), *numbers(record["config"])))
    )


def methods_of(kind: Kind) -> tuple[str, ...]:
    """The methods that a set has a run of, in the order of METHODS."""
    return tuple(dict.fromkeys(str(record["config"]["method"]) for record in load_all(kind)))


def load(method: str, seed: int, kind: Kind = "text") -> dict[str, Any]:
    """The first record of this method and seed in a set."""
    wanted = {"method": method, "seed": seed}
    return next(record for record in load_all(kind) if wanted.items() <= record["config"].items())
