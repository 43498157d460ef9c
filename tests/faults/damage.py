"""Kinds of damage to a file or folder of the store, made from a seed: (name, what it does to a path)."""

from __future__ import annotations

import json
import os
import random
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import safetensors.torch
import torch

SEED = 0
PLACES = 6  # where a file is cut off, and where it is flipped
Damage = Callable[[Path], None]


def _content(data: bytes) -> Damage:
    return lambda path: void(path.write_bytes(data))


def void(_: object) -> None:
    return None


def anything(size: int, random_: random.Random) -> Iterator[tuple[str, Damage]]:
    """What can happen to any file of so many bytes."""
    for place in sorted(random_.sample(range(size), PLACES)):
        yield f"cut off at {place}", lambda path, place=place: void(path.write_bytes(path.read_bytes()[:place]))  # type: ignore[misc]
    for place in sorted(random_.sample(range(size), PLACES)):
        yield f"flipped at {place}", lambda path, place=place: _flip(path, place)  # type: ignore[misc]
    yield "empty", _content(b"")
    yield "random bytes", _content(random_.randbytes(size))
    yield "zeros", _content(bytes(size))
    yield "twice", lambda path: void(path.write_bytes(path.read_bytes() * 2))
    yield "with a byte order mark", lambda path: void(path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes()))
    yield "UTF-16", lambda path: void(path.write_bytes(path.read_bytes().decode("latin-1").encode("utf-16")))
    yield "sparse, 3 GB", lambda path: os.truncate(path, 3_000_000_000)
    for name, make in ODD.items():
        yield name, lambda path, make=make: (path.unlink(), make(path))[1]  # type: ignore[misc]


def _flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)


def _socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


ODD: dict[str, Damage] = {
    "missing": void,
    "a folder": lambda path: path.mkdir(),
    "a FIFO": lambda path: os.mkfifo(path),
    "a socket": _socket,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to /dev/random": lambda path: path.symlink_to("/dev/random"),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to its folder": lambda path: path.symlink_to("."),
}


def records() -> Iterator[tuple[str, Damage]]:
    """What run.json can say."""
    plain = {"a number": "5", "null": "null", "a list": "[]", "a text": '"run"', "nested": "[" * 100_000, "NUL": "\0"}
    plain |= {"a number of 5,000 digits": "1" * 5_000, "two objects": "{}{}", "a comment": "// {}", "NaN": "NaN"}
    for name, text in plain.items():
        yield name, _content(text.encode())
    for change in ({"status": "asleep"}, {"losses": [1e400]}, {"config": {"steps": 10**9}}, {"error": "\ud800"}):
        yield f"changed {change!r}", lambda path, change=change: _change(path, change)  # type: ignore[misc]
    yield "a field twice", lambda path: void(path.write_text('{"step": 1e999, ' + path.read_text()[1:]))
    yield "300,000 fields", lambda path: _change(path, {f"x{n}": n for n in range(300_000)})


def _change(path: Path, change: dict[str, object]) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))


def tensors() -> Iterator[tuple[str, Damage]]:
    """What a safetensors file can say: eight bytes of length, a JSON header, numbers."""
    for length in (0, 1, 2**31, 2**63, 2**64 - 1):
        yield (
            f"header of {length}",
            lambda path, n=length: void(path.write_bytes(struct.pack("<Q", n) + path.read_bytes()[8:])),
        )  # type: ignore[misc]
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    headers: dict[str, object] = {
        "no tensor": {},
        "a list": [],
        "an unknown type": {"losses": entry | {"dtype": "F99"}},
        "a shape too large": {"losses": entry | {"shape": [2**40, 2**40]}},
        "a negative offset": {"losses": entry | {"data_offsets": [-8, 0]}},
        "an offset too large": {"losses": entry | {"data_offsets": [0, 2**50]}},
        "two in one place": {"losses": entry, "w.x": entry},
        "metadata that is no text": {"losses": entry, "__metadata__": {"state": 5}},
        "metadata that is nested": {"losses": entry, "__metadata__": {"state": "[" * 100_000}},
        "a huge step count": {"losses": entry, "__metadata__": {"state": '{"config": {"steps": 1e400}}'}},
    }
    for name, header in headers.items():
        text = json.dumps(header).encode()
        yield name, _content(struct.pack("<Q", len(text)) + text + bytes(8))
    text = json.dumps(entry)
    text = f'{{"losses": {text}, "losses": {text}}}'
    yield "a tensor twice", _content(struct.pack("<Q", len(text)) + text.encode() + bytes(8))
    for number in (float("nan"), float("inf"), 1e30):
        yield f"all {number}", lambda path, number=number: _fill(path, number)  # type: ignore[misc]
    yield "float64", lambda path: _retype(path, torch.float64)
    yield "two dimensions", lambda path: _reshape(path)


def _set_length(path: Path, length: int) -> None:
    path.write_bytes(struct.pack("<Q", length) + path.read_bytes()[8:])


def _rewrite(path: Path, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    changed = {name: change(tensor).contiguous() for name, tensor in safetensors.torch.load(data).items()}
    path.write_bytes(safetensors.torch.save(changed, metadata=header.get("__metadata__")))


def _fill(path: Path, number: float) -> None:
    _rewrite(path, lambda tensor: torch.full_like(tensor, number))


def _retype(path: Path, dtype: torch.dtype) -> None:
    _rewrite(path, lambda tensor: tensor.to(dtype))


def _reshape(path: Path) -> None:
    _rewrite(path, lambda tensor: tensor[None])


def kinds(sizes: dict[str, int]) -> list[tuple[str, str, Damage]]:
    """(file, name, damage) of every kind, for files of these sizes."""
    random_, found = random.Random(SEED), []
    for file, size in sizes.items():
        found += [(file, *kind) for kind in anything(size, random_)]
        found += [(file, *kind) for kind in (records() if file.endswith(".json") else tensors())]
    found += [("lock", name, make) for name, make in ODD.items()]
    return found + [("", name, make) for name, make in ODD.items()]  # the folder of the run itself
