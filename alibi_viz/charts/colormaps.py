"""One colour map a quantity, for the canvas of the matrix view.

Notable choices:

- Every map is a handful of stops whose OKLab lightness steps are even, interpolated in OKLab: equal steps of
  the value look like equal steps of the colour. A stop outside the sRGB gamut loses chroma, never lightness.
- Zero looks like the page. What is strong is deep on a light page and luminous on a dark one, so a map has two variants.
- Orange against blue for signed numbers: the pair that stays apart in every common colour blindness.

NumPy alone; nothing here knows Streamlit or Plotly.
"""

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Quantity = Literal["content", "scores", "bias", "weight"]
Theme = Literal["light", "dark"]

QUANTITIES: tuple[Quantity, ...] = ("content", "scores", "bias", "weight")
THEMES: tuple[Theme, ...] = ("light", "dark")

# OKLCH stops (lightness, chroma, hue in degrees), evenly spaced along the map.
_Stop = tuple[float, float, float]
_STOPS: dict[tuple[str, Theme], tuple[_Stop, ...]] = {
    ("diverging", "light"): (
        (0.425, 0.105, 46),
        (0.605, 0.135, 54),
        (0.785, 0.105, 66),
        (0.965, 0.004, 90),
        (0.785, 0.090, 240),
        (0.605, 0.130, 250),
        (0.425, 0.140, 260),
    ),
    ("diverging", "dark"): (
        (0.850, 0.120, 78),
        (0.650, 0.130, 62),
        (0.450, 0.090, 52),
        (0.250, 0.006, 260),
        (0.450, 0.100, 258),
        (0.650, 0.125, 248),
        (0.850, 0.090, 225),
    ),
    ("bias", "light"): (
        (0.970, 0.004, 330),
        (0.815, 0.085, 335),
        (0.660, 0.135, 336),
        (0.505, 0.150, 332),
        (0.350, 0.120, 325),
    ),
    ("bias", "dark"): (
        (0.235, 0.008, 300),
        (0.395, 0.105, 318),
        (0.555, 0.150, 330),
        (0.715, 0.140, 342),
        (0.875, 0.085, 352),
    ),
    ("weight", "light"): (
        (0.970, 0.004, 240),
        (0.805, 0.080, 235),
        (0.640, 0.125, 245),
        (0.475, 0.140, 256),
        (0.310, 0.120, 264),
    ),
    ("weight", "dark"): (
        (0.235, 0.008, 260),
        (0.405, 0.110, 262),
        (0.575, 0.145, 254),
        (0.745, 0.115, 238),
        (0.915, 0.070, 210),
    ),
}
_FAMILY = {"content": "diverging", "scores": "diverging", "bias": "bias", "weight": "weight"}

_LMS_FROM_LAB = np.array(
    [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.2914855480]]
)
_RGB_FROM_LMS = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def _linear_rgb(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    """OKLab [..., 3] to linear sRGB, not clipped: a channel outside 0..1 is outside the gamut."""
    result: NDArray[np.float64] = (lab @ _LMS_FROM_LAB.T) ** 3 @ _RGB_FROM_LMS.T
    return result


def _into_gamut(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shrink chroma, by bisection, until every colour can be shown; lightness stays."""
    low, high = np.zeros(len(lab)), np.ones(len(lab))

    def scaled(factor: NDArray[np.float64]) -> NDArray[np.float64]:
        return lab * np.stack([np.ones_like(factor), factor, factor], axis=1)

    def inside(factor: NDArray[np.float64]) -> NDArray[np.bool_]:
        rgb = _linear_rgb(scaled(factor))
        result: NDArray[np.bool_] = np.all((rgb >= 0) & (rgb <= 1), axis=1)
        return result

    whole = inside(high)
    for _ in range(24):
        middle = (low + high) / 2
        fits = inside(middle)
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return scaled(np.where(whole, 1.0, low))


def _check(quantity: str, theme: str) -> None:
    if quantity not in _FAMILY:
        raise ValueError(f"unknown quantity {quantity!r}: one of {', '.join(_FAMILY)}")
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}: light or dark")


@cache
def _table(family: str, theme: Theme, n: int) -> NDArray[np.uint8]:
    stops = np.array(_STOPS[family, theme], dtype=np.float64)
    hue = np.deg2rad(stops[:, 2])
    lab = np.stack([stops[:, 0], stops[:, 1] * np.cos(hue), stops[:, 1] * np.sin(hue)], axis=1)
    at = np.linspace(0, len(stops) - 1, n)
    even = np.stack([np.interp(at, np.arange(len(stops)), lab[:, axis]) for axis in range(3)], axis=1)
    linear = np.clip(_linear_rgb(_into_gamut(even)), 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    table = np.round(encoded * 255).astype(np.uint8)
    table.setflags(write=False)
    return table


def lut(quantity: Quantity, theme: Theme, n: int = 256) -> NDArray[np.uint8]:
    """The map as a table of n sRGB colours, [n, 3] uint8, read-only.

    Signed quantities run from the strongest negative over zero (the middle) to the strongest positive.
    "bias" runs from no penalty to the strongest penalty, "weight" from 0 to the domain's end.
    """
    _check(quantity, theme)
    if n < 2:
        raise ValueError("a colour map needs at least 2 colours")
    return _table(_FAMILY[quantity], theme, n)
