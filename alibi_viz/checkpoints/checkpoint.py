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
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from alibi_viz.attention.inputs import AttentionInputs
from alibi_viz.checkpoints import tensors
from alibi_viz.checkpoints.config import LONGEST as CONFIG_LONGEST
from alibi_viz.checkpoints.config import ModelConfig, read
from alibi_viz.checkpoints.families import FAMILIES, Family, clipped
from alibi_viz.checkpoints.folder import CONFIG, Folder, find
from alibi_viz.checks import setting
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.t5 import T5Bias

LONGEST = 256  # tokens of a text: each has its row on the screen
CHARACTERS = 4_000  # of a text, before it becomes tokens
TOKENIZER, TOKENIZER_LONGEST = "tokenizer.json", 2**25  # bytes; those of large vocabularies have 20 MB
SIZE_SETTING, SIZE = "ALIBI_VIZ_MODELS_MB", 2_500  # the largest weights, in MB as float32; BLOOM 560M has 2,236
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
class Text:
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
    family, wanted = _checked(folder, config)
    tokenizer_file = folder.read(TOKENIZER, TOKENIZER_LONGEST) if folder.has(TOKENIZER) else None
    if tokenizer_file is None:
        raise ValueError(f"The folder has no {TOKENIZER}, so the text cannot be cut into the model's tokens.")
    weights = tensors.read(folder, wanted)
    if not installed():
        raise ValueError("transformers is not installed.")
    tokenizer = _tokenizer(tokenizer_file)
    model = _model(family, config, weights)
    method = config.build(LONGEST)
    if isinstance(method, T5Bias):
        table = model.encoder.block[0].layer[0].SelfAttention.relative_attention_bias
        method.table.load_state_dict(table.state_dict())
    return Opened(Checkpoint(folder, changed, config, method.requires_grad_(False)), model, tokenizer)


def _checked(folder: Folder, config: ModelConfig) -> tuple[Family, dict[str, tensors.Stored]]:
    """What is known before any weight is read: the family, and the tensors that its model takes."""
    if config.runs_code:
        raise ValueError("config.json asks for program code of its own (“auto_map”); no code of a checkpoint is run.")
    if config.family not in FAMILIES:
        raise ValueError(f"Checkpoints of {', '.join(FAMILIES)} can be opened, not of {config.family}.")
    family = FAMILIES[config.family]
    if "quantization_config" in config.raw:
        raise ValueError("Quantized weights are not read.")
    if config.family == "mpt" and config.kv_heads != config.heads:
        raise ValueError("MPT with grouped key/value heads is not computed by transformers.")
    if refusal := family.refusal(config.raw):
        raise ValueError(refusal)
    found = {_bare(name): entry for name, entry in tensors.stored(folder).items()}
    wanted = {name: entry for name, entry in found.items() if _is_wanted(name, entry, family)}
    most = setting(SIZE_SETTING, SIZE, 1, 1_000_000) * 10**6
    size = sum(4 * entry.size // tensors.DTYPES[entry.dtype].itemsize for entry in wanted.values())
    if size > most:
        raise ValueError(f"The weights take {size:,} bytes as float32; this server reads at most {most:,}.")
    shapes = {name: shape for at in range(config.layers) for name, shape in family.shapes(config, at).items()}
    vocabulary = config.raw.get("vocab_size")
    if isinstance(vocabulary, int):
        shapes[family.embedding] = (vocabulary, config.width)
    for name, shape in shapes.items():
        if name not in wanted:
            raise ValueError(f"The weights lack “{name}”, which config.json promises.")
        if wanted[name].shape != shape:
            raise ValueError(f"“{name}” has the shape {wanted[name].shape}, but config.json says {shape}.")
    return family, wanted


def _bare(name: str) -> str:
    """A tensor's name without the name of the model around it, which a model with a head stores."""
    for prefix in ("transformer.", "model.", "gpt_neox."):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def _is_wanted(name: str, entry: tensors.Stored, family: Family) -> bool:
    """Not the head, not a T5's decoder, and no masks or frequencies that old files hold."""
    others = ("lm_head.", "embed_out.", "decoder.", "score.", "classifier.")
    buffers = ("inv_freq", "masked_bias", ".attn.bias", ".attention.bias", "encoder.embed_tokens.weight")
    return entry.dtype in tensors.DTYPES and not name.startswith(others) and not name.endswith(buffers)


def _tokenizer(file: bytes) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(file.decode())
    except Exception as error:  # the library raises plain Exception
        raise ValueError(f"{TOKENIZER} cannot be read: {str(error)[:120]}.") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _model(family: Family, config: ModelConfig, weights: dict[str, Tensor]) -> Any:
    """The model of transformers with these weights, every one of which must fit.

    Not by `from_pretrained`: it reads more files than were checked, copies the weights, and changes torch's functions for
    the whole process while it loads.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is asked of a hub; there is no name to ask for either
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    fields = {name: config.raw[name] for name in family.fields if config.raw.get(name) is not None}
    if "attn_config" in fields:  # the positions are read by our own `config`; nothing else is passed on
        fields["attn_config"] = {"clip_qkv": fields["attn_config"].get("clip_qkv")}
        fields["max_seq_len"] = LONGEST  # MptModel stops there; its bias is made for the text itself
    tokens = dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"))
    try:
        made = getattr(transformers, family.config)(**fields, **tokens, use_cache=False, attn_implementation="eager")
        with torch.device("meta"):  # names and shapes, no memory
            model = getattr(transformers, family.model)(made)
    except Exception as error:  # of many kinds: a field of another type, an unknown activation
        raise ValueError(f"transformers does not take this config.json: {str(error).splitlines()[0][:160]}.") from None
    for name, parameter in model.named_parameters():
        if name not in weights or weights[name].shape != parameter.shape:
            raise ValueError(f"The weights lack “{name}” of the shape {tuple(parameter.shape)}.")
    model.load_state_dict({name: weights[name] for name, _ in model.named_parameters()}, strict=False, assign=True)
    model.tie_weights()
    if hasattr(model, "rotary_emb"):  # its frequencies are computed, not stored
        model.rotary_emb = type(model.rotary_emb)(made)
    if family.prepare:
        family.prepare(model, config)
    return model.eval().requires_grad_(False)


def encode(checkpoint: Checkpoint, text: str) -> Text:
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
    return Text(tuple(ids), labels, given)


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
    if not 1 <= layer <= checkpoint.config.layers:
        raise ValueError(f"The model has the layers 1 to {checkpoint.config.layers}, not {layer}.")
    *_, found = layers(checkpoint, ids, layer)
    return found


def position_alone(found: AttentionInputs) -> AttentionInputs:
    """The same attention without content: every token has the mean query and the mean key of its head.

    What is left is what the method does to scores. A method that acts on embeddings leaves nothing: its positions are part
    of the content by then.
    """
    q, k = (x.mean(2, keepdim=True).expand_as(x) for x in (found.q, found.k))
    return replace(found, q=q, k=k)
