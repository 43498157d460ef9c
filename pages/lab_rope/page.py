"""RoPE: a position as the angles of clocks, one for each pair of dimensions, and how they are scaled to longer texts."""

import numpy as np

from alibi_viz.lessons import languages
from alibi_viz.pictures.clocks.message import Message
from alibi_viz.pictures.hands.message import Value
from alibi_viz.positions.rotary import SCALINGS, Rotary, inv_freq, scaled_inv_freq, turn
from alibi_viz.ui import lesson
from alibi_viz.ui.components.hands import clocks
from alibi_viz.ui.format import format_number
from alibi_viz.ui.row import Row
from pages.lab_rope.study import Controls, study

FAR = 16_000  # nearly eight training lengths
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "far": {"position": FAR},
    "yarn": {"position": FAR, "scaling": "yarn", "rope_dim": 64},
    "llama": {"position": FAR, "scaling": "llama3", "rope_dim": 128, "rope_base": 500_000, "rope_trained": 8192},
}
LATEX = (
    r"$$\theta_i = %s^{-2i/%d}, \qquad \text{angle}_i = p \, \theta_i$$",
    r"$$\begin{pmatrix} x'_1 \\ x'_2 \end{pmatrix} = \begin{pmatrix} \cos p\theta_i & -\sin p\theta_i \\ "
    r"\sin p\theta_i & \cos p\theta_i \end{pmatrix} \begin{pmatrix} x_1 \\ x_2 \end{pmatrix}$$",
)


def main() -> None:
    text = lesson.begin("lab_rope")
    row = Row(text)
    chosen = Controls(
        position=row.slider("position", 40, low=0, high=16_384, log=True),
        scaling=row.choice("scaling", SCALINGS, "none"),
        factor=row.slider("factor", 8.0, low=1.0, high=128.0, step=0.5, typed=True, where={"scaling": SCALINGS[1:]}),
        head_dim=row.slider("rope_dim", 32, low=2, high=128, step=2, further=True) // 2 * 2,  # a pair needs two
        base=row.slider("rope_base", 10_000, low=2, high=5_000_000, log=True, further=True),
        train_length=row.slider("rope_trained", 2048, low=1, high=131_072, typed=True, further=True),
    )
    row.values["rope_dim"] = chosen.head_dim
    hands = row.hands(PRESET_VALUES)
    lesson.say_problems(text)
    words = text.entries("picture")
    try:
        result = study(chosen)
    except ValueError as error:  # the hands stay, with what to change
        nothing = np.zeros(0)
        clocks(Message(hands, nothing, nothing, nothing, words, "", problem=languages.sentence(error)))
        return
    pairs, full = len(result.turns), int((result.trained >= 1).sum())
    facts = {
        "pairs": pairs,
        "full": full,
        "rest": pairs - full,
        "within": int(result.within.sum()),
        "train_length": chosen.train_length,
        "position": chosen.position,
        "factor": chosen.factor,
        "slowest": float(1 / result.plain[-1]),
        "stretch": format_number(result.stretch, 4),
    }
    dials = (result.turns, result.plain, result.trained)
    clocks(Message(hands, *dials, words, text.label("alt", facts)))
    seen = [text.text("seen", facts)]
    if chosen.scaling != "none":
        seen.append(text.text(f"seen_{chosen.scaling}", facts))
    base = f"{chosen.base:,}".replace(",", "{,}")  # else LaTeX sets a gap
    lesson.seen_and_formula(seen, [LATEX[0] % (base, chosen.head_dim), LATEX[1], text.text("formula")])
    lesson.sections(text, {}, inv_freq, scaled_inv_freq, turn, Rotary)
    lesson.end(text)


if __name__ == "__main__":
    main()
