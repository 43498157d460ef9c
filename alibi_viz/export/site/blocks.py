"""A page of the site as blocks, and what of it is otherwise for another choice of the reader.

What differs is found by comparing the blocks, so that only the smallest ones travel that say something else.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Place = tuple[int, ...]  # of a block: its number in each block around it


@dataclass(frozen=True)
class Block:
    """HTML around other blocks; a text is HTML without any."""

    begin: str
    inner: tuple["Block | str", ...]
    end: str


def written(block: Block | str, marked: Collection[Place] = (), place: Place = ()) -> str:
    """As HTML; a marked block has its place as an id."""
    text = block
    if isinstance(block, Block):
        inner = (written(part, marked, (*place, number)) for number, part in enumerate(block.inner))
        text = f"{block.begin}{''.join(inner)}{block.end}"
    return f'<div class="block" id="{_id(place)}">{text}</div>' if place in marked else str(text)


def differing(first: Block, others: Iterable[Block]) -> set[Place]:
    """The places of the smallest blocks of the first one that hold all that is otherwise in the others."""
    places = {place for other in others for place in _differing(first, other, ())}
    return {place for place in places if not any(place[:length] in places for length in range(len(place)))}


def _differing(first: Block | str, other: Block | str, place: Place) -> Iterator[Place]:
    if first == other:
        return
    if isinstance(first, Block) and isinstance(other, Block) and _shape(first) == _shape(other):
        for number, (part, changed) in enumerate(zip(first.inner, other.inner, strict=True)):
            yield from _differing(part, changed, (*place, number))
    else:
        yield place


def _shape(block: Block) -> tuple[str, int, str]:
    return block.begin, len(block.inner), block.end


def _at(block: Block | str, place: Place) -> Block | str:
    for number in place:
        assert isinstance(block, Block)
        block = block.inner[number]
    return block


def _id(place: Place) -> str:
    return "-".join(map(str, ("block", *place)))


def packed(states: Mapping[str, tuple[Block, Mapping[str, Any]]], finish: Callable[[str], str]) -> str:
    """What a page is in each state, compressed: of its blocks, and of what moves in them, only what is not as in the first
    one. Of the first one, all blocks that differ in others.
    """
    (_, (first, parts)), *_ = states.items()
    places = differing(first, (block for block, _ in states.values()))
    sent = {
        state: {
            "html": {
                _id(place): finish(written(_at(block, place)))
                for place in sorted(places)
                if block is first or _at(block, place) != _at(first, place)
            },
            "parts": {name: part for name, part in own.items() if part != parts.get(name)},
        }
        for state, (block, own) in states.items()
    }
    return compressed(sent)


def compressed(value: object) -> str:
    """As a browser can open it: JSON (or bytes as they are), gzip, base64."""
    data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    return b64encode(gzip.compress(data, mtime=0)).decode()
