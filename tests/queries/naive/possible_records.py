"""Every original that a published record could have been, by trying."""

from itertools import chain, combinations, product


def subsets(items):
    """Return all subsets."""
    return [set(c) for c in chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))]


def possible_sets(values, members, removed=()):
    """Return the sets of items a record of published values can come from.

    Every item is in a value of the record or was removed everywhere; every value stands for at least one of its items.
    """
    meanings = [set(members.get(value, (value,))) for value in values]
    allowed = sorted(set().union(*meanings, removed))
    return [found for found in subsets(allowed) if all(meaning & found for meaning in meanings)]


def possible_rows(cells):
    """Return the rows that a record of cells can come from: every column one of its values, each on its own."""
    return [dict(zip(cells, chosen, strict=True)) for chosen in product(*cells.values())]


def bounds(records, holds, suppressed_records=0):
    """Return in how many of some records a condition certainly and possibly holds.

    A record is a list of what it can be; of records that were left out nothing is known.
    """
    certain = sum(all(holds(*one) for one in record) for record in records)
    possible = sum(any(holds(*one) for one in record) for record in records)
    return certain, possible + suppressed_records
