"""How sure somebody can be of sensitive values: read from the published files alone, and named with what would help."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.attacks.inference import find_inferences
from sfumato.checks.classes import Classes
from sfumato.release.decode import decode

SECRET = bytes([3] * 32)


def table(values):
    rows = [(20 + number, value, f"team {number % 3}") for number, value in enumerate(values)]
    names = ("age", "ill", "team")
    return sf.Dataset.of("table", rows, names, sensitive=("ill",), plain=("team",))


def find(remaining, topic, about):
    return next(one for one in remaining if (one.topic, one.about) == (topic, about))


@settings(max_examples=30)
@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=30), st.integers(2, 4))
def test_classes_are_counted_as_the_definition_says(values, k):
    data = table(values)
    release = sf.anonymize(data, sf.methods.Mondrian(k=k), secret=SECRET).release
    found = find(find_inferences(release, {}), "inference", "ill")
    group, ill = Classes.of(decode(release)).group, np.array(release.table.column("ill").to_pylist())
    classes = [ill[group == number].tolist() for number in range(group.max() + 1)]
    shares = [max(map(members.count, members)) / len(members) for members in classes]
    assert found.worst == {"confidence": max(shares)}
    certain = sum(len(members) for members in classes if len(set(members)) == 1)
    assert found.counts == {"people": certain, "of": len(values)}


@pytest.mark.parametrize(("asked", "covered"), [({}, False), ({"l": 2}, True), ({"t": 0.5}, True)])
def test_a_sensitive_column_without_a_promise_is_a_warning_that_names_l(asked, covered):
    data = table("abababababab")
    found = find(
        sf.verify(sf.anonymize(data, sf.methods.Mondrian(k=4, **asked), secret=SECRET).release).remaining,
        "inference",
        "ill",
    )
    assert found.is_warning is not covered
    assert ("The guarantee does not cover it." in found.sentence) is not covered
    assert ("l-diversity (l=2 or more)" in found.hint) is not covered


def test_everybody_in_a_group_with_one_value_is_counted():
    result = sf.anonymize(table("aaaaaabbabab"), sf.methods.Mondrian(k=6), secret=SECRET)
    (alone,) = (one for one in sf.verify(result.release).remaining if one.topic == "inference")
    assert alone.sentence.startswith("6 of 12 people (50 %) match only records with the same value of 'ill'.")
    assert alone.sentence == find(sf.verify(result).remaining, "inference", "ill").sentence


def test_without_the_original_it_says_what_was_not_tested_and_with_it_what_was_found():
    result = sf.anonymize(table("abababababab"), sf.methods.Mondrian(k=4), secret=SECRET)
    alone, beside = sf.verify(result.release).remaining, sf.verify(result).remaining
    assert "was not tested" in find(alone, "uniqueness", "").sentence
    assert "Give the original as well" in find(alone, "uniqueness", "").hint
    assert not [one for one in beside if one.about == ""]
    plain = find(beside, "uniqueness", "plain")
    assert plain.is_warning == bool(plain.counts["people"]) and plain.counts["of"] == 12
    quiet = sf.verify(result, attack=False).remaining
    assert [one.topic for one in quiet] == ["inference"]


def test_rt_names_columns_and_items_that_the_guarantee_does_not_cover():
    rows = [(20, "flu"), (20, "flu"), (60, "flu"), (60, "cold")]
    data = sf.Dataset.of(
        "rt",
        rows,
        ("age", "ill"),
        [["a", "s"], ["a", "s"], ["a"], ["a", "s"]],
        sensitive_items=("s",),
        sensitive=("ill",),
    )
    release = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=SECRET).release
    found = find_inferences(release, {})
    column, items = find(found, "inference", "ill"), find(found, "inference", "items")
    assert (column.counts["people"], items.counts["people"]) == (2, 2)
    assert column.is_warning and items.is_warning
    assert "l-diversity" in column.hint and "l-diversity of items (l=2 or more)" in items.hint


def test_snapshots_are_counted_by_group_and_beside_the_records():
    people = [(1, age, ill) for age, ill in (("30", "flu"), ("40", "cold"), ("50", "flu"), ("50", "cough"))]
    data = sf.Dataset.of("snapshots", people, ("age",), "ill")
    grouped = sf.anonymize(data, sf.methods.Anatomy(l=2), secret=SECRET)
    (found,) = find_inferences(grouped.release, {})
    assert found.worst == {"confidence": 0.5} and not found.is_warning
    beside = sf.anonymize(
        data, sf.methods.Reposition(l=2, window=1, then="none"), max_suppressed_records=1, secret=SECRET
    )
    (found,) = find_inferences(beside.release, {})
    assert found.worst == {"confidence": 1.0} and found.is_warning


def test_what_a_verifier_counted_is_said_of_other_kinds():
    release = sf.anonymize(
        sf.Dataset.of("trajectories", [["a"], ["a"]], {"a": (0, 0)}), sf.methods.SeqAnon(k=2, m=1)
    ).release
    assert not len(find_inferences(release, {"k": 2}))
    (found,) = find_inferences(release, {"share_at_most": "2/3"})
    assert found.sentence.endswith("with up to 66.7 % confidence.")
