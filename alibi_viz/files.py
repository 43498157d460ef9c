"""Files that are never half written: write to a temporary file, then rename. Weights are safetensors."""

import contextlib
import os
import tempfile
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from torch import Tensor


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`. At every moment the path holds the old file or the new one, also after a power cut."""
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
    with contextlib.suppress(OSError):  # make the rename itself durable; Windows cannot open a folder
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_weights(path: Path, weights: dict[str, Tensor], dtype: torch.dtype = torch.float32) -> None:
    """Write weights by parameter name as one safetensors file."""
    write_atomically(path, safetensors.torch.save({name: w.to(dtype).contiguous() for name, w in weights.items()}))


def read_weights(path: Path) -> dict[str, Tensor]:
    """Weights by parameter name, as float32. Raises OSError if there is no such file, ValueError if it is damaged."""
    try:
        return {name: tensor.float() for name, tensor in safetensors.torch.load(path.read_bytes()).items()}
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
