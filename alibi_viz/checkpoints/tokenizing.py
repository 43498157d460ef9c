"""A text as tokens of a tokenizer.json, in a process of its own: `encode` starts it, and it runs this file.

A tokenizer.json is a program of a kind. Its patterns can search for ever, its rules make a million tokens of three letters,
and where its library gives up, no exception says so. So the process has little time and memory, and only the first tokens
come back.
"""

import json
import subprocess
import sys
from typing import Any, NamedTuple

SECONDS, CPU_SECONDS, MEMORY = 15, 5, 2**31  # bytes of address space
HEADER = 16  # digits of the length of tokenizer.json, which comes first


class Tokens(NamedTuple):
    """The first tokens of a text, and how many all of it has."""

    ids: list[int]
    names: list[str]
    offsets: list[tuple[int, int]]  # characters of the text
    given: int


def encode(tokenizer: bytes, text: str, most: int) -> Tokens:
    """At most `most` tokens. Raises ValueError with one sentence if there is no answer within the limits."""
    from alibi_viz.lessons.problems import Problem  # the process that runs this file knows no other of the app

    command = [sys.executable, "-I", __file__, str(most)]
    sent = f"{len(tokenizer):0{HEADER}}".encode() + tokenizer + text.encode()
    try:
        done = subprocess.run(command, input=sent, capture_output=True, timeout=SECONDS, check=False)
        answer: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {}
    except (subprocess.TimeoutExpired, ValueError):
        answer = {}
    if not answer:
        raise Problem("models.tokenizer_limits")
    if error := answer.get("error"):
        raise Problem("models.tokenizer", reason=error)
    return Tokens(**answer)


def main(most: int) -> None:
    """In the process: read what `encode` has sent, and print the answer."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, OSError, ValueError):  # Windows, and systems that refuse: the time is limited by `encode`
        pass
    from tokenizers import Tokenizer

    size = int(sys.stdin.buffer.read(HEADER))
    file, text = sys.stdin.buffer.read(size), sys.stdin.buffer.read().decode()
    try:
        tokenizer = Tokenizer.from_str(file.decode())
    except Exception as error:  # the library raises plain Exception
        first = (str(error) or type(error).__name__).splitlines()[0]
        print(json.dumps({"error": first[:160].rstrip(".")}))
        return
    tokenizer.no_truncation()
    tokenizer.no_padding()
    found = tokenizer.encode(text)
    parts = {"ids": found.ids[:most], "names": found.tokens[:most], "offsets": found.offsets[:most]}
    print(json.dumps(parts | {"given": len(found.ids)}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
