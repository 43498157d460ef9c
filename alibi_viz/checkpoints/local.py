"""A model in a local folder, opened by `transformers`: the attention of every head of every layer over a reader's text.

Notable choices:
- Everything is checked from the cheap to the dear: config.json, the tokenizer, an empty model of transformers, the headers
  of the weights, and only then the weights. No code of a folder is run.
- The model gets the fields that its class of configuration declares, never the whole config.json.
- Not `from_pretrained`: while it loads, it sets torch's default dtype for the whole process.
- One model at a time is in memory, and one reader at a time computes with it. Its tokenizer runs elsewhere (`tokenizing`).
"""

import fnmatch
import importlib.util
import os
import threading
from dataclasses import dataclass
from functools import lru_cache, partial
from math import isqrt, prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from alibi_viz.checkpoints import config as configurations
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.folder import CONFIG, Folder, find
from alibi_viz.checkpoints.tokenizing import encode
from alibi_viz.checks import setting
from alibi_viz.lessons.problems import Problem

OPENED = ("bloom", "mpt", "falcon", "llama", "mistral", "qwen2", "qwen3", "gpt_neox", "gpt2", "t5")  # model types
TOKENS, CHARACTERS = 256, 4_000  # of a text
MOST_HEADS = 128  # in a layer: each has its picture
LONGEST_BIAS = 2**16  # tokens
MOST_WEIGHTS = 2**26  # float32 numbers of attention that one text may give
SIZE_SETTING, SIZE = "ALIBI_VIZ_MODELS_MB", 2_500  # the largest model, in MB as float32; BLOOM 560M has 2,236
TOKENIZER, TOKENIZER_LONGEST = "tokenizer.json", 2**25  # bytes; those of large vocabularies have 20 MB
WEIGHTS, PARTS = "model.safetensors", "model-*-of-*.safetensors"
FLOATS = ("F64", "F32", "F16", "BF16")
OTHER_WEIGHTS = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".msgpack", ".h5", ".gguf", ".onnx")
# Of a file: heads, a T5's decoder, and the masks and frequencies that old files hold.
NOT_TAKEN = ("lm_head.", "embed_out.", "decoder.", "score.", "classifier.")
BUFFERS = ("inv_freq", "masked_bias", ".attn.bias", ".attention.bias")
EARLIER_NAMES = {"rope_scaling", "rope_theta", "partial_rotary_factor", "rotary_pct", "rotary_emb_base"}  # of fields
_reading = threading.Lock()
_opened: dict[tuple[Folder, tuple[tuple[str, int], ...]], tuple[ModelConfig, Any, bytes]] = {}  # the model in memory


@dataclass(frozen=True)
class Reading:
    """A text in a model: its tokens T, and attention float32 [layers, H, T, T], whose rows are queries."""

    config: ModelConfig
    tokens: tuple[str, ...]  # what each stands for in the text; a special token's own name
    given: int  # tokens of the whole text, of which `tokens` are the first
    attention: np.ndarray


def installed() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("transformers", "tokenizers"))


def read(name: str, text: str) -> Reading:
    """The model in the folder `name` (one of `folder.folders`) reads a text. Raises ValueError with one sentence."""
    if not installed():
        raise Problem("models.not_installed")
    folder = find(name)
    changed = tuple((file, folder.changed(file)) for file in folder.names())
    if not text.strip():
        raise Problem("texts.empty")
    with _reading:
        return _read(folder, changed, text[:CHARACTERS])


@lru_cache(maxsize=2)
@torch.no_grad()
def _read(folder: Folder, changed: tuple[tuple[str, int], ...], text: str) -> Reading:
    if (folder, changed) not in _opened:
        _opened.clear()  # before the next one takes memory
        _opened[folder, changed] = _open(folder)
    config, model, tokenizer = _opened[folder, changed]
    encoding, rows = encode(tokenizer, text, longest(config)), model.get_input_embeddings().num_embeddings
    ids = encoding.ids
    if not ids or max(ids) >= rows:
        raise Problem("models.tokens", rows=rows)
    try:
        output = model(input_ids=torch.tensor([ids]), output_attentions=True, return_dict=True)
        attention = torch.cat(output.attentions).numpy()
    except Exception as error:  # of many kinds: a number of config.json that no module has checked
        raise Problem("models.not_run", reason=_first_line(error)) from None
    if not np.isfinite(attention).all():
        raise Problem("models.attention")
    pieces = zip(encoding.names, encoding.offsets, strict=True)
    tokens = tuple(_visible(text[start:end] or token) for token, (start, end) in pieces)
    return Reading(config, tokens, encoding.given, attention)


