"""An original whose records are in another order is known again, whatever kind it is of."""

import dataclasses
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS, required_parameters

import sfumato as sf
from sfumato import plugins
from sfumato.api import calls
from sfumato.data.fingerprint import describe_original, digest_records, match_records
from sfumato.release.owner import find_rows

RNG = np.random.default_rng(8)
ROWS = [[f"p{i}" for i in RNG.integers(0, 6, RNG.integers(2, 5))] for _ in range(36)]
METHODS = [list(plugins.methods_for(kind).values())[-1] for kind, made in KINDS.items() if made.shuffled]


def shuffle(data: sf.Dataset, seed: int = 3) -> sf.Dataset:
    """The same records as they would be read from a file with its lines in another order."""
    order = np.random.default_rng(seed).permutation(len(data))
    time = next((c.name for c in data.schema.columns if c.role == "time"), None)
    if time is not None and not pa.types.is_list(data.table.schema.field(time).type):
        order = order[np.argsort(data.table.column(time).to_numpy()[order], kind="stable")]
    table = data.table.take(pa.array(order))
    for column in data.schema.columns:
        if column.role == "identifier":
            table = table.set_column(table.column_names.index(column.name), column.name, data.table[column.name])
    people = None if data.people is None else data.people.take(pa.array(order))
    return dataclasses.replace(data, table=table, people=people)


@pytest.fixture(scope="module", params=METHODS, ids=lambda method: method.kinds[0])
def published(request, tmp_path_factory):
    method = request.param
    data = KINDS[method.kinds[0]].build(ROWS, method)
    out = tmp_path_factory.mktemp("order") / "out"
    result = sf.anonymize(data, method(**required_parameters(method)), secret=bytes([1] * 32), max_suppressed_records=1)
    sf.write(result, out, reports=False)
    return data, out


def test_the_same_records_in_another_order_are_verified(published):
    data, out = published
    other = shuffle(data)
    verdict = sf.verify(out, other)
    assert verdict.outcome == "holds", verdict.counterexample
    assert "another order" in verdict.measured["original"]
    assert "original" not in sf.verify(out, data).measured
    before, after = calls.attack(out, data), calls.attack(out, other)
    assert after.smallest_anonymity_set == before.smallest_anonymity_set
    assert after.mean_success == pytest.approx(before.mean_success)


def test_other_records_are_still_another_original(published):
    data, out = published
    rows = np.arange(len(data))
    rows[0] = next(row for row in rows if digest_records(data)[row] != digest_records(data)[0])
    other = dataclasses.replace(data, table=data.table.take(pa.array(rows)))
    assert not find_rows(out, other)[1]
    verdict = sf.verify(out, other)
    assert "original" not in verdict.measured
    assert verdict.outcome == "unsettled"
    assert "made from other records" in verdict.unsettled[-1]


def test_another_original_is_told_also_where_the_release_fits_it(tmp_path):
    """Somebody is a year older in the file at hand, which the published ranges cannot tell."""
    ages = [(20,), (21,), (23,), (40,), (41,), (44,)]
    result = sf.anonymize(sf.Dataset.of("table", ages, ("age",)), sf.methods.Mondrian(k=3), secret=bytes(32))
    sf.write(result, tmp_path / "out", reports=False)
    other = sf.Dataset.of("table", [(20,), (22,), *ages[2:]], ("age",))
    for source in (tmp_path / "out", result):
        verdict = sf.verify(source, other)
        said = str(verdict.unsettled)
        assert verdict.outcome == "unsettled"
        assert "though nothing published contradicts it" in said
        assert "rows in another order" not in said


def test_the_same_times_in_another_unit_are_another_original_and_not_a_broken_promise(tmp_path):
    text = "person,time,event\n" + "".join(f"p{at},{{0}},{'ab'[at % 2]}\n" for at in range(12))
    (tmp_path / "dated.csv").write_text(text.format("2024-01-01T09:30:05Z"))
    (tmp_path / "numbers.csv").write_text(text.format(1704101405))
    dated, numbers = (sf.read(tmp_path / name, "sequences", monitored=("a",)) for name in ("dated.csv", "numbers.csv"))
    result = sf.anonymize(dated, sf.methods.Hl(k=3))
    sf.write(result, tmp_path / "out", reports=False)
    assert sf.verify(tmp_path / "out", dated).outcome == "holds"
    for source in (tmp_path / "out", result):
        verdict = sf.verify(source, numbers)
        assert verdict.outcome == "unsettled" and "the two do not fit" in verdict.unsettled[-1]


def test_releases_from_before_digests_were_kept_are_read_as_ever(published, tmp_path):
    import shutil

    data, out = published
    shutil.copytree(out, tmp_path / "out")
    path = tmp_path / "out" / "owner" / "trace.json"
    kept = json.loads(path.read_text())
    del kept["original"]
    path.write_text(json.dumps(kept))
    assert sf.verify(tmp_path / "out", data).outcome == "holds"
    assert not find_rows(tmp_path / "out", shuffle(data))[1]


def test_whose_a_record_is_belongs_to_it():
    data = sf.Dataset.of("sets", [["a"], ["a"]])
    alone = digest_records(data)
    owned = digest_records(data.of_people(["ann", "bob"]))
    assert alone[0] == alone[1]
    assert owned[0] != owned[1]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=1, max_size=8), st.randoms())
def test_equal_records_and_only_those_have_equal_digests(rows, random):
    data = sf.Dataset.of("trajectories", rows)
    digests = digest_records(data)
    for one in range(len(rows)):
        for other in range(len(rows)):
            assert (digests[one] == digests[other]) == (rows[one] == rows[other])
    order = list(range(len(rows)))
    random.shuffle(order)
    there, here = (describe_original(each, data.time_unit) for each in (digests, digests[order]))
    assert there["in_any_order"] == here["in_any_order"]
    found = match_records(digests, digests[order])
    assert sorted(found) == sorted(order)
    assert [rows[order[at]] for at in found] == rows
