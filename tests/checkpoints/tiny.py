"""Tiny checkpoints as `transformers` saves them: random weights, and a tokenizer of whole words."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from tests.parity import published

TEXT = "the cat sat on the mat and the dog sat on the rug near the cat while rain fell on the roof"
WORDS = sorted(set(TEXT.split()))
SMALL = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 6}
SIZES: dict[str, dict[str, Any]] = {
    "bloom": {"hidden_size": 24, "n_layer": 3, "n_head": 6},
    "mpt": {"d_model": 24, "n_layers": 3, "n_heads": 6, "attn_config": {"alibi_bias_max": 8, "clip_qkv": 0.05}},
    "llama": SMALL | {"intermediate_size": 32, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 32},
    "gpt_neox": SMALL | {"hidden_size": 48, "intermediate_size": 32},
    "t5": {"d_model": 24, "d_kv": 8, "d_ff": 32, "num_layers": 3, "num_heads": 6},
    "gpt2": {"n_embd": 24, "n_layer": 3, "n_head": 6, "n_positions": 16},
    "falcon": SMALL | {"alibi": True},
}
SIZES |= {family: SIZES["llama"] | {"head_dim": 4} for family in ("mistral", "qwen2", "qwen3")}


def save(folder: Path, family: str, **changes: Any) -> Path:
    """A model of the family with random weights, and its tokenizer."""
    ids = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
    config = published.AutoConfig.for_model(family, vocab_size=len(WORDS) + 1, **(SIZES[family] | ids | changes))
    torch.manual_seed(0)
    head = published.AutoModelForSeq2SeqLM if config.is_encoder_decoder else published.AutoModelForCausalLM
    model = head.from_config(config).eval()
    for parameter in model.parameters():  # large enough that content matters
        parameter.data.normal_(std=0.4)
    model.save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def theirs(folder: Path, ids: list[int]) -> np.ndarray:
    """The attention that transformers computes when it opens the folder by itself: [layers, H, T, T]."""
    model = published.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        model = model.encoder if isinstance(model, published.T5Model) else model
        attentions = model(input_ids=torch.tensor([ids]), output_attentions=True).attentions
    return torch.cat(attentions).numpy()


def ids_of(text: str) -> list[int]:
    return [WORDS.index(word) + 1 for word in text.split()]
