"""The JavaScript of the views: modules that can be joined into one text."""

import re
from pathlib import Path

import pytest

from alibi_viz import pictures
from tests import message_types

ROOT = Path(pictures.HERE).parent
HOST = ROOT / "export" / "host.js"  # of an exported file: no view
FILES = sorted(path for path in ROOT.rglob("*.js") if path != HOST)
ENTRIES = [path for path in FILES if "export default" in path.read_text(encoding="utf-8")]
IMPORT = re.compile(r'^import\s+([^;]*?)\s+from "([^"]+)";$', re.MULTILINE)
DECLARED = re.compile(
    r"^(?:export )?(?:default )?(?:async )?(?:function|class|const|let) ([^=({;]+|\{.*?\} =)", re.MULTILINE
)


def names(path):
    """The names at the top level of a file."""
    text = path.read_text(encoding="utf-8")
    first = [word for piece in DECLARED.findall(text) for word in re.findall(r"^\w+", piece)]
    # The further ones of `const A = 1, B = 2;`.
    lists = re.findall(r"^(?:export )?const (\w+ = [^;(){}\[\]]*);", text, re.MULTILINE)
    return {*first, *(name for line in lists for name in re.findall(r"(\w+) = ", line))}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda path: path.name)
def test_a_module_comes_after_what_it_imports_and_every_name_is_its_own(entry):
    joined, seen = pictures.modules(entry), {}
    assert joined[-1] == entry
    for at, path in enumerate(joined):
        for imported, other in IMPORT.findall(path.read_text(encoding="utf-8")):
            before = (path.parent / other).resolve()
            assert before in joined[:at], f"{path.name} imports {other}"
            assert re.fullmatch(r"\{[\w\s,]+\}", imported), (
                "a name that is changed on its way is not there in the joined text"
            )
            assert set(re.findall(r"\w+", imported)) <= names(before)
        for name in names(path):
            assert seen.setdefault(name, path) == path, f"{name} is declared in {path.name} and in {seen[name].name}"


@pytest.mark.parametrize("message", message_types.MESSAGES, ids=lambda path: path.parent.name)
def test_javascript_knows_the_messages_as_python_writes_them(message):
    """If this fails: python -m tests.message_types, and see what `make lint` says of the JavaScript."""
    assert message.with_suffix(".d.ts").read_text(encoding="utf-8") == message_types.written(message)
