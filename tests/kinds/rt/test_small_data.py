"""Four to eight people, everything drawn: a release is verified by all who can, or an error says why there is none."""

from __future__ import annotations

import dataclasses
import datetime
import random
import re

import pytest
from tests.kinds.rt.drawing import RELATIONAL, TRANSACTION
from tests.kinds.rt.naive.anonymity import largest_share, smallest_group

import sfumato as sf
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.hierarchies.derive import balanced
from sfumato.kinds.rt.methods._base.combined import Combined
from sfumato.kinds.rt.methods.bounded import Bounded, RumBound, TumBound
from sfumato.kinds.rt.methods.lexicographic import RFirst, TFirst
from sfumato.kinds.rt.metrics.ncp import Ncp
from sfumato.kinds.rt.metrics.utility_loss import UtilityLoss
from sfumato.kinds.rt.verify.faithful import verify_faithful
from sfumato.kinds.rt.verify.kkm_anonymity import verify, verify_against
from sfumato.metrics.comparison import Comparison
from sfumato.verification.order import verify_order

ITEMS, CITIES = "abcde", ("x", "y", "z")
BORN = datetime.date(2000, 2, 27)
TOO_FEW = re.compile(r"only (\d) records have an item that can be known; at least k=(\d) are needed\. ")
TOO_OFTEN = re.compile(r"is in (\d) of (\d) (records.*), more than 1 in l=(\d)\. (?:Choose l=(\d) or less|No l of 2)")
TOO_MUCH = re.compile(r"reaches ([\d.]+) at best; delta=([\d.]+) is required\. ")
NO_DISTANCE = re.compile(r"Mdav: (quasi-identifiers must be numbers or dates|.* empty cells)")


def draw_data(draw: random.Random) -> sf.Dataset:
    """Numbers, dates and labels, with and without hierarchies, missing values, empty sets and sensitive items."""
    people = range(draw.randint(4, 8))
    ages = [None, 20, 21, 22, 23, 24.5, 27.1]
    columns = {
        "age": [draw.choice(ages[draw.randint(0, 1) :]) for _ in people],
        "born": [BORN + datetime.timedelta(draw.randint(0, 9)) for _ in people],
        "city": [draw.choice([*CITIES, None]) for _ in people],
    }
    names = draw.choice([("age", "city"), ("age", "born"), ("born",), ("city",), ("age", "born", "city")])
    items = ITEMS[: draw.randint(1, len(ITEMS))]
    sets = [[item for item in items if draw.random() < draw.choice([0.2, 0.4, 0.6])] for _ in people]
    hidden = draw.sample(items, min(draw.randint(1, 2), len(items))) if draw.random() < 0.4 else []
    return sf.Dataset.of(
        "rt",
        list(zip(*(columns[name] for name in names), strict=True)),
        names,
        sets,
        sensitive_items=tuple(hidden),
        hierarchy=balanced(list(ITEMS), 2) if draw.random() < 0.5 else None,
        hierarchies={"city": balanced(list(CITIES), 2)} if "city" in names and draw.random() < 0.5 else {},
    )


def draw_method(draw: random.Random, *, diverse: bool) -> Combined:
    """Any method with any of those that it combines."""
    method = draw.choice([RFirst, TFirst, RumBound, TumBound])
    chosen = {
        "k": draw.randint(2, 4),
        "m": draw.randint(1, 3),
        "l": draw.randint(1, 3) if diverse else 1,
        "relational": draw.choice([*RELATIONAL, "mdav"]),
        "transaction": draw.choice(TRANSACTION),
    }
    if method is TFirst:
        chosen["parts"] = draw.randint(1, 3)
    if issubclass(method, Bounded):
        chosen |= {"delta": draw.choice([1.0, round(draw.random(), 2)]), "merge": draw.choice(["r", "t", "rt"])}
    return method(**chosen)


def check(seed: int) -> bool:
    """Publish what a seed draws, and say whether it could be."""
    draw = random.Random(seed)
    data = draw_data(draw)
    method = draw_method(draw, diverse=bool(data.schema.sensitive))
    most = draw.choice([0.0, 0.05, 0.25, 0.3, 0.5, 1.0])
    try:
        publish(data, method, most)
    except SchemaError as error:
        assert method.relational == "mdav" and NO_DISTANCE.search(str(error)), (seed, str(error))
        return False
    except InfeasibleError as error:
        check_reason(data, method, most, str(error))
        return False
    return True


def publish(data: sf.Dataset, method: Combined, most: float) -> None:
    """Publish, and hold the release against everything that can be asked of it."""
    result = sf.anonymize(data, method, secret=bytes(32), max_suppressed_records=most)
    release, rows = result.release, result.owner_record.rows
    assert verify(release).holds, method
    assert verify_against(release, data, rows).holds, method
    assert verify_faithful(release, data, rows).holds, method
    assert verify_order(release).outcome == "holds", method
    assert len(data) - len(release) <= most * len(data)
    for bounded, measure in ((RumBound, Ncp()), (TumBound, UtilityLoss())):
        if isinstance(method, bounded):
            assert measure.measure(Comparison(data, release, rows)).value <= method.delta, method


