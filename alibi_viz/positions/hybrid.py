"""A hybrid of layers: RoPE within a window in most of them, no positions and no window in the others.

Source: Yang et al. 2025, "Rope to Nope and Back Again: A New Hybrid Attention Strategy" (arXiv 2501.18795), who call it
RNoPE-SWA. Cohere's models have it: in transformers a `Cohere2Config` has RoPE and a window of 4,096 of 8,192 tokens in
three of four layers, and neither in the fourth.

Notable choices:
- The last of every `every` layers has no positions. With two layers, as in the models here, that is one of each.
- RoPE never meets a distance beyond its window. Where the window is shorter than the training length, a longer text
  brings it no distance that it was not trained on.
- The window hides the keys farther back than `window` tokens. In transformers a window counts the query too, so the same
  number hides one key more there.
"""

from collections.abc import Mapping
from typing import Any

from alibi_viz.checks import whole_number
from alibi_viz.positions.base import PositionMethod
from alibi_viz.positions.none import NoPosition
from alibi_viz.positions.rotary import Rotary


class Hybrid(Rotary):
    """RNoPE-SWA: itself the layers with RoPE. Raises ValueError for a number out of range."""

    name = "hybrid"
    title = "RNoPE-SWA"
    order = 120
    formula = (
        r"z_m \, e^{\mathrm{i} p \theta_m} \text{ for } i - j \le w \text{; each } n \text{-th layer: } "
        r"\frac{q_i \cdot k_j}{\sqrt{d}}"
    )

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        window: int = 4096,  # tokens back that a layer with RoPE sees
        every: int = 2,  # of so many layers the last has no positions; Cohere: 4
        base: float = 10000.0,
    ) -> None:
        super().__init__(heads, head_dim, width, max_length, base=base)
        self.window, self.every = whole_number(window, "window"), whole_number(every, "every")

    @classmethod
    def training_options(cls, train_length: int, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`window` is L/2 if not given, as 4,096 is to Cohere's 8,192."""
        return {"window": max(train_length // 2, 1)} | dict(options or {})

    @classmethod
    def longer_options(cls, train_length: int, times: float) -> dict[str, dict[str, Any]]:
        """None: its angles stay those of the training."""
        return {}

    def for_layers(self, layers: int) -> list[PositionMethod]:
        free = NoPosition(self.heads, self.head_dim, self.width, self.max_length)
        return [free if layer % self.every == 0 else self for layer in range(1, layers + 1)]
