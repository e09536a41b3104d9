"""What sets, original or published, say about who has which items."""

from sfumato.kinds.sets.decode import is_disassociated
from sfumato.kinds.sets.query_bounds.baskets import of_dataset, of_values
from sfumato.kinds.sets.query_bounds.chunks import of_chunks
from sfumato.queries.published_view import PublishedView
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release"]


def of_release(release: Release) -> PublishedView:
    """Read what is published: records of items and of values that stand for some, or chunks of records.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"]])
    >>> of_release(sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32)).release).sizes.tolist()
    [3]
    """
    return of_chunks(release) if is_disassociated(release) else of_values(release)
