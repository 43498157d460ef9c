"""What is wrong, as a key and values: `problems.md` and its translations have the sentence of each key.

Notable choices:
- The code says a key, and never takes a sentence apart. `str` gives the English sentence: the library, the command line and
  logs need nothing else. The pages say it in the reader's language (`say`).
- A sentence that only programmers or the command line see stays an ordinary ValueError.
- What a run keeps as its error is read back like everything from disk: bounded, checked, and a sentence whatever it is.
"""

from typing import Any

from alibi_viz.lessons import joined, languages, load, method_title

LONGEST, MOST = 400, 32  # characters of a stored text; texts of a stored list


class Problem(ValueError):
    """What a person has to know or change.

    key: “section.entry” of problems.md. values: what its placeholders stand for, texts, numbers, and tuples of texts, which
    each language joins in its own way; they are never read as a sentence themselves.
    """

    def __init__(self, key: str, /, **values: str | float | tuple[str, ...]) -> None:
        super().__init__(key)
        self.key, self.values = key, values

    def __str__(self) -> str:
        return self.sentence(languages.ENGLISH)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.key)

    def sentence(self, language: str) -> str:
        """Raises KeyError for a key that is not in the table, or a value that its line asks for in vain."""
        section, _, entry = self.key.partition(".")
        values = {
            name: joined(value, language=language) if isinstance(value, tuple) else value
            for name, value in self.values.items()
        }
        if "method" in values:
            values["method"] = method_title(str(values["method"]), language)
        return load("problems", language).entry(section, entry, values)

    def to_plain(self) -> dict[str, Any]:
        """Plain data for JSON, for `read`."""
        return {"key": self.key, "values": self.values}


def say(error: Exception | str | None) -> str:
    """The sentence of an error in the reader's language; what has no key as it stands; "" for None."""
    return error.sentence(languages.current()) if isinstance(error, Problem) else str(error or "")


def kept(error: Exception) -> Problem | str:
    """An error to be kept: without its traceback, which holds all that the code had in hand."""
    return Problem(error.key, **error.values) if isinstance(error, Problem) else str(error)


def read(stored: object) -> Problem | str:
    """What a file holds as an error: `to_plain` of a Problem, or, in files of earlier versions, an English sentence.
    Anything else becomes one sentence, too.
    """
    if isinstance(stored, str):
        return _printable(stored)
    try:
        values = {name: _printable(value) for name, value in stored["values"].items()}  # type: ignore[index]
        problem = Problem(stored["key"], **values)  # type: ignore[index]
        str(problem)
    except (KeyError, TypeError, AttributeError):
        return Problem("training.unreadable")
    return problem


def _printable(value: object) -> Any:
    """A short text without control characters and halves of characters, a number, or a list of such texts, which a Problem
    has as a tuple. Raises TypeError for all else."""
    if isinstance(value, str):
        return "".join(c if c.isprintable() else " " for c in value[:LONGEST])
    if isinstance(value, int | float) and abs(value) < 1e18:
        return value
    if isinstance(value, list) and all(isinstance(text, str) for text in value) and len("".join(value)) <= LONGEST:
        return tuple(map(_printable, value[:MOST]))
    raise TypeError(f"{type(value).__name__} is no value of a sentence.")
