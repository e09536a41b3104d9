"""The different cells of published columns, beside cells that are looked at one by one."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.forms import Form
from sfumato.kinds.table.published import read_cells

ranges = st.one_of(
    st.none(),
    st.just({"lo": None, "hi": None}),
    st.tuples(st.integers(-2, 3), st.integers(0, 3)).map(lambda ends: {"lo": ends[0], "hi": ends[0] + ends[1]}),
)
sets = st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "", "é"]), max_size=3))


def number(cells, place):
    """Return the different cells in order, suppressed ones last, and which one each is."""
    told = sorted([cell for at, cell in enumerate(cells) if cell is not None and cell not in cells[:at]], key=place)
    found = [*told, *([None] if None in cells else [])]
    return found, [found.index(cell) for cell in cells]


@given(st.lists(ranges, max_size=8), st.integers(0, 3))
def test_ranges_are_numbered_in_their_order(cells, before):
    kind = pa.struct([("lo", pa.int64()), ("hi", pa.int64())])
    column = pa.chunked_array([pa.array([None] * before + cells, kind).slice(before), pa.array(cells, kind)])
    found, index = read_cells(column, Form("interval", "int64"))
    expected = number(cells + cells, lambda cell: (cell["lo"] is None, cell["lo"] or 0, cell["hi"] or 0))
    assert (list(found), index.tolist()) == expected


@given(st.lists(sets, max_size=8), st.integers(0, 3))
def test_sets_are_numbered_in_their_order(cells, before):
    kind = pa.list_(pa.string())
    column = pa.chunked_array([pa.array([["z"]] * before + cells, kind).slice(before), pa.array(cells, kind)])
    found, index = read_cells(column, Form("set"))
    assert (list(found), index.tolist()) == number(cells + cells, lambda cell: cell)
