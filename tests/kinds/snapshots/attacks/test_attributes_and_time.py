"""The attacker who knows attributes and time, against a plain one."""

import numpy as np
import pytest
from tests.kinds.snapshots.naive.people import random_snapshots

import sfumato as sf
from sfumato.kinds.snapshots.attacks.attributes_and_time import attack, attack_original


def plain_attack(release, original, window):
    """The largest chance of a value for every original record, person by person."""
    records = release.table.to_pylist()
    values = {}
    for row in release.extra_tables["sensitive"].table.to_pylist():
        values.setdefault((row["snapshot"], row["group"]), {})[row["illness"]] = row["count"]
    found = []
    for person in original.table.to_pylist():
        chances, fits = {}, 0
        for record in records:
            same = record["age"] == person["age"] and record["sex"] == person["sex"]
            if same and 0 <= record["snapshot"] - person["time"] < window:
                fits += 1
                group = values[record["snapshot"], record["group"]]
                for value, count in group.items():
                    chances[value] = chances.get(value, 0) + count / sum(group.values())
        found.append(max(chances.values()) / fits if fits else 0.0)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_attacker_finds_what_a_plain_one_finds(seed):
    data = random_snapshots(60, seed)
    method = sf.methods.Reposition(l=2, window=3)
    result = sf.anonymize(data, method, secret=bytes([seed] * 32), max_suppressed_records=1)
    expected = plain_attack(result.release, data, 3)
    risk = attack(result.release, data)
    assert risk.max_success == pytest.approx(max(expected))
    assert risk.mean_success == pytest.approx(np.mean(expected))
    assert risk.max_success <= 0.5 + 1e-9
    suppressed_records = np.setdiff1d(np.arange(len(data)), result.owner_record.rows)
    assert (attack(result.release, data, result.owner_record.rows).set_sizes[suppressed_records] == 0).all()
    assert attack_original(data, 2)[0].max_success == 1.0
