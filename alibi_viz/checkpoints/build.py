"""A model of `transformers` from checked parts: which tensors it takes, and how it is put together.

Notable choices:
- What config.json promises is held against the headers of the weights before any weight is read.
- Not by `from_pretrained`: it reads more files than were checked, copies the weights, and changes torch's functions for the
  whole process while it loads.
"""

import os
from typing import Any

import torch
from torch import Tensor

from alibi_viz.checkpoints import tensors
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.families import FAMILIES, FIELDS, ModelFamily
from alibi_viz.checkpoints.folder import Folder
from alibi_viz.checks import setting

LONGEST = 256  # tokens of a text: each has its row on the screen
SIZE_SETTING, SIZE = "ALIBI_VIZ_MODELS_MB", 2_500  # the largest weights, in MB as float32; BLOOM 560M has 2,236


def checked(folder: Folder, config: ModelConfig) -> tuple[ModelFamily, dict[str, tensors.Stored]]:
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
    if refusal := config.refusal or family.refusal(config.raw):
        raise ValueError(refusal)
    if not config.known:
        raise ValueError("config.json names another position method than its model type has.")
    if config.layers is None:
        raise ValueError("config.json does not say how many layers the model has.")
    found = {_bare(name): entry for name, entry in tensors.stored(folder).items()}
    wanted = {name: entry for name, entry in found.items() if _is_wanted(name, entry, family)}
    most = setting(SIZE_SETTING, SIZE, 1, 1_000_000) * 10**6
    size = sum(4 * entry.numbers for entry in wanted.values())
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


def _is_wanted(name: str, entry: tensors.Stored, family: ModelFamily) -> bool:
    """Not the head, not a T5's decoder, and no masks or frequencies that old files hold."""
    others = ("lm_head.", "embed_out.", "decoder.", "score.", "classifier.")
    buffers = ("inv_freq", "masked_bias", ".attn.bias", ".attention.bias", "encoder.embed_tokens.weight")
    return entry.dtype in tensors.FLOATS and not name.startswith(others) and not name.endswith(buffers)


def build(family: ModelFamily, config: ModelConfig, weights: dict[str, Tensor]) -> Any:
    """The model of transformers with these weights, every one of which must fit."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is asked of a hub; there is no name to ask for either
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    fields = {name: config.raw[name] for name in FIELDS if config.raw.get(name) is not None}
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
