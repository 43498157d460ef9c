"""Long texts in the address line: compressed together, under one key.

Notable choices:
- A text of 300 words takes 1,800 characters of an address as it is, and some 1,000 compressed. Servers and proxies cut an
  address of more than 8,000, so there is an end; what does not fit is named, never dropped in silence.
- What is read back may be anything: it is bounded before and while it is unpacked; each text is checked as all values are.
"""

import base64
import json
import zlib
from functools import lru_cache

KEY = "packed"
LONGEST = 6_000  # characters of the packed texts
UNPACKED = 200_000  # bytes, as JSON


@lru_cache(maxsize=64)  # asked for in every run, and texts change seldom
def pack(texts: tuple[tuple[str, str], ...]) -> tuple[str, frozenset[str]]:
    """As much of these texts (key, text) as fits, the shortest first; and the keys of those that do not."""
    shortest_first = sorted(texts, key=lambda text: len(text[1]))
    for count in range(len(texts), 0, -1):
        compressed = zlib.compress(json.dumps(dict(shortest_first[:count]), ensure_ascii=False).encode(), 9)
        packed = base64.urlsafe_b64encode(compressed).decode().rstrip("=")
        if len(packed) <= LONGEST:
            return packed, frozenset(key for key, _ in shortest_first[count:])
    return "", frozenset(key for key, _ in texts)


def unpack(packed: str) -> dict[str, str]:
    """The texts by key. Raises ValueError where that is not what `packed` is."""
    if len(packed) > LONGEST:
        raise ValueError("The packed texts are too long.")
    reader = zlib.decompressobj()
    try:
        compressed = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars="-_", validate=True)
        text = reader.decompress(compressed, UNPACKED)
        texts = json.loads(text) if reader.eof else None
    except (zlib.error, RecursionError) as error:
        raise ValueError("The packed texts cannot be read.") from error
    if not isinstance(texts, dict):
        raise ValueError("The packed texts are cut, too long, or none.")
    return {key: text for key, text in texts.items() if isinstance(text, str)}
