"""The proxy's configuration: it needs no nginx to be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from alibi_viz.classroom import full_page
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


def test_it_takes_two_descriptors_for_each_reader_and_says_that_it_is_full_before_they_run_out() -> None:
    found = lines(proxy.configuration("127.0.0.1", 8501, [9001], FOLDER, files=1024))
    assert "worker_rlimit_nofile 1024;" in found
    assert "events { worker_connections 1024; }" in found
    assert f"limit_conn readers {(1024 - proxy.SPARE) // 2};" in found
    assert not any(
        line.startswith("worker_rlimit_nofile") for line in lines(proxy.configuration("::1", 1, [2], FOLDER))
    )


def test_the_page_for_those_who_find_no_room_lies_beside_the_configuration(tmp_path: Path) -> None:
    proxy.prepare("127.0.0.1", 8501, [9001], tmp_path, files=256)
    text = (tmp_path / "nginx.conf").read_text()
    assert f"root {tmp_path};" in text
    assert (tmp_path / proxy.FULL).read_text() == full_page.html()
