"""RoPE: a position as the angles of clocks, one for each pair of dimensions, and how they are scaled to longer texts."""

import numpy as np

from alibi_viz.lessons import Lesson, problems
from alibi_viz.pictures.clocks.message import Message
from alibi_viz.positions.rotary import Rotary, dynamic_base, inv_freq, kept_share, scaled_inv_freq, turn, yarn_ramp
from alibi_viz.results.facts import load_facts
from alibi_viz.rules import LLAMA3_HIGH, LLAMA3_LOW, ROPE_SCALINGS, YARN_FAST, YARN_SLOW
from alibi_viz.ui import lesson
from alibi_viz.ui.components.hands import clocks
from alibi_viz.ui.control_panel import Presets
from alibi_viz.ui.format import format_number
from pages.lab_rope.study import RAMPS, Controls, Result, compute

WITHIN, BEYOND = 1000, 4096  # positions: half a training length, and two
FAR = 16_000  # nearly eight training lengths
PRESET_VALUES: Presets = {
    "within": {"position": WITHIN},
    "far": {"position": FAR},
    "yarn": {"position": FAR, "scaling": "yarn", "rope_dim": 64},
    "llama": {"position": FAR, "scaling": "llama3", "rope_dim": 128, "rope_base": 500_000, "rope_trained": 8192},
}
TURNED = (
    r"\begin{pmatrix} x'_1 \\ x'_2 \end{pmatrix} = %s\begin{pmatrix} \cos a_i & -\sin a_i \\ \sin a_i & \cos a_i "
    r"\end{pmatrix} \begin{pmatrix} x_1 \\ x_2 \end{pmatrix}"
)


def main() -> None:
    text, controls = lesson.begin("lab_rope")
    chosen = Controls(
        position=controls.slider("position", BEYOND, low=0, high=16_384, log=True),
        scaling=controls.choice("scaling", ROPE_SCALINGS, "none"),
        factor=controls.slider(
            "factor", 8.0, low=1.0, high=128.0, step=0.5, typed=True, visible_when={"scaling": ROPE_SCALINGS[1:]}
        ),
        head_dim=controls.slider("rope_dim", 32, low=2, high=128, step=2, advanced=True) // 2 * 2,  # a pair needs two
        base=controls.slider("rope_base", 10_000, low=2, high=5_000_000, log=True, advanced=True),
        train_length=controls.slider("rope_trained", 2048, low=1, high=131_072, typed=True, advanced=True),
    )
    controls.values["rope_dim"] = chosen.head_dim
    hands = controls.hands(PRESET_VALUES)
    lesson.say_problems(text)
    words = text.entries("picture")
    try:
        result = compute(chosen)
    except ValueError as error:  # the hands stay, with what to change
        nothing = np.zeros(0)
        clocks(Message(nothing, nothing, nothing, hands=hands, words=words, alt="", problem=problems.say(error)))
        return
    pairs, full = len(result.turns), int((result.trained >= 1).sum())
    facts = vars(chosen) | {
        "pairs": pairs,
        "full": full,
        "rest": pairs - full,
        "within": int(result.within.sum()),
        "slowest": float(1 / result.plain[-1]),
        "stretch": format_number(result.stretch, 4),
    }
    dials = (result.turns, result.plain, result.trained)
    clocks(Message(*dials, hands=hands, words=words, alt=text.label("alt", facts)))
    measured = load_facts("why")["readings"]
    seen = [text.text("seen", facts | measured["rope"] | {name: measured[name] for name in ("far", "length")})]
    if chosen.scaling != "none":
        seen.append(text.text(f"seen_{chosen.scaling}", facts))
    lesson.seen_and_formula(seen, formula(text, result))
    lesson.end(text, {}, inv_freq, kept_share, scaled_inv_freq, turn, Rotary)


def formula(text: Lesson, result: Result) -> list[str]:
    """From a pair's number to its angle, as the chosen scaling has it, and how the angle turns the pair."""
    chosen, is_yarn = result.controls, result.controls.scaling == "yarn"
    theta = r"\theta_i" if chosen.scaling == "none" else r"\theta'_i"
    lines = [
        rf"\theta_i = {in_latex(chosen.base)}^{{-2i/{chosen.head_dim}}}",
        *scaled(chosen, format_number(result.stretch, 4)),
        rf"a_i = p \, {theta}, \quad p = {in_latex(chosen.position)}",
    ]
    paragraphs = [*(f"$${line}$$" for line in lines), f"$${TURNED % ('m ' if is_yarn else '')}$$", text.text("formula")]
    if chosen.scaling in RAMPS:
        kept, numbers = result.kept, np.arange(len(result.kept))
        groups = {"kept": kept == 1, "divided": kept == 0, "between": (kept > 0) & (kept < 1)}
        shares = {name: pair_range(numbers[of_group]) for name, of_group in groups.items()}
        paragraphs.append(text.text("formula_ramp", shares | {"factor": chosen.factor}))
    if is_yarn and (result.kept == 0).any():  # in a few tokens no pair turns, and the ramp has no end
        turns = {"fast": YARN_FAST, "slow": YARN_SLOW, "train_length": chosen.train_length}
        paragraphs.append(text.text("formula_yarn", turns))
    return paragraphs


def scaled(chosen: Controls, stretch: str) -> list[str]:
    """What becomes of the frequencies, and YaRN's factor `stretch`: a line of LaTeX each."""
    length, dim, factor = in_latex(chosen.train_length), chosen.head_dim, in_latex(chosen.factor)
    if chosen.scaling == "none":
        return []
    if chosen.scaling == "linear":
        return [rf"\theta'_i = \theta_i / {factor}"]
    if chosen.scaling == "dynamic":
        tokens = chosen.position + 1
        base = in_latex(dynamic_base(dim, chosen.base, chosen.factor, chosen.train_length, tokens))
        ratio = rf"\frac{{{factor} \cdot {in_latex(max(tokens, chosen.train_length))}}}{{{length}}}"
        grown = rf"{in_latex(chosen.base)} \left({ratio} - {in_latex(chosen.factor - 1)}\right)^{{{dim}/{dim - 2}}}"
        return [rf"\theta'_i = b^{{-2i/{dim}}}, \quad b = {grown} = {base}"]
    mixed = rf"\theta'_i = \gamma_i \, \theta_i + (1 - \gamma_i) \, \theta_i / {factor}"
    if chosen.scaling == "yarn":
        low, high = map(in_latex, yarn_ramp(dim, chosen.base, chosen.train_length))
        ramp = rf"\frac{{{high} - i}}{{{high} - {low}}}"
    else:
        low, high = map(in_latex, (LLAMA3_LOW, LLAMA3_HIGH))
        ramp = rf"\frac{{{length} \, \theta_i / 2\pi - {low}}}{{{high} - {low}}}"
    lines = [mixed, rf"\gamma_i = \min\left(1, \max\left(0, {ramp}\right)\right)"]
    if chosen.scaling == "yarn":
        lines.append(rf"m = 0.1 \ln {factor} + 1 = {stretch}")
    return lines


def in_latex(number: float) -> str:
    """A number as LaTeX sets it, without gaps around its commas."""
    if number < 1e9:
        return format_number(number, 5).replace(",", "{,}")
    mantissa, _, power = f"{number:.4e}".partition("e")
    return rf"{mantissa} \times 10^{{{int(power)}}}"


def pair_range(pairs: np.ndarray) -> str:
    """Neighbouring pairs, by the first and the last; a dash for none."""
    if not len(pairs):
        return "–"
    return str(pairs[0]) if len(pairs) == 1 else f"{pairs[0]}–{pairs[-1]}"
