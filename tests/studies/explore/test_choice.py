"""The front of risk and loss, and what is chosen on it."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from sfumato.studies.explore.choice import Choice, Tried, choose_three, find_front, format_policy
from sfumato.studies.trials import Trial, TrialResult

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SHARES = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0])
POINTS = st.lists(st.builds(lambda risk, loss: Tried(Trial("m", {}), TrialResult("done"), risk, loss), SHARES, SHARES))


def beats(one: Tried, other: Tried) -> bool:
    return one.risk <= other.risk and one.loss <= other.loss and (one.risk, one.loss) != (other.risk, other.loss)


@given(POINTS)
def test_nothing_on_the_front_is_beaten_and_everything_else_is_beaten_or_equalled(points):
    front = find_front(points)
    values = {(point.risk, point.loss) for point in front}
    for point in points:
        beaten = any(beats(other, point) for other in points)
        assert ((point.risk, point.loss) in values) == (not beaten)


@given(POINTS)
def test_choices_lie_on_the_front_and_differ(points):
    choices = choose_three(points)
    front = find_front(points)
    assert len(choices) <= min(3, len(front)) and (len(choices) > 0) == (len(points) > 0)
    for choice in choices:
        assert not any(beats(other, choice.tried) for other in points)
    assert len({(choice.tried.risk, choice.tried.loss) for choice in choices}) == len(choices)
    if choices:
        by_role = {choice.role: choice.tried for choice in choices}
        assert by_role.get("safest", by_role["balanced"]).risk == min(point.risk for point in points)
        assert by_role.get("most useful", choices[-1].tried).loss == min(point.loss for point in points)


@given(
    st.dictionaries(
        st.sampled_from(["columns", "split", "drop", "unit"]),
        st.one_of(
            TEXT,
            st.integers(-5, 5),
            st.booleans(),
            st.lists(TEXT, max_size=3),
            st.dictionaries(TEXT, TEXT, max_size=3),
        ),
    )
)
def test_policies_say_what_they_were_given_whatever_it_is(read_options):
    point = Tried(Trial("seqanon", {"k": 5, "m": 2, "apriori": True, "l": None}), TrialResult("done"), 0.1, 0.2)
    policy = format_policy(Choice("balanced", point, "a reason\nin two lines"), {"path": "a.csv", **read_options}, 0.05)
    read = tomllib.loads(policy)
    assert read["data"] == {"path": "a.csv", **read_options}
    assert read["method"] == {"name": "seqanon", "k": 5, "m": 2, "apriori": True}
