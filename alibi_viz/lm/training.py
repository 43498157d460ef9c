"""Training as a chain of small pure steps: `train_chunk(state, steps) -> state`.

Notable choices:
- A state holds everything: configuration, weights, the optimizer's moments, losses. A chunk changes nothing in place, so a
  chunk that is lost is simply run again, and progress, pause and resume need no further machinery.
- Two chunks of 50 steps give bit for bit what one of 100 gives (same machine, same thread count): a step's batch and
  learning rate are functions of seed and step alone.
- The same seed gives every method the same batches and the same initial weights, so that runs differ in the method only.
- Weight decay acts on the matrices of the network, not on norms and not on a position method's own parameters: a T5 bucket
  that training never reaches stays as it was drawn.
- AdamW as torch.optim's function, since its state is ours. The class would import PyTorch's compiler: 1.4 s a worker.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import safetensors
import safetensors.torch
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.adamw import adamw

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.recall import IGNORED, recall_batch, stage
from alibi_viz.lm.weights import LARGEST_WEIGHT

LARGEST_LOSS = 1e9  # nats; beyond it a run has diverged, and its record could not be read again


@dataclass(frozen=True)
class TrainState:
    """Everything about a run. Tensors are on the CPU and are never changed in place."""

    config: TrainConfig
    corpus: str  # SHA-256 of the corpus; empty for recall, whose sequences are generated
    weights: dict[str, Tensor]  # by parameter name, float32
    moments: dict[str, Tensor]  # AdamW's two averages: "m.<name>" and "v.<name>"; empty before the first step
    losses: Tensor  # float32 [step], nats per token, before each step's update
    seconds: float = 0.0  # time spent in training, summed over the chunks

    @property
    def step(self) -> int:
        return len(self.losses)

    def model(self) -> DecoderLM:
        """The model with these weights, in evaluation mode, on the CPU."""
        return trained_model(self.config, self.weights)

    def to_bytes(self) -> bytes:
        """The whole state as one safetensors file."""
        weights = {f"w.{name}": tensor for name, tensor in self.weights.items()}
        tensors = {**weights, **self.moments, "losses": self.losses}
        facts = json.dumps({"config": self.config.to_dict(), "corpus": self.corpus, "seconds": self.seconds})
        return safetensors.torch.save({name: t.contiguous() for name, t in tensors.items()}, metadata={"state": facts})

    @classmethod
    def from_bytes(cls, data: bytes) -> TrainState:
        """The state that `to_bytes` wrote. Raises ValueError if the bytes are not a whole one."""
        try:
            tensors = safetensors.torch.load(data)
            header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])  # eight bytes of length, then JSON
            facts = json.loads(header["__metadata__"]["state"])
            losses = tensors.pop("losses")
            weights = {name[2:]: tensors.pop(name) for name in list(tensors) if name.startswith("w.")}
            config = TrainConfig(**facts["config"])
            return cls(config, facts["corpus"], weights, tensors, losses, float(facts["seconds"]))
        except (safetensors.SafetensorError, KeyError, TypeError, RecursionError, json.JSONDecodeError) as error:
            raise ValueError(f"This is not a whole training state: {error}") from None

    def check(self) -> None:
        """Raises ValueError for a state that training could not have given: one that was read can say anything."""
        shapes = _shapes(dict(build_model(self.config).named_parameters()))
        averages = {f"{letter}.{name}": shape for letter in "mv" for name, shape in shapes.items()}
        if _shapes(self.weights) != shapes or _shapes(self.moments) not in ({}, averages):
            raise ValueError("This training state belongs to a model of another shape.")
        if self.losses.ndim != 1 or self.step > self.config.steps or bool(self.step) != bool(self.moments):
            raise ValueError("This training state has another number of losses than of steps.")
        tensors = [*self.weights.values(), *self.moments.values(), self.losses]
        if not all(t.dtype == torch.float32 and bool(t.isfinite().all()) for t in tensors):
            raise ValueError("This training state holds numbers that are no float32, NaN or infinite.")
        largest = max(float(weight.abs().max()) for weight in self.weights.values())
        if largest > LARGEST_WEIGHT or bool((self.losses.abs() > LARGEST_LOSS).any()):
            raise ValueError("This training state holds weights or losses that no training gives.")
        if not (isinstance(self.corpus, str) and 0 <= self.seconds < math.inf):
            raise ValueError("This training state does not say its text, or how long it took.")


def build_model(config: TrainConfig) -> DecoderLM:
    """The model of a configuration at initialization; the same seed gives the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive_seed(config.seed, "weights"))
        shape = {name: getattr(config, name) for name in ("width", "layers", "heads", "head_dim", "block")}
        return DecoderLM(config.method, train_length=config.length, options=dict(config.options), **shape)


def trained_model(config: TrainConfig, weights: dict[str, Tensor]) -> DecoderLM:
    """The model with these weights, in evaluation mode, on the CPU. Errors as for `load_weights`."""
    model = build_model(config)
    load_weights(model, weights)
    return model.eval()


