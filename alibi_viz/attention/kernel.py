"""torch's fused kernel, at a width that it likes."""

import torch
import torch.nn.functional as F
from torch import Tensor


def kernel(
    q: Tensor, k: Tensor, v: Tensor, scale: float, mask: Tensor | None = None, is_causal: bool = False
) -> Tensor:
    """scaled_dot_product_attention, filled up with zeros where that helps: q, k [..., w], v [..., d] -> [..., d]."""
    trains_mask = mask is not None and mask.requires_grad  # then torch takes plain matrix products: no blocks
    width = q.shape[-1] if trains_mask else kernel_width(q.shape[-1], q.device)
    q, k, padded = widen(q, width), widen(k, width), widen(v, width)
    output = F.scaled_dot_product_attention(q, k, padded, attn_mask=mask, is_causal=is_causal, scale=scale)
    return output if padded is v else output[..., : v.shape[-1]]  # a slice costs a copy in the backward pass


def widen(x: Tensor, width: int) -> Tensor:
    """Zeros behind the last dimension until it has this width."""
    return F.pad(x, (0, width - x.shape[-1])) if x.shape[-1] < width else x


def kernel_width(width: int, device: torch.device) -> int:
    """The width to fill up to with zeros, which change nothing."""
    # GPU kernels want a multiple of 8. The CPU kernel works in blocks of 16 and is slower below that: forward and
    # backward, 128 tokens, 16 x 8 heads, one thread: 15.2 ms at width 8, 20.4 at 9, 12.1 at 16. Above 16 a partly
    # filled block costs less than the zeros would (64, 65 and 72: 31, 38 and 41 ms).
    return max(width, 16) if device.type == "cpu" else width + -width % 8
