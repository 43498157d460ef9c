"""A server's settings come from its environment, and a wrong one is refused in words."""

import pytest

from alibi_viz.checks import setting


def test_a_setting_is_read_has_its_default_or_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, read in (("", 10), (" 7 ", 7), ("0", 0), ("19", 19)):
        monkeypatch.setenv("ALIBI_VIZ_X", value)
        assert setting("ALIBI_VIZ_X", 10, 0, 19) == read
    for value in ("20", "-1", "1.5", "many", "٣٣", "²", "9" * 5000, "0" * 5000 + "7"):
        monkeypatch.setenv("ALIBI_VIZ_X", value)
        with pytest.raises(ValueError, match="ALIBI_VIZ_X must be a whole number between 0 and 19"):
            setting("ALIBI_VIZ_X", 10, 0, 19)
