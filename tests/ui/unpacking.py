"""The message of a picture, taken apart as the browser takes it apart."""

import json
import struct

import numpy as np


def unpack(raw):
    """The header, with each array in its place."""
    (length,) = struct.unpack_from("<I", raw)
    body = raw[4 + length :]

    def filled(part):
        if "array" not in part:
            return part
        return np.frombuffer(body, part["array"], int(np.prod(part["shape"])), part["at"]).reshape(part["shape"])

    return json.loads(raw[4 : 4 + length], object_hook=filled)
