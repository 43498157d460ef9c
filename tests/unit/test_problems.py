"""Errors with keys: every key has its line and is said somewhere, and what is stored comes back."""

import ast
import copy
import json
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from alibi_viz import APP_FOLDER
from alibi_viz.jobs.queue import Refused
from alibi_viz.lessons import languages, load, problems
from alibi_viz.lessons.problems import LONGEST, Problem
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore

TABLE = {
    f"{section}.{key}": line
    for section in load("problems", "en").sections
    for key, line in load("problems", "en").entries(section).items()
}
OTHERS = [language for language in languages.LANGUAGES if language != languages.ENGLISH]
HOSTILE = ("{0.__class__}{step:>9999999}", "x" * 10**6, "half \ud800 of one", "two\nlines\0")


def calls():
    """Every place of the code that makes a Problem."""
    for folder in ("alibi_viz", "pages"):
        for file in Path(APP_FOLDER, folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in ("Problem", "Refused")
                ):
                    yield f"{file.relative_to(APP_FOLDER)}:{node.lineno}", node


def keys(argument):
    """The keys of a call: a text, one of two, or those that a text with gaps fits."""
    if isinstance(argument, ast.IfExp):
        return keys(argument.body) + keys(argument.orelse)
    if isinstance(argument, ast.JoinedStr):
        parts = (re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in argument.values)
        pattern = re.compile("".join(parts))
        return [key for key in TABLE if pattern.fullmatch(key)] or [ast.unparse(argument)]
    return [argument.value] if isinstance(argument, ast.Constant) else []


def test_every_key_has_a_line_with_its_values_and_every_line_is_said():
    said = set()
    for where, call in calls():
        if not (found := keys(call.args[0])):
            assert where.startswith("alibi_viz/lessons/problems.py"), f"{where}: only `read` takes a key from elsewhere"
        for key in found:
            assert key in TABLE, f"{where}: {key}"
            assert {keyword.arg for keyword in call.keywords} == languages.placeholders(TABLE[key]), f"{where}: {key}"
        said.update(found)
    assert said == TABLE.keys()


def test_a_problem_is_said_in_the_language_of_the_reader(monkeypatch):
    problem, listed = Problem("texts.too_long", bytes=9_000, most=8_192), Problem("models.unread", fields=("a", "b"))
    assert problems.say(problem) == str(problem) == "The text has 9,000 bytes; at most 8,192 are read."
    assert "a, b" in str(listed)
    assert str(problems.read(json.loads(json.dumps(listed.to_plain())))) == str(listed)
    for language in OTHERS:
        monkeypatch.setattr(languages, "_language_of_reader", lambda language=language: language)
        assert re.findall("[0-9,]+", problems.say(problem)) == ["9,000", "8,192"]
        assert problems.say(problem) != str(problem)
        assert "a、b" in problems.say(listed)
        assert problems.say(ValueError("of a library")) == "of a library"
        assert problems.say(None) == ""


@pytest.mark.parametrize("problem", [Problem("numbers.not_a_number", given="{x}"), Refused("training.busy", count=3)])
def test_a_problem_goes_between_processes(problem):
    for same in (pickle.loads(pickle.dumps(problem)), copy.copy(problem), copy.deepcopy(problem)):
        assert same == problem
        assert str(same) == str(problem)
        assert same.values == problem.values


@pytest.mark.parametrize("error", [Problem("training.not_finite", step=12), "A sentence of 2024.", ""])
def test_the_error_of_a_run_comes_back_and_one_of_an_earlier_version_too(error, tmp_path):
    store, run = RunStore(tmp_path), Run(TrainConfig(length=16, steps=10), status="failed", error=error)
    store.save(run)
    assert store.get(run.hash) == run
    stored = json.loads((store.path(run.hash) / "run.json").read_text(encoding="utf-8"))["error"]
    assert stored == (error if isinstance(error, str) else {"key": "training.not_finite", "values": {"step": 12}})


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.sampled_from([10**4000, *HOSTILE]) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["key", "values", "count"]), inner),
    max_leaves=5,
)
STORED = st.fixed_dictionaries(
    {
        "key": st.sampled_from([*TABLE, "no", "training.{0.__class__}"]),
        "values": st.dictionaries(st.sampled_from(["count", "given", "most", "reason", "step", "number"]), JSON),
    }
)


@given(JSON | STORED)
@example({"key": "training.busy", "values": {"count": 10**4000}})
@example({"key": "training.too_many_steps", "values": {"most": "many", "given": "more"}})
@example({"key": "training.not_saved", "values": {"reason": HOSTILE[1]}})
def test_any_stored_error_is_one_sentence_and_shows_its_text_as_text(stored):
    read = problems.read(stored)
    sentence = problems.say(read)
    assert isinstance(stored, str) or isinstance(read, Problem)
    assert len(sentence) < LONGEST + 200
    assert sentence.isprintable(), "no half of a pair either"
