"""Constraints on values of histories: groups to generalise together, sensitive and monitored values."""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterable, Sequence

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.messages import Message, Setting
from sfumato.readers.files import read_lines

__all__ = [
    "depends_on_labels",
    "format_entries",
    "format_groups",
    "read_groups",
    "read_itemsets",
    "read_partition",
    "resolve_monitored",
    "resolve_sensitive",
]

_QUOTED = re.compile(r'"[^"]*"')
_SEPARATING = frozenset('\t;,"')


def read_partition(
    path: str, labels: Iterable[str], owner: str, *, noun: str = "place", alone: bool = False
) -> tuple[tuple[tuple[str, ...], ...], int]:
    """Read a partition of the labels, one group per line, and count the entries that are no label.

    Entries are separated by tab, semicolon or comma, the first of these that the file has, or else by spaces, unless
    the whole line is a label; quotes work as in CSV.

    Parameters
    ----------
    path
        The file.
    labels
        Labels in the data.
    owner, noun
        For error messages: where they begin, and the noun for a label.
    alone
        Whether a label in no line is a group of its own, and not an error.

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
    sfumato.exceptions.SchemaError: constraints: groups.txt must have every place in one group; 1 of 5 are in none. Add
    them, each on its own line to leave it ungeneralised.
    """
    wanted = dict.fromkeys(labels)
    noun_phrase = f"a{'n' * (noun[0] in 'aeiou')} {noun}"
    name = path.replace("\\", "/").rpartition("/")[2]
    line_of: dict[str, int] = {}
    repeated: list[int] = []
    groups: list[tuple[str, ...]] = []
    strangers = 0
    for number, group in _grouped_lines(path, wanted):
        for cell in group:
            if cell in line_of:
                repeated.append(number)
            line_of[cell] = number
        strangers += sum(cell not in wanted for cell in group)
        if members := tuple(cell for cell in group if cell in wanted):
            groups.append(members)
    if repeated:
        raise SchemaError(
            Message(
                *(owner, f": {name} must have every {noun} in one group; {len(repeated):,} entries repeat "),
                f"{noun_phrase} ({name_rows(repeated, 'line')}).",
            ),
            rows=select_shown(repeated),
            hint=f"Leave each {noun} in one group.",
        )
    missing = [label for label in wanted if label not in line_of]
    if alone:
        groups += [(label,) for label in missing]
    elif missing:
        fault = f": {name} must have every {noun} in one group; {len(missing):,} of {len(wanted):,} are in none."
        raise SchemaError(Message(owner, fault), hint="Add them, each on its own line to leave it ungeneralised.")
    return tuple(groups), strangers


def read_itemsets(path: str, labels: Iterable[str], owner: str) -> tuple[tuple[tuple[str, ...], ...], int]:
    """Read sets of labels, one per line, and count the entries that are no label; these are left out of their sets.

    Lines are read as :func:`read_partition` reads them. A label may be in several sets. A repeated label in a line, and
    a repeated set, count once.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "privacy.txt"
    >>> _ = file.write_text("wine;bread\\nwine;cheese;wine\\nbread;wine\\nsalt;wine\\n")
    >>> read_itemsets(str(file), ["wine", "bread", "cheese"], "constraints")
    ((('wine', 'bread'), ('wine', 'cheese'), ('wine',)), 1)
    """
    wanted = dict.fromkeys(labels)
    itemsets: dict[frozenset[str], tuple[str, ...]] = {}
    strangers = 0
    for _, group in _grouped_lines(path, wanted):
        members = tuple(dict.fromkeys(cell for cell in group if cell in wanted))
        strangers += sum(cell not in wanted for cell in group)
        if members:
            itemsets.setdefault(frozenset(members), members)
    if not itemsets:
        name = path.rpartition("/")[2]
        raise SchemaError(
            Message(owner, f": {name} has no items of the data."), hint="Write one set of items per line."
        )
    return tuple(itemsets.values()), strangers


def read_groups(path: str, labels: Iterable[str]) -> list[tuple[int, tuple[str, ...]]]:
    """Return the groups of a file unchanged, each with the number of its line.

    Lines are read as :func:`read_partition` reads them; only blank lines are left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "groups.txt"
    >>> _ = file.write_text("rye bread\\n\\ntea milk\\n")
    >>> read_groups(str(file), ["rye bread", "tea"])
    [(1, ('rye bread',)), (3, ('tea', 'milk'))]
    """
    return [(number, tuple(group)) for number, group in _grouped_lines(path, frozenset(labels)) if group]


