"""The measurement that is shipped: made by `python -m benchmarks cost --write`, by the same engine as the reader's own."""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import torch

from alibi_viz.cost.timing import Measured, Spread
from alibi_viz.files import write_atomically

FILE = Path(__file__).with_name("shipped.json")


@cache
def load() -> dict[str, Any]:
    """The machine, the times (pass -> case -> tokens -> Spread, in seconds), what was left out, memory in bytes, errors."""
    data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    for cases in data["passes"].values():
        for name, rows in cases.items():
            cases[name] = {int(tokens): Spread(*row) for tokens, row in rows.items()}
    return data


def machine(device: str = "cpu", dtype: torch.dtype = torch.float32) -> dict[str, str]:
    """Where a measurement is made."""
    label = torch.cuda.get_device_name() if device == "cuda" else processor()
    words = {"device": label, "dtype": str(dtype).removeprefix("torch."), "torch": torch.__version__}
    return words | {"threads": str(torch.get_num_threads())}


def processor() -> str:
    """The CPU's own name, as Linux knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next(line for line in lines if line.startswith("model name")).partition(":")[2].strip()
    except (OSError, StopIteration):
        return "CPU"
    return name[:80] or "CPU"


def rows(measured: Measured) -> dict[str, dict[str, list[float]]]:
    """Seconds as they are stored: case -> tokens -> median, low, high, with four digits."""
    table: dict[str, dict[str, list[float]]] = {}
    for name, tokens in measured.seconds:
        spread = asdict(measured.spread(name, tokens))
        table.setdefault(name, {})[str(tokens)] = [float(f"{value:.4g}") for value in spread.values()]
    return table


def write(data: dict[str, Any]) -> None:
    write_atomically(FILE, json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n")
