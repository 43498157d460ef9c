"""A server's settings come from its environment, and a wrong one is refused in words."""

from __future__ import annotations

import pytest

from alibi_viz.checks import setting


@pytest.mark.parametrize(("value", "read"), [(None, 10), ("", 10), (" 7 ", 7), ("0", 0), ("19", 19)])
def test_a_setting_is_read_or_has_its_default(monkeypatch: pytest.MonkeyPatch, value: str | None, read: int) -> None:
    monkeypatch.delenv("ALIBI_VIZ_X", raising=False)
    if value is not None:
        monkeypatch.setenv("ALIBI_VIZ_X", value)
    assert setting("ALIBI_VIZ_X", 10, 0, 19) == read


@pytest.mark.parametrize("value", ["20", "-1", "1.5", "many", "٣٣", "²", "9" * 5000, "0" * 5000 + "7"])
def test_any_other_value_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ALIBI_VIZ_X", value)
    with pytest.raises(ValueError, match="ALIBI_VIZ_X must be a whole number between 0 and 19"):
        setting("ALIBI_VIZ_X", 10, 0, 19)
