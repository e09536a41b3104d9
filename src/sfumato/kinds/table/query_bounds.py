"""What a table, original or published, says about the attributes of its records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.kinds.table.dataset import MISSING, place_values
from sfumato.kinds.table.decode import exact_column
from sfumato.queries.categories import list_categories
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.published_view import Attribute, Columns, Names, PublishedView
from sfumato.release.decode import decode, list_members
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release", "published_attributes", "read_attributes"]

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
    names = [column.name for column in release.columns if column.role not in {"identifier", "history"}]
    return Columns(names, lambda name: _read_published(release, name))


def read_attributes(dataset: Dataset) -> Mapping[str, Attribute]:
    """Return the attributes of an original, but for names of people."""
    names = [column.name for column in dataset.schema.columns if column.role not in {"identifier", "history"}]
    return Columns(names, lambda name: _read_original(dataset, name))


def _read_original(dataset: Dataset, name: str) -> Attribute:
    column = exact_column(dataset, name)
    values = column.values
    if values.low is not None:
        return CodedAttribute(values, column.codes, dated=values.scale == "date")
    return CodedAttribute(values, column.codes, Names(values.labels, list_categories(dataset.hierarchies.get(name))))


def _read_published(release: Release, name: str) -> Attribute:
    column = decode(release).column(name)
    values, members = column.values, list_members(release, name)
    if values.low is not None:
        return CodedAttribute(values, column.codes, dated=values.scale == "date")
    names = Names(values.labels, {label: named for label, named in members.items() if label not in values.labels})
    return CodedAttribute(values, column.codes, names, *_place_labels(values.labels))


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
