"""What a table, original or published, says about the attributes of its records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.kinds.table.dataset import MISSING, attribute_of, place_values
from sfumato.kinds.table.decode import Cells
from sfumato.queries.categories import list_categories
from sfumato.queries.columns import Labels, Ranges
from sfumato.queries.published_view import Attribute, Columns, Names, PublishedView, Values
from sfumato.release.release import PublishedColumn, Release

__all__ = ["of_dataset", "of_release", "published_attributes", "read_attributes"]

Ints = npt.NDArray[np.int64]

_NUMBERS = {"int64": "integer", "float64": "decimal", "date": "date"}
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?\d{1,17}\.\d{1,17}(e[+-]?\d{1,3})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

MEANS = "The means of classes that this release publishes, too, are not used: bounds may be wider than they need be."


def of_release(release: Release) -> PublishedView:
    """Return what a published table says.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.queries.published_view import AttributeCondition
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> view = of_release(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release)
    >>> old = view.attributes["age"].judge(AttributeCondition(span=(75, 200)))
    >>> int(old.low.sum()), int(old.high.sum())
    (0, 2)
    """
    suppressed_records = sum(release.suppressed_records.values())
    notes = (MEANS,) if "means" in release.extra_tables else ()
    attributes = published_attributes(release)
    return PublishedView(release.unit, len(release), suppressed_records, attributes=attributes, notes=notes)


def of_dataset(dataset: Dataset) -> PublishedView:
    """Return what a table says that was not published yet: exactly what there is.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.queries.published_view import AttributeCondition
    >>> view = of_dataset(sf.Dataset.of("table", [(20,), (79,)], ("age",)))
    >>> view.attributes["age"].judge(AttributeCondition(span=(75, 200))).low.tolist()
    [0, 1]
    """
    return PublishedView(
        dataset.unit, len(dataset), attributes=read_attributes(dataset), people=dataset.person_codes(), exact=True
    )


def published_attributes(release: Release) -> Mapping[str, Attribute]:
    """Return the attributes of a release that are published, whatever their role."""
    columns = {column.name: column for column in release.columns if column.role not in {"identifier", "history"}}
    return Columns(tuple(columns), lambda name: _read_published(release, columns[name]))


def read_attributes(dataset: Dataset) -> Mapping[str, Attribute]:
    """Return the attributes of an original, but for names of people."""
    names = [column.name for column in dataset.schema.columns if column.role not in {"identifier", "history"}]
    return Columns(names, lambda name: _read_original(dataset, name))


def _read_original(dataset: Dataset, name: str) -> Attribute:
    attribute = attribute_of(dataset, name)
    codes = attribute.codes.astype(np.int64)
    if attribute.axis is not None:
        return Ranges.exact(attribute.axis, codes, whole=attribute.scale != "decimal", dated=attribute.scale == "date")
    labels = (*attribute.labels, MISSING)
    names = Names(labels, list_categories(attribute.hierarchy))
    return Labels(names, Values.exact(len(labels)), np.where(codes < 0, len(labels) - 1, codes))


def _read_published(release: Release, column: PublishedColumn) -> Attribute:
    cells = Cells.of(release, column)
    if column.form.cell == "interval":
        lo, hi, missing, hidden = cells.bounds
        whole, dated = column.form.type != "float64", column.form.type == "date"
        return Ranges(lo, hi, missing, hidden, cells.index, whole=whole, dated=dated)
    if column.form.cell == "exact" and column.form.type in _NUMBERS:
        scale = _NUMBERS[column.form.type]
        values = place_values([str(cell) for cell in cells.cells], scale)
        return Ranges.exact(values, cells.index, whole=scale != "decimal", dated=scale == "date")
    return _read_labels(cells)


def _read_labels(cells: Cells) -> Labels:
    meanings = [cells.meaning(at) for at in range(len(cells.cells))]
    labels = tuple(sorted(frozenset().union(*(meaning for meaning in meanings if meaning is not None))))
    code = {label: at for at, label in enumerate(labels)}
    everything = range(len(labels))
    members = [everything if meaning is None else sorted(code[label] for label in meaning) for meaning in meanings]
    hidden = [at for at, meaning in enumerate(meanings) if meaning is None]
    names = Names(labels, {label: meaning for label, meaning in cells.members.items() if label not in code})
    return Labels(names, Values.of(members, hidden), cells.index, *_place_labels(labels))


def _place_labels(labels: Sequence[str]) -> tuple[npt.NDArray[np.float64] | None, bool]:
    """Return where labels lie that are numbers or days, all of them spelled as this program spells them; else None.

    Also whether they are days.
    """
    given = [label for label in labels if label != MISSING]
    for pattern, scale in ((_WHOLE, "integer"), (_DECIMAL, "decimal"), (_DATE, "date")):
        if given and all(pattern.fullmatch(label) for label in given):
            try:
                place_of: dict[str, Any] = dict(zip(given, place_values(given, scale).tolist(), strict=True))
            except pa.ArrowInvalid:
                return None, False
            return np.array([place_of.get(label, np.nan) for label in labels], dtype=np.float64), scale == "date"
    return None, False
