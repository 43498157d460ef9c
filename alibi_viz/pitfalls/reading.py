"""Reads slopes or a bias matrix from a reader's file: .npy, safetensors, or text with commas. Nothing in it is executed.

Notable choices:
- What a header claims is held against the size of the file before anything of that size is made (of safetensors, by the
  library).
- Whatever is wrong is said in one sentence; the sentence never quotes the file.
"""

import io
import math
import tokenize
import warnings

import numpy as np
from safetensors import SafetensorError, deserialize

from alibi_viz.lessons.problems import Problem
from alibi_viz.pitfalls.identify import MOST_HEADS
from alibi_viz.pitfalls.judge import LONGEST, MOST_CELLS

MOST_BYTES = 5 * 1024 * 1024  # what the server takes as an upload (.streamlit/config.toml)
ENDINGS = ("npy", "safetensors", "csv")
# What safetensors calls a type -> how NumPy reads it.
STORED = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8", "BOOL": "?"}


def read_array(name: str, data: bytes) -> np.ndarray:
    """The numbers of a file, float32 or bool, in the shape that they have there. name: its ending says the format.

    Raises ValueError, in one sentence, for a file that is too large, damaged, of another kind, or holds neither.
    """
    ending = name.rpartition(".")[2].lower()
    readers = {"npy": _npy, "safetensors": _safetensors, "csv": _csv}
    if ending not in readers:
        raise Problem("matrices.ending")
    if not 0 < len(data) <= MOST_BYTES:
        raise Problem("matrices.size", bytes=len(data), most=MOST_BYTES)
    return readers[ending](data)


def read_mask(name: str, data: bytes) -> np.ndarray:
    """True where a query may attend: bool, or 0 and 1, of a file. Raises ValueError as `read_array`, and for others."""
    values = read_array(name, data)
    if not np.isin(values, (0, 1)).all():
        raise Problem("matrices.mask")
    return values.astype(bool)


def _check_shape(shape: tuple[int, ...]) -> None:
    """Before an array is made. Raises ValueError for one that is too large."""
    if not 1 <= len(shape) <= 5 or min(shape) < 1:
        raise Problem("matrices.shape")
    limits = max(shape[-2:]) > LONGEST or max(shape[:-2], default=0) > MOST_HEADS
    if limits or math.prod(shape) > MOST_CELLS:
        raise Problem("matrices.too_large", heads=MOST_HEADS, tokens=LONGEST, numbers=MOST_CELLS)


def _npy(data: bytes) -> np.ndarray:
    file, formats = io.BytesIO(data), np.lib.format
    read = {(1, 0): formats.read_array_header_1_0, (2, 0): formats.read_array_header_2_0}
    with warnings.catch_warnings(), np.errstate(over="ignore"):  # a header of Python 2; numbers beyond float32
        warnings.simplefilter("ignore", UserWarning)
        try:
            shape, _, dtype = read[formats.read_magic(file)](file)
        except (KeyError, ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError, UnicodeError):
            raise Problem("matrices.npy") from None
        if dtype.kind not in "fb" or dtype.itemsize not in (1, 2, 4, 8):
            raise Problem("matrices.npy_dtype")
        _check_shape(shape)
        if math.prod(shape) * dtype.itemsize != len(data) - file.tell():
            raise Problem("matrices.npy_length")
        file.seek(0)
        return np.load(file, allow_pickle=False).astype(bool if dtype.kind == "b" else np.float32)


def _safetensors(data: bytes) -> np.ndarray:
    try:
        tensors = [tensor for _, tensor in deserialize(data)]
    except SafetensorError:
        raise Problem("matrices.safetensors") from None
    if len(tensors) != 1:
        raise Problem("matrices.tensors", given=len(tensors))
    (tensor,) = tensors
    dtype, shape = tensor["dtype"], tuple(tensor["shape"])
    if dtype not in STORED:
        raise Problem("matrices.tensor_dtype")
    _check_shape(shape)
    numbers = np.frombuffer(tensor["data"], dtype=STORED[dtype])
    if dtype == "BF16":  # the upper half of a float32
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(over="ignore"):
        return numbers.astype(bool if numbers.dtype == bool else np.float32).reshape(shape)


def _csv(data: bytes) -> np.ndarray:
    """One row a line. -inf is a hidden key."""
    try:
        text = data.decode("utf-8-sig").replace(";", ",")
        if not text.strip():
            raise ValueError
        with np.errstate(over="ignore"):
            return np.loadtxt(io.StringIO(text), dtype=np.float32, delimiter=",", comments=None, ndmin=2)
    except ValueError:  # no UTF-8, a word, or rows of different lengths
        raise Problem("matrices.csv") from None
