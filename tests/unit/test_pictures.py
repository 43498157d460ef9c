"""The JavaScript of the views: modules that can be wrapped in one script."""

import re
from pathlib import Path

import pytest

from alibi_viz import pictures
from tests import message_types

ROOT = Path(pictures.HERE).parent
FILES = sorted(ROOT.rglob("*.js"))
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
def test_a_module_comes_after_what_it_imports(entry):
    joined = pictures.modules(entry)
    assert joined[-1] == entry
    for at, path in enumerate(joined):
        for imported, other in IMPORT.findall(path.read_text(encoding="utf-8")):
            before = (path.parent / other).resolve()
            assert before in joined[:at], f"{path.name} imports {other}"
            assert re.fullmatch(r"\{[\w\s,]+\}", imported), "the bundle changes no name on its way"
            assert set(re.findall(r"\w+", imported)) <= names(before)


@pytest.mark.parametrize("message", message_types.MESSAGES, ids=lambda path: path.parent.name)
def test_javascript_knows_the_messages_as_python_writes_them(message):
    """If this fails: python -m tests.message_types, and see what `make lint` says of the JavaScript."""
    assert message.with_suffix(".d.ts").read_text(encoding="utf-8") == message_types.written(message)
