"""Measures of tables, cell by cell and record by record, from what an owner and a reader have in hand.

``data`` is the original, ``release`` what is published of it, ``rows`` the original row of every published one.
"""

from __future__ import annotations

import math
from collections import Counter

MISSING = ""


def quasi(release):
    return [column for column in release.columns if column.role == "quasi-identifier"]


def values_of(data, name):
    """The values of a column of the original; numbers where it is one of numbers."""
    scale = next(column.scale for column in data.schema.columns if column.name == name)
    texts = data.table.column(name).to_pylist()
    number = {"integer": int, "decimal": float}.get(scale, str)
    return [text if text == MISSING else number(text) for text in texts]


def members_of(release, name):
    found = {}
    for row in release.values.to_pylist():
        if row["column"] == name:
            found.setdefault(row["value"], set()).add(row["member"])
    return found


def fits(cell, value, members):
    """Whether a value may be what a cell stands for."""
    if cell is None:
        return True
    if isinstance(cell, dict):
        return value == MISSING if cell["lo"] is None else value != MISSING and cell["lo"] <= value <= cell["hi"]
    if isinstance(cell, list):
        return value in cell
    return str(value) in members.get(cell, {cell})


def lose(cell, data, name, members):
    """NCP of a cell."""
    known = [value for value in values_of(data, name) if value != MISSING]
    if cell is None:
        return 1.0
    if isinstance(cell, dict):
        if cell["lo"] is None or cell["lo"] == cell["hi"]:
            return 0.0
        return min((cell["hi"] - cell["lo"]) / (max(known) - min(known)), 1.0)
    if isinstance(cell, list):
        return len(cell) / len(set(known)) if len(cell) > 1 else 0.0
    if cell not in members:
        return 0.0
    tree = data.hierarchies[name]
    return len(members[cell]) / len(tree.leaf_labels) if len(members[cell]) > 1 else 0.0


def climb(cell, data, name, members):
    """Level of a cell over the height of its hierarchy; its NCP where there is none."""
    tree = data.hierarchies.get(name)
    if tree is None or cell is None:
        return lose(cell, data, name, members)
    if cell == MISSING or cell in tree.leaf_labels:
        return 0.0
    return 1 - len(tree.ancestors(cell)) / tree.height


def average(data, release, of_cell):
    """Mean over all cells of all records, 1 for every cell of a record that is withheld."""
    total, cells = 0.0, 0
    for column in quasi(release):
        members = members_of(release, column.name)
        shown = release.table.column(column.name).to_pylist()
        total += sum(of_cell(cell, data, column.name, members) for cell in shown) + len(data) - len(shown)
        cells += len(data)
    return total / cells


def ncp(data, release):
    return average(data, release, lose)


def precision(data, release):
    return 1 - average(data, release, climb)


def class_sizes(release):
    names = [column.name for column in quasi(release)]
    return Counter(repr([row[name] for name in names]) for row in release.table.to_pylist())


def discernibility(data, release):
    sizes = class_sizes(release)
    names = [column.name for column in quasi(release)]
    looks = sum(sizes[repr([row[name] for name in names])] for row in release.table.to_pylist())
    return looks + (len(data) - release.table.num_rows) * len(data)


def average_class_size(data, release):
    return len(data) / len(class_sizes(release)) / release.guarantee.k


def entropy_loss(data, release, rows):
    lost = most = 0.0
    for column in quasi(release):
        values, members = values_of(data, column.name), members_of(release, column.name)
        shown = dict(zip(rows, release.table.column(column.name).to_pylist(), strict=True))
        for row, value in enumerate(values):
            cell = shown.get(row)  # not published: anything
            fitting = [other for other in values if fits(cell, other, members)]
            lost -= math.log2(fitting.count(value) / len(fitting))
            most -= math.log2(values.count(value) / len(values))
    return lost / most if most else 0.0


def matches(value, text, tree=None):
    """Whether a value keeps a condition: a range, one of several labels, or a node of a tree."""
    if text == MISSING or value == MISSING:
        return value == text
    if isinstance(value, str):
        asked = set()
        for part in text.split("|"):
            inner = tree is not None and part not in tree.leaf_labels
            asked |= set(tree.members(part)) if inner else {part}
        return value in asked
    low, _, high = text.partition("..") if ".." in text else (text, "", text)
    return (not low or float(low) <= value) and (not high or value <= float(high))


def chance(cell, text, data, name, members):
    """Chance that what a cell stands for keeps a condition, all of its values being as likely."""
    known = [value for value in values_of(data, name) if value != MISSING]
    tree = data.hierarchies.get(name)
    if isinstance(known[0], str):
        if cell is None:
            inside = tree.leaf_labels if tree is not None else sorted(set(known))
        else:
            inside = cell if isinstance(cell, list) else sorted(members.get(cell, {cell}))
        return sum(matches(value, text, tree) for value in inside) / len(inside)
    if isinstance(cell, dict) and cell["lo"] is None:
        return float(text == MISSING)
    if not isinstance(cell, dict) and cell is not None:
        return float(matches(cell, text))
    low, high = (min(known), max(known)) if cell is None else (cell["lo"], cell["hi"])
    if isinstance(low, int):
        inside = range(low, high + 1)
        return sum(matches(value, text) for value in inside) / len(inside)
    if low == high or text == MISSING:
        return float(text != MISSING and matches(low, text))
    first, _, last = text.partition("..")
    asked = (float(first) if first else low, float(last) if last else high)
    return max(0.0, min(high, asked[1]) - max(low, asked[0])) / (high - low)


def count_error(data, release, query, sanity):
    """Relative error of one query, given as a text for each column."""
    truth = sum(
        all(matches(values_of(data, name)[row], text, data.hierarchies.get(name)) for name, text in query.items())
        for row in range(len(data))
    )
    answer = sum(
        math.prod(chance(row[name], text, data, name, members_of(release, name)) for name, text in query.items())
        for row in release.table.to_pylist()
    )
    return abs(answer - truth) / max(truth, sanity * len(data))
