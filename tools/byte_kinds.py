"""Kinds of bytes in English text: which of them the steps of a trained FoX are counted by (`tools.facts`)."""

import re

import numpy as np

#: Kinds of bytes, the first that fits.
_KIND = re.compile(
    rb"(?P<line_end>\n)|(?P<blank> )|(?P<sentence_end>[.!?](?=\s))|(?P<quote>[\"`]|\'(?![A-Za-z])|(?<![A-Za-z])\')"
    rb"|(?P<opening>[(\[{])|(?P<closing>[)\]}])|(?P<comma>[,;])|(?P<digit>\d)|(?P<first_letter>(?<![A-Za-z])[A-Za-z])"
    rb"|(?P<letter>[A-Za-z])|(?P<sign>[\x00-\xff])"
)
KINDS = tuple(_KIND.groupindex)


def kinds_of(text: bytes) -> np.ndarray:
    """Which of KINDS each byte is: int64 [T]."""
    return np.array([(match.lastindex or 0) - 1 for match in _KIND.finditer(text)])
