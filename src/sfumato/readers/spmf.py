"""Sequences in SPMF files: one person per line, ``<1> 1 2 -1 <5> 3 -1 -2``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from sfumato.exceptions import SchemaError

__all__ = ["Sequences", "Token", "parse_sequences", "refuse_token"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_TOKEN = re.compile(r"(?P<item>\d+)|<(?P<time>-?\d+)>|-1", re.ASCII)

Detail = TypeVar("Detail")


class Token(NamedTuple):
    """One word of a line: an item, a time, or the end of an item set, with neither of both."""

    item: str | None
    time: str | None


class Sequences(NamedTuple, Generic[Detail]):
    """The items of all sequences in the order of the file, and the number of sequences without any."""

    person: list[str]
    """The number of the sequence in the file, as a name."""
    item: list[str]
    details: list[Detail]
    """Further information on each item, as the kind of data needs it."""
    line: list[int]
    empty: int


def parse_sequences(
    name: str, text: bytes, read_line: Callable[[int, Iterator[Token]], list[tuple[str, Detail]]]
) -> Sequences[Detail]:
    """Read sequences; lines such as ``@ITEM=1=apple`` name items.

    Parameters
    ----------
    name
        Of the file, for error messages.
    text
        Its content, in UTF-8.
    read_line
        Takes the number of a line and its words without the last, and returns the items with their details; it
        refuses words that its kind of data cannot have.

    Examples
    --------
    >>> def read_line(number, tokens):
    ...     return [(token.item, None) for token in tokens if token.item is not None]
    >>> found = parse_sequences("baskets.txt", b"@ITEM=1=apple\\n1 -1 2 -1 -2\\n-2\\n2 -1 -2\\n", read_line)
    >>> found.person, found.item, found.line, found.empty
    (['1', '1', '3'], ['apple', '2', '2'], [2, 2, 4], 1)
    """
    names: dict[str, str] = {}
    columns: Sequences[Detail] = Sequences([], [], [], [], 0)
    sequences = empty = 0
    for number, line in enumerate(_LINE_END.split(text.decode()), start=1):
        if line.startswith("@ITEM="):
            code, _, label = line.removeprefix("@ITEM=").partition("=")
            names[code.strip()] = label
        elif line.strip() and not line.startswith(("@", "#", "%")):
            sequences += 1
            entries = read_line(number, _split_line(name, number, line))
            empty += not entries
            columns.person.extend([str(sequences)] * len(entries))
            columns.item.extend(item for item, _ in entries)
            columns.details.extend(detail for _, detail in entries)
            columns.line.extend([number] * len(entries))
    if len(set(names.values())) < len(names):
        raise SchemaError(f"{name}: two @ITEM lines give the same name.", hint="Rename one of the items.")
    if not columns.item:
        raise SchemaError(f"{name}: the file has no sequences.")
    return columns._replace(item=[names.get(item, item) for item in columns.item], empty=empty)


def refuse_token(name: str, number: int) -> SchemaError:
    """Return the error of a line with other words."""
    return SchemaError(f"{name}: line {number} may only have item numbers, <times>, -1 and -2.", rows=(number,))


def _split_line(name: str, number: int, line: str) -> Iterator[Token]:
    words = line.split()
    if words[-1] != "-2" or words.count("-2") > 1:
        raise SchemaError(
            f"{name}: line {number} must end with -2 and have no other -2.", rows=(number,), hint="Correct the line."
        )
    for word in words[:-1]:
        token = _TOKEN.fullmatch(word)
        if token is None:
            raise refuse_token(name, number)
        yield Token(token["item"], token["time"])
