"""What a table with sets, original or published, says about the attributes and the items of its records."""

from __future__ import annotations

from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.query_bounds.baskets import DRAWN, REMOVED, read_items, read_values
from sfumato.kinds.table.query_bounds import published_attributes, read_attributes
from sfumato.queries.published_view import PublishedView
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release"]


def of_dataset(dataset: Dataset) -> PublishedView:
    """Read an original: everything is what it is.

    Examples
    --------
    >>> view = of_dataset(Dataset.of("rt", [(19,), (22,)], ("age",), [["wine", "bread"], []]))
    >>> view.history.names.labels, list(view.attributes)
    (('wine', 'bread'), ['age'])
    """
    attributes = read_attributes(dataset)
    people = dataset.person_codes()
    return PublishedView(dataset.unit, len(dataset), 0, read_items(dataset), attributes, people=people, exact=True)


def of_release(release: Release) -> PublishedView:
    """Read what is published: attributes within cells, and items within values.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.queries.ask import ask
    >>> data = sf.Dataset.of("rt", [(20,), (24,)], ("age",), [["wine"], ["wine", "beer"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32)).release
    >>> answer = ask(of_release(release), "count person where wine and age < 22")
    >>> answer.certain, answer.possible
    (0, 2)
    """
    removed = release.suppressed()
    history = read_values(release.history(), release.members(), removed)
    notes = (REMOVED,) if removed else ()
    suppressed_records = sum(release.suppressed_records.values())
    attributes = published_attributes(release)
    return PublishedView(release.unit, len(release), suppressed_records, history, attributes, notes=notes, drawn=DRAWN)
