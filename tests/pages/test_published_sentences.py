"""No result is typed into a lesson by hand."""

from __future__ import annotations

import re

import pytest

from alibi_viz import lessons


@pytest.mark.parametrize("name", ["extrapolation", "why", "train", "early_token_curse", "recall", "today"])
def test_no_result_is_typed_by_hand(name: str) -> None:
    """Outside placeholders, formulas, citations and sources a lesson has no decimal, percentage or number above 100."""
    allowed = {"103", "128", "512", "2017", "2025", "1.1", "1.3"}  # WikiText-103; T5; years; 1.1 times; 1.3 billion
    parts = re.split(r"^## (.+)\n", lessons.path(name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    quiet = ("sources", "latex", "chart", "choices", "help", "labels")
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if section.split(".")[0] not in quiet:
            text = re.sub(r"\{.*?\}|\$.*?\$|`.*?`|and others \d{4}|\[[\d.]+\]\(\S+?\)|\]\(\S+?\)", "", body)
            typed = set(re.findall(r"\d+\.\d+|\d+ ?%|(?<![\w,])\d{3,}(?!\w)", text)) - allowed
            assert not typed, (section, typed)
