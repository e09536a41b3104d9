"""How much a release may withhold: one rule for every kind and every method."""

import pytest

import sfumato as sf
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.release.suppression import exceeds

# Two people whose places nobody shares, among eighteen who share theirs.
PLACES = {name: (float(i), 0.0) for i, name in enumerate("abcdef")}
TRIPS = [["a", "b"]] * 18 + [["c", "d"], ["e", "f"]]
METHOD = sf.methods.SeqAnon(k=5, m=2, infeasible="suppress")


def cases():
    people = sf.Dataset.of("activity", [["home", "work"]] * 3 + [["home", "away"]] * 3)
    snapshots = [(1, str(i), "flu" if i < 9 else "cold") for i in range(12)]
    yield sf.Dataset.of("trajectories", TRIPS, PLACES), METHOD
    yield sf.Dataset.of("snapshots", snapshots, ("age",), "ill"), sf.methods.Reposition(l=2)
    yield sf.Dataset.of("snapshots", snapshots, ("age",), "ill"), sf.methods.Anatomy(l=2, infeasible="suppress")
    yield sf.Dataset.of("timeline", [{"a": 5}, {"a": 1, "b": 4}], sensitive=("a",)), sf.methods.Odesa(delta="1/10")
    yield people, sf.methods.Mc(k=2, aggregate="1")


@pytest.mark.parametrize(("data", "method"), list(cases()), ids=lambda value: getattr(value, "name", ""))
def test_a_release_that_withholds_more_than_its_share_is_refused_with_the_reasons(data, method):
    release = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1).release
    suppressed_records = sum(release.suppressed_records.values())
    share = suppressed_records / len(data)
    assert (
        sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=share).release.suppressed_records
        == release.suppressed_records
    )
    if not suppressed_records:
        assert sf.anonymize(data, method, max_suppressed_records=0)
        return
    with pytest.raises(InfeasibleError) as refused:
        sf.anonymize(data, method, max_suppressed_records=share - 0.001)
    said = str(refused.value)
    assert f"{suppressed_records:,} of {len(data):,} records are suppressed" in said
    assert all(f"{reason}: {count:,}" in said for reason, count in release.suppressed_records.items())
    assert refused.value.option == "max_suppressed_records"


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), "0.1", True, None])
def test_only_shares_are_taken(wrong):
    with pytest.raises(ParameterError, match="max_suppressed_records= must be a share between 0 and 1"):
        sf.anonymize(sf.Dataset.of("trajectories", TRIPS, PLACES), METHOD, max_suppressed_records=wrong)


def test_a_share_is_taken_as_it_is_written():
    assert all(not exceeds(n, 100, n / 100) for n in range(101))
    assert all(exceeds(n + 1, 100, n / 100) for n in range(100))


def test_a_later_batch_keeps_the_rule(tmp_path):
    shared = sf.Dataset.of("trajectories", [["a", "b"]] * 20, PLACES)
    sf.write(sf.anonymize(shared, sf.methods.SeqAnon(k=2, m=2)), tmp_path / "out", reports=False)
    batch = sf.Dataset.of("trajectories", [["a", "b"]] * 9 + [["c"]], PLACES)
    with pytest.raises(InfeasibleError, match="1 of 10 records are suppressed"):
        sf.apply(tmp_path / "out", batch, unknown="suppress")
    assert len(sf.apply(tmp_path / "out", batch, unknown="suppress", max_suppressed_records=0.1).release) == 9
