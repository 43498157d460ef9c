"""A method, a picture and its lesson, added as CONTRIBUTING.md says and in no other file, pass what it says to run.

They are made up, and stand in a copy of the project. A registry that asks for one file more makes this test fail.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons.languages import LANGUAGES, beside
from tools.stamps import stamped

GUIDE = (APP_FOLDER / "CONTRIBUTING.md").read_text(encoding="utf-8")
NOT_COPIED = (".venv", ".git", ".*_cache", "__pycache__", ".hypothesis", "data", "out")
METHOD = '''"""Gaussian: each head sees a bell of its own width around the query.

Source: made up. For head h = 1..H the bias is -(d / 2^(h + 1))^2 / 2.
"""

import torch
from torch import Tensor

from alibi_viz.positions.base import DistanceBias


class Gaussian(DistanceBias):
    """No options."""

    name = "gaussian"
    title = "Gaussian"
    order = 85
    formula = r"- \\, \\tfrac{1}{2} \\left( \\frac{i - j}{2^{h + 1}} \\right)^2"

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        widths = 2.0 ** torch.arange(2, self.heads + 2, device=distance.device)
        return -0.5 * (distance.float() / widths.view(-1, *[1] * distance.ndim)).square()
'''
LOOK = '    "gaussian": Look("#5B7F2B", "#A9CF72", "star-triangle-up", "dashdot"),\n'
PARITY = """

def test_gaussian_is_its_formula() -> None:
    far = torch.tensor(PLACES)[:, None] - torch.tensor(PLACES)
    expected = torch.stack([-(far**2) / 2 / 4.0 ** (head + 2) for head in range(3)])
    assert torch.allclose(cells(build("gaussian", heads=3, head_dim=8)), expected)
"""
STUDY = '''"""A sliding window: the nearest keys alone count."""

import numpy as np


def weights(n: int, width: int) -> np.ndarray:
    """Of one query on n keys that match equally well, the nearest first: float32 [n]."""
    return np.where(np.arange(n) < width, 1 / min(n, width), 0).astype(np.float32)
'''
MESSAGE = '''"""What the window shows: a bar a key."""

from dataclasses import dataclass

from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array


@dataclass(frozen=True)
class Message(Picture):
    weights: Array  # float32 [n], the nearest key first
    problem: str = ""
'''
VIEW = """// A sliding window: a bar for the weight of each key.

import { CanvasPicture } from "../canvas_picture.js";
import { mounting } from "../shared.js";

export const weightsOf = (n, width) => Array.from({ length: n }, (_, at) => at < width ? 1 / Math.min(n, width) : 0);

/** @extends {CanvasPicture<import("./message.d.ts").Message, {}, number[], { width: number, height: number }>} */
class Bars extends CanvasPicture {
  constructor(host) {
    super(host, "window");
  }

  take(message) {
    this.now = Array.from(message.weights);
    super.take(message);
  }

  computed() {
    return weightsOf(this.message.weights.length, Number(this.hands.values.window_width));
  }

  place(height) {
    return { width: this.width, height };
  }

  drawOn(ctx) {
    const { now, layout: { width, height }, theme } = this, wide = width / now.length;
    ctx.fillStyle = theme.accent;
    now.forEach((weight, at) => ctx.fillRect(at * wide, (1 - weight) * height, 0.8 * wide, weight * height));
  }
}

export default mounting(Bars);
"""
ARITHMETIC = """@row("window/view.js", "core.weightsOf(64, of)", lambda chance: chance.randint(1, 99), rtol=1e-6)
def weights_in_a_window(width):
    return window.weights(64, width)
"""
PAGE = '''"""Window: which keys a query attends to when only the nearest ones count."""

from alibi_viz.pictures.window.message import Message
from alibi_viz.ui import lesson
from alibi_viz.ui.components.hands import window
from pages.window.study import weights


def main() -> None:
    text, controls = lesson.begin("window")
    width = controls.slider("window_width", 8, low=1, high=64, log=True)
    lesson.say_problems(text)
    said = {"words": text.entries("picture"), "alt": text.label("alt", width=width)}
    window(Message(weights(64, width), hands=controls.hands(), key="window", filename="window", **said))
    lesson.seen_and_formula([text.text("seen", {"width": width})])
    lesson.end(text, {}, weights)
'''
TEXT = """## title
What does a query see through a window?

