"""How well a model predicts a text it has not seen, at any window length, far beyond its training length.

A text of N bytes has M = N - 1 predictions: byte i + 1 from the bytes up to i. They are made in windows of `length` bytes
that begin every `stride` bytes.

Notable choices:
- Every prediction counts exactly once, so results at different lengths score the same bytes: the first window counts
  fully, each later one its last `stride` positions only. The last window is cut at the end of the text.
- stride = length is nonoverlapping evaluation: the first bytes of every window have little context (the early token
  curse). A small stride is the sliding window: nearly `length` bytes of context, at length / stride times the cost.
- Losses are summed in float64: a float32 sum over 60,000 predictions would lose digits.
- With the mean losses of blocks two measurements of the same text can be compared block by block (`results.comparison`).
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.checks import whole_number
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.recall import recall_questions, sequence_length

TOKENS = 8_192  # bytes that go through the model at once
BLOCK = 1024  # predictions: far more than a sentence, so one block says little of the next
SCORES = 16_777_216  # numbers of an explicit bias at once, all heads together: 64 MB in float32

Entry = dict[str, Any]  # a measurement, as plain data for JSON


def windows(predictions: int, length: int, stride: int) -> Iterator[tuple[int, int, int]]:
    """(begin, end, first position that counts) of every window. Raises ValueError for a stride outside 1..length."""
    if whole_number(length, "length") < whole_number(stride, "stride"):
        raise ValueError(f"The stride must be at most the length, {length}, or bytes are left out; not {stride}.")
    begin = counted = 0
    while counted < predictions:
        end = min(begin + length, predictions)
        yield begin, end, counted - begin
        counted, begin = end, begin + stride


def tokens_processed(predictions: int, length: int, stride: int) -> int:
    """Bytes that go through the model for these windows: the cost of an evaluation."""
    return sum(end - begin for begin, end, _ in windows(predictions, length, stride))


@torch.inference_mode()
def evaluate(model: DecoderLM, text: bytes, length: int, stride: int | None = None, *, positions: bool = True) -> Entry:
    """Loss of the model on a text: nats per byte, a mean over the predictions that count.

    stride: None is nonoverlapping. Returns "length", "stride", "predictions", "loss", "perplexity" (None beyond a float),
    "by_block": the means of about BLOCK predictions each, in the order of the text, and, with `positions`, "by_position":
    the mean loss at each position of the window, None where none counts; both to four digits. Where it cannot be measured,
    "length", "stride" and "missing", the reason in one sentence. Raises ValueError for a stride outside 1..length.
    """
    stride = length if stride is None else stride
    total, entry = len(text) - 1, Entry(length=length, stride=stride)
    if missing := _missing(model, total, length):
        return entry | {"missing": missing}
    device = model.embedding.weight.device
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).long().to(device)
    in_order = torch.empty(total, dtype=torch.float64, device=device)  # the loss of each prediction
    sums = torch.zeros(length, dtype=torch.float64, device=device)
    counts = torch.zeros(length, dtype=torch.long, device=device)
    for begins, size, first in _batches(total, length, stride):
        places = begins.to(device)[:, None] + torch.arange(size + 1, device=device)
        rows = data[places]  # [W, size + 1]
        losses = per_token_loss(model, rows[:, :-1], rows[:, first + 1 :]).double()  # [W, size - first]
        in_order[places[:, first:-1]] = losses
        sums[first:size] += losses.sum(0)
        counts[first:size] += len(rows)
    loss = float(in_order.mean())
    entry |= {"predictions": total, "loss": loss, "perplexity": math.exp(loss) if loss < 700 else None}
    entry["by_block"] = block_means(in_order, BLOCK)
    if positions:
        by_position = zip(sums.tolist(), counts.tolist(), strict=True)
        entry["by_position"] = [round(loss / count, 4) if count else None for loss, count in by_position]
    return entry


def block_means(losses: Tensor, size: int) -> list[float]:
    """Means of losses [N] in their order, about `size` in each, to four digits. Blocks differ by one loss at most."""
    return [round(float(block.mean()), 4) for block in losses.tensor_split(max(1, round(len(losses) / size)))]


def _missing(model: DecoderLM, predictions: int, length: int) -> str:
    """Why this cannot be measured, in one sentence; empty if it can."""
    most = model.position.max_position
    if most is not None and length > most:
        return str(model.position.no_vector(most))
    if predictions < length:
        return f"The text is shorter than one window of {length:,} bytes."
    return ""


def _batches(predictions: int, length: int, stride: int) -> Iterator[tuple[Tensor, int, int]]:
    """Begins [W] of windows that share size and first counting position, at most TOKENS bytes together."""
    spans = ((begin, (end - begin, first)) for begin, end, first in windows(predictions, length, stride))
    for (size, first), group in groupby(spans, key=lambda span: span[1]):
        for begins in torch.tensor([begin for begin, _ in group]).split(max(1, TOKENS // size)):
            yield begins, size, first


def per_token_loss(model: DecoderLM, inputs: Tensor, targets: Tensor) -> Tensor:
    """Loss of the last predictions: inputs int64 [W, T], targets int64 [W, t] -> float32 [W, t].

    Bytes before them are only read; long windows go in pieces.
    """
    losses, begin = [], 0
    for logits in _logits_in_pieces(model, inputs, targets.shape[1]):
        piece = targets[:, begin : begin + logits.shape[1]]
        losses.append(F.cross_entropy(logits.flatten(0, 1), piece.flatten(), reduction="none").view(piece.shape))
        begin += logits.shape[1]
    return torch.cat(losses, dim=1)


def _logits_in_pieces(model: DecoderLM, inputs: Tensor, last: int) -> Iterator[Tensor]:
    """Logits after the `last` bytes of int64 [W, T], as pieces [W, t, 256]: each reads the earlier ones from a cache."""
    size, before = queries_at_once(model, inputs.shape[1]), inputs.shape[1] - last
    if before == 0 and size == last:
        yield model(inputs)
        return
    caches = [KVCache() for _ in model.blocks]
    for begin in range(0, before, size):
        model.read(inputs[:, begin : min(begin + size, before)], caches)
    for piece in inputs[:, before:].split(size, dim=1):
        yield model(piece, caches=caches)


def queries_at_once(model: DecoderLM, tokens: int) -> int:
    """Queries in one forward pass, so that neither the activations nor an explicit bias exceed their bounds."""
    position = model.position
    # A bias that depends on the input is another one for each of the windows that are read side by side.
    row = position.heads * (max(tokens, TOKENS) if position.needs_input else tokens)
    if tokens * row <= SCORES or (tokens <= TOKENS and not position.needs_matrix):
        return tokens
    return max(1, min(TOKENS, SCORES // row))


@torch.inference_mode()
def recall(model: DecoderLM, distance: int, pairs: int, *, length: int = 0, rows: int = 256) -> Entry:
    """How the model answers `rows` questions of the recall task, all at one distance and with the same number of pairs.

    length: of the sequences, in bytes; where they need more (`recall_questions`), more.
    Returns "length" (the distance from the key to the question, in bytes), "pairs", "questions", and shares of the answers:
    "accuracy", that name the asked pair's digit; "wrong_key", that name this same digit when the key of another pair is
    asked (0 for a perfect model); "nearest", that name the nearest pair's digit where another is asked (None: always the
    asked one). A guess among the digits of the text has 1/pairs in all three. Where it cannot be measured, "length",
    "pairs" and "missing", the reason.
    """
    length = max(length, sequence_length(distance, pairs))
    if missing := _missing(model, length, length):
        return {"length": distance, "pairs": pairs, "missing": missing}
    questions = recall_questions(rows, distance, pairs, torch.Generator().manual_seed(0), length=length)
    keys = torch.stack((questions.text[:, -1], questions.other), dim=1)
    answers = _answers(model, questions.text[:, :-1], keys)  # [rows, 2]
    same, other = (answers == questions.digits[:, :1]).double().mean(0).tolist()
    farther = questions.nearest != 0
    named = answers[farther, 0] == questions.digits.gather(1, questions.nearest[:, None])[farther, 0]
    nearest = float(named.double().mean()) if len(named) else None
    shares = {"accuracy": same, "wrong_key": other, "nearest": nearest}
    return {"length": distance, "pairs": pairs, "questions": rows} | shares


def _answers(model: DecoderLM, texts: Tensor, keys: Tensor) -> Tensor:
    """The most likely next byte after each text [rows, T] and each of the keys [rows, K] alone: int64 [rows, K]."""
    answers, device = [], model.embedding.weight.device
    size = queries_at_once(model, texts.shape[1])
    for rows in torch.arange(len(texts)).split(max(1, TOKENS // texts.shape[1])):
        caches = [KVCache() for _ in model.blocks]
        for piece in texts[rows].to(device).split(size, dim=1):
            model.read(piece, caches)
        columns = keys[rows].to(device).split(1, dim=1)  # every key reads the same cache
        logits = [model(column, caches=[replace(cache) for cache in caches])[:, -1] for column in columns]
        answers.append(torch.stack(logits, dim=1).argmax(-1).cpu())
    return torch.cat(answers)