def longest(config: ModelConfig) -> int:
    """Tokens of the longest text that a model reads: a table of positions ends, and attention takes memory."""
    table = config.train_length if config.method == "learned" else None
    return min(TOKENS, table or TOKENS, isqrt(MOST_WEIGHTS // (config.heads * (config.layers or 1))))


def _visible(piece: str) -> str:
    """A token as an axis can show it: blanks and line ends in sight."""
    return piece.replace(" ", "␣").replace("\n", "⏎")[:24] or "∅"


def open_folder(path: Path) -> Any:
    """The model of transformers in a folder that its owner names, with the attention that transformers takes by itself;
    without tokenizer and head. Links lead anywhere. Raises ValueError with one sentence.
    """
    if not installed():
        raise Problem("models.not_installed")
    if not path.is_dir():
        raise ValueError(f"There is no folder {path}.")
    path = path.resolve()
    folder = Folder(Path(path.anchor), path.relative_to(path.anchor).as_posix())
    config = _known(folder)
    return _model(folder, config, min(config.train_length or TOKENS, LONGEST_BIAS), kernel=None)


def _open(folder: Folder) -> tuple[ModelConfig, Any, bytes]:
    """The configuration, the model of transformers and its tokenizer.json. Raises ValueError with one sentence."""
    config = _known(folder)
    tokenizer = folder.read(TOKENIZER, TOKENIZER_LONGEST)
    encode(tokenizer, "a", 1)  # before the weights, which are large
    return config, _model(folder, config, TOKENS, kernel="eager"), tokenizer  # which gives its weights


def _known(folder: Folder) -> ModelConfig:
    config = configurations.read(folder.read(CONFIG, configurations.LONGEST))
    if refusal := _refusal(config):
        raise refusal
    return config


def _model(folder: Folder, config: ModelConfig, tokens: int, kernel: str | None) -> Any:
    """With its weights. tokens: of the longest text, where a model asks for it when it is made. kernel: of its attention;
    None: the one that transformers takes by itself.
    """
    made, model = _empty_model(config, tokens, kernel)
    _fill(model, weights_of(folder))
    if hasattr(model, "rotary_emb"):  # its frequencies are computed, not stored
        model.rotary_emb = type(model.rotary_emb)(made)
    if (config.family, config.method, kernel) == ("falcon", "alibi", "eager"):
        # transformers 5.23 has Falcon's bias in the mask already, and adds it to the scores a second time.
        for layer in model.h:
            layer.self_attention.register_forward_pre_hook(_with_bias_once, with_kwargs=True)
    return model.eval().requires_grad_(False)


def _with_bias_once(_: Any, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, named | {"alibi": torch.zeros_like(named["alibi"])}


def _refusal(config: ModelConfig) -> Problem | None:
    """Why config.json alone says that the model is not opened; None if it is."""
    if config.runs_code:
        return Problem("models.runs_code")
    if config.family not in OPENED:
        return Problem("models.kind", opened=OPENED, given=config.family)
    if config.heads > MOST_HEADS:
        return Problem("models.heads", most=MOST_HEADS, heads=config.heads)
    if "quantization_config" in config.raw:
        return Problem("models.quantized")
    if config.unread:
        return Problem("models.unread", fields=tuple(config.unread))
    if not config.known or config.rope_off or (config.family == "mpt" and config.method != "alibi"):
        return Problem("models.other_method")
    return None if config.layers else Problem("models.no_layers")


def _empty_model(config: ModelConfig, tokens: int, kernel: str | None) -> tuple[Any, Any]:
    """The configuration and the model of transformers, names and shapes alone. Raises ValueError with one sentence."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is asked of a hub; there is no name to ask for either
    import transformers

    transformers.logging.set_verbosity_error()
    kind = type(transformers.AutoConfig.for_model(config.family))
    declared = {*kind.__annotations__, *kind.attribute_map} | EARLIER_NAMES
    fields = {name: value for name, value in config.raw.items() if name in declared and not name.endswith("_token_id")}
    try:
        if config.family == "mpt":
            attention = config.raw["attn_config"]
            fields["attn_config"] = {name: attention.get(name) for name in ("clip_qkv", "softmax_scale")}
            fields["max_seq_len"] = tokens  # the length of the bias that it makes
        made = transformers.AutoConfig.for_model(config.family, **{**fields, "use_cache": False})
        if (made.num_hidden_layers, made.num_attention_heads) != (config.layers, config.heads):
            raise ValueError("it names layers or heads twice")
        auto = transformers.AutoModelForTextEncoding if made.is_encoder_decoder else transformers.AutoModel
        options = {"attn_implementation": kernel, "dtype": torch.float32, "trust_remote_code": False}
        with torch.device("meta"):  # no memory
            model = auto.from_config(made, **options)
        if config.family == "mpt":  # whose class makes the bias with the largest exponent 8, whatever the file says
            largest = attention.get("alibi_bias_max", 8)
            model.build_mpt_alibi_tensor = partial(model.build_mpt_alibi_tensor, alibi_bias_max=largest)
    except Exception as error:  # of many kinds: a field of another type, an unknown activation
        raise Problem("models.not_taken", reason=_first_line(error)) from None
    return made, model


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:160].rstrip(".")


def _fill(model: Any, weights: dict[str, Tensor]) -> None:
    """Give the model its weights; of tied ones one is enough. Raises ValueError with one sentence for others."""
    prefix = f"{model.base_model_prefix}."
    weights = {name.removeprefix(prefix): tensor for name, tensor in weights.items()}
    try:
        others = model.load_state_dict(weights, strict=False, assign=True).unexpected_keys
    except RuntimeError as error:  # its last line names a tensor of another shape
        raise Problem("models.not_fitting", reason=str(error).splitlines()[-1].strip()[:200]) from None
    model.tie_weights()
    if lacking := [name for name, parameter in model.named_parameters() if parameter.is_meta]:
        raise Problem("models.lacking", tensor=lacking[0])
    if others:
        raise Problem("models.unexpected", tensor=min(others)[:80], kind=type(model).__name__)


def weights_of(folder: Folder) -> dict[str, Tensor]:
    """The tensors of a folder that a model may take, as float32. Raises ValueError with one sentence.

    The library checks a header against its file. Names and shapes come from the headers: nothing is read of a model that is
    too large.
    """
    names = folder.names()
    files = [WEIGHTS] if WEIGHTS in names else fnmatch.filter(names, PARTS)
    if not files:
        if others := [name for name in names if name.endswith(OTHER_WEIGHTS)]:
            raise Problem("models.only_safetensors", other=others[0][:80], weights=WEIGHTS)
        raise Problem("models.no_weights", weights=WEIGHTS)
    tensors: dict[str, Any] = {}  # name -> the file that holds it
    for file in files:
        try:
            opened = safe_open(folder.file(file), "pt")
        except SafetensorError as error:
            raise Problem("models.damaged", file=file, reason=str(error)[:120]) from None
        taken = (n for n in opened.keys() if not n.startswith(NOT_TAKEN) and not n.endswith(BUFFERS))  # noqa: SIM118
        tensors |= dict.fromkeys(taken, opened)
    size = sum(4 * prod(opened.get_slice(name).get_shape()) for name, opened in tensors.items())
    most = setting(SIZE_SETTING, SIZE, 1, 1_000_000) * 10**6
    if size > most:
        raise Problem("models.memory", bytes=size, most=most)
    weights: dict[str, Tensor] = {}
    for name, opened in tensors.items():
        if (dtype := opened.get_slice(name).get_dtype()) not in FLOATS:
            raise Problem("models.dtype", tensor=name[:80], dtype=dtype)
        weights[name] = opened.get_tensor(name).to(torch.float32, copy=True)  # a copy, since the file may change
        if not weights[name].isfinite().all():
            raise Problem("models.not_finite", tensor=name[:80])
    return weights
