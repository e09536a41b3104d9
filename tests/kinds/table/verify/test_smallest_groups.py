"""Where people have several records, the people of every class can be counted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.naive import promise
from tests.kinds.table.releases import drawn

import sfumato as sf
from sfumato.data.record_unit import RecordUnit
from sfumato.kinds.table.decode import quasi_columns
from sfumato.verification.people import find_smallest_group


@given(drawn(), st.data())
def test_the_fewest_people_of_a_class(made, source):
    data, result = made
    whose = source.draw(st.lists(st.sampled_from(["ann", "bob", "cem"]), min_size=len(data), max_size=len(data)))
    owned = data.of_people(whose)
    quasi = [column.name for column in quasi_columns(result.release)]
    rows = [
        {**record, "whose": whose[row]}
        for record, row in zip(result.release.table.to_pylist(), result.owner_record.rows, strict=True)
    ]
    smallest = min(len({row["whose"] for row in group}) for group in promise.classes(rows, quasi))
    assert find_smallest_group(result.release, owned, result.owner_record.rows).people == smallest


def test_people_are_counted_where_that_is_asked_for(tmp_path):
    rng = np.random.default_rng(2)
    rows = [(int(age),) for age in rng.integers(20, 60, 60)]
    stays = sf.Dataset.of("table", rows, ("age",)).of_people(
        [f"p{i // 3}" for i in range(60)], RecordUnit("stay", "stays", "patient")
    )
    result = sf.anonymize(stays, sf.methods.Mondrian(k=3), secret=bytes([1] * 32), protect="people")
    sf.write(result, tmp_path / "out", reports=False)
    assert sf.verify(tmp_path / "out").outcome == "unsettled"
    verdict = sf.verify(tmp_path / "out", stays)
    assert verdict.outcome == "holds" and verdict.measured["fewest_people"] >= 3
