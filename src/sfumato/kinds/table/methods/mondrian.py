"""Mondrian: all records are cut in two along their widest attribute, and the pieces again, as long as they are safe."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.dataset import Attribute
from sfumato.kinds.table.methods._base.classes import Judge, draw_order, join_equal
from sfumato.kinds.table.methods._base.relational import Relational, read_weights
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.kinds.table.methods._base.spaces import space_of
from sfumato.params import Param
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.table._kernels.prices import Space

__all__ = ["Mondrian"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

CUTS = ("strict", "relaxed")


@dataclasses.dataclass(frozen=True)
class Mondrian(Relational):
    """Cut the records along their widest attribute, and every piece again, as long as each keeps what is required.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> data = Dataset.of("table", [(20, "f"), (61, "m"), (21, "f"), (60, "m")], ("age", "sex"))
    >>> release = Mondrian(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted({(age["lo"], age["hi"]) for age in release.table["age"].to_pylist()})
    [(20, 21), (60, 61)]

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (2006).
    """

    name: ClassVar[str] = "mondrian"
    summary: ClassVar[str] = (
        "Splits the records recursively at the median of the widest attribute while the guarantee holds."
    )
    paper: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity (2006)"
    optimises: ClassVar[str] = "NCP of the widest attribute of every part"

    cut: Annotated[str, Param("strict keeps equal values together; relaxed splits them into halves.", choices=CUTS)] = (
        "strict"
    )

    def partition(self, attributes: tuple[Attribute, ...], requirement: Requirement, run: Run) -> Ints:
        """Cut all parts of a generation at once, until none can be cut."""
        owner = self.message_name
        space = space_of(attributes, tuple(read_weights(self.weights, attributes, owner).tolist()))
        judge = Judge.of(requirement)
        shuffled = draw_order(attributes, run)
        # By their values, equal ones at random: no cut depends on where a record stood in the file.
        parts = _Parts(shuffled[np.lexsort(space.codes[shuffled].T[::-1])], np.array([0, len(shuffled)]))
        group = np.full(len(shuffled), -1, np.int64)
        classes = 0
        while len(parts):
            cut = self.cut_parts(space, parts, judge)
            classes = cut.done.number(group, classes)
            parts = cut.further
        run.counters["parts"] = classes
        return join_equal(attributes, space, group)

    def cut_parts(self, space: Space, parts: _Parts, judge: Judge) -> _Cut:
        """Cut every part along the widest attribute where that is safe, and set those aside that cannot be cut."""
        from sfumato.kinds.table._kernels.cuts import cut_between_values, cut_in_halves

        make = {"strict": cut_between_values, "relaxed": cut_in_halves}[self.cut]
        plan = _plan_cuts(space, parts)
        plan[parts.sizes < 2 * self.k] = -1
        left = np.arange(len(parts))
        further = []
        for attribute in plan.T:
            tried = left[attribute[left] >= 0]
            if not len(tried):
                break
            subset = parts.take(tried)
            piece = make(space, subset.rows, subset.begin, attribute[tried])
            safe, piece = _find_safe_cuts(subset, piece, judge)
            further.append(subset.take(np.flatnonzero(safe), piece))
            left = np.setdiff1d(left, tried[safe], assume_unique=True)
        return _Cut(_Parts.merge(further), parts.take(left))


@dataclasses.dataclass(frozen=True, eq=False)
class _Parts:
    """Parts of the records: those of part p are ``rows[begin[p]:begin[p + 1]]``."""

    rows: Ints
    begin: Ints

    def __len__(self) -> int:
        return len(self.begin) - 1

    @property
    def sizes(self) -> Ints:
        return np.diff(self.begin)

    @property
    def part(self) -> Ints:
        """Part of every place in ``rows``."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def take(self, chosen: Ints, piece: Ints | None = None) -> _Parts:
        """Return some parts, or all pieces of some parts, with their records in the same order as before."""
        wanted = np.zeros(len(self), dtype=bool)
        wanted[chosen] = True
        part = self.part
        inside = np.flatnonzero(wanted[part])
        number = part[inside] if piece is None else np.unique(piece[inside], return_inverse=True)[1]
        order = np.argsort(number, kind="stable")
        sizes = np.bincount(number, minlength=1)
        ends = np.cumsum(sizes[sizes > 0])
        return _Parts(self.rows[inside[order]], np.concatenate([np.zeros(1, np.int64), ends]))

    @classmethod
    def merge(cls, all_parts: list[_Parts]) -> _Parts:
        """Return the parts of all."""
        rows = [parts.rows for parts in all_parts]
        sizes = [parts.sizes for parts in all_parts]
        begin = np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes]))
        return cls(np.concatenate([np.zeros(0, np.int64), *rows]), begin)

    def number(self, group: Ints, first: int) -> int:
        """Give the records of every part a number, counted from the first; tell which one would be next."""
        group[self.rows] = first + self.part
        return first + len(self)


