"""The rows of a file in any order: the same release, byte for byte, and the same original to whoever verifies it.

Rows have few moments, so that people do several things at the same one.
"""

import random
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.notes import find_note, find_notes

import sfumato as sf
from sfumato.engines.local import Local
from sfumato.engines.verify import verify_file
from sfumato.readers.partitioned import buckets
from sfumato.readers.visits import arrange_moments

SECRET = bytes([5] * 32)
PEOPLE = [f"p{number}" for number in range(9, 17)]
"""Whose order by name is not that by number."""


def visits(drawn):
    rows = [row[:3] for row in drawn] + [(who, 0, what) for who in PEOPLE for what in "ab"]
    return ["person", "time", "place", "x", "y"], [(*row, "zyxab".index(row[2]), 0) for row in rows]


def events(drawn):
    return ["person", "time", "event"], [row[:3] for row in drawn] + [(who, 1, what) for who in PEOPLE for what in "ab"]


def episodes(drawn):
    rows = [(who, when, when + 1 + more, what) for who, when, what, more in drawn]
    return ["person", "start", "end", "activity"], [*rows, *((who, 0, 5, "a") for who in PEOPLE)]


def sales(drawn):
    return ["time", "event", "count"], [(when, what, more) for _, when, what, more in drawn] + [
        (0, "a", 1),
        (1, "b", 2),
    ]


def cases(drawn):
    rows = [(when, more, what) for _, when, what, more in drawn]
    return ["time", "age", "illness"], [*rows, *((when, 3, what) for when in range(4) for what in "ab")]


def baskets(drawn):
    return ["person", "item"], [(who, what) for who, _, what, _ in drawn] + [(who, "a") for who in PEOPLE]


KINDS = {
    "trajectories": (visits, sf.methods.SeqAnon(k=2, m=2, infeasible="suppress"), {}),
    "sequences": (events, sf.methods.Hl(k=2), {"monitored": ("a",)}),
    "activity": (episodes, sf.methods.Mc(k=2), {"faults": "mend", "resolution": "hour"}),
    "timeline": (sales, sf.methods.Essa(delta="2/3"), {"sensitive": ("a",)}),
    "snapshots": (cases, sf.methods.Reposition(l=2), {"columns": {"qi": "age"}, "sensitive": ("illness",)}),
    "sets": (baskets, sf.methods.Apriori(k=2, m=1), {"hierarchies": {"item": "fanout:2"}}),
}
IN_PARTITIONS = {name: case for name, case in KINDS.items() if name not in {"timeline", "snapshots"}}

rows_of_people = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.integers(0, 3), st.sampled_from("zyxab"), st.integers(0, 2)), max_size=40
)


def save(columns, rows, path):
    pa_csv.write_csv(pa.table([[str(cell) for cell in column] for column in zip(*rows, strict=True)], columns), path)
    return path


def save_both(make, drawn, seed, folder):
    """Save the rows as they were drawn, and in another order."""
    columns, rows = make(drawn)
    mixed = random.Random(seed).sample(rows, len(rows))
    for name in ("one", "other"):
        (folder / name).mkdir()
    return save(columns, rows, folder / "one" / "data.csv"), save(columns, mixed, folder / "other" / "data.csv")


def files(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10)
@given(rows_of_people, st.integers(0, 99))
def test_a_release_is_that_of_its_rows_in_any_order(kind, drawn, seed):
    make, method, options = KINDS[kind]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = save_both(make, drawn, seed, folder)
        for path in paths:
            data = sf.read(path, kind, **options)
            result = sf.anonymize(data, method, secret=SECRET, max_suppressed_records=1)
            sf.write(result, path.parent / "out", reports=False)
        one, other = (path.parent / "out" for path in paths)
        assert files(one / "release") == files(other / "release")
        verdict = sf.verify(one, data)
        assert verdict, (verdict, verdict.counterexample)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("kind", IN_PARTITIONS)
