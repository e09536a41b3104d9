"""What the owner says about values of a history: groups to generalise together, sensitive or monitored ones."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence

from sfumato.core.errors import SchemaError
from sfumato.core.lineage import name_rows
from sfumato.io.files import read_lines

__all__ = ["read_partition", "resolve_monitored", "resolve_sensitive"]

_QUOTED = re.compile(r'"[^"]*"')


def read_partition(path: str, labels: Iterable[str], owner: str) -> tuple[tuple[tuple[str, ...], ...], int]:
    """Read groups that part the labels, one group per line, and count the entries that are no label.

    Entries are separated by tab, semicolon or comma, the first of these that the file has; quotes work as
    in CSV.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "groups.txt"
    >>> _ = file.write_text("b;c\\na;d;elsewhere\\n")
    >>> read_partition(str(file), ["a", "b", "c", "d"], "constraints")
    ((('b', 'c'), ('a', 'd')), 1)
    >>> read_partition(str(file), ["a", "b", "c", "d", "e"], "constraints")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.SchemaError: constraints: groups.txt must put every place into one group, 1 of 5 are
    in none. A place on a line of its own is never generalised.
    """
    wanted = dict.fromkeys(labels)
    name = path.replace("\\", "/").rpartition("/")[2]
    line_of: dict[str, int] = {}
    repeated: list[int] = []
    groups: list[tuple[str, ...]] = []
    strangers = 0
    for number, cells in _grouped_lines(path):
        group = [cell if cell in wanted else cell.strip() for cell in cells]
        group = [cell for cell in group if cell]
        for cell in group:
            if cell in line_of:
                repeated.append(number)
            line_of[cell] = number
        strangers += sum(cell not in wanted for cell in group)
        if members := tuple(cell for cell in group if cell in wanted):
            groups.append(members)
    if repeated:
        raise SchemaError(
            f"{owner}: {name} must put every place into one group, {len(repeated):,} entries repeat a place "
            f"({name_rows(repeated, 'line')}). Leave each place in one group only."
        )
    missing = sum(label not in line_of for label in wanted)
    if missing:
        raise SchemaError(
            f"{owner}: {name} must put every place into one group, {missing:,} of {len(wanted):,} are in none. "
            "A place on a line of its own is never generalised."
        )
    return tuple(groups), strangers


def _grouped_lines(path: str) -> Iterable[tuple[int, list[str]]]:
    lines = read_lines(path)
    bare = _QUOTED.sub("", "\n".join(lines))
    delimiter = next((mark for mark in "\t;," if mark in bare), ",")
    for number, line in enumerate(lines, start=1):
        try:
            yield number, next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error:
            raise SchemaError(
                f"{path.rpartition('/')[2]}: line {number} has a quote that is not closed, or a cell that is too long."
            ) from None


def resolve_sensitive(entries: Sequence[str], labels: Iterable[str], owner: str) -> tuple[str, ...]:
    """Return the sensitive values, read from a file where an entry is ``@FILE``; each must occur.

    Examples
    --------
    >>> resolve_sensitive(["clinic"], ["clinic", "park"], "visits.csv")
    ('clinic',)
    >>> resolve_sensitive(["clinic", "clinik"], ["clinic", "park"], "visits.csv")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.SchemaError: visits.csv: option sensitive, entry 2, does not occur in the data.
    Correct or remove it.
    """
    return _resolve("sensitive", entries, labels, owner)


def resolve_monitored(entries: Sequence[str], labels: Iterable[str], owner: str) -> tuple[str, ...]:
    """Return the monitored values, as :func:`resolve_sensitive` does; an entry ``*`` stands for all.

    Examples
    --------
    >>> resolve_monitored(["mail"], ["mail", "news"], "clicks.csv")
    ('mail',)
    >>> resolve_monitored(["*"], ["mail", "news"], "clicks.csv")
    ('mail', 'news')
    """
    if "*" in entries:
        return tuple(sorted(labels))  # the order of the data would tell who came first
    return _resolve("monitored", entries, labels, owner)


def _resolve(option: str, entries: Sequence[str], labels: Iterable[str], owner: str) -> tuple[str, ...]:
    wanted: dict[str, str] = {}
    for i, entry in enumerate(entries, start=1):
        if not entry.startswith("@"):
            wanted.setdefault(entry, f"entry {i}")
            continue
        for number, line in enumerate(read_lines(entry[1:]), start=1):
            if line.strip():
                wanted.setdefault(line, f"entry {i}, line {number} of {entry[1:]}")
    known = set(labels)
    for value, where in wanted.items():
        if value not in known:
            raise SchemaError(f"{owner}: option {option}, {where}, does not occur in the data. Correct or remove it.")
    return tuple(wanted)
