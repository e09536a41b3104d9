"""A published table read with plain eyes: classes of equal cells, and whether a cell may stand for a value."""

from collections import defaultdict


def classes_of_release(release):
    """Return the published rows of every class of equal quasi-identifiers."""
    names = [column.name for column in release.columns if column.role == "quasi-identifier"]
    found = defaultdict(list)
    for at, row in enumerate(release.table.select(names).to_pylist()):
        found[repr([row[name] for name in names])].append(at)
    return list(found.values())


def may_stand_for(cell, text, form, members):
    """Tell whether a published cell may stand for an original text, the empty one being a missing value."""
    if cell is None:
        return True
    if form.cell == "interval":
        if cell["lo"] is None:
            return text == ""
        return text != "" and cell["lo"] <= type(cell["lo"])(float(text)) <= cell["hi"]
    if form.cell == "set":
        return text in cell
    return text in members.get(cell, (cell,))


def find_unfaithful(release, original, rows):
    """Return (row, column) of cells that cannot stand for what they were made from."""
    members = defaultdict(list)
    for entry in release.values.to_pylist():
        members[entry["column"], entry["value"]].append(entry["member"])
    wrong = []
    for column in release.columns:
        texts = original.table.column(column.name).to_pylist()
        known = {value: found for (name, value), found in members.items() if name == column.name}
        for at, cell in enumerate(release.table.column(column.name).to_pylist()):
            text = texts[rows[at]]
            same = (
                str(cell) == text
                if column.role != "quasi-identifier"
                else may_stand_for(cell, text, column.form, known)
            )
            if not same:
                wrong.append((at, column.name))
    return wrong
