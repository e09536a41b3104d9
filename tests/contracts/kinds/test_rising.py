"""Attackers who know ever more, on the data as they stand and on releases, for every kind of data."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.contracts.kinds.test_contract import ordinary_rows

import sfumato as sf
from sfumato import plugins
from sfumato.attacks.risk import Risk
from sfumato.kinds.activity.attacks import known_slots
from sfumato.kinds.sequences.knowledge.class_matches import build_knowledge
from sfumato.kinds.sequences.knowledge.parts import narrow_people

FIRST = {kind: sorted(plugins.methods_for(kind))[-1] for kind in KINDS}
SECRET = bytes([1] * 32)


def release_of(kind, tmp_path):
    method = plugins.methods_for(kind)[FIRST[kind]]
    data = KINDS[kind].build(ordinary_rows(), method)
    result = sf.anonymize(data, method(**required_parameters(method)), secret=SECRET, max_suppressed_records=1)
    sf.write(result, tmp_path / "out", reports=False)
    return data


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_whoever_knows_more_finds_no_fewer(kind, tmp_path):
    data = release_of(kind, tmp_path)
    found = sf.attack_rising(tmp_path / "out", data, 3)
    for risks in found.values():
        assert len(risks) >= 2 or kind in {"snapshots"}
        for less, more in itertools.pairwise(risks):
            if isinstance(less, Risk):
                assert (more.set_sizes <= less.set_sizes).all() or kind == "sequences"
                assert more.to_dict()["set_sizes"].keys() >= {"1", "2-4", "5-9", "10-99", "100+"}
            else:
                assert more.largest >= less.largest


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_inspect_shows_the_whole_curve(kind):
    method = plugins.methods_for(kind)[FIRST[kind]]
    found = sf.inspect(KINDS[kind].build(ordinary_rows(), method), 2)
    assert found["risk"]
    for risk in found["risk"]:
        if "set_sizes" in risk:
            assert sum(risk["set_sizes"].values()) == pytest.approx(1, abs=1e-3)
            assert risk["set_sizes"]["1"] == pytest.approx(risk["unique_share"], abs=1e-3)
            quantiles = list(risk["set_size_quantiles"].values())
            assert quantiles == sorted(quantiles)
    assert len(found["in_words"]) == sum("set_sizes" in risk for risk in found["risk"])


@pytest.mark.parametrize("kind", ["trajectories", "sets", "rt"])
def test_the_last_step_is_the_attack_that_the_promise_is_about(kind, tmp_path):
    data = release_of(kind, tmp_path)
    m = sf.attack(tmp_path / "out", data).m
    last = sf.attack_rising(tmp_path / "out", data, m)["after"][-1]
    assert last.set_sizes.tolist() == sf.attack(tmp_path / "out", data).set_sizes.tolist()


@pytest.mark.parametrize("kind", ["table", "snapshots", "sequences", "activity"])
def test_the_last_step_knows_everything(kind, tmp_path):
    data = release_of(kind, tmp_path)
    last = sf.attack_rising(tmp_path / "out", data, 1)["after"][-1]
    assert last.set_sizes.tolist() == sf.attack(tmp_path / "out", data).set_sizes.tolist()


EVENTS = st.lists(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), max_size=5, unique=True), min_size=1, max_size=7
)


@given(EVENTS, st.integers(1, 3))
def test_events_known_one_by_one_leave_as_many_people_as_counted_by_hand(rows, m):
    data = sf.Dataset.of("sequences", [sorted(row, key=lambda e: e[1]) for row in rows])
    found = narrow_people(build_knowledge(data, ["a", "b"]), np.arange(len(rows)), m)
    for person, row in enumerate(rows):
        left = list(range(len(rows)))
        for step in range(m):
            if row:
                left = min(
                    ([other for other in left if pair in rows[other]] for pair in row),
                    key=len,
                )
            least = min((sum(pair in rows[other] for other in range(len(rows))) for pair in row), default=len(rows))
            # Ties are broken in another order here: the first step is the same, and later ones never leave more.
            assert found[step][person] == least if step == 0 else found[step][person] <= found[step - 1][person]
            assert found[step][person] >= 1


def test_people_who_are_drawn_have_the_sets_they_have_among_everybody(monkeypatch):
    rng = np.random.default_rng(3)
    data = sf.Dataset.of("activity", [[str(slot) for slot in row] for row in rng.integers(0, 3, (80, 6))])
    whole = known_slots.attack_original(data, 2)
    monkeypatch.setattr(known_slots, "_CELLS", 10)
    monkeypatch.setattr(known_slots, "_PEOPLE", 20)
    drawn = known_slots.attack_original(data, 2)
    people = known_slots.draw_people(80, 20, 0)
    assert whole[-1].set_sizes.tolist() == drawn[-1].set_sizes.tolist()
    for all_of_them, some in zip(whole[:-1], drawn[:-1], strict=True):
        assert some.set_sizes.tolist() == all_of_them.set_sizes[people].tolist()
        assert some.measured == 20 and "measured on 20 of 80 people" in some.sampling


def test_a_table_known_by_some_columns_is_counted_by_hand(tmp_path):
    rows = [(20, "f"), (20, "f"), (29, "m"), (70, "m"), (79, "m"), (79, "f")]
    data = sf.Dataset.of("table", rows, ("age", "sex"))
    result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=SECRET)
    sf.write(result, tmp_path / "out", reports=False)
    one = sf.attack_rising(tmp_path / "out", data, 1)["before"][0]
    by_hand = [
        min(sum(other[0] == row[0] for other in rows), sum(other[1] == row[1] for other in rows)) for row in rows
    ]
    assert one.set_sizes.tolist() == by_hand
