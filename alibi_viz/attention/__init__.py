"""Multi-head attention: every stage visible (`trace_attention`), or fast (`fused_attention`), with a KV cache."""
