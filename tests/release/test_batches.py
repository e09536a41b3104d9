"""A later batch that is nearly one already published would show by subtraction who came or went."""

import hashlib
import json

import numpy as np
import pytest

import sfumato as sf
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import InfeasibleError, SchemaError
from sfumato.plugins import find_method
from sfumato.release.batches import BATCHES_FILE, Batch, PublishedBatches, people_of

XY = {f"p{i}": (float(i % 3), float(i // 3)) for i in range(6)}


def rows_of(people, seed=7):
    rng = np.random.default_rng(seed)
    return [[f"p{j}" for j in rng.integers(0, 6, rng.integers(2, 4))] for _ in range(people)]


def visits(rows, names=None):
    data = sf.Dataset.of("trajectories", rows, XY)
    names = names or [f"id{i}" for i in range(len(rows))]
    return sf.Dataset(data.schema, data.table.set_column(0, "person", [names]), data.places)


ROWS = rows_of(60)


def hash_plainly(key, what, value):
    text = json.dumps([what, value], ensure_ascii=False, default=str).encode()
    return hashlib.blake2b(text, key=key, digest_size=16).hexdigest()


@pytest.mark.parametrize(
    "data, method",
    [
        (visits(rows_of(12)), sf.methods.SeqAnon(k=2, m=1)),
        (sf.Dataset.of("sets", [["a"], ["a", "b"], ["b"], ["a"]]), sf.methods.Disassociation(k=2, m=1)),
        (sf.Dataset.of("table", [(20, "x"), (21, "y"), (20, "x")], ("age", "town")), sf.methods.Mondrian(k=3)),
    ],
    ids=["trajectories", "sets", "table"],
)
def test_marks_are_keyed_hashes_of_records_and_people_as_json(data, method):
    result, key = sf.anonymize(data, method), bytes(range(32))
    names = [f'p{number} "\n\u2028é😀' for number in range(len(result.release))]
    hidden = [column.name for column in result.release.columns if column.role == "identifier"]
    rows = result.release.table.drop_columns(hidden).to_pylist()
    slow = [
        (hash_plainly(key, "record", list(row.values())), hash_plainly(key, "person", name))
        for row, name in zip(rows, names, strict=True)
    ]
    assert list(PublishedBatches(key).mark(result.release, names).marks) == slow


@pytest.fixture
def first(tmp_path):
    sf.write(sf.anonymize(visits(ROWS[:50]), sf.methods.SeqAnon(k=3, m=1)), tmp_path / "first", reports=False)
    return tmp_path / "first"


def publish(path, data, out, **options):
    return sf.write(sf.apply(path, data), path.parent / out, reports=False, **options)


@pytest.mark.parametrize("newcomers", [1, 2])
def test_a_batch_with_one_newcomer_is_refused(first, newcomers):
    with pytest.raises(InfeasibleError, match=f"batch 1 of 1 .* {newcomers} new record.* of {newcomers} p.*and k=3"):
        sf.apply(first, visits(ROWS[: 50 + newcomers]))


def test_order_and_new_names_hide_no_newcomer(first):
    rows = ROWS[:51][::-1]
    with pytest.raises(InfeasibleError, match="1 new record of 1 person"):
        sf.apply(first, visits(rows, [f"other{i}" for i in range(51)]))


def test_a_batch_without_one_person_is_refused(first):
    with pytest.raises(InfeasibleError, match="1 missing record of 1 person"):
        sf.apply(first, visits(ROWS[1:50], [f"id{i}" for i in range(1, 50)]))


def test_a_newcomer_is_not_hidden_by_somebody_who_left(first):
    with pytest.raises(InfeasibleError, match="and k=3"):
        sf.apply(first, visits(ROWS[1:51]))


def test_enough_newcomers_and_the_same_batch_are_published(first):
    assert publish(first, visits(ROWS[:50]), "same")
    assert publish(first, visits(ROWS[:53]), "more")


def test_another_batch_of_other_data_is_published(first):
    assert publish(first, visits(rows_of(40, 99)), "other")


def test_batches_are_known_wherever_the_recoding_is_taken_from(first):
    publish(first, visits(ROWS[:53]), "second")
    publish(first, visits(ROWS[:57]), "third")
    for path in (first, first.parent / "second", first.parent / "third"):
        for count in (52, 54, 56, 58):
            with pytest.raises(InfeasibleError, match="apply: the batch differs from published batch"):
                sf.apply(path, visits(ROWS[:count]))
        assert sf.apply(path, visits(ROWS[:60]))


def test_a_result_that_waited_is_checked_again_when_written(first):
    waiting = sf.apply(first, visits(ROWS[:54]))
    publish(first, visits(ROWS[:53]), "second")
    with pytest.raises(InfeasibleError, match="batch 2 of 2"):
        sf.write(waiting, first.parent / "late")
    assert not (first.parent / "late").exists()


def test_several_records_of_one_newcomer_are_one_person(first, tmp_path):
    day = RecordUnit("day", "days", "person")
    names = [f"id{i // 2}" for i in range(60)]
    sf.write(
        sf.anonymize(visits(ROWS[:50]).of_people(names[:50], day), sf.methods.SeqAnon(k=3, m=1)),
        tmp_path / "days",
        reports=False,
    )
    with pytest.raises(InfeasibleError, match="4 new records of 2 people"):
        sf.apply(tmp_path / "days", visits(ROWS[:54]).of_people(names[:54], day))


def test_the_list_holds_no_name_and_no_place(first):
    text = (first / "owner" / BATCHES_FILE).read_text()
    assert not any(word in text for word in ("id1", "p1|", '"p1"'))
    assert (first / "owner" / BATCHES_FILE).stat().st_mode & 0o077 == 0
    assert BATCHES_FILE not in {path.name for path in (first / "release").iterdir()}


def test_a_release_made_before_there_was_a_list_is_compared_too(first):
    (first / "owner" / BATCHES_FILE).unlink()
    with pytest.raises(InfeasibleError, match="1 new record of 1 person"):
        sf.apply(first, visits(ROWS[:51]))
    assert not (first / "owner" / BATCHES_FILE).exists()
    publish(first, visits(ROWS[:53]), "second")
    assert len(json.loads((first / "owner" / BATCHES_FILE).read_text())["batches"]) == 2


def test_a_damaged_list_is_no_empty_list(first):
    (first / "owner" / BATCHES_FILE).write_text("{}")
    with pytest.raises(SchemaError, match="not a list of published batches"):
        sf.apply(first, visits(ROWS[:50]))


def test_equal_records_of_others_are_subtracted_one_by_one():
    assert Batch((("r", "a"), ("r", "b"), ("r", "c"))).new_to(Batch((("r", "a"), ("r", "x")))) == (("r", "c"),)


def test_people_whom_nothing_names_are_known_by_their_records():
    data = sf.Dataset.of("table", [(30, "f"), (40, "m"), (30, "f")], ("age", "sex"))
    result = sf.anonymize(data, find_method("mondrian")(k=3), secret=bytes([1] * 32))
    names = people_of(result)
    assert sorted(names) == ['1 ["30", "f"]', '1 ["40", "m"]', '2 ["30", "f"]']
    owned = sf.anonymize(data.of_people(["ann", "bob", "ann"]), find_method("mondrian")(k=3), secret=bytes([1] * 32))
    assert sorted(people_of(owned)) == ["ann", "ann", "bob"]


def test_people_without_names_are_told_apart_where_their_records_are_equal():
    rows = [(30, "f"), (30, "f"), (40, "m"), (40, "m")]
    result = sf.anonymize(sf.Dataset.of("table", rows, ("age", "sex")), sf.methods.Mondrian(k=2))
    assert len(set(people_of(result))) == 4
    fewer = sf.anonymize(sf.Dataset.of("table", rows[1:], ("age", "sex")), sf.methods.Mondrian(k=2))
    assert len(set(people_of(result)) - set(people_of(fewer))) == 1