class _Cut(NamedTuple):
    """The pieces that can perhaps be cut further, and the parts that cannot be cut."""

    further: _Parts
    done: _Parts


def _plan_cuts(space: Space, parts: _Parts) -> Ints:
    """Return by part the attributes in the order in which cuts are tried; -1 after the last.

    Missing values come first: beside them nothing is said about the attribute, however narrow the others are.
    """
    from sfumato.kinds.table._kernels.class_bounds import bound_classes
    from sfumato.kinds.table._kernels.cuts import measure_widths

    group = np.full(len(space.codes), -1, np.int64)
    parts.number(group, 0)
    bounds = bound_classes(space, group, len(parts))
    width = measure_widths(space, bounds)
    mixed = bounds.missing & (bounds.low <= bounds.high)
    column = np.broadcast_to(np.arange(width.shape[1]), width.shape)
    order = np.lexsort((column, -width, ~mixed), axis=1)
    return np.where(np.take_along_axis(width, order, axis=1) > 0, order, -1)


def _find_safe_cuts(parts: _Parts, piece: Ints, judge: Judge) -> tuple[Flags, Ints]:
    """Return which parts can be cut safely, and into which pieces, numbered through all parts.

    A cut in two is safe if both pieces are. Of a cut along a tree the pieces that are not safe stay together; if that
    is not enough, the smallest of the safe pieces stays with them.
    """
    part = parts.part
    count = int(piece.max(initial=0)) + 1
    keys, piece = np.unique(part * count + piece, return_inverse=True)
    owner = keys // count
    pieces = np.bincount(owner, minlength=len(parts))
    holds = judge.holds(parts.rows, piece)
    good = np.bincount(owner[holds], minlength=len(parts))
    safe = (good == pieces) & (pieces > 1)
    target = np.where(holds, np.arange(len(keys)), len(keys) + owner)  # the rest of a part has a number of its own
    tried = ~safe & (good >= 1) & (pieces > 2)
    safe |= _judge_rests(parts, tried[part] & (target[piece] >= len(keys)), judge)
    tried &= ~safe & (good >= 2)
    by_size = np.lexsort((np.bincount(piece), ~holds, owner))
    smallest = by_size[np.searchsorted(owner[by_size], np.flatnonzero(tried))]
    target[smallest] = len(keys) + owner[smallest]
    safe |= _judge_rests(parts, tried[part] & (target[piece] >= len(keys)), judge)
    return safe, target[piece]


def _judge_rests(parts: _Parts, inside: Flags, judge: Judge) -> Flags:
    """Tell of which parts the records that are marked keep together what is required; of none without such records."""
    is_safe = np.zeros(len(parts), dtype=bool)
    if inside.any():
        tried, number = np.unique(parts.part[inside], return_inverse=True)
        is_safe[tried[judge.holds(parts.rows[inside], number)]] = True
    return is_safe
