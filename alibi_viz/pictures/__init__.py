"""Our canvas views as they reach a browser: one JavaScript module and one style each, and the messages that they draw.

Notable choices:
- Every file is a module of its own, with `import` and `export`: an editor, `deno check` and `oxlint` read it as it stands.
- There is no build step. The app serves the files as they are (ui/components/modules.py); a file that moves and the site
  have them in one script (`bundle`), each as a function of its own.
- Nothing here knows Streamlit: the app, an exported file and a notebook take the same module, style and bytes.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from alibi_viz.charts.colormaps import STOPS, lut

HERE = Path(__file__).parent
SHARED = "shared.css"  # what all views have
_TABLES_PLACEHOLDER, _ENGINE_PLACEHOLDER = "/*COLOUR TABLES*/ {}", '/*ENGINE*/ ""'
_TRAINER_PLACEHOLDER, _KERNELS_PLACEHOLDER = '/*TRAINER*/ ""', '/*KERNELS*/ ""'
_IMPORT = re.compile(r'^import\s(\{[^;]*?\})\sfrom "(\.[^"]+)";\n', re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)
_COMMENT = re.compile(r"/\*\*[\s\S]*?\*/ ?")
_LINE = re.compile(r"^\s*(//.*)?\n| +// .*$|^ +", re.MULTILINE)  # a line of comment, the end of one, indentation


def modules(entry: Path) -> list[Path]:
    """A module and all that it imports, each after what it imports itself. Raises ValueError for a circle."""
    ordered: list[Path] = []

    def visit(path: Path, above: tuple[Path, ...]) -> None:
        if path in above:
            raise ValueError(f"{path.name} imports itself, by way of {', '.join(module.name for module in above)}")
        if path in ordered:
            return
        for _, name in _IMPORT.findall(path.read_text(encoding="utf-8")):
            visit((path.parent / name).resolve(), (*above, path))
        ordered.append(path)

    visit(entry.resolve(), ())
    return ordered


def bundle(views: Mapping[str, tuple[str | Path, Sequence[str | Path]]]) -> str:
    """Views, by name (their module and their styles), as one script for pages that load no modules: each module once, a
    function of its own. `views` then has each name's { mount, css }.
    """
    ordered = dict.fromkeys(module for entry, _ in views.values() for module in modules(HERE / entry))
    number = {path: at for at, path in enumerate(ordered)}
    sheets = list(dict.fromkeys(sheet for _, names in views.values() for sheet in (SHARED, *names)))
    made = ["const modules = [], views = {};", f"const sheets = {json.dumps(list(map(style, sheets)))};"]
    for path in ordered:

        def taken(found: re.Match[str], path: Path = path) -> str:
            return f"const {found[1]} = modules[{number[(path.parent / found[2]).resolve()]}];\n"

        text = _IMPORT.sub(taken, module_text(path))
        given = _EXPORTED.findall(text)
        body, _, main = text.rpartition("export default ")
        text, last = (body, [f"default: {main.strip().rstrip(';')}"]) if body else (main, [])
        text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
        made.append(f"modules[{number[path]}] = (() => {{\n{text}\nreturn {{ {', '.join(given + last)} }};\n}})();")
    for name, (entry, names) in views.items():
        mount = f"modules[{number[(HERE / entry).resolve()]}].default"
        css = " + ".join(f"sheets[{sheets.index(sheet)}]" for sheet in (SHARED, *names))
        made.append(f"views[{json.dumps(name)}] = {{ mount: {mount}, css: {css} }};")
    return squeezed("\n".join(made))


def squeezed(script: str) -> str:
    """A script without comments and indentation."""
    return _LINE.sub("", _COMMENT.sub("", script))


def module_text(path: Path) -> str:
    """One module, with the colour tables and the script of a worker where it wants them."""
    text = path.read_text(encoding="utf-8").replace(_TABLES_PLACEHOLDER, colour_tables())
    scripts = {_ENGINE_PLACEHOLDER: engine, _TRAINER_PLACEHOLDER: trainer, _KERNELS_PLACEHOLDER: kernels}
    for place, script in scripts.items():
        if place in text:
            text = text.replace(place, json.dumps(script()))
    return text


@cache
def engine() -> str:
    """The tiny language models as the script of a worker: lm.js, which imports nothing."""
    script = squeezed((HERE / "lm.js").read_text(encoding="utf-8")).replace("\nexport ", "\n")
    return f"{script}onmessage = ({{ data }}) => serve(data, postMessage);"


@cache
def trainer() -> str:
    """What trains a model, as the script of a worker."""
    return f"{bundle({'': ('train/trainer.js', ())})}\nviews[''].mount();"


@cache
def kernels() -> str:
    """The arithmetic of a training, compiled (train/kernels.ts), in base 64."""
    return base64.b64encode((HERE / "train/kernels.wasm").read_bytes()).decode()


@cache
def colour_tables() -> str:
    """The colour maps of the matrix view, as JSON: quantity-theme -> 256 colours of 3 bytes, in base 64."""
    return json.dumps({"-".join(name): base64.b64encode(lut(*name).tobytes()).decode() for name in STOPS})


def style(sheet: str | Path) -> str:
    """A style sheet without comments and indentation."""
    text = (HERE / sheet).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/\s*|(?<=\n)[ ]+", "", text, flags=re.DOTALL)
