"""What run.json says: every field is checked once, when a record is read, so that no page meets what it cannot show.

Notable choices:
- A record is valid as a whole or not at all: a run with half of its numbers would be shown as if it were complete.
- Numbers are finite and bounded, lists have an end, texts can be written as UTF-8: a page can draw all that passes.
- Only known names of a measurement are kept.
- Pydantic checks (in strict mode: no number is read from a text); a Run that this program makes itself is not checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Required

from pydantic import AfterValidator, Field, FiniteFloat, PlainValidator, TypeAdapter
from typing_extensions import TypedDict  # pydantic takes typing.TypedDict from Python 3.12 on

from alibi_viz.lm.config import BOUNDS, TrainConfig
from alibi_viz.lm.recall import FEWEST, MOST
from alibi_viz.lm.training import LARGEST_LOSS, TrainState

Status = Literal["new", "waiting", "running", "paused", "finished", "failed", "cancelled"]
Text = Annotated[str, Field(max_length=20_000)]
Fingerprint = Annotated[str, Field(max_length=64, pattern="^( *[0-9A-Za-z][0-9A-Za-z ]*)?$")]
Loss = Annotated[FiniteFloat, Field(ge=-LARGEST_LOSS, le=LARGEST_LOSS)]
Share = Annotated[FiniteFloat, Field(ge=0, le=1)]
Perplexity = Annotated[FiniteFloat, Field(ge=1, le=1e305)]  # more than e^700, where `Evaluation.perplexity` ends
Step = Annotated[int, Field(ge=0, le=BOUNDS["steps"][1])]
ENTRIES = 100_000  # measurements of one kind
JSON_NAMES = {"environment": "made_with"}  # of a field that is called otherwise


class _Entry(TypedDict, total=False):
    length: Required[Annotated[int, Field(ge=1, le=2**24)]]  # window in bytes; recall: distance in bytes
    step: Step  # of an interim evaluation
    missing: Text  # why there is no number


class EvaluationEntry(_Entry, total=False):
    """`Evaluation.to_dict` or `Missing.to_dict`."""

    stride: Required[Annotated[int, Field(ge=1)]]
    predictions: Annotated[int, Field(ge=0, le=2**40)]
    loss: Loss
    perplexity: Perplexity | None
    by_position: list[Loss | None]  # None where nothing was counted


class RecallEntry(_Entry, total=False):
    """What `recall_result` gives: all four numbers, or none."""

    pairs: Required[Annotated[int, Field(ge=FEWEST, le=MOST)]]
    questions: Annotated[int, Field(ge=1, le=2**24)]
    accuracy: Share
    wrong_key: Share
    nearest: Share | None


def _consistent(entry: Any) -> Any:
    if not {"perplexity", "accuracy", "missing"} & set(entry):
        raise ValueError("A measurement has neither a number nor a reason why it is missing.")
    if len({"accuracy", "questions", "wrong_key", "nearest"} & set(entry)) not in (0, 4):
        raise ValueError("A measurement of recall is not complete.")
    if entry.get("stride", 1) > entry["length"] or len(entry.get("by_position", ())) > entry["length"]:
        raise ValueError("A measurement goes beyond its window.")
    return entry


def _distinct(entries: Any) -> Any:
    if len({(entry["length"], entry.get("stride"), entry.get("pairs")) for entry in entries}) < len(entries):
        raise ValueError("Two measurements have the same length and stride, or pairs.")
    return entries


def _newest(entries: Any) -> Any:
    """A run that was resumed may have been evaluated twice at a step: the later evaluation counts."""
    if not all("step" in entry for entry in entries):
        raise ValueError("An interim evaluation has no step.")
    return tuple({(entry["step"], entry["length"], entry.get("pairs")): entry for entry in entries}.values())


_Evaluation = Annotated[EvaluationEntry, AfterValidator(_consistent)]
_Recall = Annotated[RecallEntry, AfterValidator(_consistent)]
Evaluations = Annotated[tuple[_Evaluation, ...], Field(max_length=ENTRIES), AfterValidator(_distinct)]
Recalls = Annotated[tuple[_Recall, ...], Field(max_length=ENTRIES), AfterValidator(_distinct)]
Interim = Annotated[tuple[_Evaluation | _Recall, ...], Field(max_length=ENTRIES), AfterValidator(_newest)]


@dataclass(frozen=True)
class Run:
    """One training run: what run.json says. environment: versions and device."""

    config: Annotated[TrainConfig, PlainValidator(TrainConfig.from_dict)]
    corpus: Fingerprint = ""  # SHA-256 of the text; empty for recall
    status: Status = "waiting"  # "new": not begun, so not on disk
    step: Step = 0
    seconds: Annotated[FiniteFloat, Field(ge=0, le=1e9)] = 0.0  # spent in training
    losses: tuple[Loss, ...] = ()  # training loss of every step, nats per byte
    evaluations: Evaluations = ()  # of the finished model; empty for recall
    interim_evaluations: Interim = ()  # of a sample, during training
    recall: Recalls = ()  # of the finished model
    error: Text = ""  # why it failed, in one sentence
    environment: Annotated[dict[Text, Text], Field(validation_alias="made_with")] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return self.config.hash

    @property
    def is_active(self) -> bool:
        """Whether it is in the queue or trained now."""
        return self.status in ("waiting", "running")

    @property
    def is_trained(self) -> bool:
        """Whether all its steps are done."""
        return self.step >= self.config.steps

    @property
    def measurements(self) -> tuple[EvaluationEntry | RecallEntry, ...]:
        """Those of the finished model."""
        return self.recall if self.config.is_recall else self.evaluations

    def to_dict(self) -> dict[str, Any]:
        plain = {JSON_NAMES.get(name, name): value for name, value in vars(self).items()}
        return plain | {"config": self.config.to_dict(), "hash": self.hash}

    @classmethod
    def from_json(cls, text: bytes) -> Run:
        """What `to_dict` gave, as JSON. Raises ValueError if it is something else."""
        run = _RUN.validate_json(text, strict=True)
        if run.status == "new":
            raise ValueError("A run on disk is not new.")
        if max(run.step, len(run.losses)) > run.config.steps:
            raise ValueError("A run has more steps than its configuration.")
        if any(("stride" in entry) == run.config.is_recall for entry in run.interim_evaluations):
            raise ValueError("An interim evaluation is of another task.")
        return run

    def after(self, state: TrainState) -> Run:
        """The same run, as far as `state` has come."""
        losses = tuple(round(loss, 5) for loss in state.losses.tolist())
        return replace(self, corpus=state.corpus, step=state.step, seconds=round(state.seconds, 3), losses=losses)


_RUN = TypeAdapter(Run)