@settings(max_examples=5)
@given(rows_of_people, st.integers(0, 99))
def test_so_is_a_release_in_partitions_read_in_bounded_memory(kind, drawn, seed):
    make, method, options = KINDS[kind]
    shared = {"partition_size": 4, "secret": SECRET, "max_suppressed_records": 1, "engine": Local(1)}
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "_SIZE", 100)
        patch.setattr(buckets, "_MOST", 3)
        folder = Path(name)
        paths = save_both(make, drawn, seed, folder)
        made = [
            sf.publish_in_partitions(path, method, path.parent / "out", kind=kind, reading=options, **shared)
            for path in paths
        ]
        whole = sf.read(paths[1], kind, **options)
        held = sf.publish_in_partitions(whole, method, folder / "held", **shared)
        assert [each.read_whole for each in made] == ["", ""]
        assert made[0].original.notes == made[1].original.notes == held.original.notes
        one, other = (path.parent / "out" for path in paths)
        assert files(one / "release") == files(other / "release") == files(folder / "held" / "release")
        assert sf.verify(one, whole)
        assert verify_file(one, paths[1], engine=Local(1))


def naive_arrange(record, time, value, labels):
    """Sort plain tuples, and keep the first of equals."""
    seen, kept = set(), []
    for row in sorted(range(len(record)), key=lambda row: (record[row], time[row], labels[value[row]], row)):
        key = record[row], time[row], value[row]
        kept += [] if key in seen else [row]
        seen.add(key)
    moments = [(record[row], time[row]) for row in kept]
    return kept, sum(moments.count(moment) > 1 for moment in moments)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), max_size=30))
def test_moments_are_arranged_as_by_sorting_plain_rows(rows):
    record, time, value = (np.array(column, np.int64) for column in (zip(*rows, strict=True) if rows else ([],) * 3))
    labels = ["é", "b", "a", "aa", "Z"]
    found = arrange_moments(record.astype(np.int32), time, value.astype(np.int32), labels)
    assert (found.rows.tolist(), found.sharing) == naive_arrange(record.tolist(), time.tolist(), value.tolist(), labels)


def test_notes_say_how_many_rows_times_cannot_order():
    rows = pa.table({"person": ["ann"] * 4, "time": ["1", "1", "2", "2"], "place": ["b", "a", "c", "c"]})
    found = sf.read(rows, "trajectories")
    assert find_note(found.notes, "shared-timestamps").counts == {"rows": 2}
    assert found.history().lists() == [["a", "b", "c"]]
    found = sf.read(rows.rename_columns(["person", "time", "event"]), "sequences", monitored=("a",))
    assert find_note(found.notes, "shared-timestamps").counts == {"rows": 2}
    alone = sf.read(rows.slice(1, 2), "trajectories")
    assert not find_notes(alone.notes, "shared-timestamps")


def test_of_episodes_that_begin_and_end_together_names_decide():
    rows = pa.table({"person": ["ann"] * 2, "start": ["0", "0"], "end": ["2", "2"], "activity": ["work", "sleep"]})
    for table in (rows, rows.take(pa.array([1, 0]))):
        found = sf.read(table, "activity", faults="mend")
        assert found.history().lists() == [["work", "work"]]
        assert find_note(found.notes, "equal-episodes").counts == {"episodes": 1}


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_without_times_rows_in_another_order_cannot_be_compared(tmp_path):
    """The order tells what came after what; nobody is told that the release is broken."""
    rows = pa.table({"person": ["ann", "ann", "bob", "bob"], "place": list("abab")})
    data = sf.read(rows, "trajectories", hierarchies={"place": "fanout:2"})
    assert find_note(data.notes, "no-time-column")
    method = sf.methods.LocalKm(k=2, m=1, labels="hierarchy", infeasible="suppress")
    sf.write(sf.anonymize(data, method, secret=SECRET), tmp_path / "out", reports=False)
    other = sf.read(rows.take(pa.array([1, 0, 2, 3])), "trajectories", hierarchies={"place": "fanout:2"})
    verdict = sf.verify(tmp_path / "out", other)
    assert verdict.outcome == "unsettled"
    assert "the order of its rows" in verdict.unsettled[0]
    assert sf.verify(tmp_path / "out", data)
