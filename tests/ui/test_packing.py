"""Long texts in the address: what goes in comes out, and what comes from outside stays small."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.ui.controls.packing import LONGEST, UNPACKED, pack, unpack

TEXTS = st.dictionaries(st.sampled_from(["text", "passage"]), st.text(st.characters(exclude_categories=["Cs"])))


def packed(value: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(value).encode())).decode().rstrip("=")


@given(TEXTS)
def test_what_is_packed_is_read_back(texts):
    link, left_out = pack(texts.items())
    assert not left_out
    assert (unpack(link) if link else {}) == texts


@given(st.text() | st.text("ABCabc019-_"))
def test_anything_is_read_or_refused(raw):
    try:
        texts = unpack(raw)
    except ValueError:
        return
    assert all(isinstance(text, str) for text in texts.values())


@pytest.mark.parametrize("value", [[1], "x", 7, None])
def test_what_is_no_table_of_texts_is_refused(value):
    with pytest.raises(ValueError, match="packed texts"):
        unpack(packed(value))


def test_deep_nesting_is_refused():
    deep = base64.urlsafe_b64encode(zlib.compress(b"[" * 100_000)).decode()
    with pytest.raises(ValueError, match="packed texts"):
        unpack(deep)


def test_only_texts_are_taken():
    assert unpack(packed({"text": "a", "heads": 3, "passage": ["b"]})) == {"text": "a"}


def test_a_text_that_unpacks_to_too_much_is_refused():
    bomb = packed({"text": "a" * (2 * UNPACKED)})
    assert len(bomb) < LONGEST
    with pytest.raises(ValueError, match="packed texts"):
        unpack(bomb)


def test_what_does_not_fit_is_named_and_the_rest_is_packed():
    noise = base64.b85encode(
        zlib.compress(bytes(range(256)) * 4 + b"".join(i.to_bytes(3) for i in range(9_000)))
    ).decode()
    assert len(noise) > LONGEST
    link, left_out = pack({"passage": noise, "text": "short"}.items())
    assert left_out == {"passage"}
    assert unpack(link) == {"text": "short"}
