"""A local checkpoint of `transformers`: its tokenizer, and queries, keys and values of every layer for a reader's text.

Notable choices:
- Everything is checked from the cheap to the dear: config.json, then the headers of the weights, then the weights, and
  only then is `transformers` imported and a model built. A checkpoint that lies is refused before it costs anything.
- transformers computes what comes before an attention (layers below, norms, projections); the attention itself is ours, so
  that every stage of it can be seen. Tests hold the weights against those that transformers gives.
- Only the encoder of a T5 is read.
- One model at a time is in memory. A Checkpoint is a light handle to it, so that no cache of results keeps a model alive;
  a handle to a model that had to go opens it again. A lock keeps two readers from computing in one model at once.
"""

import importlib.util
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from alibi_viz.attention.inputs import AttentionInputs
from alibi_viz.checkpoints import tensors
from alibi_viz.checkpoints.build import LONGEST, build, checked
from alibi_viz.checkpoints.config import LONGEST as CONFIG_LONGEST
from alibi_viz.checkpoints.config import ModelConfig, read
from alibi_viz.checkpoints.families import FAMILIES, clipped
from alibi_viz.checkpoints.folder import CONFIG, Folder, find
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.t5 import T5Bias

CHARACTERS = 4_000  # of a text, before it becomes tokens
TOKENIZER, TOKENIZER_LONGEST = "tokenizer.json", 2**25  # bytes; those of large vocabularies have 20 MB
_opening = threading.Lock()


@dataclass(frozen=True)
class Checkpoint:
    """A model that can read. Two are equal if they come from the same files, unchanged."""

    folder: Folder
    changed: tuple[int, ...]  # when its files were written, in nanoseconds
    config: ModelConfig = field(compare=False)
    method: PositionMethod = field(compare=False, repr=False)

    @property
    def longest(self) -> int:
        """Tokens of the longest text that is read: a table of positions ends, everything else goes on."""
        limit = self.config.train_length if self.method.has_position_table else None
        return min(LONGEST, limit or LONGEST)


@dataclass(frozen=True)
class Opened:
    """A checkpoint in memory."""

    checkpoint: Checkpoint
    model: Any  # of transformers
    tokenizer: Any  # of tokenizers
    busy: Any = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class EncodedText:
    """A text as the model's tokenizer cuts it."""

    ids: tuple[int, ...]
    labels: tuple[str, ...]  # what each token stands for in the text; a special token's own name
    given: int  # tokens of the whole text, of which `ids` are the first


def installed() -> bool:
    """Whether `transformers` and `tokenizers` are here."""
    return all(importlib.util.find_spec(name) is not None for name in ("transformers", "tokenizers"))


def load(name: str) -> Checkpoint:
    """The checkpoint in the folder `name` (one of `folder.folders`). Raises ValueError with one sentence."""
    folder = find(name)
    files = (CONFIG, TOKENIZER, tensors.FILE, tensors.INDEX)
    return _open(folder, tuple(map(folder.changed, files))).checkpoint


def opened(checkpoint: Checkpoint) -> Opened:
    """The model of a checkpoint. Raises ValueError with one sentence."""
    return _open(checkpoint.folder, checkpoint.changed)


def _open(folder: Folder, changed: tuple[int, ...]) -> Opened:
    with _opening:
        return _load(folder, changed)


@lru_cache(maxsize=1)
def _load(folder: Folder, changed: tuple[int, ...]) -> Opened:
    config = read(folder.read(CONFIG, CONFIG_LONGEST))
    family, wanted = checked(folder, config)
    tokenizer_file = folder.read(TOKENIZER, TOKENIZER_LONGEST) if folder.has(TOKENIZER) else None
    if tokenizer_file is None:
        raise ValueError(f"The folder has no {TOKENIZER}, so the text cannot be cut into the model's tokens.")
    weights = tensors.read(folder, wanted)
    if not installed():
        raise ValueError("transformers is not installed.")
    tokenizer = _tokenizer(tokenizer_file)
    model = build(family, config, weights)
    method = config.build(LONGEST)
    if isinstance(method, T5Bias):
        table = model.encoder.block[0].layer[0].SelfAttention.relative_attention_bias
        method.table.load_state_dict(table.state_dict())
    return Opened(Checkpoint(folder, changed, config, method.requires_grad_(False)), model, tokenizer)


def _tokenizer(file: bytes) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(file.decode())
    except Exception as error:  # the library raises plain Exception
        raise ValueError(f"{TOKENIZER} cannot be read: {str(error)[:120]}.") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode(checkpoint: Checkpoint, text: str) -> EncodedText:
    """The text as tokens, at most `longest` of them. Raises ValueError, in one sentence, if there is none."""
    if not text.strip():
        raise ValueError("The text is empty. Write a few words.")
    found = opened(checkpoint)
    encoding = found.tokenizer.encode(text[:CHARACTERS])
    ids, given = encoding.ids[: checkpoint.longest], len(encoding.ids)
    rows = found.model.get_input_embeddings().num_embeddings
    if not ids or max(ids) >= rows:
        raise ValueError(f"The tokenizer gives tokens that the model's table of {rows:,} does not have.")
    pieces = zip(ids, encoding.tokens, encoding.offsets, strict=False)
    labels = tuple(_label(text[start:end] or token) for _, token, (start, end) in pieces)
    return EncodedText(tuple(ids), labels, given)


def _label(piece: str) -> str:
    """What an axis can show: blanks and line ends in sight."""
    return piece.replace(" ", "␣").replace("\n", "⏎")[:24] or "∅"


class _Stop(Exception):
    """The last layer that was asked for has been seen."""


@torch.no_grad()
def layers(checkpoint: Checkpoint, ids: tuple[int, ...], last: int) -> Iterator[AttentionInputs]:
    """Queries, keys and values of the layers 1 .. `last`, in turn, all from one pass."""
    family, model, count, outputs = FAMILIES[checkpoint.config.family], opened(checkpoint), 0, []

    def keep(module: object, given: object, output: Tensor) -> None:
        nonlocal count
        outputs.append(output)
        count += 1
        if count == last * len(family.projections):
            raise _Stop

    with model.busy:
        modules = [name.format(at) for at in range(last) for name in family.projections]
        hooks = [model.model.get_submodule(name).register_forward_hook(keep) for name in modules]
        try:
            model.model(input_ids=torch.tensor([ids]))
        except _Stop:
            pass
        finally:
            for hook in hooks:
                hook.remove()
    positions, each = torch.arange(len(ids)), len(family.projections)
    for at in range(0, len(outputs), each):
        found = clipped(outputs[at : at + each], checkpoint.config.raw)
        q, k, v = family.split(found, checkpoint.config)
        yield AttentionInputs(q, k, v, checkpoint.method, positions, checkpoint.config.causal)


@lru_cache(maxsize=4)
def inputs(checkpoint: Checkpoint, ids: tuple[int, ...], layer: int) -> AttentionInputs:
    """Queries, keys and values of layer `layer` (1 is the first). Raises ValueError for a layer that is not there."""
    if not 1 <= layer <= (checkpoint.config.layers or 0):
        raise ValueError(f"The model has the layers 1 to {checkpoint.config.layers}, not {layer}.")
    *_, found = layers(checkpoint, ids, layer)
    return found
