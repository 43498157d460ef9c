"""A link as a QR code, drawn here: nothing is asked of another host."""

import io
from functools import lru_cache

import segno


@lru_cache(maxsize=32)
def svg(link: str) -> str:
    """The code as an SVG picture, dark on white, with the quiet zone that readers need."""
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=5, border=4, light="white", xmldecl=False, omitsize=True)
    return out.getvalue().decode()
