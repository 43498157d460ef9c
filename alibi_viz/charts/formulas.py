"""Formulas in LaTeX with the reader's numbers put in. Text in, text out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_GENERAL = {
    "paper": r"m_h = 2^{-%s h/n}",
    "plain": r"m_h = 2^{-%s h/n}",
    "2^-h": r"m_h = 2^{-h}",
}


def slopes(rule: str, max_bias: float, exponents: Sequence[Fraction | None], power: int) -> list[str]:
    """The rule, then the slopes that it gives: the first two and the last, for one or both families.

    power: how many heads belong to the power-of-two family; the rest are the extra family.
    """
    heads = len(exponents)
    if rule not in _GENERAL:
        return [r"m_h = \text{your numbers}"]
    general = _GENERAL[rule] % f"{max_bias:g}" if rule != "2^-h" else _GENERAL[rule]
    if rule == "paper" and power < heads:
        general = (
            rf"m_h = 2^{{-{max_bias:g} h/{power}}} \;\; (h \le {power}), \qquad "
            rf"m_{{{power}+k}} = 2^{{-{max_bias:g} (2k-1)/{2 * power}}} \;\; (k \le {heads - power})"
        )
    return [general, _listed(exponents)]


def _listed(exponents: Sequence[Fraction | None]) -> str:
    picked = [*range(min(3, len(exponents)))]
    if len(exponents) > 3:
        picked.append(len(exponents) - 1)
    parts = [rf"m_{{{i + 1}}} = 2^{{-{_exponent(exponents[i])}}}" for i in picked]
    if len(exponents) > 4:
        parts.insert(3, r"\;\dots\;")
    return r",\quad ".join(parts)


def _exponent(exponent: Fraction | None) -> str:
    if exponent is None:
        return "?"
    return (
        f"{float(exponent):g}" if len(f"{float(exponent):g}") <= 6 else f"{exponent.numerator}/{exponent.denominator}"
    )


def bias(form: str, slope: float, future_slope: float) -> list[str]:
    """The bias of a form, general and with the numbers of one head."""
    m, f = f"{slope:.4g}", f"{future_slope:.4g}"
    return {
        "causal": [r"b_{ij} = -m_h \,(i - j)", rf"b_{{ij}} = -{m} \times (i - j)"],
        "key_only": [r"b_{j} = m_h \, j = -m_h (i - j) + m_h \, i", rf"b_{{j}} = {m} \times j"],
        "symmetric": [r"b_{ij} = -m_h \,|i - j|", rf"b_{{ij}} = -{m} \times |i - j|"],
        "two_sided": [
            r"b_{ij} = -m_h (i-j) \;\; (j \le i), \qquad b_{ij} = -m'_h (j-i) \;\; (j > i)",
            rf"b_{{ij}} = -{m} \times (i-j) \;\; (j \le i), \qquad b_{{ij}} = -{f} \times (j-i) \;\; (j > i)",
        ],
    }[form]


def attention(slope: float, strength: float, head_dim: int) -> list[str]:
    """The score of ALiBi, general and with the numbers of one head."""
    return [
        r"\text{weights}_i = \text{softmax}_j\left(\frac{q_i \cdot k_j}{\sqrt{d}} - m_h\,(i - j)\right)",
        rf"\text{{weights}}_i = \text{{softmax}}_j\left(\frac{{q_i \cdot k_j}}{{\sqrt{{{head_dim}}}}}"
        rf" - {strength:g} \times {slope:.4g} \times (i - j)\right)",
    ]