def depends_on_labels(path: str) -> bool:
    """Return whether the entries of a file depend on the labels: lines have several words with blanks between.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "groups.txt"
    >>> _ = file.write_text("rye bread\\n")
    >>> depends_on_labels(str(file))
    True
    """
    lines = read_lines(path)
    return _find_delimiter(lines) is None and any(len(line.split()) > 1 for line in lines)


def format_groups(groups: Iterable[Sequence[str]]) -> str:
    """Write groups, one per line, so that they are read back unchanged, with any labels in the data.

    Examples
    --------
    >>> print(format_groups([["rye bread"], ["tea"]]), end="")
    rye bread,
    tea
    >>> print(format_groups([["rye; dark", "tea"]]), end="")
    "rye; dark",tea
    """
    listed = [list(group) for group in groups]
    lines = [format_entries(group, ",") for group in listed]
    # Without a separator in the file, blanks would separate entries.
    if all(len(group) < 2 for group in listed) and any(len(entry.split()) > 1 for group in listed for entry in group):
        lines[0] += ","
    return "".join(f"{line}\n" for line in lines)


def format_entries(entries: Iterable[str], between: str = ", ") -> str:
    """Write the entries of a group as a line; those with separators or blanks at an end are quoted.

    Examples
    --------
    >>> format_entries(["tea", "rye, dark", 'the "best"'])
    'tea, "rye, dark", "the ""best\"""'
    """
    texts = []
    for entry in entries:
        if "\n" in entry or "\r" in entry:
            raise ParameterError(Message(Setting("constraints"), " must have each entry in one line."))
        quoted = bool(_SEPARATING & set(entry)) or entry != entry.strip()
        texts.append('"' + entry.replace('"', '""') + '"' if quoted else entry)
    return between.join(texts)


def _grouped_lines(path: str, wanted: Container[str]) -> Iterable[tuple[int, list[str]]]:
    """Return the numbered lines as lists of entries, without blank ones."""
    lines = read_lines(path)
    delimiter = _find_delimiter(lines)
    for number, line in enumerate(lines, start=1):
        try:
            cells = next(csv.reader([line], delimiter=delimiter or ",", strict=True), [])
        except csv.Error:
            name = path.rpartition("/")[2]
            raise SchemaError(
                f"{name}: line {number} has a quote that is not closed, or a cell that is too long.", rows=(number,)
            ) from None
        if delimiter is None and len(cells) == 1 and cells[0] not in wanted and cells[0].strip() not in wanted:
            cells = cells[0].split()
        group = [cell if cell in wanted else cell.strip() for cell in cells]
        yield number, [cell for cell in group if cell]


def _find_delimiter(lines: Sequence[str]) -> str | None:
    bare = _QUOTED.sub("", "\n".join(lines))
    return next((mark for mark in "\t;," if mark in bare), None)


def resolve_sensitive(
    entries: Sequence[str], labels: Iterable[str], owner: str, option: str = "sensitive"
) -> tuple[str, ...]:
    """Return the sensitive values, read from a file where an entry is ``@FILE``; each must occur in the data.

    Examples
    --------
    >>> resolve_sensitive(["clinic"], ["clinic", "park"], "visits.csv")
    ('clinic',)
    >>> resolve_sensitive(["clinic", "clinik"], ["clinic", "park"], "visits.csv")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: sensitive= has a value that does not occur in the data (entry 2).
    Correct or remove it.
    """
    return _resolve(option, entries, labels, owner)


def resolve_monitored(entries: Sequence[str], labels: Iterable[str], owner: str) -> tuple[str, ...]:
    """Return the monitored values, as :func:`resolve_sensitive` does; an entry ``*`` means all.

    Examples
    --------
    >>> resolve_monitored(["mail"], ["mail", "news"], "clicks.csv")
    ('mail',)
    >>> resolve_monitored(["*"], ["mail", "news"], "clicks.csv")
    ('mail', 'news')
    """
    if "*" in entries:
        return tuple(sorted(labels))  # the order of the data would reveal who came first
    return _resolve("monitored", entries, labels, owner)


def _resolve(option_name: str, entries: Sequence[str], labels: Iterable[str], owner: str) -> tuple[str, ...]:
    wanted: dict[str, str] = {}
    for i, entry in enumerate(entries, start=1):
        if not entry.startswith("@"):
            wanted.setdefault(entry, f"entry {i}")
            continue
        for number, line in enumerate(read_lines(entry[1:]), start=1):
            if line.strip():
                wanted.setdefault(line, f"line {number} of {entry[1:]}")
    vocabulary = set(labels)
    for value, where in wanted.items():
        if value not in vocabulary:
            raise SchemaError(
                Message(
                    f"{owner}: ",
                    Setting(option_name.replace("-", "_")),
                    f" has a value that does not occur in the data ({where}).",
                ),
                hint="Correct or remove it.",
            )
    return tuple(wanted)
