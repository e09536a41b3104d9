"""MDAV: groups of k records around the outermost ones, published as ranges with the means of every class."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.exceptions import SchemaError
from sfumato.kinds.table.dataset import Attribute
from sfumato.kinds.table.encode import encode_cells
from sfumato.kinds.table.methods._base.classes import draw_order, join_equal, join_until_diverse
from sfumato.kinds.table.methods._base.relational import Relational, read_weights, uses_sensitive_values
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.kinds.table.methods._base.spaces import space_of
from sfumato.messages import Message
from sfumato.release.release import ExtraTable, PublishedColumn
from sfumato.release.run import Run
from sfumato.release.text import ValueFormat

__all__ = ["Mdav"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Mdav(Relational):
    """Hide every record among k - 1 others that are near in all numbers; publish their ranges and, beside them, means.

    The further table ``means`` has a row per class: its cells, and the mean of every quasi-identifier among its
    records, unrounded; of dates in days since 1970. That is what microaggregation is for, but it says more than the
    ranges: in a class of three, the range and the mean of a column give the third value away, though not whose it is.

    Examples
    --------
    >>> data = Dataset.of("table", [(20, 1.5), (61, 2.0), (21, 1.7), (60, 2.2)], ("age", "height"))
    >>> release = Mdav(k=2).anonymize(data, Run(bytes(32))).release
    >>> release.extra_tables["means"].table.select(["age", "mean_age", "mean_height"]).to_pylist()
    [{'age': {'lo': 20, 'hi': 21}, 'mean_age': 20.5, 'mean_height': 1.6},
     {'age': {'lo': 60, 'hi': 61}, 'mean_age': 60.5, 'mean_height': 2.1}]

    References
    ----------
    Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation (2005), MDAV.
    """

    name: ClassVar[str] = "mdav"
    summary: ClassVar[str] = (
        "Microaggregation: groups the most distant records with their k-1 nearest; publishes ranges and means "
        "of groups."
    )
    paper: ClassVar[str] = "Domingo-Ferrer, Torra, Ordinal, continuous and heterogeneous k-anonymity (2005), MDAV"
    optimises: ClassVar[str] = "squared distance from the means of groups, in standard deviations"
    needs: ClassVar[tuple[str, ...]] = ("numbers",)

    def attributes(self, dataset: Dataset) -> tuple[Attribute, ...]:
        """Return the numbers that are generalised, or say which columns are none."""
        attributes, owner = super().attributes(dataset), self.message_name
        labels = [attribute.name for attribute in attributes if attribute.axis is None]
        if labels:
            raise SchemaError(
                Message(owner, f": quasi-identifiers must be numbers or dates, but {_list_columns(labels)} labels."),
                column=labels[0],
                hint="Use the method cluster or mondrian, or give these columns another role.",
            )
        holes = [attribute.name for attribute in attributes if attribute.has_missing]
        if holes:
            raise SchemaError(
                Message(owner, f": {_list_columns(holes)} empty cells, which have no distance to other values."),
                column=holes[0],
                hint="Use the method cluster or mondrian, or leave these records out.",
            )
        names = {column.name for column in dataset.schema.columns}
        taken = [attribute.name for attribute in attributes if f"mean_{attribute.name}" in names]
        if taken:
            raise SchemaError(
                Message(
                    owner,
                    f": column 'mean_{taken[0]}' has the name under which the means of {taken[0]!r} are published.",
                ),
                column=f"mean_{taken[0]}",
                hint="Rename it.",
            )
        return attributes

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say, too, what means give away."""
        formed = (
            "Groups depend on sensitive values, which can make one of them likelier than its share."
            if uses_sensitive_values(guarantee)
            else "Groups do not depend on sensitive values."
        )
        return (f"{formed} The mean, ends and size of a group can reveal its values.",)

    def partition(self, attributes: tuple[Attribute, ...], requirement: Requirement, run: Run) -> Ints:
        """Group records by MDAV on standardised numbers, then join classes that are the same or not diverse enough."""
        from sfumato._kernels.microaggregation import group_by_mdav, measure_error_share, standardise

        owner = self.message_name
        weights = read_weights(self.weights, attributes, owner)
        table = standardise(np.stack([_numbers_of(attribute) for attribute in attributes], axis=1))
        order = draw_order(attributes, run)
        group = np.empty(len(order), np.int64)
        group[order] = group_by_mdav((table * np.sqrt(weights))[order], self.k)
        space = space_of(attributes, tuple(weights.tolist()))
        group = join_equal(attributes, space, group)
        if requirement.needs_diversity:
            group = join_equal(attributes, space, join_until_diverse(space, group, requirement, owner))
        # Counters are whole numbers; this is SSE / SST of standardised columns, whatever they weigh.
        run.counters["millionths_of_spread_lost"] = round(1e6 * measure_error_share(table, group))
        run.notes.append(
            Note(
                "means-published",
                "The table 'means' reveals more than the ranges: in a group of three records, range and mean of a "
                "column give the third value, though not whose it is. A larger k reveals less.",
            )
        )
        return group

    def further_tables(self, attributes: tuple[Attribute, ...], rows: Ints, classes: Ints) -> dict[str, ExtraTable]:
        """Return the means of every class, the classes in the order of their cells."""
        recoded = [encode_cells(attribute.take(rows), classes) for attribute in attributes]
        keys = list(zip(*([_place_cell(cell) for cell in part.cells.to_pylist()] for part in recoded), strict=True))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        columns = [part.column for part in recoded]
        cells = {part.column.name: part.cells.take(pa.array(order)) for part in recoded}
        for attribute in attributes:
            means = _mean_by_class(_numbers_of(attribute)[rows], classes)
            columns.append(PublishedColumn(f"mean_{attribute.name}", "mean", ValueFormat("exact", "float64")))
            cells[f"mean_{attribute.name}"] = pa.array(means[order], pa.float64())
        return {"means": ExtraTable(tuple(columns), pa.table(cells))}


def _list_columns(names: list[str]) -> str:
    shown = ", ".join(map(repr, names))
    return f"column {shown} has" if len(names) == 1 else f"columns {shown} have"


def _numbers_of(attribute: Attribute) -> Floats:
    """Return where the value of every record lies on the axis."""
    if attribute.axis is None:
        raise ValueError("labels lie on no axis")
    return np.asarray(attribute.axis, np.float64)[attribute.codes]


def _mean_by_class(values: Floats, classes: Ints) -> Floats:
    """Return the mean of every class, rounded once: plain sums would tell by their last digits how records stood."""
    order = np.argsort(classes, kind="stable")
    parts = np.split(values[order], np.cumsum(np.bincount(classes))[:-1])
    return np.array([math.fsum(part) / len(part) for part in parts])


def _place_cell(cell: Any) -> tuple[Any, ...]:
    """Return what orders cells: ranges by their bounds, labels by the alphabet, what is suppressed last."""
    if cell is None:
        return (1,)
    return (0, cell["lo"], cell["hi"]) if isinstance(cell, dict) else (0, cell)