def check_reason(data: sf.Dataset, method: Combined, most: float, reason: str) -> None:
    """Hold a reason against the weakest release of all: everybody alike, and one value for all items."""
    hidden = set(data.schema.sensitive)
    sets = [set(items) for items in data.history().lists()]
    weakest = [items & hidden | ({"*"} if items - hidden else set()) for items in sets]
    alike: list[object] = [0] * len(sets)
    smallest = smallest_group(alike, [values - hidden for values in weakest], 1)
    share = largest_share(alike, weakest, hidden, 1)
    if found := TOO_FEW.search(reason):
        assert (int(found[1]), int(found[2])) == (smallest, method.k) and smallest < method.k, reason
    elif found := TOO_OFTEN.search(reason):
        asked = sets if found[3] == "records" else [items for items in sets if items - hidden]
        having = max(sum(item in items for items in asked) for item in hidden)
        assert (int(found[1]), int(found[2])) == (having, len(asked)), reason
        assert share == having / len(asked) and having * method.l > len(asked), reason
        assert (int(found[4]), int(found[5] or 1)) == (method.l, len(asked) // having), reason
    else:
        assert most or (smallest >= method.k and share * method.l <= 1 + 1e-9), reason
        bound = TOO_MUCH.search(reason)
        assert bound and isinstance(method, Bounded) and float(bound[2]) == method.delta < float(bound[1]), reason
        publish(data, dataclasses.replace(method, delta=float(bound[1])), most)


def test_releases_of_few_people_are_verified_or_refused_with_a_reason() -> None:
    assert {check(seed) for seed in range(25)} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 250))
def test_releases_of_few_people_are_verified_in_two_thousand_draws(first: int) -> None:
    assert sum(check(seed) for seed in range(first, first + 250)) > 100


# Classes of full-domain methods leave somebody out here, and with them an item that the others need.
FOUR = [(23, "f"), (22, "f"), (22, "f"), (22, "m")]


@pytest.mark.parametrize("method", [RFirst, RumBound, TumBound])
@pytest.mark.parametrize("relational", ["optimal", "bottom-up", "incognito", "top-down"])
def test_who_would_be_withheld_is_published_where_others_have_too_few_items(method, relational: str) -> None:
    data = sf.Dataset.of("rt", FOUR, ("age", "sex"), [["a", "b"], ["a"], [], []])
    for transaction in TRANSACTION:
        chosen = method(k=2, m=1, relational=relational, transaction=transaction)
        result = sf.anonymize(data, chosen, secret=bytes(32), max_suppressed_records=0.5)
        assert verify(result.release).holds
        assert verify_against(result.release, data, result.owner_record.rows).holds
        assert len(result.release) == 4


def test_who_would_be_withheld_is_published_where_others_are_not_diverse() -> None:
    sets = [["a"], ["a", "s"], ["a", "s"], ["a"]]
    data = sf.Dataset.of("rt", [(20,), (50,), (50,), (80,)], ("age",), sets, sensitive_items=("s",))
    assert len(publish_most(data, RFirst(k=2, m=1, l=2, relational="incognito", transaction="coat"))) == 4


def test_items_of_people_who_are_withheld_stand_in_nobodys_way() -> None:
    data = sf.Dataset.of("rt", [(22,), (22,), (22,), (50,)], ("age",), [[], [], [], ["a"]])
    assert len(publish_most(data, RFirst(k=2, m=1, relational="incognito", transaction="coat"))) == 3
    with pytest.raises(InfeasibleError, match="at least k=2 are needed"):
        publish_most(data, RFirst(k=2, m=1, relational="mondrian", transaction="coat"))


def publish_most(data: sf.Dataset, method: Combined) -> sf.Release:
    result = sf.anonymize(data, method, secret=bytes(32), max_suppressed_records=0.5)
    assert verify_against(result.release, data, result.owner_record.rows).holds
    return result.release


def test_tables_without_any_item_need_no_hierarchy() -> None:
    data = sf.Dataset.of("rt", [(20,), (21,)], ("age",), [[], []])
    for transaction in TRANSACTION:
        result = sf.anonymize(data, RFirst(k=2, transaction=transaction), secret=bytes(32))
        assert verify(result.release).holds
        assert result.release.history().lists() == [[], []]


def test_what_a_kernel_refuses_is_said_with_the_method_for_sets(monkeypatch) -> None:
    def refuse(*_):
        raise ValueError("400 items have too many combinations of 8; choose a smaller m.")

    monkeypatch.setattr("sfumato.kinds.sets.methods._base.hierarchies.HierarchyGeneralising.sizes", refuse)
    data = sf.Dataset.of("rt", [(20,), (21,)], ("age",), [["a"], ["a"]])
    with pytest.raises(ParameterError, match=r"Apriori: 400 items have too many combinations of 8"):
        sf.anonymize(data, RFirst(k=2, m=8), secret=bytes(32))
