"""Questions about sets and attributes, each as text and as a plain test of one record of the original."""

from itertools import combinations


def about_items(items):
    """Yield questions about some items; a record is tested by its set of items."""
    for item in items:
        yield f'"{item}"', lambda have, _, item=item: item in have
        yield f'not "{item}"', lambda have, _, item=item: item not in have
    for one, other in combinations(items, 2):
        yield f'"{one}" and "{other}"', lambda have, _, pair={one, other}: pair <= have
        yield f'"{one}"|"{other}"', lambda have, _, pair={one, other}: bool(pair & have)
        yield f'"{one}" or "{other}"', lambda have, _, pair={one, other}: bool(pair & have)
        yield f'"{one}" and not "{other}"', lambda have, _, a=one, b=other: a in have and b not in have


def about_numbers(name, low, high):
    """Yield questions about a number; a missing one is neither small nor large."""
    yield f"{name} < {high}", lambda _, row: row[name] is not None and row[name] < high
    yield f"{name} = {low}", lambda _, row: row[name] == low
    yield f"{name} in {low}..{high}", lambda _, row: row[name] is not None and low <= row[name] <= high
    yield f"not {name} >= {low}", lambda _, row: row[name] is None or row[name] < low
    yield (
        f"{name} > {low} and {name} <= {high}",
        lambda _, row: row[name] is not None and low < row[name] <= high,
    )


def about_labels(name, labels):
    """Yield questions about an attribute with these labels."""
    for label in labels:
        yield f'{name} = "{label}"', lambda _, row, label=label: row[name] == label
        yield f'{name} != "{label}"', lambda _, row, label=label: row[name] != label
    listed = ", ".join(f'"{label}"' for label in labels)
    yield f"{name} in {{{listed}}}", lambda _, row: row[name] in set(labels)


def join(one, other):
    """Return the questions whether both, and whether one of two, hold."""
    (first, is_first), (second, is_second) = one, other
    yield f"({first}) and ({second})", lambda have, row: is_first(have, row) and is_second(have, row)
    yield f"({first}) or ({second})", lambda have, row: is_first(have, row) or is_second(have, row)
