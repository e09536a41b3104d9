"""Labels of records brought down a tree, with plain sets; and what every such release must keep, in a reader's words.

Rows are sets of leaves; the labels of a row are a dictionary from each of its leaves to a node. Trees are those of
`generalisation`.
"""

from itertools import combinations


def published(labels):
    """The records a reader sees: sets of labels."""
    return [set(row.values()) for row in labels]


def support(records, some):
    """How many records hold all of some labels."""
    return sum(set(some) <= record for record in records)


def is_anonymous(records, k, m):
    """Every set of up to m labels of a record is in at least k records."""
    return all(
        support(records, some) >= k
        for record in records
        for size in range(1, m + 1)
        for some in combinations(sorted(record), size)
    )


def is_true(rows, records, tree):
    """Every label is above an item of its record, and every item is below a label of its record."""
    return all(
        all(tree.below[label] & row for label in record)
        and all(any(leaf in tree.below[label] for label in record) for leaf in row)
        for row, record in zip(rows, records, strict=True)
    )


def cost(tree, node):
    return len(tree.below[node]) if len(tree.below[node]) > 1 else 0


def loss(labels, tree):
    return sum(cost(tree, label) for row in labels for label in row.values())


def is_rare(records, record, node, k, m, *, gone=False):
    """Whether a set of up to m labels of a record, one of them the node, is held by too few; if gone, but by some."""
    others = sorted(record - {node})
    for size in range(m):
        for some in combinations(others, size):
            count = support(records, {node, *some})
            if count < k and (count > 0 or not gone):
                return True
    return False


def lower(rows, labels, tree, order, k, m, *, together=False):
    """Bring labels down to each node in turn; all of them together or none, where that is asked for."""
    for node in order:
        lowered = lower_to(node, rows, labels, tree, k, m)
        if not together or lowered == bring_down(node, labels, tree):
            labels = lowered
    return labels


def bring_down(node, labels, tree):
    """All records without anything below the node that is published coarser."""
    return [
        {
            leaf: node if leaf in tree.below[node] and cost(tree, label) > cost(tree, node) else label
            for leaf, label in row.items()
        }
        for row in labels
    ]


def lower_to(node, rows, labels, tree, k, m):
    """Bring all records down to a node that publish something below it coarser; send back whom the promise needs."""
    movers = []
    for leaf in sorted(tree.below[node]):
        for number, row in enumerate(rows):
            coarser = leaf in row and cost(tree, labels[number][leaf]) > cost(tree, node)
            if coarser and number not in movers:
                movers.append(number)
    after = bring_down(node, labels, tree)
    now = [after[number] if number in movers else row for number, row in enumerate(labels)]

    def send_back(leaves_count):
        sent = False
        for number in movers:
            if now[number] is labels[number]:
                continue
            records, record = published(now), set(now[number].values())
            back = is_rare(records, record, node, k, m)
            if leaves_count and not back:
                old = set(labels[number].values())
                back = any(is_rare(records, old, left, k, m, gone=True) for left in old - record)
            if back:
                now[number] = labels[number]
                sent = True
        return sent

    while send_back(leaves_count=False):
        pass
    while send_back(leaves_count=True):
        pass
    return now
