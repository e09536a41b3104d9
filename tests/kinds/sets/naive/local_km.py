"""Labels of records brought down a tree, with plain sets; and what every such release must keep, in a reader's words.

Rows are sets of leaves; the labels of a row are a dictionary from each of its leaves to a node. Trees are those of
`generalisation`.
"""

from itertools import combinations, pairwise


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


def lower(rows, labels, tree, order, k, m, *, all_or_none=False):
    """Bring labels down to each node in turn; all of them or none, where that is asked for."""
    for node in order:
        lowered = lower_to(node, rows, labels, tree, k, m)
        if not all_or_none or lowered == bring_down(node, labels, tree):
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


def swap(rows, labels, tree, k, m):
    """Go through the records once, and let each have cheaper labels that the others allow."""
    labels = list(labels)
    for number in range(len(rows)):
        labels[number] = swap_record(labels[number], published(labels[:number] + labels[number + 1 :]), tree, k, m)
    return labels


def swap_record(row, others, tree, k, m):
    """Try finer labels for every item of a record; keep what is cheaper."""
    record = set(row.values())
    frozen = set()
    for size in range(1, m + 1):
        for some in combinations(sorted(record), size):
            if 0 < support(others, some) < k:
                frozen |= set(some)
    for leaf in sorted(row):
        for node in distinct_path(tree, leaf):
            if row[leaf] in frozen or cost(tree, node) >= cost(tree, row[leaf]):
                break
            trial = try_node(node, row, frozen, others, tree, k, m)
            if trial is not None and loss([trial], tree) < loss([row], tree):
                row = trial
                break
    return row


def distinct_path(tree, node):
    """The labels from a node up, of those that are published alike the lowest."""
    path = tree.path(node)
    return [path[0]] + [up for down, up in pairwise(path) if tree.below[down] != tree.below[up]]


def may_hold(label, held, others, k, m):
    """Whether k - 1 others hold every set of up to m labels, this one and others held."""
    return all(
        support(others, {label, *some}) >= k - 1 for size in range(m) for some in combinations(sorted(held), size)
    )


def try_node(node, row, frozen, others, tree, k, m):
    """Bring what lies below a node down to it, and make the other labels go with it; None if they cannot."""

    def is_chosen(leaf):
        label = row[leaf]
        return label not in frozen and leaf in tree.below[node] and cost(tree, label) > cost(tree, node)

    chosen = [leaf for leaf in sorted(row) if is_chosen(leaf)]
    rest = [leaf for leaf in sorted(row) if leaf not in chosen]
    held = set(frozen)
    if node not in held and not may_hold(node, held, others, k, m):
        return None
    gain = sum(cost(tree, row[leaf]) - cost(tree, node) for leaf in chosen)
    for leaf in rest:
        if row[leaf] not in frozen | {node} and m > 1 and support(others, {row[leaf], node}) < k - 1:
            above = distinct_path(tree, row[leaf])[1:]
            gain -= cost(tree, above[0]) - cost(tree, row[leaf]) if above else gain
    if gain <= 0:
        return None
    held.add(node)
    trial = {leaf: node if leaf in chosen else row[leaf] for leaf in sorted(row)}
    for leaf in rest:
        if row[leaf] not in held and may_hold(row[leaf], held, others, k, m):
            held.add(row[leaf])
    for leaf in rest:
        label = trial[leaf]
        if label in held:
            continue
        above = [up for up in distinct_path(tree, label)[1:] if up in held or may_hold(up, held, others, k, m)]
        if not above:
            return None
        held.add(above[0])
        trial = {other: above[0] if at == label else at for other, at in trial.items()}
    for leaf in sorted(trial):
        label = trial[leaf]
        if label in frozen:
            continue
        kept = held - ({label} if list(trial.values()).count(label) == 1 else set())
        finer = [down for down in distinct_path(tree, leaf) if cost(tree, down) < cost(tree, label)]
        finer = [down for down in finer if down in kept or may_hold(down, kept, others, k, m)]
        trial[leaf] = finer[0] if finer else label
        held = kept | {trial[leaf]}
    return trial
