"""What travels from Python to a picture of ours: one message of bytes.

Streamlit hands a component raw bytes only when its whole `data` is bytes, so everything is one message:

    uint32 (little-endian)   length of the header
    header                   JSON in UTF-8; an array is {"array": its type, "at": its offset, "shape": [...]}, and
                             "by_distance": true where only its diagonals travel
    padding to 8
    arrays                   float32, float64 or uint8, row-major, each at an offset divisible by 8

Offsets count from the end of the padded header. Nothing here imports Streamlit, so the format can be tested alone.
"""

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_BYTES = 16 * 1024 * 1024
LARGE = 64 * 64  # numbers of a matrix that is worth a look at its diagonals

Array = NDArray[Any]


def check(holds: bool, sentence: str) -> None:
    """Raise ValueError with the sentence unless it holds."""
    if not holds:
        raise ValueError(sentence)


class _Arrays:
    """Collects arrays and says where each stands; one array given twice travels once."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        # By memory; beside each place its array, so that its memory is not given to another one.
        self._places: dict[object, tuple[dict[str, Any], Array]] = {}

    def add(self, array: Array) -> dict[str, Any]:
        """Append one array; returns its place. Raises ValueError for NaN, and for more than the message may hold."""
        # The memory, not the object, names an array: tensor.numpy() makes a new object at every call.
        memory = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
        if memory not in self._places:
            check(array.dtype in (np.float32, np.float64, np.uint8), f"dtype {array.dtype} cannot be sent")
            check(not np.isnan(array).any(), "an array contains NaN")
            # Checked before the copy: a refused message must not cost memory first.
            check(self.size + array.nbytes <= MAX_BYTES, f"more than {MAX_BYTES >> 20} MB; send a smaller window")
            place: dict[str, Any] = {"array": array.dtype.name, "at": self.size, "shape": list(array.shape)}
            sent = array
            if array.ndim == 2 and array.size >= LARGE and np.array_equal(array[1:, 1:], array[:-1, :-1]):
                # A bias is one number a distance: from the last row's first column up, and along the first row.
                sent, place["by_distance"] = np.concatenate([array[:0:-1, 0], array[0]]), True
            raw = np.ascontiguousarray(sent, dtype=array.dtype.newbyteorder("<")).tobytes()
            self._places[memory] = (place, array)
            self.parts.append(raw + b"\0" * (-len(raw) % 8))
            self.size += len(self.parts[-1])
        return self._places[memory][0]


def pack(message: object) -> bytes:
    """A dataclass, or a dictionary, as a message; dataclasses and arrays in it too.

    Raises ValueError for a number that is not finite, and for arrays that cannot travel.
    """
    arrays = _Arrays()

    def encode(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            return arrays.add(part)
        if isinstance(part, bytes):  # the message of another picture in this one
            return arrays.add(np.frombuffer(part, dtype=np.uint8))
        return getattr(part, "__dict__", None) or float(part)  # a dataclass, a NumPy number

    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=encode).encode()
    except ValueError as error:
        if "JSON compliant" in str(error):
            raise ValueError("every slope, strength, value and end of a domain must be finite") from error
        raise
    text += b" " * (-(len(text) + 4) % 8)
    return b"".join([struct.pack("<I", len(text)), text, *arrays.parts])
