"""`python -m tools.readings`: read the shipped models of text otherwise, and write results/pretrained/readings.json.

Of the first seed. It goes on where it was interrupted. `tools.verify` measures a part again: RECHECKED, at the shortest
windows. All of it takes an hour on one core.
"""

import json
import sys
from typing import Any

import torch

from alibi_viz.files import write_atomically
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import HELP_TEXTS, of_language
from alibi_viz.lm.readings import Reading
from alibi_viz.lm.runs import environment
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, trained
from tools import facts
from tools.measures import PREDICTIONS, READ, USUAL_LENGTH, Entries, entropy, readings

RECHECKED = ("rope", "alibi", "fire")
STORY = 8  # training lengths: so far the models of other languages that the story shows are read
SPREAD_OF: tuple[Reading, ...] = ("thinned_clamped", "clamped")  # few keys and many, at distances that a model knows


def measure(name: str, times: int) -> Entries:
    """The readings of one shipped model (`pretrained.MODELS`), at L and at so many L."""
    method, language = pretrained.MODELS[name]
    config = TrainConfig(method=method)
    return readings(trained.shipped(method, language), config, of_language(language).held_out, (times,))


def problems_of(name: str) -> list[str]:
    """What the record says otherwise than the weights, measured again at the shortest windows."""
    torch.set_num_threads(1)
    again = measure(name, READ[0])
    record = json.loads(pretrained.READINGS.read_text(encoding="utf-8"))["methods"][name]
    kept = [entry for entry in record if entry["length"] <= max(e["length"] for e in again)]
    return facts.differences(again, kept, f"readings of {name}", close=0.003)


def main() -> int:
    """Measure what is missing, the shortest windows first."""
    torch.set_num_threads(1)
    path = pretrained.READINGS
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"methods": {}}
    record |= {"made_with": environment(), "predictions": PREDICTIONS, "seed": pretrained.SEEDS[0]}
    others = [pretrained.model_name(method, language) for language in HELP_TEXTS for method in ("alibi", "rope")]
    for name, times in [(method, n) for n in READ for method in pretrained.METHODS] + [
        (name, STORY) for name in others
    ]:
        entries = record["methods"].setdefault(name, [])
        done, length = {entry["length"] for entry in entries}, USUAL_LENGTH * times
        if length not in done and METHODS[pretrained.MODELS[name][0]].has_position_table is False:
            entries += [entry for entry in measure(name, times) if entry["length"] not in done]
            _write(record)
            print(name, times, flush=True)
    if "entropy" not in record:
        text, configs = of_language("en").held_out, [TrainConfig(method=method) for method in ("rope", "alibi")]
        record["entropy"] = {
            config.method: {way: entropy(trained.shipped(config.method), config, text, way) for way in SPREAD_OF}
            for config in configs
        }
        _write(record)
    return 0


def _write(record: dict[str, Any]) -> None:
    write_atomically(pretrained.READINGS, json.dumps(record, separators=(",", ":")).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main())
