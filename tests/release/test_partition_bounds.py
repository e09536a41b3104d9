"""A line that lies in pieces is cut where the whole line is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.secret import Secret
from sfumato.data.sort_key import ANYWHERE
from sfumato.release import partition_bounds
from sfumato.release.partition_bounds import cut_pieces, pack_keys
from sfumato.release.partition_plan import Plan, draw_chances

SECRET = Secret(bytes([1] * 32))
keys = st.lists(st.sampled_from([0, 1, 2, 3, 2**40, int(ANYWHERE)]), max_size=80)


@given(keys, st.integers(1, 6), st.integers(2, 20), st.sampled_from([3, 20_000]))
def test_pieces_are_cut_as_the_whole_line_is(keys, count, most, samples):
    keys = np.array(keys, np.uint64)
    chances = draw_chances(SECRET, range(len(keys)))
    whole = [sorted(rows.tolist()) for rows in Plan.cut(keys, SECRET, most)]
    rows = [np.flatnonzero(np.arange(len(keys)) % count == number) for number in range(count)]
    rows = [each[np.lexsort((chances[each], keys[each]))] for each in rows]
    pieces = [pack_keys(keys[each], chances[each]) for each in rows]
    kept, partition_bounds._SAMPLES = partition_bounds._SAMPLES, samples
    try:
        partitions = cut_pieces([lambda piece=piece: piece for piece in pieces], most)
    finally:
        partition_bounds._SAMPLES = kept
    found = [
        sorted(int(row) for piece, begin, end in partition for row in rows[piece][begin:end])
        for partition in partitions
    ]
    assert found == whole
    assert max(map(len, found)) <= most
