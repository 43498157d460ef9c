"""What the sentences on ALiBi today say of the timeline and of the paper's own limit."""

from collections.abc import Mapping
from dataclasses import dataclass

from alibi_viz.results import published
from pages.today.study import FAR, FIRST, LAST, Entry, L, Result


@dataclass(frozen=True)
class Facts:
    models: str  # those with ALiBi
    newest: str  # model with ALiBi
    newest_date: str
    newer: str  # models, by method
    nonoverlapping_short: float  # perplexity per word, as published, with `trained` words and with `far`
    nonoverlapping_far: float
    sliding_short: float
    sliding_far: float
    trained: int = L  # words
    far: int = FAR
    from_year: int = FIRST
    to_year: int = LAST


def facts_of(result: Result, lanes: Mapping[str, str]) -> Facts:
    """lanes: method -> for the reader."""
    models, newer = result.alibi_models, result.newer
    nonoverlapping = published.row("table5_alibi_train_by_eval", str(L))
    sliding = published.row("table15_sliding_alibi", str(L))
    methods = dict.fromkeys(entry.method for entry in newer)
    named = {method: ", ".join(entry.name for entry in newer if entry.method == method) for method in methods}
    return Facts(
        models=", ".join(entry.name for entry in models),
        newest=models[-1].name,
        newest_date=models[-1].date,
        newer="; ".join(f"{lanes[method]}: {names}" for method, names in named.items()),
        nonoverlapping_short=nonoverlapping[L],
        nonoverlapping_far=nonoverlapping[FAR],
        sliding_short=sliding[L],
        sliding_far=sliding[FAR],
    )


@dataclass(frozen=True)
class Sources:
    timeline: str  # a line an entry, with its source


def sources_of(entries: tuple[Entry, ...]) -> Sources:
    return Sources("\n".join(f"- {e.date}, **{e.name}**: {e.what} [{e.source}]({e.url})" for e in entries))
