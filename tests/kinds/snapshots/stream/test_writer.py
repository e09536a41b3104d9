"""How the folders of snapshots are called."""

import pytest

from sfumato.data.time_units import TimeUnit
from sfumato.kinds.snapshots.stream.writer import snapshot_name


@pytest.mark.parametrize(
    ("unit", "time", "name"),
    [(None, -5, "-5"), ("day", 0, "1970-01-01"), ("hour", 25, "1970-01-02T01"), ("second", 61, "1970-01-01T00-01-01")],
)
def test_names_of_snapshots(unit, time, name):
    assert snapshot_name(TimeUnit(unit), time) == name
