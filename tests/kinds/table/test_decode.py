"""The different cells of published columns, beside cells that are looked at one by one."""

import dataclasses
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.kinds.table import decode, knowledge
from sfumato.kinds.table.attacks import attributes, homogeneity, more_known
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.decode import read_cells
from sfumato.kinds.table.verify import k_anonymity
from sfumato.kinds.table.verify.faithful import verify_faithful
from sfumato.metrics.comparison import Comparison
from sfumato.release.text import ValueFormat

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
    found, index = read_cells(column, ValueFormat("interval", "int64"))
    expected = number(cells + cells, lambda cell: (cell["lo"] is None, cell["lo"] or 0, cell["hi"] or 0))
    assert (list(found), index.tolist()) == expected


@given(st.lists(sets, max_size=8), st.integers(0, 3))
def test_sets_are_numbered_in_their_order(cells, before):
    kind = pa.list_(pa.string())
    column = pa.chunked_array([pa.array([["z"]] * before + cells, kind).slice(before), pa.array(cells, kind)])
    found, index = read_cells(column, ValueFormat("set"))
    assert (list(found), index.tolist()) == number(cells + cells, lambda cell: cell)


def test_what_is_published_is_read_once_and_people_are_looked_for_once():
    """By all verifiers, attackers and measures together, however many ask."""
    people = [(20 + at % 7, "fm"[at % 2], "abc"[at % 3]) for at in range(30)]
    data = sf.Dataset.of("table", people, ("age", "sex", "ill"), sensitive=("ill",))
    result = sf.anonymize(data, sf.methods.Mondrian(k=3), secret=bytes(32))
    release, rows = result.release, result.owner_record.rows
    with (
        patch.object(decode, "read_cells", wraps=decode.read_cells) as read,
        patch.object(knowledge, "_match", wraps=knowledge._match) as match,
    ):
        assert k_anonymity.verify(release).holds
        assert k_anonymity.verify_against(release, data, rows).holds
        assert verify_faithful(release, data, rows).holds
        for attacker in (attributes, homogeneity, more_known):
            attacker.attack(release, data, rows)
        Comparison(data, release, rows).view(TableComparison).average(np.zeros(30))
        assert (read.call_count, match.call_count) == (2, 1)
        k_anonymity.verify_against(release, sf.Dataset.of("table", people, ("age", "sex", "ill")), rows)
        k_anonymity.verify(dataclasses.replace(release))
        assert (read.call_count, match.call_count) == (4, 2)
