"""`make docs`: the plan of 50 minutes as a file, from what the page /lesson shows (alibi_viz/classroom/plans.py)."""

import sys
from pathlib import Path

from alibi_viz.classroom import plans
from alibi_viz.lessons import languages, load

FILE = Path("docs/lesson-50.md")
LEAD = """# A lesson of 50 minutes: how does a Transformer know where a token is?

Made by `make docs`. For students who know softmax and matrix products. At the end they can say what ALiBi adds to the
scores, why it can be read beyond the training length, and what that does not prove.

**Before:** start the app for the network (`alibi-viz run --host 0.0.0.0`), and open `/lesson` on the teacher's computer: it
has these notes in three languages, a clock, and a shorter plan. Open a room there, press “Teach by this plan”, and open the
wall, in a window on the projector: it goes where that page is turned to. Students join by the QR code (`J`). Each question
comes to their phones by itself; “Your teacher is here” leads them to the lesson on the wall.
"""


def text() -> str:
    """The whole file."""
    columns, starts = load(plans.TEXTS, languages.ENGLISH).label("columns").split("|"), plans.starts("50")
    lines = [LEAD, load(plans.TEXTS, languages.ENGLISH).label("keys"), ""]
    lines += [f"| {' | '.join(columns)} |", "|---|---|---|"]
    for number, step in enumerate(plans.PLANS["50"]):
        link = f"[{plans.title(step, languages.ENGLISH)}](/{step.address}&present=true)"
        minutes = f"{starts[number]}–{starts[number + 1]}"
        lines.append(f"| {minutes} | {link} | {plans.said(step, language=languages.ENGLISH)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
