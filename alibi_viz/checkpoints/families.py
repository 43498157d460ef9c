"""The six families of local checkpoints: their names in `transformers`, and where queries, keys and values are made.

Notable choices:
- A model is built from fields that are named here, never from the whole config.json, which could name other files, other
  repositories or code.
- Queries, keys and values are taken from the outputs of the projections, before RoPE; all that follows is ours.
- What the model would compute otherwise than `attention` does is refused, in one sentence.
- transformers' MptModel builds its bias with the largest exponent 8, whatever alibi_bias_max says: `prepare` gives it the
  model's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from torch import Tensor

from alibi_viz.checkpoints.config import ModelConfig

Layout = Literal["separate", "stacked", "by head"]


@dataclass(frozen=True)
class ModelFamily:
    """One family. `{}` in a name of a module or tensor is the number of the layer, from 0."""

    model: str  # classes of transformers
    config: str
    embedding: str  # name of the token table
    projections: tuple[str, ...]  # modules whose outputs are q, k and v
    layout: Layout  # three modules; one with q, k, v in turn; one with q, k, v of each head in turn
    transposed: bool = False  # weights are stored [in, out]
    unlike: Mapping[str, tuple[object, ...]] = ()  # type: ignore[assignment]  # field -> values that are computed here
    prepare: Callable[[Any, ModelConfig], None] | None = None  # what has to be set right in the model

    def split(self, outputs: list[Tensor], config: ModelConfig) -> tuple[Tensor, Tensor, Tensor]:
        """Outputs of the projections [1, T, ...] -> q [1, H, T, d], k and v [1, Hkv, T, d]."""
        heads, dim = config.heads, config.head_dim
        if self.layout == "by head":
            parts = outputs[0].unflatten(-1, (heads, 3, dim)).unbind(-2)
        elif self.layout == "stacked":
            parts = outputs[0].unflatten(-1, (3, heads, dim)).unbind(-3)
        else:
            parts = tuple(output.unflatten(-1, (-1, dim)) for output in outputs)
        q, k, v = (part.transpose(1, 2) for part in parts)
        return q, k, v

    def shapes(self, config: ModelConfig, layer: int) -> dict[str, tuple[int, ...]]:
        """The weights of one layer's projections, as config.json tells them: name -> shape."""
        query, key = config.heads * config.head_dim, config.kv_heads * config.head_dim
        rows = (query, key, key) if self.layout == "separate" else (query + 2 * key,)
        names = (f"{name.format(layer)}.weight" for name in self.projections)
        sides = [(row, config.width) for row in rows]
        return dict(zip(names, [side[::-1] for side in sides] if self.transposed else sides, strict=True))

    def refusal(self, raw: Mapping[str, Any]) -> str:
        """Why the model is not computed here as it computes, in one sentence; empty if it is."""
        for name, allowed in dict(self.unlike).items():
            part, _, inner = name.rpartition(".")
            holder = raw.get(part) if part else raw
            value = holder.get(inner) if isinstance(holder, Mapping) else None
            if value is not None and value not in allowed:
                return f"config.json sets “{name}” to {str(value)[:40]}, which is not computed here."
        return ""


def _own_slopes(model: Any, config: ModelConfig) -> None:
    """Give transformers' MPT the largest exponent that its configuration names."""
    attention = config.raw.get("attn_config") or {}
    largest = attention.get("alibi_bias_max", 8)
    model.build_mpt_alibi_tensor = partial(model.build_mpt_alibi_tensor, alibi_bias_max=largest)


def clipped(outputs: list[Tensor], raw: Mapping[str, Any]) -> list[Tensor]:
    """MPT may clip what its projection gives."""
    attention = raw.get("attn_config")
    limit = attention.get("clip_qkv") if isinstance(attention, Mapping) else None
    return [x.clamp(-limit, limit) for x in outputs] if isinstance(limit, int | float) and limit > 0 else outputs


FIELDS = (  # of config.json, that a model is built from
    "vocab_size hidden_size n_embed n_embd d_model intermediate_size n_inner d_ff num_hidden_layers n_layer n_layers "
    "num_layers num_attention_heads n_head n_heads num_heads num_key_value_heads head_dim d_kv hidden_act "
    "activation_function feed_forward_proj layer_norm_epsilon layer_norm_eps rms_norm_eps attention_bias mlp_bias "
    "apply_residual_connection_post_layernorm use_parallel_residual attn_config n_positions max_position_embeddings "
    "rope_theta rope_scaling rope_parameters rotary_pct rotary_emb_base relative_attention_num_buckets "
    "relative_attention_max_distance"
).split()
_QKV = ("q", "k", "v")
FAMILIES: dict[str, ModelFamily] = {
    "bloom": ModelFamily(
        "BloomModel", "BloomConfig", "word_embeddings.weight", ("h.{}.self_attention.query_key_value",), "by head"
    ),
    "mpt": ModelFamily(
        *("MptModel", "MptConfig", "wte.weight", ("blocks.{}.attn.Wqkv",), "stacked"),
        unlike={
            "attn_config.alibi": (True,),
            "attn_config.qk_ln": (False,),
            "attn_config.prefix_lm": (False,),
            "attn_config.softmax_scale": (),
            "no_bias": (True,),
        },
        prepare=_own_slopes,
    ),
    "llama": ModelFamily(
        *("LlamaModel", "LlamaConfig", "embed_tokens.weight"),
        tuple(f"layers.{{}}.self_attn.{name}_proj" for name in _QKV),
        "separate",
    ),
    "gpt_neox": ModelFamily(
        "GPTNeoXModel", "GPTNeoXConfig", "embed_in.weight", ("layers.{}.attention.query_key_value",), "by head"
    ),
    "t5": ModelFamily(
        *("T5EncoderModel", "T5Config", "shared.weight"),
        tuple(f"encoder.block.{{}}.layer.0.SelfAttention.{name}" for name in _QKV),
        "separate",
    ),
    "gpt2": ModelFamily(
        *("GPT2Model", "GPT2Config", "wte.weight", ("h.{}.attn.c_attn",), "stacked"),
        transposed=True,
        unlike={
            "scale_attn_weights": (True,),
            "scale_attn_by_inverse_layer_idx": (False,),
            "add_cross_attention": (False,),
        },
    ),
}
