"""Survey weights of diaries and of columns that are slots."""

from __future__ import annotations

import pyarrow as pa
import pytest

import sfumato as sf


def test_weights_of_slot_columns_count_in_measures_and_are_not_published(tmp_path):
    rows = {"id": list("abcdef"), "weight": ["1.5", "0.5", "1", "1", "0.9", "1.1"]}
    slots = {f"t{n}": ["work", "home", "work", "home", "work", "home"] for n in range(1, 5)}
    data = sf.read(pa.table(rows | slots), "activity", weight="weight", columns={"person": "id"})
    assert data.weights.tolist() == [1.5, 0.5, 1, 1, 0.9, 1.1] and "weight" not in data.table.column_names
    sf.write(sf.anonymize(data, sf.methods.Mc(k=3, aggregate="slot")), tmp_path / "out", reports=False)
    assert "weighted-durations" in [score.name for score in sf.measure(tmp_path / "out", data)]
    assert not any(b"0.9" in file.read_bytes() for file in (tmp_path / "out" / "release").glob("*.csv"))


def test_weights_of_episodes_are_of_people_and_go_with_their_days():
    rows = [("a", 1, 1, 2.0), ("a", 2, 3, 2.0), ("b", 1, 2, 3.0)]
    table = pa.table(
        {
            "person": [row[0] for row in rows],
            "start": [f"2024-01-0{row[1]}T00:00Z" for row in rows],
            "end": [f"2024-01-0{row[2]}T12:00Z" for row in rows],
            "activity": ["sleep", "work", "sleep"],
            "w": [row[3] for row in rows],
        }
    )
    whole = sf.read(table, "activity", weight="w", resolution="hour")
    assert whole.weights.tolist() == [2.0, 3.0]
    days = sf.read(table, "activity", weight="w", resolution="hour", split="day")
    assert [2.0 if who == "a" else 3.0 for who in days.people.to_pylist()] == days.weights.tolist()
    with pytest.raises(sf.SchemaError, match=r"same weight.*row 2"):
        sf.read(table.set_column(4, "w", pa.array([2.0, 1.0, 3.0])), "activity", weight="w", resolution="hour")
