"""The command line: the table, the JSON object, and one clear line for every mistake."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from alibi_viz import cli
from alibi_viz.cli import MOST_HEADS, main
from alibi_viz.cli.reports import slope_rows
from alibi_viz.positions.alibi import slopes


def test_json_is_one_object_with_the_slopes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["slopes", "12", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [row["slope"] for row in result["slopes"]] == slopes(12)
    assert result["slopes"][8] == {
        "head": 9,
        "slope": pytest.approx(2**-0.5),
        "exponent": "1/2",
        "half_weight_distance": pytest.approx(0.98026, abs=1e-5),
        "distance_90": 3,
        "family": 1,
    }


def test_the_table_has_a_line_for_every_head(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["slopes", "6", "--rule", "plain", "--max-bias", "4"]) == 0
    out = capsys.readouterr().out
    assert "2^-(2/3)" in out
    assert "2^-4" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["slopes", "abc"], "integer"),
        (["slopes", "1.5"], "integer"),
        (["slopes", "0"], "between 1 and 1024"),
        (["slopes", "-3"], "between 1 and 1024"),
        (["slopes", "1000000000"], "between 1 and 1024"),
        (["slopes", "8", "--rule", "guess"], "'guess'"),
        (["slopes", "8", "--rule", "custom"], "'custom'"),
        (["slopes", "8", "--max-bias", "nan"], "max_bias"),
        (["slopes", "8", "--max-bias", "-1"], "max_bias"),
        (["slopes", "8", "--max-bias", "much"], "max-bias"),
        (["slopes"], "heads"),
        (["slopes", "8", "9"], "9"),
        (["slopes", "8", "--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
    ],
)
def test_a_mistake_gives_one_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Error: ")
    assert words in captured.err
    assert captured.err.count("\n") == 1


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "alibi_viz", "slopes", "none"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("rule", ["paper", "plain", "blog"])
@pytest.mark.parametrize("heads", [1, 7, MOST_HEADS])
def test_every_row_can_be_written(rule: str, heads: int) -> None:
    rows = slope_rows(heads, rule)
    json.dumps(rows, allow_nan=False)
    assert [row["head"] for row in rows] == list(range(1, heads + 1))


def test_help_and_a_wrong_option_do_not_wait_for_torch() -> None:
    code = (
        "import sys; from alibi_viz.cli import main; status = main(sys.argv[1:]); print(status, 'torch' in sys.modules)"
    )
    for arguments, status in ((["--help"], 0), (["train", "--help"], 0), (["slopes", "--nonsense", "x"], 2)):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == f"{status} False"


def test_without_the_app_help_says_which_commands_it_adds(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(cli, "has_app", lambda: False)
    assert main(["--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "[app]' adds: run, train, export, site." in said
    assert "Serve the app" not in said


def test_ctrl_c_while_it_starts_gives_no_traceback(tmp_path: Path) -> None:
    """The imports take a second or two: here the interrupt comes from one of them."""
    (tmp_path / "typer.py").write_text("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)")
    paths = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.getcwd()])}
    command = [sys.executable, "-m", "alibi_viz", "slopes", "8"]
    ended = subprocess.run(command, env=os.environ | paths, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_ctrl_c_after_all_is_done_changes_nothing() -> None:
    """Python's own end would print a traceback, or end by the signal."""
    late = "import atexit, signal, sys; atexit.register(lambda: signal.raise_signal(signal.SIGINT)); "
    late += "sys.argv[1:] = ['run', '--help']; from alibi_viz.__main__ import main; sys.exit(main())"
    ended = subprocess.run([sys.executable, "-c", late], capture_output=True, text=True, check=False, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
