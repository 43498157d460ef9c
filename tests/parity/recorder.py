"""The largest difference of every comparison with a published implementation, for the Sources page.

A comparison calls `agree`, which asserts its bound. `make parity` runs them all and writes what they found into
alibi_viz/results/published/parity.json, with two digits, so that the file changes only where something did.
"""

import json
from importlib.metadata import version
from pathlib import Path

from torch import Tensor

FILE = Path(__file__).resolve().parents[2] / "alibi_viz" / "results" / "published" / "parity.json"
#: Comparison -> the package that is compared with, and the largest difference allowed.
CHECKS = {
    "bloom_bias": ("transformers", 1e-6),
    "bloom_model": ("transformers", 1e-4),
    "mpt_bias": ("transformers", 1e-6),
    "mpt_model": ("transformers", 1e-4),
    "x_bias": ("x-transformers", 1e-6),
    "t5_buckets": ("transformers", 0.0),
    "t5_bias": ("transformers", 0.0),
    "llama_rope": ("transformers", 1e-3),
    "interleaved_rope": ("rotary-embedding-torch", 3e-5),
    "rope_scaling": ("transformers", 3e-6),
    "inkling_bias": ("transformers", 1e-6),
}
found: dict[str, float] = {}


def agree(check: str, ours: Tensor, theirs: Tensor, *, relative: bool = False) -> None:
    """Assert the bound of a comparison, and keep the difference. relative: to the value itself; else to 1."""
    assert ours.shape == theirs.shape
    ours, theirs = ours.detach().double(), theirs.detach().double()
    difference = (ours - theirs).abs()
    largest = float((difference / theirs.abs() if relative else difference).max())
    found[check] = max(found.get(check, 0.0), largest)
    assert largest <= CHECKS[check][1], (check, largest)


def write() -> None:
    """The file, if every comparison has run."""
    missing = CHECKS.keys() - found.keys()
    if missing:
        raise ValueError(f"Not compared: {', '.join(sorted(missing))}.")
    rows = [
        {"check": check, "package": package, "version": version(package), "bound": bound}
        | {"difference": float(f"{found[check]:.1e}")}
        for check, (package, bound) in CHECKS.items()
    ]
    FILE.write_text(json.dumps({"checks": rows}, indent=1) + "\n", encoding="utf-8")
