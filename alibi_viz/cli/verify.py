"""`python -m alibi_viz verify`: measure the shipped models again, and compare with the shipped numbers.

The first seed of every method, whose weights are shipped as float16: perplexity at every window of both protocols, the loss
with a cut context, and the stretched models.
"""

import math
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from alibi_viz.cli.pretrained import contexts_of, longer_of
from alibi_viz.device import set_threads
from alibi_viz.files import read_weights
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_docs
from alibi_viz.lm.evaluation import Evaluation, evaluate
from alibi_viz.lm.training import trained_model
from alibi_viz.results import pretrained

CLOSE = 0.003  # nats per byte: what float16 may change


def verify_command(
    quick: Annotated[bool, typer.Option("--quick", help="At the training length alone.")] = False,
) -> int:
    """Measure the shipped models again; exit status 1 if a number is not the shipped one."""
    set_threads(1)
    table, worst = Table("Model", "Measurements", "Largest difference, nats per byte"), 0.0
    first = {r["config"]["method"]: r for r in pretrained.load_all() if r["config"]["seed"] == pretrained.SEEDS[0]}
    for method in pretrained.METHODS:
        if (record := first.get(method)) is None:
            raise ValueError(f"The shipped run of {method} is missing or damaged.")
        if record["corpus"]["sha256"] != python_docs().sha256:
            raise ValueError("This Python's documentation is another text than that of the shipped runs.")
        differences = _differences(record, quick)
        worst = max(worst, *differences)
        table.add_row(method, str(len(differences)), f"{max(differences):.5f}")
    Console().print(table)
    return 0 if worst <= CLOSE else 1


def _differences(record: dict[str, Any], quick: bool) -> list[float]:
    """Of every measurement of a record: the loss now, less the shipped one, without its sign."""
    config = TrainConfig.from_dict(record["config"])
    weights = read_weights(pretrained.weights_path(config.method), config.largest_file)
    model = trained_model(config, weights)
    entries = [entry for entry in (*record["nonoverlapping"], *record["sliding"]) if "loss" in entry]
    if quick:
        entries = [entry for entry in entries if entry["length"] == entry["stride"] == config.length]
    pairs = []
    for entry in entries:
        again = evaluate(model, python_docs().held_out, entry["length"], entry["stride"])
        pairs.append((again.loss if isinstance(again, Evaluation) else math.inf, entry["loss"]))
    if not quick:
        for key, measured in (("contexts", contexts_of(config, weights)), ("longer", longer_of(config, weights))):
            pairs += [(now["loss"], then["loss"]) for now, then in zip(measured, record[key], strict=True)]
    return [abs(now - then) for now, then in pairs]
