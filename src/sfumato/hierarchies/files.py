"""The four file formats of hierarchies: detection, parsing and writing.

================  =====================================================================================
arx               one line per leaf, leaf first and root last: ``80331;803**;*``. Cells are split at ``;``,
                  comma or tab. Rows may have different lengths; written back, short ones repeat their leaf.
amnesia           ``distinct`` or ``range``, then ``name``, ``type``, ``height``, a blank line and
                  ``A has a1 a2`` from the bottom up. Amnesia splits at spaces, so a space inside a label
                  is written ``%20``, a tab ``%09``, and ``%25`` is a ``%`` in front of these.
                  Its node for missing values is left out, because data have none here.
parent-child      ``child,parent`` per line, with or without a header; a root may have an empty parent.
                  SPMF taxonomies (two whole numbers per line, ``#`` and ``@`` start remarks) are read too.
indented          one label per line below its parent, deeper by spaces or by tabs. Several labels at
                  the left edge get an artificial root ``*``.
================  =====================================================================================

A cell with a delimiter, a quote or white space at its ends is in double quotes, doubled inside.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from sfumato.exceptions import SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.ranges import RANGE_TYPES, format_bounds, parse_bounds

__all__ = ["FORMATTERS", "PARSERS", "Source", "detect_format", "recognise_ranges"]

_DELIMITERS = (";", "\t", ",")
_TWO_NUMBERS = re.compile(r"-?\d+,-?\d+")
_HEADER = re.compile(
    r"child|parent|leaf|leaves|labels?|items?|values?|nodes?|id|categor(y|ies)|groups?|root|level[ _-]?\d*"
)
_TYPES = {"integer": "int", "double": "decimal", "float": "decimal"} | {name: name for name in ("string", *RANGE_TYPES)}
_MISSING = {"NaN", "NaN,NaN", "null,null"}
_ESCAPES = {" ": "%20", "\t": "%09", "%": "%25"}
_ESCAPED = re.compile(r"%(20|09|25)")


class Source(NamedTuple):
    """Lines of one file with blank ones, and its name in messages."""

    owner: str
    lines: list[str]

    @property
    def filled(self) -> list[tuple[int, str]]:
        """Lines that are not blank, with their numbers."""
        return [(number, line) for number, line in enumerate(self.lines, 1) if line.strip()]

    def complain(self, fault: str, line: int = 0, hint: str = "") -> NoReturn:
        """Raise a SchemaError that names the file, and the line if there is one."""
        raise SchemaError(f"{self.owner}: {fault}", rows=(line,) if line else (), hint=hint)


def detect_format(source: Source) -> str:
    """Return the format of a file, by its content.

    Examples
    --------
    >>> detect_format(Source("a", ["80331;803**;*"])), detect_format(Source("b", ["*", "  a", "  b"]))
    ('arx', 'indented')
    """
    lines = [line for _, line in source.filled]
    if not lines:
        source.complain("the file is empty; a hierarchy needs at least one label.")
    if lines[0].strip().casefold() in {"distinct", "range"} and re.match(
        "(name|type|height) ", "".join(lines[1:2]), re.IGNORECASE
    ):
        return "amnesia"
    if _without_remarks(source.filled) is not None:
        return "parent-child"
    delimiter = _find_delimiter(lines)
    cells = [_count_cells(line, delimiter) for line in lines]
    is_indented = lines[0][0] not in " \t" and any(line[0] in " \t" for line in lines)
    if all(_count_cells(lines[0], mark, 2) == 1 for mark in _DELIMITERS) or (
        is_indented and (delimiter != ";" or min(cells) == 1)
    ):
        return "indented"
    if set(cells) != {2}:
        return "arx"
    repeats = any(a == b for a, b in (_split_cells(line, delimiter) for line in lines))
    return "arx" if repeats and delimiter == ";" else "parent-child"


def recognise_ranges(tree: Hierarchy) -> Hierarchy:
    """Return a hierarchy of ranges where every label is written as one and all fit together."""
    for type in RANGE_TYPES:
        if all(_is_range(label, type) for label in tree.labels):
            try:
                ranges = Hierarchy.from_parents(tree.pairs(), kind="ranges", type=type)
            except SchemaError:
                continue
            if set(ranges.labels) == set(tree.labels):
                return ranges
    return tree


def parse_arx(source: Source, root: str | None) -> Hierarchy:
    """Read one path per line, leaf first."""
    numbers, rows, _ = _read_cells(source)
    last = {row[-1] for row in rows[1:]}
    if len(rows) > 1 and rows[0][-1] not in last and _is_header(rows[0]):
        numbers, rows = numbers[1:], rows[1:]
    return recognise_ranges(Hierarchy.from_paths(rows, root=root, lines=numbers, owner=source.owner))


def parse_amnesia(source: Source, root: str | None) -> Hierarchy:
    """Read ``distinct`` or ``range`` and the lines ``A has a1 a2`` below the header."""
    is_range, type, body = _read_amnesia_header(source)
    pairs: list[tuple[str, str | None]] = []
    numbers: list[int] = []
    for number, line in body:
        above, has, *below = [*re.split("[ \t]+", line.strip(" \t")), ""]
        if has != "has":
            source.complain(f"the second word of line {number} is not 'has', as in 'A has a1 a2'.", number)
        parent = _unescape(above, type)
        children = [_unescape(word, type) for word in below if word]
        # A range may be its own only child, and missing values are left out.
        proper_children = [child for child in children if child is not None and not (is_range and child == parent)]
        links: list[tuple[str, str | None]] = [(child, parent) for child in proper_children]
        if len(body) == 1 and not links and parent:
            links = [(parent, None)]
        pairs += links
        numbers += [number] * len(links)
    build = Hierarchy.from_parents
    if is_range:
        return build(pairs, root=root, kind="ranges", type=type, lines=numbers, owner=source.owner)
    return build(pairs, root=root, type=type, lines=numbers, owner=source.owner)


def parse_parent_child(source: Source, root: str | None) -> Hierarchy:
    """Read a child and its parent per line."""
    without = _without_remarks(source.filled)
    numbers, rows, delimiter = _read_cells(source, without)
    for number, row in zip(numbers, rows, strict=True):
        if len(row) != 2:
            source.complain(f"a line must be a child and its parent; line {number} has {len(row)} cells.", number)
    ours = delimiter == "," and rows[:1] == [["child", "parent"]]
    others = {cell for row in rows[1:] for cell in row}
    if ours or (len(rows) > 1 and _is_header(rows[0]) and others.isdisjoint(rows[0])):
        numbers, rows = numbers[1:], rows[1:]
    pairs = [(child, parent or None) for child, parent in rows]
    tree = Hierarchy.from_parents(pairs, root=root, lines=numbers, owner=source.owner)
    return recognise_ranges(tree)


def parse_indented(source: Source, root: str | None) -> Hierarchy:
    """Read one label per line, its parent being the nearest line above that is indented less."""
    pairs: list[tuple[str, str | None]] = []
    open_above: list[tuple[int, str]] = []
    used: set[str] = set()
    for number, line in source.filled:
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        used |= set(indent)
        if len(used) > 1:
            source.complain(
                f"labels are indented with spaces and with tabs (line {number}).", number, "Use one of them."
            )
        leaves_a_level = bool(open_above) and open_above[-1][0] > len(indent)
        while open_above and open_above[-1][0] > len(indent):
            open_above.pop()
        if open_above and open_above[-1][0] == len(indent):
            open_above.pop()
        elif leaves_a_level:
            source.complain(f"the indent of line {number} is between those of two levels.", number, "Align it.")
        label = _unquote(line[len(indent) :].strip())
        pairs.append((label, open_above[-1][1] if open_above else None))
        open_above.append((len(indent), label))
    numbers = [number for number, _ in source.filled]
    tree = Hierarchy.from_parents(pairs, root=root or "*", lines=numbers, owner=source.owner)
    return recognise_ranges(tree)


def format_arx(tree: Hierarchy, _name: str) -> list[str]:
    """Write one path per leaf in full columns: where levels are missing, the leaf is repeated."""
    special = ';"' if tree.height else ';,\t"'
    quoted = {label: _quote(label, special) for label in tree.labels}
    return [
        ";".join([quoted[path[0]]] * (tree.height + 1 - len(path)) + [quoted[label] for label in path])
        for path in tree.paths()
    ]


def format_amnesia(tree: Hierarchy, name: str) -> list[str]:
    """Write what Amnesia loads, levels from the bottom up."""
    is_range = tree.kind == "ranges"
    word = {label: _escape(label, tree) for label in tree.labels}
    if any(_unescape(text, tree.type) != label for label, text in word.items()) and not is_range:
        raise SchemaError(
            f"write_hierarchy: Amnesia reads some labels of type {tree.type} as other labels.",
            hint="Give the hierarchy the type string.",
        )
    below = _children(tree)
    lines = [
        "range" if is_range else "distinct",
        "name " + "_".join(name.split()),
        f"type {tree.type}",
        f"height {tree.height + 1}",
    ]
    depth = dict(zip(tree.labels, tree.depth.tolist(), strict=True))
    levels: list[list[str]] = [[] for _ in range(tree.height)] or [[]]
    for label, children in below.items():
        if children or len(tree) == 1:
            levels[depth[label]].append(f"{word[label]} has {''.join(word[child] + ' ' for child in children)}")
    for level in reversed(levels):
        lines += ["", *level]
    return lines


def format_parent_child(tree: Hierarchy, _name: str) -> list[str]:
    """Write a header, then a child and its parent per line."""
    quoted = {label: _quote(label, ';,\t"') for label in tree.labels}
    pairs = [f"{quoted[child]},{quoted[parent]}" for child, parent in tree.pairs() if parent is not None]
    return ["child,parent", *(pairs or [f"{quoted[tree.labels[0]]},"])]


def format_indented(tree: Hierarchy, _name: str) -> list[str]:
    """Write one label per line, two spaces deeper than its parent."""
    depth = dict(zip(tree.labels, tree.depth.tolist(), strict=True))
    return [
        # A delimiter in the first line would make the file look like cells.
        f"{'  ' * depth[label]}{_quote(label, '' if depth[label] else ';,' + chr(9))}"
        for label, _ in tree.pairs()
    ]


PARSERS: dict[str, Callable[[Source, str | None], Hierarchy]] = {
    "arx": parse_arx,
    "amnesia": parse_amnesia,
    "parent-child": parse_parent_child,
    "indented": parse_indented,
}
FORMATTERS: dict[str, Callable[[Hierarchy, str], list[str]]] = {
    "arx": format_arx,
    "amnesia": format_amnesia,
    "parent-child": format_parent_child,
    "indented": format_indented,
}


def _read_amnesia_header(source: Source) -> tuple[bool, str, list[tuple[int, str]]]:
    """Return whether nodes are ranges, their type, and the lines below the header."""
    (first, form), *body = source.filled
    if form.strip().casefold() not in {"distinct", "range"}:
        source.complain(f"an Amnesia file must start with distinct or range; line {first} does not.", first)
    is_range = form.strip().casefold() == "range"
    type, previous = "decimal" if is_range else "string", first
    for position, (number, line) in enumerate(body):
        key, *rest = line.split()
        if number > previous + 1 or key.casefold() not in {"name", "type", "height"}:
            return is_range, type, body[position:]
        if key.casefold() == "type":
            type = _TYPES.get(" ".join(rest).casefold(), "")
        if not type or (is_range and type == "string"):
            choices = "int, decimal or date" if is_range else "string, int, decimal or date"
            source.complain(f"type must be {choices}; line {number} has another.", number)
        previous = number
    return is_range, type, []


def _children(tree: Hierarchy) -> dict[str, list[str]]:
    below: dict[str, list[str]] = {label: [] for label, _ in tree.pairs()}
    for child, parent in tree.pairs():
        if parent is not None:
            below[parent].append(child)
    return below


def _is_range(label: str, type: str) -> bool:
    try:
        return format_bounds(parse_bounds(label, type), type) == label
    except (ValueError, OverflowError):
        return False


def _is_header(row: list[str]) -> bool:
    return all(_HEADER.fullmatch(cell.casefold()) for cell in row)


def _without_remarks(filled: list[tuple[int, str]]) -> list[tuple[int, str]] | None:
    """Return the lines of an SPMF taxonomy; None where the file is none, as labels may start with # too."""
    lines = [(number, line) for number, line in filled if line[0] not in "#@"]
    return lines if lines and all(_TWO_NUMBERS.fullmatch(line) for _, line in lines) else None