## lead
In a [sliding window](glossary#sliding) each [query](glossary#query-key-value) attends to the nearest keys alone.

## labels
- page: Window
- page_help: Which keys a window leaves.
- window_width: Width of the window
- window_open: Look closer
- alt: The weights of a query on the nearest {width} keys.

## picture
- label: Bars, the nearest key first.

## seen
A query attends to at most **{width}** keys.

## sources
- Made up.
"""
PAGE_TEST = '''"""A sliding window: what the page says of it."""

from pages.window.study import weights
from tests.pages.apptest import hands, open_page, said, says


def test_a_window_shares_the_weight_among_its_keys() -> None:
    assert weights(4, 2).tolist() == [0.5, 0.5, 0, 0]
    assert says(said(at := open_page("window", window_width="4")), "window", "seen", width=4)
    assert hands(at)["answered"] == ["window_width"], "in a file, where no server answers, the hand is there"
'''


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    root = tmp_path_factory.mktemp("heir") / "project"
    shutil.copytree(APP_FOLDER, root, ignore=shutil.ignore_patterns(*NOT_COPIED))
    add_a_method(root)
    add_a_picture(root)
    add_a_lesson(root)
    insert(root / "CHANGELOG.md", "### New\n\n", "- A method, a picture and a lesson.\n")
    return root


def insert(file, after, line):
    text = file.read_text(encoding="utf-8")
    assert after in text
    file.write_text(text.replace(after, after + line, 1), encoding="utf-8")


def write(file, text):
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def add_a_method(root):
    write(root / "alibi_viz/positions/gaussian.py", METHOD)
    insert(root / "alibi_viz/charts/palette.py", "LOOKS = {\n", LOOK)
    with (root / "tests/parity/test_positions.py").open("a", encoding="utf-8") as file:
        file.write(PARITY)


def add_a_picture(root):
    for name, text in (("__init__.py", ""), ("message.py", MESSAGE), ("view.js", VIEW), ("view.css", "")):
        write(root / "alibi_viz/pictures/window" / name, text)
    insert(root / "alibi_viz/ui/components/hands.py", '"clocks", *_STYLES)\n', 'window = _mount("window", *_STYLES)\n')
    rows = root / "tests/browser/test_arithmetic.py"
    insert(rows, "from pages.story import study as story\n", "from pages.window import study as window\n")
    insert(rows, "# What all pictures share\n", f"\n\n{ARITHMETIC}")


def add_a_lesson(root):
    folder = root / "pages/window"
    for name, text in (("study.py", STUDY), ("page.py", PAGE), ("text.md", TEXT)):
        write(folder / name, text)
    for language in LANGUAGES:
        if language != "en":
            translated = TEXT.replace("What does", f"({language}) What does").replace(": Window", f": ({language})")
            write(beside(folder / "text.md", language), stamped(translated, TEXT))
    insert(root / "alibi_viz/ui/shell/navigation.py", '{"bias": ":material/grid_on:"', ', "window": ":material/width:"')
    write(root / "tests/pages/window/test_page.py", PAGE_TEST)


def run(root, *command):
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4_000:]}{done.stderr[-4_000:]}"


@pytest.mark.slow
def test_a_method_a_picture_and_a_lesson_pass_what_the_guide_says_to_run(copied):
    # The environment is this one: make has nothing to install.
    run(copied, sys.executable, "-m", "tests.message_types")
    run(copied, "make", f"BIN={Path(sys.executable).parent}", "-o", ".venv/.dev", "docs", "lint", "contracts")
    assert "`gaussian`" in (copied / "docs/interface.md").read_text(encoding="utf-8")
    assert "`/window` | `window_width`" in (copied / "docs/controls.md").read_text(encoding="utf-8")
    named = re.findall(r"`pytest\s([^`]+)`", GUIDE[: GUIDE.index("## Change a view")])
    assert len(named) == 5, "one for a method, two for a lesson, two for a picture"
    for tests in named:
        run(copied, sys.executable, "-m", "pytest", "-x", *re.sub("<name>|<view>", "window", tests).split())
