"""What can be wrong with files on the disk after an accident, or a download: of a training run, of a model."""

import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import safetensors.torch
import torch

from alibi_viz.lm.runs import RECORD, STATE, WEIGHTS

Damage = Callable[[Path], object]


def changed(change: Callable[[bytes], bytes]) -> Damage:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def stored(head: bytes, data: bytes = b"") -> Damage:
    """A safetensors file with this header."""
    return changed(lambda _: len(head).to_bytes(8, "little") + head + data)


def header(data: bytes = bytes(8), /, **entries: object) -> Damage:
    return stored(json.dumps(entries).encode(), data)


def entry(shape: list[int], end: int, dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}


def tensors(change: Callable[[torch.Tensor], torch.Tensor]) -> Damage:
    """Other numbers, and what is said of them as it was."""

    def rewrite(data: bytes) -> bytes:
        said = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        numbers = {name: change(tensor).contiguous() for name, tensor in safetensors.torch.load(data).items()}
        return safetensors.torch.save(numbers, metadata=said.get("__metadata__"))

    return changed(rewrite)


def flipped(data: bytes, share: float) -> bytes:
    at = int(share * len(data))
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


#: What can stand in the place of a file.
ODD: dict[str, Damage] = {
    "missing": lambda path: None,
    "a folder": Path.mkdir,
    "a FIFO": os.mkfifo,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to its folder": lambda path: path.symlink_to("."),
}
ANY: dict[str, Damage] = {
    **{f"flipped at {share}": changed(partial(flipped, share=share)) for share in (0, 0.1, 0.5, 0.99)},
    **{f"cut off at {share}": changed(lambda data, n=share: data[: int(n * len(data))]) for share in (0.01, 0.5, 0.99)},
    "empty": changed(lambda data: b""),
    "zeros": changed(lambda data: bytes(len(data))),
    "twice": changed(lambda data: data * 2),
    "sparse, 3 GB": lambda path: os.truncate(path, 3_000_000_000),
}
RECORDS: dict[str, Damage] = {
    "nested": changed(lambda data: b"[" * 100_000),
    "a number of 5,000 digits": changed(lambda data: b"1" * 5_000),
    "another status": changed(lambda data: data.replace(b'"paused"', b'"asleep"')),
}
TENSORS: dict[str, Damage] = {
    "a header without end": changed(lambda data: (2**63).to_bytes(8, "little") + data[8:]),
    "a shape too large": header(losses=entry([2**40, 2**40], 8)),
    "metadata that is nested": header(losses=entry([2], 8), __metadata__={"state": "[" * 100_000}),
    "a huge step count": header(losses=entry([2], 8), __metadata__={"state": '{"config": {"steps": 1e400}}'}),
    "all NaN": tensors(lambda tensor: torch.full_like(tensor, torch.nan)),
    "float64": tensors(lambda tensor: tensor.double()),
    "one more dimension": tensors(lambda tensor: tensor[None]),
}
#: File in the folder of a run ("." is the folder itself), and what is done to it.
OF_RUNS = [
    *((file, name, damage) for file in (RECORD, STATE, WEIGHTS) for name, damage in ANY.items()),
    *((file, name, damage) for file in (RECORD, STATE, WEIGHTS, "lock", ".") for name, damage in ODD.items()),
    *((RECORD, name, damage) for name, damage in RECORDS.items()),
    *((file, name, damage) for file in (STATE, WEIGHTS) for name, damage in TENSORS.items()),
]


def spoil(folder: Path, file: str, damage: Damage) -> None:
    """Damage a file in the folder of a run, or the folder itself."""
    if damage in ODD.values():
        shutil.rmtree(folder / file) if file == "." else (folder / file).unlink(missing_ok=True)
    damage(folder / file)