def _find_delimiter(lines: list[str]) -> str:
    def count(delimiter: str) -> int:
        return sum(_count_cells(line, delimiter) > 1 for line in lines)

    return max(_DELIMITERS, key=count)


def _count_cells(line: str, delimiter: str, otherwise: int = 1) -> int:
    """Count the cells of a line, with another answer where its quotes do not match."""
    try:
        return len(_split_cells(line, delimiter))
    except ValueError:
        return otherwise


def _read_cells(source: Source, filled: list[tuple[int, str]] | None = None) -> tuple[list[int], list[list[str]], str]:
    filled = source.filled if filled is None else filled
    delimiter = _find_delimiter([line for _, line in filled])
    rows = []
    for number, line in filled:
        try:
            rows.append(_split_cells(line, delimiter))
        except ValueError:
            source.complain(f"a quote in line {number} is not closed, or closed too early.", number)
    return [number for number, _ in filled], rows, delimiter


def _split_cells(line: str, delimiter: str) -> list[str]:
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    quoted = re.compile(rf' *("(?:[^"]|"")*") *(?={re.escape(delimiter)}|$)')
    cells, position = [], 0
    while position <= len(line):
        match = quoted.match(line, position)
        if match is None:
            index = line.find(delimiter, position)
            end = len(line) if index < 0 else index
            cells.append(line[position:end].strip())
            if cells[-1].startswith('"'):
                raise ValueError("a quote is not closed")
        else:
            cells.append(_unquote(match[1]))
            end = match.end()
        position = end + 1
    return cells


def _quote(label: str, special: str) -> str:
    if label == label.strip() and label[0] not in '"\ufeff' and not any(mark in label for mark in special):
        return label
    return '"' + label.replace('"', '""') + '"'


def _unquote(text: str) -> str:
    return text[1:-1].replace('""', '"') if re.fullmatch(r'"(?:[^"]|"")*"', text) else text


def _escape(label: str, tree: Hierarchy) -> str:
    if tree.kind == "ranges" and tree.type == "date":
        days = [datetime.date.fromisoformat(bound) for bound in label.split(",")]
        return ",".join(f"{day.day}/{day.month}/{day.year:04d}" for day in days)
    return re.sub(r"[ \t]|%(?=20|09|25)", lambda match: _ESCAPES[match[0]], label)


def _unescape(token: str, type: str) -> str | None:
    """Read an Amnesia word; whole numbers lose the ``.0`` of exports, missing values are None."""
    if type != "string" and token in _MISSING:
        return None
    if type == "int" and re.fullmatch(r"-?\d+\.0", token):
        return token[:-2]
    marks = {text: mark for mark, text in _ESCAPES.items()}
    return _ESCAPED.sub(lambda match: marks[match[0]], token)
