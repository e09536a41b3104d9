"""Plain MDAV by the book: everybody looked at again for every group."""


def plain_mdav(table, k):
    """MDAV on numbers: by row the number of its group."""
    left, group, number = list(range(len(table))), [-1] * len(table), 0

    def far(x, y):
        total = 0.0
        for a, b in zip(x, y, strict=True):
            total += (a - b) ** 2
        return total

    def close(pivot):
        nonlocal left, number
        near = sorted(left, key=lambda row: (far(table[row], table[pivot]), row))[:k]
        for row in near:
            group[row] = number
        left = [row for row in left if row not in near]
        number += 1

    def farthest(point):
        return min(left, key=lambda row: (-far(table[row], point), row))

    while len(left) >= 2 * k:
        pair = len(left) >= 3 * k
        centre = [sum(column) / len(left) for column in zip(*(table[row] for row in left), strict=True)]
        pivot = farthest(centre)
        close(pivot)
        if pair:
            close(farthest(table[pivot]))
    for row in left:
        group[row] = number
    return group
