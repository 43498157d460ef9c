"""Runs somebody's model on short texts, for `probe`: its outputs, and the scores of its attention.

Notable choices:
- Scores are read where they enter the softmax. PyTorch's own attention is computed step by step, so they are in sight for
  every attention but kernels of a model's own: a product, what is added to it, a softmax.
- The product of queries and keys can be put in: with zeros for it the scores are the bias and the mask alone, whatever
  rotates or normalises queries and keys before.
- The model stays as it was: weights, buffers, modes, and the state of random numbers. The texts have a seed of their own.
- Outputs are compared in float32, with the kernels that the model itself takes.
"""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

REPEATED = 3  # tokens that are repeated, one a text
TOKENS, LONG, LONGEST = 41, 320, 2080  # of a text; a long one goes beyond 256, to which bfloat16 can count
# Outputs may differ by this share of the largest; or by so many times what a last bit makes of them.
SAME, BITS = 2e-5, 30
LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length")  # of a config
MASKS = ("attention_mask", "key_padding_mask", "padding_mask")  # of the first, 1 is a token; of the others, False
CACHES = ("past_key_values", "past_key_value", "cache")


@contextmanager
def as_it_was(model: nn.Module) -> Iterator[None]:
    """In evaluation; afterwards weights, buffers, modes and the state of random numbers are what they were."""
    modules = list(model.modules())
    modes = [module.training for module in modules]
    weights = [(weight, weight.data) for weight in model.parameters()]
    buffers = [(m, name, buffer, buffer.clone()) for m in modules for name, buffer in m.named_buffers(recurse=False)]
    with torch.random.fork_rng(devices=list({weight.device for weight, _ in weights if weight.is_cuda})):
        try:
            model.eval()
            yield
        finally:
            for module, mode in zip(modules, modes, strict=True):
                module.training = mode
            for weight, data in weights:
                weight.data = data
            for module, name, buffer, values in buffers:
                setattr(module, name, buffer)
                if not torch.equal(buffer, values):
                    buffer.copy_(values)


def to_float32(model: nn.Module) -> None:
    """Weights and buffers that are floats of another type; `as_it_was` keeps the others."""
    for weight in model.parameters():
        if weight.is_floating_point():
            weight.data = weight.data.float()
    for module in model.modules():
        for name, buffer in list(module.named_buffers(recurse=False)):
            if buffer.is_floating_point():
                setattr(module, name, buffer.float())


@contextmanager
def hooked(modules: Sequence[nn.Module], hook: Callable[..., Tensor | None]) -> Iterator[None]:
    with ExitStack() as handles:
        for module in modules:
            handles.enter_context(module.register_forward_hook(hook))
        yield


