"""People are counted where they are observed, also where one has several records."""

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.examples import GAP, by_hour, gappy_days, name_gap
from tests.kinds.activity.naive.attack import class_members
from tests.kinds.activity.naive.promise import hidden_intervals
from tests.kinds.activity.naive.releases import publish

import sfumato as sf
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.activity.guarantees import ClassAnonymity
from sfumato.verification.people import find_smallest_group


def test_people_are_counted_where_they_are_observed():
    """Two days of one person and one of another: at the second hour only one person is observed."""
    rows = [["home", "home"], ["home", "home"], ["home", GAP], ["home", "home"]]
    data = by_hour(rows).of_people(["ann", "ann", "bob", "eve"])
    release, owner = publish(data, [[0, 1, 2, 3]], guarantee=ClassAnonymity(2, 1, slots=2, gap=GAP))
    assert find_smallest_group(release, data, owner) == (2, 3)
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="slot"), secret=bytes(32), protect="people")
    shares = {(row["interval"].hour, row["activity"]): row["share"] for row in result.release.table.to_pylist()}
    assert shares == {(0, "home"): 1.0, (1, GAP): 1.0}


@settings(max_examples=40)
@given(gappy_days(), st.data(), st.integers(1, 3))
def test_as_many_people_as_promised_are_observed(rows, choices, slot):
    names = choices.draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    data = by_hour(rows, ()).of_people(names)
    try:
        result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate=f"{slot}h"), secret=bytes(32), protect="people")
    except InfeasibleError:
        return
    gap = name_gap(rows)
    hidden = hidden_intervals(result.release, gap)
    for label, members in class_members(result.release, result.owner_record.rows).items():
        for at in range(len(rows[0])):
            if (label, at // slot) not in hidden:
                assert len({names[row] for row in members if rows[row][at] != gap}) >= 2
