"""Multi-head attention: every stage in sight (`trace_attention`), or fast (`fused_attention`), with a KV cache."""

from alibi_viz.attention.attention import Attention, Trace, trace_attention
from alibi_viz.attention.fused import fused_attention
from alibi_viz.attention.kv_cache import KVCache, next_positions

__all__ = ["Attention", "KVCache", "Trace", "fused_attention", "next_positions", "trace_attention"]
