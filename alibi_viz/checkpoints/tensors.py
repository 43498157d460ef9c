"""Weights in safetensors files: names and shapes from the headers, then the tensors that are asked for.

Notable choices:
- The library checks a header against its file (lengths, offsets, overlaps) and reads no weight before it is asked for; what
  a checkpoint may have is bounded here, before any tensor takes memory.
- A file of another kind, such as a pickle with a renamed ending, has no such header and is refused.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from alibi_viz.checkpoints.folder import Folder
from alibi_viz.checkpoints.json_text import parse_object

FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
INDEX_LONGEST = 2**20  # bytes; an index of 1,000 tensors has about 100 kB
OTHERS = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".msgpack", ".h5", ".gguf", ".onnx")  # weights of other kinds
TENSORS = 20_000
SHARDS = 64
FLOATS = ("F64", "F32", "F16", "BF16")  # others hold masks and positions of old files
_SHARD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.safetensors")


@dataclass(frozen=True)
class Stored:
    """Where a tensor lies."""

    file: str
    name: str  # in that file
    dtype: str
    shape: tuple[int, ...]

    @property
    def numbers(self) -> int:
        """How many it holds."""
        return prod(self.shape)


def stored(folder: Folder) -> dict[str, Stored]:
    """Every tensor of a checkpoint, by name. Raises ValueError with one sentence."""
    every: dict[str, Stored] = {}
    for file in _files(folder):
        with _opened(folder, file) as opened:
            names = set(opened.keys())
            if len(every) + len(names) > TENSORS:
                raise ValueError(f"The checkpoint has more than {TENSORS:,} tensors.")
            if twice := names & every.keys():
                raise ValueError(f"Two files hold the tensor “{min(twice)[:80]}”.")
            for name in names:
                piece = opened.get_slice(name)
                every[name] = Stored(file, name, piece.get_dtype(), tuple(piece.get_shape()))
    return every


def _files(folder: Folder) -> tuple[str, ...]:
    """The safetensors files of a checkpoint: one, or those that the index names."""
    if folder.has(FILE):
        return (FILE,)
    if not folder.has(INDEX):
        raise ValueError(_no_weights(folder))
    index = parse_object(folder.read(INDEX, INDEX_LONGEST), INDEX, INDEX_LONGEST).get("weight_map")
    names = set(index.values()) if isinstance(index, dict) and all(type(v) is str for v in index.values()) else set()
    if not names or len(names) > SHARDS or not all(_SHARD.fullmatch(name) for name in names):
        raise ValueError(f"{INDEX} must name 1 to {SHARDS} safetensors files of this folder.")
    return tuple(sorted(names))


def _no_weights(folder: Folder) -> str:
    others = [name for name in folder.names() if name.endswith(OTHERS)]
    if not others:
        return f"The folder has no {FILE}."
    return (
        f"The folder has {others[0][:80]} but no {FILE}; only safetensors files are opened, since others can run code."
    )


@contextmanager
def _opened(folder: Folder, file: str) -> Iterator[Any]:
    """A safetensors file whose header is whole. Raises ValueError with one sentence."""
    folder.open(file).close()  # a regular file of the folder
    try:
        with safe_open(folder.path / file, "pt") as opened:
            yield opened
    except SafetensorError as error:
        raise ValueError(f"{file} is no safetensors file, or it is damaged: {str(error)[:120]}.") from None


def read(folder: Folder, wanted: Mapping[str, Stored]) -> dict[str, Tensor]:
    """These tensors as float32. Raises ValueError, in one sentence, for one that is not finite or not of floats."""
    weights: dict[str, Tensor] = {}
    for file in sorted({entry.file for entry in wanted.values()}):
        with _opened(folder, file) as opened:
            for name, entry in wanted.items():
                if entry.file == file:
                    weights[name] = _checked(name, entry, opened.get_tensor(entry.name))
    return weights


def _checked(name: str, entry: Stored, tensor: Tensor) -> Tensor:
    if entry.dtype not in FLOATS:
        raise ValueError(f"The tensor “{name[:80]}” does not hold floats.")
    copied = tensor.to(torch.float32, copy=True)  # what the library gives is the file itself, which may change
    if not copied.isfinite().all():
        raise ValueError(f"The tensor “{name[:80]}” holds a weight that is NaN or infinite.")
    return copied
