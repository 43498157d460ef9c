"""The JavaScript of the views: modules that can be joined into one text."""

import json
import os
import re
import subprocess
import sys
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

#: Names that every object of JavaScript has.
INHERITED = ("constructor", "toString", "valueOf", "__proto__", "hasOwnProperty")
#: Finds also what every object has: `name in table`, and a name of an event, an element or an address in brackets.
UNSAFE = re.compile(
    r"[\w)\]] in [\w.]+|"
    r"[\w)}\]](?:\?\.)?\[[^\[\]]*(?:event\.|\.dataset\.|\.value\b|pointerType|text\.|query\.get)[^\[\]]*\]"
)
NO_CODE = re.compile(r"""/\*.*?\*/|(?<![:\w])//[^\n]*|"(?:\\.|[^"\\\n])*"|\bfor \(const \w+ in """, re.DOTALL)
READS = """
import {{ bounded, controls, stateOf }} from {module};
controls.set("heads", {{ label: "heads", kind: "int", low: 1, high: 128, default: "8" }});
const states = {names}.map((name) => stateOf(new URLSearchParams([[name, "1"], ["heads", "12"]])));
const flags = {names}.map((text) => bounded({{ kind: "flag" }}, text) === undefined);
console.log(JSON.stringify([states, flags]));
"""


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


@pytest.mark.parametrize("path", [*FILES, HOST], ids=lambda path: path.name)
def test_no_name_from_outside_finds_what_every_object_has(path):
    found = UNSAFE.findall(NO_CODE.sub(" ", path.read_text(encoding="utf-8")))
    assert not found, "Object.hasOwn, `lookUp` (pictures/shared.js) or a Map"


def test_an_address_of_the_site_with_the_names_that_every_object_has_asks_for_nothing():
    module = json.dumps((ROOT / "export/site/address.js").as_uri())
    script = READS.format(module=module, names=json.dumps(INHERITED))
    deno = [
        str(Path(sys.executable).with_name("deno")),
        "run",
        "--quiet",
        "--no-remote",
        "--location",
        "http://site.test/",
    ]
    options = {"input": script, "capture_output": True, "text": True, "env": os.environ | {"DENO_NO_UPDATE_CHECK": "1"}}
    ran = subprocess.run([*deno, "--allow-read", "-"], **options)
    assert ran.stdout, ran.stderr
    assert json.loads(ran.stdout) == [["heads=12"] * len(INHERITED), [True] * len(INHERITED)]
