"""A published timeline, read back from its release."""

from __future__ import annotations

from sfumato.kinds.timeline.dataset import Timeline
from sfumato.release.release import Release

__all__ = ["read_timeline"]


def read_timeline(release: Release) -> Timeline:
    """Read a release of a timeline as arrays; its alphabet is what it shows.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("timeline", [{"b": 3, "a": 2}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> found = read_timeline(sf.anonymize(data, sf.methods.Odesa(delta="1/4"), secret=bytes(32)).release)
    >>> found.labels, found.points.tolist(), found.codes.tolist(), found.counts.tolist()
    (('a', 'b'), [0, 1, 1], [1, 0, 1], [3, 1, 4])
    """
    names = {column.role: column.name for column in release.columns}
    return Timeline.view(release.table, names["history"], names["count"], names["time"])
