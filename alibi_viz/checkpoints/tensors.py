"""Weights in safetensors files: the header first, checked against the file's size, then the tensors that are asked for.

Source: the format as its own repository describes it (huggingface/safetensors, README): eight bytes, the length of the
header as a little-endian number; the header, a JSON object of name -> dtype, shape, data_offsets; then the data.

Notable choices:
- The header is read here and not by the library: what it says is bounded before it is parsed and checked before any
  tensor takes memory, and tensors are read from the very file that was checked.
- A file of another kind has a first number that is no length of a header: a pickle with a renamed ending stops there.
"""

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, BinaryIO, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from torch import Tensor

from alibi_viz.checkpoints.folder import Folder
from alibi_viz.checkpoints.json_text import parse_object

FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
OTHERS = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".msgpack", ".h5", ".gguf", ".onnx")  # weights of other kinds
HEADER = 2**20  # bytes of a header, or of an index; 1,000 tensors need about 100 kB
TENSORS = 20_000
SHARDS = 64
DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
IGNORED = {"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "I32": 4, "I64": 8}  # masks and positions that old files hold: bytes
_SHARD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.safetensors")
_Side = Annotated[int, Field(ge=0, le=2**40)]


class _Entry(BaseModel):
    """One tensor of a header."""

    model_config = ConfigDict(strict=True, extra="forbid")
    dtype: Literal["F64", "F32", "F16", "BF16", "BOOL", "U8", "I8", "I16", "I32", "I64"]
    shape: Annotated[list[_Side], Field(max_length=8)]
    data_offsets: Annotated[list[_Side], Field(min_length=2, max_length=2)]


@dataclass(frozen=True)
class Stored:
    """Where a tensor lies."""

    file: str
    dtype: str
    shape: tuple[int, ...]
    start: int  # bytes from the beginning of the file
    size: int  # bytes


def stored(folder: Folder) -> dict[str, Stored]:
    """Every tensor of a checkpoint, by name. Raises ValueError with one sentence."""
    found: dict[str, Stored] = {}
    for file in _files(folder):
        with folder.open(file) as opened:
            for name, entry in header(opened, os.fstat(opened.fileno()).st_size, file).items():
                if name in found:
                    raise ValueError(f"Two files hold the tensor “{name[:80]}”.")
                found[name] = entry
        if len(found) > TENSORS:
            raise ValueError(f"The checkpoint has more than {TENSORS:,} tensors.")
    return found


def _files(folder: Folder) -> tuple[str, ...]:
    """The safetensors files of a checkpoint: one, or those that the index names."""
    if folder.has(FILE):
        return (FILE,)
    if not folder.has(INDEX):
        raise ValueError(_no_weights(folder))
    index = parse_object(folder.read(INDEX, HEADER), INDEX, HEADER).get("weight_map")
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


def header(opened: BinaryIO, total: int, file: str, most: int = HEADER) -> dict[str, Stored]:
    """The tensors of one file of `total` bytes, by name, with a header of at most `most` bytes; what they hold is not read.

    file: its name, for the sentence of the ValueError that is raised for any other file.
    """
    length = int.from_bytes(opened.read(8), "little")
    if not 2 <= length <= min(most, total - 8):
        rest = min(most, max(total - 8, 0))
        raise ValueError(f"{file} is no safetensors file: its header would have {length:,} bytes, of at most {rest:,}.")
    entries = parse_object(opened.read(length), f"the header of {file}", most)
    entries.pop("__metadata__", None)
    if len(entries) > TENSORS:
        raise ValueError(f"{file} has more than {TENSORS:,} tensors.")
    found = {name: _entry(name, entry, file, 8 + length) for name, entry in entries.items()}
    end = 8 + length
    for entry in sorted(found.values(), key=lambda entry: (entry.start, entry.size)):
        if entry.start != end:
            raise ValueError(f"{file} is damaged: its tensors overlap, or leave bytes between them.")
        end += entry.size
    if end != total:
        raise ValueError(f"{file} is damaged: its header tells of {end:,} bytes, and it has {total:,}.")
    return found


def _entry(name: str, raw: object, file: str, offset: int) -> Stored:
    try:
        entry = _Entry.model_validate(raw)
    except ValidationError:
        raise ValueError(f"{file} is damaged, or of a dtype that is not read: tensor “{name[:80]}”.") from None
    start, end = entry.data_offsets
    width = IGNORED.get(entry.dtype) or DTYPES[entry.dtype].itemsize
    if math.prod(entry.shape) * width != end - start:
        raise ValueError(f"{file} is damaged: the shape of “{name[:80]}” does not fit its bytes.")
    return Stored(file, entry.dtype, tuple(entry.shape), offset + start, end - start)


def read(folder: Folder, wanted: Mapping[str, Stored]) -> dict[str, Tensor]:
    """These tensors as float32. Raises ValueError, in one sentence, for one that is not finite or not of floats."""
    return {name: _read(opened, name, entry) for opened, name, entry in _opened(folder, wanted)}


def _opened(folder: Folder, wanted: Mapping[str, Stored]) -> Iterable[tuple[BinaryIO, str, Stored]]:
    """Each tensor with its open file; every file is opened once."""
    for file in sorted({entry.file for entry in wanted.values()}):
        with folder.open(file) as opened:
            for name, entry in wanted.items():
                if entry.file == file:
                    yield opened, name, entry


def _read(opened: BinaryIO, name: str, entry: Stored) -> Tensor:
    if entry.dtype not in DTYPES:
        raise ValueError(f"The tensor “{name[:80]}” does not hold floats.")
    opened.seek(entry.start)
    data = bytearray(entry.size)
    if opened.readinto(data) != entry.size:  # type: ignore[attr-defined]
        raise ValueError(f"{entry.file} ends before the tensor “{name[:80]}”.")
    tensor = torch.frombuffer(data, dtype=DTYPES[entry.dtype]) if data else torch.empty(0, dtype=DTYPES[entry.dtype])
    tensor = tensor.reshape(entry.shape).float()
    if not tensor.isfinite().all():
        raise ValueError(f"The tensor “{name[:80]}” holds a weight that is NaN or infinite.")
    return tensor
