"""A global recoding: what each value is published as, the same for everybody."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.core.errors import SchemaError
from sfumato.core.forms import escape

__all__ = ["Recoding", "name_values"]


@dataclasses.dataclass(frozen=True)
class Recoding:
    """Groups of values that are published as one, and values that are removed.

    A recoding learnt on one batch can be saved and applied to the next.

    Examples
    --------
    >>> recoding = Recoding("places", (("a", "b"), ("c",)), ("z",))
    >>> recoding.published["a"], recoding.published["c"], recoding.published["z"]
    ('{a|b}', 'c', None)
    """

    column: str
    groups: tuple[tuple[str, ...], ...]
    suppressed: tuple[str, ...] = ()

    @property
    def published(self) -> dict[str, str | None]:
        """Published value of every original value; None where it is removed."""
        names = name_values(self.groups)
        mapping: dict[str, str | None] = {
            member: name for name, group in zip(names, self.groups, strict=True) for member in group
        }
        mapping.update(dict.fromkeys(self.suppressed))
        return mapping

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Recoding:
        """Read what :meth:`to_dict` wrote."""
        try:
            groups = tuple(tuple(str(member) for member in group) for group in data["groups"])
            return cls(str(data["column"]), groups, tuple(str(v) for v in data["suppressed"]))
        except (KeyError, TypeError):
            raise SchemaError("recoding: the file is not a saved recoding.") from None


def name_values(groups: Iterable[Sequence[str]]) -> list[str]:
    """Name published values so that a reader recognises them: members, shortened when there are many.

    A group of one keeps its label. Names are distinct, whatever the labels are.

    Examples
    --------
    >>> name_values([["a"], ["b", "c"], list("defghij")])
    ['a', '{b|c}', '{d|e|f|+4}']
    """
    names: list[str] = []
    ordered = [tuple(sorted(group)) for group in groups]
    taken: dict[str, int] = {group[0]: 1 for group in ordered if len(group) == 1}
    same: dict[tuple[str, ...], str] = {}
    for group in ordered:
        if len(group) == 1:
            names.append(group[0])
            continue
        if group not in same:
            shown = list(group[:4]) if len(group) <= 4 else [*group[:3]]
            more = [] if len(group) <= 4 else [f"+{len(group) - 3}"]
            base = "{" + "|".join([*map(escape, shown), *more]) + "}"
            name, count = base, taken.get(base, 0)
            while name in taken:
                count += 1
                name = f"{base}~{count}"
            taken[base] = count
            taken[name] = 1
            same[group] = name
        names.append(same[group])
    return names
