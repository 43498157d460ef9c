"""The message of a picture, taken apart as the browser takes it apart."""

import json
import struct

import numpy as np


def unpack(raw):
    """Header and arrays."""
    (length,) = struct.unpack_from("<I", raw)
    header = json.loads(raw[4 : 4 + length])
    body = raw[4 + length :]
    arrays = [
        np.frombuffer(body, entry["type"], int(np.prod(entry["shape"])), entry["at"]).reshape(entry["shape"])
        for entry in header["arrays"]
    ]
    return header, arrays
