"""Sequences as SPMF writes them: one person per line, ``1 -1 2 -1 -2``."""

from __future__ import annotations

import re
from typing import NamedTuple

import pyarrow as pa

from sfumato.core.errors import SchemaError

__all__ = ["Sequences", "parse_sequences"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_NUMBER = re.compile(r"\d+", re.ASCII)


class Sequences(NamedTuple):
    """Visits in long form, ``person, place``, and the number of sequences without any."""

    table: pa.Table
    empty: int


def parse_sequences(name: str, data: bytes) -> Sequences:
    """Read sequences of single items; a person is called by the number of the sequence in the file.

    Times (``<3>``) must not decrease within a sequence. Items get the names that ``@ITEM=1=apple`` lines
    give them.

    Examples
    --------
    >>> parse_sequences("baskets.txt", b"@ITEM=1=apple\\n1 -1 2 -1 -2\\n-2\\n2 -1 -2\\n").table.to_pydict()
    {'person': ['1', '1', '3'], 'place': ['apple', '2', '2']}
    """
    names: dict[str, str] = {}
    people: list[str] = []
    items: list[str] = []
    sequences = empty = 0
    for number, line in enumerate(_LINE_END.split(data.decode()), start=1):
        if line.startswith("@ITEM="):
            code, _, label = line.removeprefix("@ITEM=").partition("=")
            names[code.strip()] = label
        elif line.strip() and not line.startswith(("@", "#", "%")):
            sequences += 1
            found = _parse_line(name, number, line)
            empty += not found
            people.extend([str(sequences)] * len(found))
            items.extend(found)
    if len(set(names.values())) < len(names):
        raise SchemaError(f"{name}: two @ITEM lines give the same name. Give every item its own.")
    if not items:
        raise SchemaError(f"{name}: there are no sequences in the file.")
    labels = [names.get(item, item) for item in items]
    return Sequences(pa.table({"person": people, "place": labels}), empty)


def _parse_line(name: str, number: int, line: str) -> list[str]:
    items: list[str] = []
    latest: int | None = None
    inside = False
    tokens = line.split()
    if tokens[-1] != "-2" or tokens.count("-2") > 1:
        raise SchemaError(f"{name}: line {number} must end with -2 and have no other. Correct the line.")
    for token in tokens[:-1]:
        if token == "-1":
            inside = False
        elif _NUMBER.fullmatch(token) and not inside:
            items.append(token)
            inside = True
        elif _NUMBER.fullmatch(token):
            raise SchemaError(
                f"{name}: line {number} has several items at a time, but a person is in one place at a time. "
                "Write -1 after every place, or read the file as another kind."
            )
        elif token[0] == "<" and token[-1] == ">" and _NUMBER.fullmatch(token[1:-1].removeprefix("-")):
            time = int(token[1:-1]) if len(token) < 25 else None
            if time is None or (latest is not None and time < latest):
                raise SchemaError(f"{name}: line {number} has times that decrease or are too large.")
            latest = time
        else:
            raise SchemaError(f"{name}: line {number} may only hold item numbers, <times>, -1 and -2.")
    return items
