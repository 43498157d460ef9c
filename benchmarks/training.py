"""Training speed: tokens per second against x-transformers and transformers, against matrix products, and two workers.

2 layers, width 64, 8 heads of 16, L = 128, 16 sequences a step, vocabulary 256, tied embedding, GELU, no dropout, ALiBi;
fused AdamW and clipping for all; one thread; a step of each in turn, median of the times. In transformers the heads share
the width, so its heads are of 8: those models do less work, and stand in the note alone.

What limits the ratio to x-transformers, fused: both spend about four fifths of a step in the same kernels, PyTorch's
matrix products and its fused attention with a mask (by torch.profiler). Only the rest can be faster.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz.jobs.cluster import Cluster, worker_count
from alibi_viz.jobs.queue import Jobs
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import RunStore
from alibi_viz.lm.training import build_model
from benchmarks.report import Figure

LENGTH, BATCH, WIDTH, LAYERS, HEADS, HEAD_DIM = 128, 16, 64, 2, 8, 16
Step = Callable[[], None]


class _Scores(nn.Module):
    """A transformers model that gives its scores alone."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor) -> Tensor:
        return self.model(tokens, use_cache=False).logits


def peers() -> dict[str, nn.Module]:
    """The same shape by others."""
    from transformers import BloomConfig, BloomForCausalLM, MptConfig, MptForCausalLM
    from x_transformers import Decoder, TransformerWrapper  # type: ignore[import-untyped]

    shape = {"dim": WIDTH, "depth": LAYERS, "heads": HEADS, "attn_dim_head": HEAD_DIM}
    alibi = {"alibi_pos_bias": True, "alibi_num_heads": HEADS}
    common = {"num_tokens": 256, "max_seq_len": LENGTH, "use_abs_pos_emb": False, "tie_embedding": True}
    bloom = BloomConfig(
        vocab_size=256, hidden_size=WIDTH, n_layer=LAYERS, n_head=HEADS, hidden_dropout=0.0, attention_dropout=0.0
    )
    mpt = MptConfig(vocab_size=256, d_model=WIDTH, n_layers=LAYERS, n_heads=HEADS, max_seq_len=LENGTH)
    return {
        "x-transformers": TransformerWrapper(**common, attn_layers=Decoder(**shape, **alibi, attn_flash=False)),
        "x-transformers, fused": TransformerWrapper(**common, attn_layers=Decoder(**shape, **alibi, attn_flash=True)),
        "transformers BLOOM": _Scores(BloomForCausalLM(bloom)),
        "transformers MPT": _Scores(MptForCausalLM(mpt)),
    }


def step_of(model: nn.Module, tokens: Tensor) -> Step:
    """One training step of a model on tokens [B, L + 1]."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.1, fused=True)

    def step() -> None:
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def interleaved(steps: dict[str, Step], rounds: int = 31) -> dict[str, float]:
    """Median seconds of each, a call of each in turn."""
    for step in steps.values():
        step()
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            began = time.perf_counter()
            step()
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(rates) for name, rates in times.items()}


def work() -> float:
    """Floating-point operations of the matrix products of one step: 6 a weight and token, and attention's causal half."""
    weights = (8 * WIDTH + 4 * HEADS * HEAD_DIM) * LAYERS * WIDTH + 256 * WIDTH
    attention = 2 * LAYERS * HEADS * HEAD_DIM * LENGTH / 2
    return 6.0 * BATCH * LENGTH * (weights + attention)


def measure() -> list[Figure]:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokens = torch.randint(256, (BATCH, LENGTH + 1))
    ours = build_model(
        TrainConfig(length=LENGTH, width=WIDTH, layers=LAYERS, heads=HEADS, head_dim=HEAD_DIM, batch=BATCH)
    )
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    steps = {"ours": step_of(ours, tokens)} | {name: step_of(model, tokens) for name, model in peers().items()}
    steps["product"] = lambda: (a @ b, None)[1]
    times = interleaved(steps)
    best = min((name for name in times if name.startswith("x-transformers")), key=times.__getitem__)
    pace = {name: BATCH * LENGTH / seconds for name, seconds in times.items() if name != "product"}
    note = ", ".join(f"{name} {rate:,.0f}" for name, rate in pace.items())
    share = work() / times["ours"] / (2 * 1024**3 / times["product"])
    return [
        Figure("training, ALiBi: tokens per second, one thread", pace["ours"], "/s", note=note),
        Figure(f"training: ours / {best}", pace["ours"] / pace[best], "x", 1.5, at_least=True),
        Figure("training: share of a 1024 x 1024 product's speed", share, "", note="float32, one thread"),
        workers(),
    ]


def workers(steps: int = 300) -> Figure:
    """Two equal runs on two workers and on one: how many times faster."""
    cores = worker_count()
    if cores < 2:
        return Figure("training: two workers / one", 1.0, "x", note="this machine has one core")
    seconds = {count: _seconds(count, steps) for count in (1, 2)}
    note = f"{seconds[1]:.1f} and {seconds[2]:.1f} s for two runs of {steps} steps; meant for idle cores"
    return Figure("training: two workers / one", seconds[1] / seconds[2], "x", 1.8, at_least=True, note=note)


def _seconds(count: int, steps: int) -> float:
    """Seconds for two runs, the cluster started and the workers warm before."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(RunStore(Path(folder)), Cluster(workers=count))
        plan = Plan(times=(1,), held_out=200, sample_times=(1,))

        def both(seed: int, length: int) -> None:
            configs = [TrainConfig(seed=seed + n, steps=length) for n in range(2)]
            for config in configs:
                jobs.submit(config, plan=plan)
            for config in configs:
                while (progress := jobs.progress(config.hash)) is not None and progress.run.is_active:
                    time.sleep(0.01)

        try:
            both(0, 25)
            began = time.perf_counter()
            both(2, steps)
            return time.perf_counter() - began
        finally:
            jobs.close()
