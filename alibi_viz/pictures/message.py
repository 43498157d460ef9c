"""What travels from Python to a picture of ours: one message of bytes.

Streamlit hands a component raw bytes only when its whole `data` is bytes, so everything is one message:

    uint32 (little-endian)   length of the header
    header                   JSON in UTF-8; an array is named by its number in header["arrays"]
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

Array = NDArray[Any]


def check(holds: bool, sentence: str) -> None:
    """Raise ValueError with the sentence unless it holds."""
    if not holds:
        raise ValueError(sentence)


class Arrays:
    """Collects arrays and hands out their numbers; one array given twice travels once."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.table: list[dict[str, Any]] = []
        self.size = 0
        self._numbers: dict[object, tuple[int, Array]] = {}  # memory -> number; the array is kept, so its memory is too

    def add(self, array: Array, what: str) -> int:
        """Append one array; returns its number. Raises ValueError for NaN, and for more than the message may hold."""
        # The memory, not the object, names an array: tensor.numpy() makes a new object at every call.
        memory = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
        if memory in self._numbers:
            return self._numbers[memory][0]
        check(array.dtype in (np.float32, np.float64, np.uint8), f"{what}: dtype {array.dtype} cannot be sent")
        check(not np.isnan(array).any(), f"{what}: contains NaN")
        # Checked before the copy: a refused message must not cost memory first.
        check(self.size + array.nbytes <= MAX_BYTES, f"{what}: more than {MAX_BYTES >> 20} MB; send a smaller window")
        raw = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
        self.table.append({"at": self.size, "type": array.dtype.name, "shape": list(array.shape)})
        self.parts.append(raw + b"\0" * (-len(raw) % 8))
        self.size += len(self.parts[-1])
        self._numbers[memory] = (len(self._numbers), array)
        return len(self._numbers) - 1


def join(header: dict[str, Any], arrays: Arrays) -> bytes:
    """The message. Dataclasses in the header travel as their fields. Raises ValueError for a number that is not finite."""
    settings: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":"), "allow_nan": False}
    settings["default"] = lambda part: getattr(part, "__dict__", None) or float(part)  # a dataclass, a NumPy number
    try:
        text = json.dumps({**header, "arrays": arrays.table}, **settings).encode()
    except ValueError as error:
        raise ValueError("every slope, strength, value and end of a domain must be finite") from error
    text += b" " * (-(len(text) + 4) % 8)
    return b"".join([struct.pack("<I", len(text)), text, *arrays.parts])
