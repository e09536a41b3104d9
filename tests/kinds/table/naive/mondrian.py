"""Mondrian by the book: one part after the other, cut by hand."""

from tests.kinds.table.naive.local_classes import price_rows


def plain_mondrian(columns, holds):
    """Cut all rows as long as the pieces hold; equal values stay together. Returns the classes as sets of rows."""
    waiting, done = [list(range(len(columns[0].cells)))], set()
    while waiting:
        rows = waiting.pop()
        pieces = cut(columns, rows, holds)
        if pieces is None:
            done.add(frozenset(rows))
        else:
            waiting.extend(pieces)
    return done


def cut(columns, rows, holds):
    """Return the pieces of the first cut that is safe, None if there is none."""
    widths = [price_rows([column], rows) for column in columns]

    def place(d):
        cells = [columns[d].cells[row] for row in rows]
        mixed = None in cells and any(cell is not None for cell in cells)
        return (not mixed, -widths[d], d)

    for d in sorted(range(len(columns)), key=place):
        if widths[d] > 0:
            pieces = cut_along(columns[d], rows, holds)
            if pieces is not None:
                return pieces
    return None


def cut_along(column, rows, holds):
    """Return the pieces of a cut along one column, None if it is not safe."""
    value = {row: column.cells[row] for row in rows}
    missing = [row for row in rows if value[row] is None]
    if missing:
        pieces = [missing, [row for row in rows if value[row] is not None]]
        return pieces if all(map(holds, pieces)) else None
    if column.parents is not None:
        return cut_along_tree(column, rows, holds)
    known = sorted(set(value.values()))

    def split(last):
        return [[row for row in rows if value[row] <= last], [row for row in rows if value[row] > last]]

    best = min(known[:-1], key=lambda last: (abs(len(split(last)[0]) - len(split(last)[1])), last))
    pieces = split(best)
    return pieces if all(map(holds, pieces)) else None


def cut_along_tree(column, rows, holds):
    """Return a piece per child of the node above all; pieces that do not hold stay together, with help if need be."""
    top = column.meet({column.cells[row] for row in rows})
    pieces = {}
    for row in sorted(rows, key=lambda row: column.cells[row]):
        path = column.path(column.cells[row])
        pieces.setdefault(path[path.index(top) - 1], []).append(row)
    good = [piece for piece in pieces.values() if holds(piece)]
    rest = [row for piece in pieces.values() if not holds(piece) for row in piece]
    if not rest:
        return good
    if holds(rest) and good:
        return [*good, rest]
    if len(good) < 2 or len(pieces) < 3:
        return None
    helper = min(good, key=len)
    joined = [*rest, *helper]
    return [*(piece for piece in good if piece is not helper), joined] if holds(joined) else None