class Reader:
    """A model and the texts that it gets."""

    def __init__(self, model: nn.Module) -> None:
        self.model, self.names = model, inspect.signature(model.forward).parameters
        # Of what forward() takes: a mask of padding, and the cache; "" where it takes none.
        self.mask, self.cache = (next((name for name in of if name in self.names), "") for of in (MASKS, CACHES))
        self.device = next((weight.device for weight in model.parameters()), torch.device("cpu"))
        config = getattr(model, "config", None)
        lengths = [getattr(config, name, None) for name in LENGTHS]
        self.longest = min((length for length in lengths if isinstance(length, int) and length > 0), default=0)
        self.tokens = min(TOKENS, self.longest or TOKENS)
        self.long = max(LONG, self.longest + 32 if self.longest < LONGEST else 0)  # beyond what the config says
        self.is_changed = False  # whether values met other weights than a softmax gave
        self.tolerance, self.tables = SAME, self._tables()
        vocabulary = max(3, min((table.num_embeddings for table in self.tables), default=3))
        padding = getattr(config, "pad_token_id", None)
        self.padding = padding if isinstance(padding, int) and 0 <= padding < vocabulary else 0
        ids = torch.randint(vocabulary - 1, (2, self.tokens), generator=torch.Generator().manual_seed(0))
        self.text, self.other = (ids + (ids >= self.padding))[:, None]  # [1, T] each; some models skip what is padding

    def _tables(self) -> list[nn.Embedding]:
        """The tables that are asked for the text itself."""
        ids, tables = torch.arange(1, self.tokens + 1).remainder(2)[None], []

        def look(module: nn.Embedding, given: Sequence[Tensor], output: Tensor) -> None:
            if given and isinstance(given[0], Tensor) and torch.equal(given[0].cpu(), ids):
                tables.append(module)

        with hooked([m for m in self.model.modules() if isinstance(m, nn.Embedding)], look):
            self.read(ids)
        return tables

    def set_tolerance(self) -> None:
        """From how far the output moves if every embedding does, by its last bit. Raises ValueError if it is not finite."""

        def move(module: nn.Embedding, given: Sequence[Tensor], output: Tensor) -> Tensor:
            noise = torch.randn(output.shape, generator=torch.Generator().manual_seed(0)).to(output)
            return output * (1 + noise * 2**-23)

        expected = self.read(self.text)[0]
        if not expected.isfinite().all():
            raise ValueError("its output is NaN or infinite")
        with hooked(self.tables, move):
            moved = (self.read(self.text)[0] - expected).abs().max() / expected.abs().max().clamp(min=1e-9)
        self.tolerance = max(SAME, BITS * float(moved))

    def difference(self, output: Tensor, expected: Tensor) -> dict[str, float]:
        """The largest, as a finding has it; empty where it is one of rounding, which NaN is not."""
        largest = (output - expected).abs().max()
        is_same = bool(largest <= self.tolerance * expected.abs().max())
        return {} if is_same else {"difference": float(largest)}

    def repeated(self, texts: int, tokens: int) -> Tensor:
        """One token a text, over and over: int64 [texts, tokens]."""
        return self.text[0, :texts, None].expand(-1, tokens)

    def read(
        self, ids: Tensor, real: Tensor | None = None, past: Any = None, *, keep: bool = False
    ) -> tuple[Tensor, Any]:
        """The output, float32 [B, T, any], and the cache if it is kept. real: bool [B, T], False for padding."""
        options: dict[str, Any] = {"use_cache": keep} if "use_cache" in self.names else {}
        if real is not None:
            real = real.to(self.device)
            options[self.mask] = real.long() if self.mask == MASKS[0] else ~real
        if past is not None:
            options[self.cache] = past
        ids = ids.to(self.device)
        output = self.model(input_ids=ids, **options) if "input_ids" in self.names else self.model(ids, **options)
        kept = getattr(output, "past_key_values", None)
        if isinstance(output, tuple | list):
            output, kept = output[0], output[1] if len(output) > 1 else None
        named = (getattr(output, name) for name in ("logits", "last_hidden_state") if hasattr(output, name))
        rows = next(named, output)
        if not isinstance(rows, Tensor) or rows.ndim != 3 or rows.shape[:2] != ids.shape:
            raise ValueError("its output is no tensor [B, T, any]")
        return rows.float(), kept

    def put_out(self, ids: Tensor, *, is_noise: bool) -> Tensor:
        """The output without the attention in sight: its weights are zeros, or each query has its own key alone."""
        queries, scale = ids.shape[1], torch.zeros(ids.shape[1])
        if is_noise:
            scale = torch.rand(queries, generator=torch.Generator().manual_seed(0)) + 0.5
        with plain_kernels(), Softmax(queries, queries, torch.arange(queries), scale.diag().to(self.device)):
            return self.read(ids)[0]

    def layers(
        self, ids: Tensor, keys: int, rows: Tensor, past: Any = None, content: Tensor | None = None
    ) -> list["Layer"]:
        """What enters each softmax, in these rows. content: put in as the product of queries and keys."""
        with plain_kernels(), Softmax(ids.shape[1], keys, rows, content=content) as seen:
            self.read(ids, past=past, keep=past is not None)
        self.is_changed |= seen.is_changed or seen.weights is not None
        return seen.layers

    def biases(self, tokens: int, rows: Tensor) -> list[Tensor]:
        """What is added to the product in each layer, for texts of one token: float64 [B, H, R, T]."""
        texts = self.repeated(REPEATED if tokens == self.tokens else 1, tokens)
        return [layer.scores for layer in self.layers(texts, tokens, rows, content=torch.zeros(()))]


@contextmanager
def plain_kernels() -> Iterator[None]:
    """PyTorch's attention step by step, in place of kernels that cannot be looked into."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH), Plain():  # torch's own layers call it where no mode reaches
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)


class Plain(TorchFunctionMode):
    """In the place of `scaled_dot_product_attention`, whichever kernel a model asks for: a product, a mask, a softmax."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return (plain_attention if func is F.scaled_dot_product_attention else func)(*args, **(kwargs or {}))


