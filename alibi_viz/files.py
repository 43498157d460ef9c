"""Files that are whole or not there: writing by rename, and weights as safetensors."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from torch import Tensor


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` at `path`: at every moment the old file stands there or the new one, also after a power cut."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Make the renaming itself last. Systems that cannot open a folder (Windows) do without."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_weights(path: Path, weights: dict[str, Tensor], dtype: torch.dtype = torch.float32) -> None:
    """Write weights by parameter name as one safetensors file."""
    write_atomically(path, safetensors.torch.save({name: w.to(dtype).contiguous() for name, w in weights.items()}))


def read_weights(path: Path) -> dict[str, Tensor]:
    """Weights by parameter name, as float32.

    Raises:
        OSError: if there is no such file; ValueError: if it is damaged.
    """
    try:
        return {name: tensor.float() for name, tensor in safetensors.torch.load(path.read_bytes()).items()}
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
