"""One colour map a quantity, for the canvas of the matrix view. NumPy alone.

Notable choices:
- Every map is a handful of stops whose OKLab lightness steps are even, interpolated in OKLab: equal steps of
  the value look like equal steps of the colour. All of them are in the gamut of sRGB, but for a trace at one end.
- Zero looks like the page. What is strong is deep on a light page and luminous on a dark one, so a map has two variants.
- Orange against blue for signed numbers: the pair that stays apart in every common colour blindness.
- What a method adds to a score has a sign too, and what it takes is a penalty, as ALiBi's bias: purple, as that is. What it
  gives is green, which stays apart from purple.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Quantity = Literal["content", "bias", "added", "weight"]  # content: of scores too
SIGNED: tuple[Quantity, ...] = ("content", "added")
Theme = Literal["light", "dark"]

# The stops of a map, evenly spaced, in OKLCH: lightness from the page's own to that of the strongest value, in even steps;
# chroma and hue (degrees) of each stop. A diverging map has its zero in the middle: from there lightness goes both ways.
STOPS: dict[tuple[Quantity, Theme], tuple[tuple[float, float], tuple[float, ...], tuple[float, ...]]] = {
    ("content", "light"): (
        (0.965, 0.425),
        (0.105, 0.135, 0.105, 0.004, 0.090, 0.130, 0.140),
        (46, 54, 66, 90, 240, 250, 260),
    ),
    ("content", "dark"): (
        (0.250, 0.850),
        (0.120, 0.130, 0.090, 0.006, 0.100, 0.125, 0.090),
        (78, 62, 52, 260, 258, 248, 225),
    ),
    ("bias", "light"): ((0.970, 0.350), (0.004, 0.085, 0.135, 0.150, 0.120), (330, 335, 336, 332, 325)),
    ("bias", "dark"): ((0.235, 0.875), (0.008, 0.105, 0.150, 0.140, 0.085), (300, 318, 330, 342, 352)),
    ("added", "light"): (
        (0.970, 0.350),
        (0.120, 0.150, 0.135, 0.085, 0.004, 0.085, 0.125, 0.115, 0.080),
        (325, 332, 336, 335, 330, 150, 149, 150, 152),
    ),
    ("added", "dark"): (
        (0.235, 0.875),
        (0.085, 0.140, 0.150, 0.105, 0.008, 0.060, 0.100, 0.130, 0.120),
        (352, 342, 330, 318, 300, 160, 156, 152, 148),
    ),
    ("weight", "light"): ((0.970, 0.310), (0.004, 0.080, 0.125, 0.140, 0.120), (240, 235, 245, 256, 264)),
    ("weight", "dark"): ((0.235, 0.915), (0.008, 0.110, 0.145, 0.115, 0.070), (260, 262, 254, 238, 210)),
}
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


def lut(quantity: Quantity, theme: Theme) -> NDArray[np.uint8]:
    """The map as a table of 256 sRGB colours, [256, 3] uint8.

    Signed quantities run from the strongest negative over zero (the middle) to the strongest positive.
    "bias" runs from no penalty to the strongest penalty, "weight" from 0 to the domain's end.
    """
    ends, chroma, degrees = STOPS[quantity, theme]
    strength = np.abs(np.linspace(-1 if quantity in SIGNED else 0, 1, len(chroma)))  # of each stop's value, 0..1
    hue = np.deg2rad(degrees)
    lab = np.stack([np.interp(strength, (0, 1), ends), chroma * np.cos(hue), chroma * np.sin(hue)], axis=1)
    at = np.linspace(0, len(lab) - 1, 256)
    even = np.stack([np.interp(at, np.arange(len(lab)), axis) for axis in lab.T], axis=1)
    linear = np.clip((even @ _LMS_FROM_LAB.T) ** 3 @ _RGB_FROM_LMS.T, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.round(encoded * 255).astype(np.uint8)
