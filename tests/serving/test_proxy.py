"""The proxy's configuration: it needs no nginx to be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from alibi_viz.cli.serving import proxy

FOLDER = Path("/somewhere")


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_each_replica_has_a_group_in_which_the_others_stand_by() -> None:
    found = lines(proxy.configuration("127.0.0.1", 8501, [9001, 9002], FOLDER))
    one, two = (f"server 127.0.0.1:{port} max_fails=1 fail_timeout=5s" for port in (9001, 9002))
    assert f"upstream any {{ least_conn; {one}; {two}; }}" in found
    assert f"upstream r9001 {{ {one}; {two} backup; }}" in found
    assert f"upstream r9002 {{ {two}; {one} backup; }}" in found


def test_it_listens_where_it_is_told_and_writes_into_its_folder_alone() -> None:
    text = proxy.configuration("127.0.0.1", 8501, [9001], FOLDER)
    assert [line for line in lines(text) if line.startswith("listen")] == ["listen 127.0.0.1:8501;"]
    assert "listen [::1]:8501;" in lines(proxy.configuration("::1", 8501, [9001], FOLDER))
    paths = [line.split()[1] for line in lines(text) if line.split()[:1] and line.split()[0].endswith(("_path", "pid"))]
    assert len(paths) == 6
    assert all(path.startswith("/somewhere/") for path in paths)


def test_without_nginx_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(proxy, "PLACES", ())
    with pytest.raises(ValueError, match="apt install nginx-light"):
        proxy.find()
