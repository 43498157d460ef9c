"""What the sentences of the lab of learned positions say of its table."""

from dataclasses import dataclass

from alibi_viz.positions.learned import START_STD
from alibi_viz.ui.format import MINUS, escape_markdown, format_number
from pages.lab_learned.study import Result


@dataclass(frozen=True)
class Facts:
    train_length: int
    width: int
    last: int  # position of the table
    parameters: int
    cosine: str  # mean of neighboring positions
    position: int  # the one to ask for
    first: str  # numbers of its vector
    problem: str  # why it has none, in the method's own words


def facts_of(result: Result) -> Facts:
    chosen, first = result.controls, [] if result.vector is None else result.vector[:4].tolist()
    return Facts(
        train_length=chosen.train_length,
        width=chosen.width,
        last=chosen.train_length - 1,
        parameters=result.parameters,
        cosine=format_number(result.neighbor_cosine),
        position=chosen.position,
        first=", ".join(f"{value:.4f}".replace("-", MINUS) for value in first),
        problem=escape_markdown(result.refusal),
    )


@dataclass(frozen=True)
class Sources:
    std: float = START_STD  # of the table before training