def plain_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """What torch documents; a mask beside is_causal counts too, as with some of its kernels."""
    if enable_gqa:
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        causal = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(~causal, -torch.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return torch.ops.aten._safe_softmax(scores, -1) @ value  # noqa: SLF001


@dataclass
class Layer:
    """An attention: its scores and the product in them, float64 [B, H, R, T]; None if no product was seen.

    pair: what is multiplied, [n, Tq, d] and [n, Tk, d]. written: the factor by which projections wrote them otherwise.
    """

    scores: Tensor
    product: Tensor | None = None
    pair: tuple[Tensor, Tensor] = (torch.zeros(0), torch.zeros(0))
    written: float = math.nan
    values: Tensor | None = None  # [n, Tk, d]


class Softmax(TorchDispatchMode):
    """Keeps what enters every softmax over the keys, and the last product of that shape before it.

    instead: weights [Tq, Tk] that every softmax gives in place of its own. content: in place of every product, [Tq, Tk].
    """

    def __init__(
        self, queries: int, keys: int, rows: Tensor, instead: Tensor | None = None, content: Tensor | None = None
    ) -> None:
        super().__init__()
        self.shape, self.rows, self.instead, self.content = (queries, keys), rows, instead, content
        self.layers: list[Layer] = []
        self.projected: list[Tensor] = []  # since the last softmax: [Tq, any], of one text
        self.product: tuple[Tensor, Tensor, Tensor] | None = None  # and what it is of
        self.weights: Tensor | None = None  # that no product with values has taken yet
        self.is_changed = False  # whether others than these came to the values

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, shape = str(func), self.shape
        if name in ("aten.bmm.default", "aten.baddbmm.default"):
            q, k = args[-2:]
            if (q.shape[-2], k.shape[-1]) == shape:  # BLOOM adds its bias so
                product = torch.bmm(q, k) if self.content is None else self.content.to(q).expand(len(q), *shape)
                self.product = (product, q, k)
                if len(args) == 2:
                    return product.clone()
                options = {"alpha": 1, "beta": 1, **(kwargs or {})}
                return options["beta"] * args[0] + options["alpha"] * product
            if q.shape[-2:] == shape and self.weights is not None:
                is_taken = torch.equal(q.reshape(-1), self.weights.to(q.dtype).reshape(-1))
                self.layers[-1].values, self.weights = k, None if is_taken else self.weights
        output = func(*args, **(kwargs or {}))
        if name in ("aten._softmax.default", "aten._safe_softmax.default") and args[0].shape[-2:] == shape:
            if self.instead is not None:
                return self.instead.to(output.dtype).expand_as(output).clone()
            self.layers.append(self.layer(args[0]))
            self.is_changed |= self.weights is not None
            self.product, self.projected, self.weights = None, [], output
        elif name in ("aten.mm.default", "aten.addmm.default", "aten.bmm.default"):
            self.projected += [rows] if len(rows := output.flatten(0, -2)) == shape[0] else []
        return output

    def layer(self, scores: Tensor) -> Layer:
        def read(x: Tensor) -> Tensor:
            return x.reshape(len(scores), -1, *self.shape)[:, :, self.rows].double().cpu()

        if self.product is None:
            return Layer(read(scores))
        product, q, k = self.product
        written = as_written(q, self.projected) * as_written(k.mT, self.projected)
        return Layer(read(scores), read(product), (q, k.mT), written)


def as_written(heads: Tensor, projected: list[Tensor]) -> float:
    """By which factor heads [n, T, d] of one text are other than a projection wrote them, any d numbers in a row each.

    The first token is compared itself, and of some more their lengths, which a rotation keeps. NaN if none fits."""
    few = heads[:, :4].double()
    lengths, width = few.norm(dim=-1), heads.shape[-1]
    for rows in projected if lengths.numel() and lengths.all() else ():
        if len(rows) == heads.shape[1] and rows.shape[1] % width == 0:
            parts = rows[:4].double().unflatten(1, (-1, width)).transpose(0, 1)  # [parts, tokens, d]
            for factor in (parts[:, 0] @ few[0, 0]) / parts[:, 0].square().sum(-1):
                first = (few[:, None, 0] - factor * parts[:, 0]).norm(dim=-1) / lengths[:, :1]
                others = (lengths[:, None] / (factor.abs() * parts.norm(dim=-1)) - 1).abs().amax(-1)
                if (first.maximum(others).amin(-1) <= 1e-3).all():
                    return float(factor)
    return math.nan
