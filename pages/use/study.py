"""Use ALiBi: the code for a place, what two blocks learned in the shipped runs, and the bytes of the bias."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from alibi_viz.drop_in import drop_in, recipes
from alibi_viz.lm.config import TrainConfig
from alibi_viz.results import pretrained

PLACES = ("block", "transformers", "encoder", "sdpa", "flex_attention", "flash_attn", "xformers", "vllm")
HEAD_DIM = 64
SMOOTH = 5  # entries of a stored loss curve that make a point
SINGLE = 4  # bytes of a number
FEATURES = 3 * 8  # numbers that the fused path adds to the query, key and value of a token and head
LONGEST = 1_048_576  # tokens
IMPORTS = {  # by what uses them
    "math.": "import math",
    "-> Any": "from typing import Any\n",
    "torch.": "import torch",
    "F.": "import torch.nn.functional as F",
    "Tensor": "from torch import Tensor",
}


@dataclass(frozen=True)
class Snippet:
    """Code to take away."""

    code: str  # to copy: how it is called with so many heads; a kernel's is complete
    file: str  # to download: its name, and its text
    text: str


@lru_cache(maxsize=32)
def snippet(place: str, heads: int) -> Snippet:
    """The code for one of PLACES. Four query heads share a key head where their number allows it."""
    shared, width, file = heads // 4 if heads % 4 == 0 else heads, heads * HEAD_DIM, Path(drop_in.__file__)
    if place == "block":
        code = (
            "from drop_in import AlibiAttention  # was: RopeAttention\n\n"
            f"attention = AlibiAttention(width={width}, heads={heads}, kv_heads={shared})\n"
            "output, cache = attention(x, past_key_value=cache, use_cache=True)\n"
        )
        return Snippet(code, file.name, file.read_text(encoding="utf-8"))
    if place == "transformers":
        file = file.with_name("drop_in_transformers.py")  # read as text: the app does without `transformers`
        code = (
            "from transformers import LlamaConfig, LlamaForCausalLM\n\nimport drop_in_transformers\n\n"
            f"shape = dict(hidden_size={width}, num_attention_heads={heads}, num_key_value_heads={shared})\n"
            "config = LlamaConfig(**shape, alibi_bias_max=8, **drop_in_transformers.ALIBI)  # without ALIBI: RoPE\n"
            "model = LlamaForCausalLM(config)\n"
        )
        return Snippet(code, file.name, file.read_text(encoding="utf-8"))
    named = {"vllm": "vllm_attention", "encoder": "encoder_mask"}
    recipe = getattr(recipes, named.get(place, f"with_{place}"))
    functions = "\n\n".join(map(inspect.getsource, (recipe, drop_in.alibi_slopes)))
    imports = "\n".join(line for use, line in IMPORTS.items() if use in functions + "torch.")
    text = f"{imports}\n\n\n{functions}"
    if place == "encoder":
        code = (
            f"{text}\n\ntorch.backends.mha.set_fastpath_enabled(False)  # it takes a mask of numbers for one that hides\n"
            f"layer = torch.nn.TransformerEncoderLayer({width}, {heads}, batch_first=True)\n"
            "encoder = torch.nn.TransformerEncoder(layer, num_layers=2)\n"
            f"slopes = torch.tensor(alibi_slopes({heads}), device=x.device)\n"
            "output = encoder(x, mask=encoder_mask(*x.shape[:2], slopes))\n"
        )
        return Snippet(code, f"alibi_{place}.py", text)
    device = "" if place == "vllm" else ", device=q.device"
    given = f'{heads}, {shared}, {HEAD_DIM}, slopes, prefix="layers.0.attn"' if place == "vllm" else "q, k, v, slopes"
    code = f"{text}\n\nslopes = torch.tensor(alibi_slopes({heads}){device})\noutput = {recipe.__name__}({given})\n"
    return Snippet(code.replace("output = vllm", "layer = vllm"), f"alibi_{place}.py", text)


@dataclass(frozen=True)
class Variant:
    """The shipped run of a block: one seed."""

    config: TrainConfig
    steps: np.ndarray  # float64 [S], the last step of each mean
    losses: np.ndarray  # float64 [S], training loss, nats per byte
    windows: np.ndarray  # int64 [W], bytes
    perplexities: np.ndarray  # float64 [W], per byte of held-out text, in windows that do not overlap

    def at(self, window: int) -> float:
        """The perplexity in windows of this length."""
        return float(self.perplexities[self.windows == window][0])


@lru_cache(maxsize=1)
def variants() -> dict[str, Variant]:
    """Of RoPE, and of ALiBi."""
    runs = {record["config"]["method"]: record for record in pretrained.load_all("blocks")}
    return {method: _variant(runs[method]) for method in ("rope", "alibi")}


def _variant(record: Mapping[str, Any]) -> Variant:
    config, losses = TrainConfig(**record["config"]), np.array(record["losses"], dtype=np.float64)
    means = losses[: len(losses) // SMOOTH * SMOOTH].reshape(-1, SMOOTH).mean(1)
    steps = np.arange(1, len(means) + 1) * config.steps / len(losses) * SMOOTH
    windows, perplexities = zip(
        *((entry["length"], entry["perplexity"]) for entry in record["nonoverlapping"]), strict=True
    )
    return Variant(config, steps, means, np.array(windows), np.array(perplexities, dtype=np.float64))


def sizes(heads: int, tokens: int | np.ndarray) -> Mapping[str, float | np.ndarray]:
    """Bytes for one layer and one text, in float32: ALiBi as a full tensor [H, T, T], as one row of keys [H, T] and as H
    slopes; the keys and values beside them; and what the fused path adds to queries, keys and values."""
    row = SINGLE * heads * np.asarray(tokens, dtype=np.float64)
    closed = np.full_like(row, SINGLE * heads)
    return {
        "tensor": row * tokens,
        "row": row,
        "closed": closed,
        "cache": 2 * HEAD_DIM * row,
        "features": FEATURES * row,
    }
