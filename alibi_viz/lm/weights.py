"""Weights on disk and for browsers: safetensors, by parameter name. Nothing is ever unpickled."""

import json
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from alibi_viz.files import read_file, write_atomically
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.model import DecoderLM
from alibi_viz.positions import METHODS

LARGEST_WEIGHT = 1e3  # of either sign. Trained ones stay below ten; much larger ones overflow float32 in a few layers


def write_weights(path: Path, weights: dict[str, Tensor], dtype: torch.dtype = torch.float32) -> None:
    """Write weights by parameter name as one safetensors file."""
    write_atomically(path, safetensors.torch.save({name: w.to(dtype).contiguous() for name, w in weights.items()}))


def read_weights(path: Path, most: int) -> dict[str, Tensor]:
    """Weights by parameter name, as float32, from a file of at most `most` bytes.

    Raises OSError if there is no such file, ValueError if it is damaged or holds numbers that no training gives.
    """
    try:
        weights = {name: tensor.float() for name, tensor in safetensors.torch.load(read_file(path, most)).items()}
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    # `not <=` and not `>`: NaN compares as false.
    if not all(bool((weight.abs() <= LARGEST_WEIGHT).all()) for weight in weights.values()):
        raise ValueError(f"{path} holds weights that are NaN, infinite or above {LARGEST_WEIGHT:g}.")
    return weights


def for_browsers(config: TrainConfig, model: DecoderLM, dtype: torch.dtype = torch.float32) -> bytes:
    """A trained model as pictures/lm.js reads it: its weights, and in the metadata all that it needs to know of it."""
    slopes = model.position.linear_slopes()
    options = {} if slopes is not None else METHODS[config.method].training_options(config.length, dict(config.options))
    names = ("method", "block", "length", "heads", "head_dim", "layers")
    about = {name: getattr(config, name) for name in names} | {"options": options}
    about["slopes"] = None if slopes is None else slopes.tolist()
    weights = {name: weight.detach().to(dtype).contiguous() for name, weight in model.named_parameters()}
    return safetensors.torch.save(weights, {"config": json.dumps(about)})
