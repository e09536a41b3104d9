"""Steps that make an eligible snapshot publishable."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.snapshots.naive.people import push_all, record_lists, snapshots_of

from sfumato.kinds.snapshots.methods.reposition import Reposition


@settings(max_examples=40)
@given(record_lists(), st.integers(1, 4), st.integers(2, 3))
def test_anatomy_makes_every_group_diverse(rows, size, l):
    data = snapshots_of(rows)
    _, leaving = push_all(Reposition(l=l, window=size), data)
    for out in leaving:
        if not out.table.num_rows:
            continue
        sizes = Counter(out.table["group"].to_pylist())
        values = Counter()
        for row in out.extra_tables["sensitive"].to_pylist():
            assert l * row["count"] <= sizes[row["group"]]
            values[row["group"]] += row["count"]
        assert values == sizes
