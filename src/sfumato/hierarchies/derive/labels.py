"""Hierarchies derived from labels: from their order, or from their characters."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.hierarchies.hierarchy import Hierarchy

__all__ = [
    "balanced",
    "check_labels",
    "flat",
    "free_names",
    "mask_codes",
    "order_by_popularity",
]


def order_by_popularity(labels: Sequence[str], counts: Sequence[int], fanout: int) -> Hierarchy:
    """Group labels from the most frequent to the rarest, so that no node has more than ``fanout`` children.

    Rare labels are then united with rare ones, and frequent ones stay as they are. Equally frequent labels are in the
    order of their letters, whatever the order they are given in.

    Examples
    --------
    >>> order_by_popularity(["salt", "milk", "beer", "wine"], [1, 9, 2, 2], fanout=2)
    Hierarchy below *: 4 of 7 nodes are leaves, height 2
    *
      g/0
        milk
        beer
      g/1
        wine
        salt
    """
    ranked = sorted(zip(labels, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
    return balanced([label for label, _ in ranked], fanout)


_MASK = "*"


def balanced(labels: Sequence[str], fanout: int) -> Hierarchy:
    """Group labels in the order given, so that no node has more than ``fanout`` children.

    Siblings differ by at most one leaf, and leaves by at most one level.

    Examples
    --------
    >>> balanced(["a", "b", "c", "d", "e"], fanout=3)
    Hierarchy below *: 5 of 8 nodes are leaves, height 2
    *
      g/0
        a
        b
        c
      g/1
        d
        e
    """
    check_labels(labels, "balanced")
    if fanout < 2:
        raise ParameterError(f"balanced: fanout must be at least 2, got {fanout}.", option="fanout")
    root, prefix = free_names(labels, "g")
    names: list[str] = []
    parent: list[int] = []
    pending = [(root, prefix, -1, 0, len(labels))]
    while pending:
        name, path, above, first, size = pending.pop()
        here = len(names)
        names.append(name)
        parent.append(above)
        if size <= fanout:
            names += labels[first : first + size]
            parent += [here] * size
            continue
        block_size = fanout
        while block_size * fanout < size:
            block_size *= fanout
        parts = -(-size // block_size)
        cuts = [first - (-part * size // parts) for part in range(parts + 1)]
        for part in reversed(range(parts)):
            step, below = f"{path}/{part}", cuts[part + 1] - cuts[part]
            is_leaf = below == 1
            pending.append((labels[cuts[part]] if is_leaf else step, step, here, cuts[part], 0 if is_leaf else below))
    return Hierarchy.from_codes(names, parent, owner="balanced")


def flat(labels: Sequence[str]) -> Hierarchy:
    """Put all labels directly below the root: a value is published unchanged or not at all.

    Examples
    --------
    >>> flat(["f", "m"])
    Hierarchy below *: 2 of 3 nodes are leaves, height 1
    *
      f
      m
    """
    check_labels(labels, "flat")
    root, _ = free_names(labels, "g")
    return Hierarchy.from_codes([root, *labels], [-1] + [0] * len(labels), owner="flat")


def mask_codes(codes: Sequence[str], pad: str | None = None, rows: Sequence[int] | None = None) -> Hierarchy:
    """Group codes by their beginnings, as ZIP codes are: 80331, 8033*, 803**, and so on up to the root.

    All codes must be equally long, so that one more star hides equally much of each. Where they are not, ``pad`` says
    what the shorter ones lack: leading zeros that a program has removed (1067 is 01067), or further digits on the
    right (the diagnosis 250 is beside 250.1 below 250**). The codes themselves do not change.

    Parameters
    ----------
    codes
        The codes, each once.
    pad
        None to refuse codes of unequal length; ``left`` or ``right`` for the side on which shorter ones are filled.
    rows
        The first row of each code, for error messages; their positions if not given.

    Examples
    --------
    >>> mask_codes(["331", "333", "401"])
    Hierarchy below *: 3 of 8 nodes are leaves, height 3
    *
      3**
        33*
          331
          333
      4**
        40*
          401
    >>> mask_codes(["25", "251", "401"], pad="right").ancestors("25")
    ('25*', '2**', '*')
    >>> mask_codes(["25", "251"])
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: mask: codes must have the same length; row 1 has shorter ones. Correct them, or
    use mask:left if leading zeros are lost, and mask:right otherwise.
    """
    check_labels(codes, "mask")
    if pad not in {None, "left", "right"}:
        raise ParameterError(f"mask: pad must be left or right, got {pad!r}.", option="pad")
    width = max(map(len, codes))
    short = [at for at, code in enumerate(codes) if len(code) < width]
    if short and pad is None:
        shorter = [at + 1 if rows is None else rows[at] for at in short]
        verb = "has" if len(set(shorter)) == 1 else "have"
        raise SchemaError(
            f"mask: codes must have the same length; {name_rows(shorter)} {verb} shorter ones.",
            option="hierarchies",
            rows=select_shown(shorter),
            hint="Correct them, or use mask:left if leading zeros are lost, and mask:right otherwise.",
        )
    full = [code.rjust(width, "0") if pad == "left" else code.ljust(width, _MASK) for code in codes]
    _refuse_duplicates(full, rows)
    root, _ = free_names(codes, "g")
    order = sorted(range(len(codes)), key=full.__getitem__)
    paths = [
        (codes[at], *(full[at][:length].ljust(width, _MASK) for length in range(width - 1, 0, -1)), root)
        for at in order
    ]
    return Hierarchy.from_paths(paths, owner="mask")


def _refuse_duplicates(full: list[str], rows: Sequence[int] | None) -> None:
    """Refuse two codes that are the same once filled, such as 1067 and 01067."""
    seen: dict[str, int] = {}
    for at, code in enumerate(full):
        if seen.setdefault(code, at) != at:
            both = [place + 1 if rows is None else rows[place] for place in (seen[code], at)]
            raise SchemaError(
                f"mask: {name_rows(both)} have the same code once both have the same length.",
                option="hierarchies",
                rows=select_shown(both),
                hint="Correct one of them.",
            )


def check_labels(labels: Sequence[str], owner: str) -> None:
    """Refuse no labels, or the same label twice."""
    if not labels:
        raise SchemaError(f"{owner}: a hierarchy needs at least one label, found none.")
    seen: dict[str, int] = {}
    for row, label in enumerate(labels, 1):
        if label in seen:
            where = name_rows([seen[label], row])
            raise SchemaError(
                f"{owner}: labels must differ; {where} have the same.",
                rows=(seen[label], row),
                hint="Remove one of them.",
            )
        seen[label] = row


def free_names(labels: Sequence[str], letter: str) -> tuple[str, str]:
    """Return a root and a prefix that no label is, or begins with."""
    root, prefix = "*", letter
    while root in labels:
        root += "*"
    while any(label.startswith(f"{prefix}/") for label in labels):
        prefix += letter
    return root, prefix
