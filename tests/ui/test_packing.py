"""Long texts in the address: what goes in comes out, and what comes from outside stays small."""

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.ui.controls.packing import LONGEST, UNPACKED, pack, unpack

TEXTS = st.dictionaries(st.sampled_from(["text", "passage"]), st.text(st.characters(exclude_categories=["Cs"])))


def packed(raw: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(raw)).decode().rstrip("=")


@given(TEXTS)
def test_what_is_packed_is_read_back(texts):
    link, left_out = pack(tuple(texts.items()))
    assert not left_out
    assert (unpack(link) if link else {}) == texts


JSON = st.dictionaries(st.text(), st.text() | st.integers() | st.none()) | st.lists(st.text())


@given(st.text() | st.text("ABCabc019-_") | JSON.map(lambda value: packed(json.dumps(value).encode())))
def test_anything_is_read_or_refused(raw):
    try:
        texts = unpack(raw)
    except ValueError:
        return
    assert all(isinstance(text, str) for text in texts.values())


BOMB = json.dumps({"text": "a" * (2 * UNPACKED)}).encode()


@pytest.mark.parametrize("raw", [b"[1]", b"null", b"[" * 100_000, BOMB], ids=["list", "null", "deep", "bomb"])
def test_what_is_no_small_table_of_texts_is_refused(raw):
    assert len(packed(raw)) < LONGEST
    with pytest.raises(ValueError, match="packed texts"):
        unpack(packed(raw))
