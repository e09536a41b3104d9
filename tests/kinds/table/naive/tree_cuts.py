"""Cuts through hierarchies by the book: every move is tried by recoding all records anew."""

from tests.kinds.table.naive.full_domain import suppress


def ancestors(node, parent):
    """Return a node and all above it, the root last."""
    found = [node]
    while parent[found[-1]] >= 0:
        found.append(parent[found[-1]])
    return found


def publish(row, cuts):
    """Return what a row is published as; a cut gives the node of every value."""
    return tuple(cut[value] for value, cut in zip(row, cuts, strict=True))


def state_of(rows, cuts, prices, asked):
    """Return loss, price of all cells, and number withheld."""
    lost = suppress(rows, lambda row: publish(row, cuts), asked)
    cells = [sum(price[node] for price, node in zip(prices, publish(row, cuts), strict=True)) for row in rows]
    loss = sum(1.0 if at in lost else cell for at, cell in enumerate(cells))
    return loss, sum(cells), len(lost)


def take_apart(cut, node, leaf, parent):
    """Let a node give way to its children."""
    moved = list(cut)
    for value, here in enumerate(cut):
        if here == node:
            path = ancestors(leaf[value], parent)
            moved[value] = path[path.index(node) - 1]
    return moved


def make_whole(cut, node, leaf, parent):
    """Let everything below a node give way to it."""
    return [node if node in ancestors(leaf[value], parent) else here for value, here in enumerate(cut)]
