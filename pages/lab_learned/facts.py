"""What the sentences of the lab of learned positions say of its tables."""

from dataclasses import dataclass

from alibi_viz.positions.learned import START_STD
from alibi_viz.ui.format import MINUS, escape_markdown, format_number
from pages.lab_learned.study import Result


@dataclass(frozen=True)
class Facts:
    train_length: int  # of the shipped model: rows of its table
    width: int
    last: int  # position of the table
    parameters: int
    cosine: str  # mean of neighboring positions after training
    start: str  # the same of a table before training
    rows: int  # of that one
    columns: int
    position: int  # the one to ask for
    first: str  # numbers of its vector
    problem: str  # why it has none, in the method's own words


def facts_of(result: Result) -> Facts:
    (rows, width), first = result.trained.values.shape, [] if result.vector is None else result.vector[:4].tolist()
    return Facts(
        train_length=rows,
        width=width,
        last=rows - 1,
        parameters=result.trained.values.size,
        cosine=format_number(result.trained.neighbor_cosine),
        start=format_number(result.start.neighbor_cosine),
        rows=result.controls.rows,
        columns=result.controls.width,
        position=result.controls.position,
        first=", ".join(f"{value:.4f}".replace("-", MINUS) for value in first),
        problem=escape_markdown(result.refusal),
    )


@dataclass(frozen=True)
class Sources:
    std: float = START_STD  # of the table before training
