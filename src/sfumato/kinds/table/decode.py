"""The columns of a table, original or published, as codes: what verifiers, attackers and questions read."""

from __future__ import annotations

from sfumato.data.coded import Coded, CodedTable
from sfumato.data.dataset import Dataset
from sfumato.kinds.table.dataset import attribute_of
from sfumato.release.release import PublishedColumn, Release

__all__ = ["exact", "exact_column", "quasi_columns"]


def quasi_columns(release: Release) -> tuple[PublishedColumn, ...]:
    """Return the columns that an attacker may know, in the order of the release."""
    return tuple(column for column in release.columns if column.role == "quasi-identifier")


def exact(dataset: Dataset) -> CodedTable:
    """Return an original as codes: every entry is a single value.

    Examples
    --------
    >>> age = exact(Dataset.of("table", [(20,), (29,), (None,)], ("age",))).column("age")
    >>> age.codes.tolist(), age.values.labels
    ([0, 1, 2], ('20', '29', ''))
    """
    names = [column.name for column in dataset.schema.columns if column.role not in {"identifier", "history"}]
    return CodedTable(tuple(exact_column(dataset, name) for name in names), len(dataset))


def exact_column(dataset: Dataset, name: str) -> Coded:
    """Return a column of an original as codes."""
    role = next(column.role for column in dataset.schema.columns if column.name == name)
    attribute = attribute_of(dataset, name)
    return Coded(name, role, attribute.entries, attribute.value_sets)
