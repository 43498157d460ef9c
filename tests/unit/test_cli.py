"""The command line: the table, the JSON object, and one clear line for every mistake."""

import json
import os
import subprocess
import sys

import pytest

from alibi_viz.cli import main
from alibi_viz.rules import slopes
from tests.cases import some


def test_json_is_one_object_with_the_slopes(capsys):
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
    assert main(["slopes", "6", "--rule", "sentence", "--max-bias", "4"]) == 0
    assert "2^-(2/3)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["slopes", "abc"], "integer"),
        (["train", "guess"], "position method"),
        (["train", "alibi", "--text", "/nowhere"], "cannot be read"),
        (["train", "alibi", "--text", "/dev/zero"], "regular file"),
        (["train", "alibi", "--scheduler", "http://x"], "tcp://host:port"),
        (["train", "alibi", "--seeds", "a,b"], "whole numbers"),
        (["train"], "methods"),
        (["check", "none.npy"], "none.npy"),
        (["check", "."], "regular file"),
        (["check"], "or --model FOLDER"),
        (["inspect", "none.json"], "none.json"),
        (["run", "--port", "70000"], "65535"),
        (["run", "--host", "192.0.2.1"], "192.0.2.1"),
        (["run", "--host", "nowhere.invalid"], "nowhere.invalid"),
        (["run", "--host="], "Name an address"),
        (["train", os.fsdecode(b"a\xff")], r"The argument 'a\udcff' holds a lone surrogate"),
        (["slopes", "1000000000"], "between 1 and 1024"),
        (["slopes", "8", "--rule", "guess"], "'guess'"),
        (["slopes", "8", "--max-bias", "nan"], "max_bias"),
        (["slopes", "8", "--max-bias", "much"], "max-bias"),
        (["slopes"], "heads"),
        (["slopes", "8", "--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
        (["check", "a\x1b]0;title\x07.npy"], "a]0;title.npy"),  # what a terminal would take for a command
        (["export", "slope", "-o", "x.html"], "The lessons are: attention, "),
        (["export", "slopes", "-o", "."], "is a folder"),
        (["export", "slopes", "-o", "no/such/x.html"], "no folder"),
    ],
)
def test_a_mistake_gives_one_line_and_status_2(arguments, words, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Error: ")
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert "\x1b" not in captured.err


def test_help_and_a_wrong_option_do_not_wait_for_torch():
    commands = [["--help"], ["train", "--help"], ["slopes", "--nonsense", "x"]]
    code = f"import sys; from alibi_viz.cli import main; print([*map(main, {commands})], 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[0, 0, 2] False"


def test_ctrl_c_while_it_starts_gives_no_traceback(tmp_path):
    """The imports take a second or two: here the interrupt comes from one of them."""
    (tmp_path / "typer.py").write_text("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)")
    paths = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.getcwd()])}
    command = [sys.executable, "-m", "alibi_viz", "slopes", "8"]
    ended = subprocess.run(command, env=os.environ | paths, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@pytest.mark.parametrize("arguments", some([["check", "-"], ["slopes", "3"], ["nonsense…"]], ["nonsense…"]))
def test_a_terminal_that_knows_no_dashes_gets_its_answer(arguments):
    """One of another encoding than UTF-8."""
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "alibi_viz", *arguments]
    done = subprocess.run(command, input=b"1/2, 1/4", capture_output=True, env=environment, check=False)
    assert b"codec" not in done.stderr
    assert (done.stdout if done.returncode < 2 else done.stderr).isascii()


def test_a_reader_of_the_output_may_leave_before_its_end():
    command = [sys.executable, "-m", "alibi_viz", "slopes", "1024", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
    assert said == b""