def load_weights(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Copy weights by parameter name. Raises ValueError if names or shapes are not the model's."""
    parameters = dict(model.named_parameters())
    if _shapes(parameters) != _shapes(weights):
        raise ValueError("These weights belong to a model of another shape.")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(weights[name])


def _shapes(tensors: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in tensors.items()}


def start(config: TrainConfig, corpus: Corpus | None) -> TrainState:
    """The state before the first step. Raises ValueError if the corpus is not the configuration's, or is too short."""
    if (None if corpus is None else corpus.key) != (None if config.is_recall else config.corpus):
        raise ValueError(f"This run needs the corpus {config.corpus!r}.")
    if corpus is not None and len(corpus.train) <= config.length + 1:
        raise ValueError(f"The text must be longer than one training sequence of {config.length} bytes.")
    weights = {name: p.detach() for name, p in build_model(config).named_parameters()}
    return TrainState(config, corpus.sha256 if corpus else "", weights, {}, torch.zeros(0))


def train_chunk(state: TrainState, steps: int, corpus: Corpus | None = None, *, device: str = "cpu") -> TrainState:
    """The state after `steps` more steps, or the run's last. Raises ValueError for a corpus it was not started with."""
    if state.corpus != (corpus.sha256 if corpus else ""):
        raise ValueError("The run was started with another text (or another Python version's documentation).")
    began, config = time.perf_counter(), state.config
    model = state.model().to(device).train()  # the state itself stays on the CPU
    # AdamW's averages, changed in place; zeros before the first step.
    moments = {name: moment.to(device, copy=True) for name, moment in state.moments.items()} or {
        f"{m}.{name}": torch.zeros_like(p) for m in "mv" for name, p in model.named_parameters()
    }
    step_once = _optimizer(model, state, moments)
    text = torch.frombuffer(bytearray(corpus.train), dtype=torch.uint8).to(device) if corpus else None
    losses = []
    for step in range(state.step, min(state.step + steps, config.steps)):
        inputs, targets = batch(config, step, text, device)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        step_once(learning_rate(config, step))
        losses.append(loss.detach())
    return replace(
        state,
        weights={name: p.detach().cpu() for name, p in model.named_parameters()},
        moments={name: moment.cpu() for name, moment in moments.items()} if losses else state.moments,
        losses=torch.cat((state.losses, torch.stack(losses).float().cpu())) if losses else state.losses,
        seconds=state.seconds + time.perf_counter() - began,
    )


def learning_rate(config: TrainConfig, step: int) -> float:
    """Linear warm-up, then a cosine down to a tenth. A short run warms up for at most a quarter of its steps."""
    warmup = min(config.warmup, config.steps // 4)
    if step < warmup:
        return config.learning_rate * (step + 1) / warmup
    progress = (step - warmup) / max(config.steps - warmup, 1)
    return config.learning_rate * (0.1 + 0.45 * (1 + math.cos(math.pi * progress)))


def batch(config: TrainConfig, step: int, text: Tensor | None, device: str = "cpu") -> tuple[Tensor, Tensor]:
    """Inputs and targets of a step, int64 [B, L] each, from uint8 [N]; None generates the recall task's sequences.

    Early in its training, recall has more sequences that are shorter (`recall.stage`).
    """
    generator = torch.Generator().manual_seed(derive_seed(config.seed, "batch", step))
    if text is None:
        length, pairs, pairs_first = stage(config.length, config.pairs, step / config.steps)
        sequences, most = config.batch * config.length // length, config.recall_distance
        inputs, targets = recall_batch(sequences, length, pairs, generator, pairs_first=pairs_first, distance=most)
        return inputs.to(device), targets.to(device)
    starts = torch.randint(len(text) - config.length, (config.batch, 1), generator=generator)
    rows = text[starts.to(device) + torch.arange(config.length + 1, device=device)].long()  # [B, L + 1]
    return rows[:, :-1], rows[:, 1:]


def derive_seed(*parts: object) -> int:
    """One 63-bit seed from several parts: neighbouring seeds and steps get unrelated random numbers."""
    digest = hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def _optimizer(model: DecoderLM, state: TrainState, moments: dict[str, Tensor]) -> Callable[[float], None]:
    """A function of the learning rate that does one step of AdamW, in place."""
    parameters = dict(model.named_parameters())
    fused = model.embedding.weight.device.type in ("cpu", "cuda")
    counts = {n: torch.tensor(float(state.step), device=p.device if fused else "cpu") for n, p in parameters.items()}
    no_decay = [name for name, p in parameters.items() if p.ndim < 2 or "position" in name.split(".")]
    groups = (([name for name in parameters if name not in no_decay], state.config.weight_decay), (no_decay, 0.0))
    options: dict[str, Any] = {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "amsgrad": False, "maximize": False}

    @torch.no_grad()
    def step_once(rate: float) -> None:
        for names, decay in groups:
            params: list[Tensor] = [parameters[name] for name in names]
            gradients = [p.grad for p in params if p.grad is not None]
            first, second = ([moments[f"{m}.{name}"] for name in names] for m in "mv")
            steps = [counts[name] for name in names]
            adamw(params, gradients, first, second, [], steps, fused=fused, lr=rate, weight_decay=decay, **options)

    return step_once
