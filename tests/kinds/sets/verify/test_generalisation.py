"""Sets of generalised values are counted."""

from __future__ import annotations

from tests.kinds.sets.releases import generalised

from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.verify.km_items import verify

ABC = {"{a|b}": ["a", "b"]}


def test_generalised_sets_are_counted() -> None:
    rows = [["{a|b}", "c"], ["{a|b}", "c"], ["{a|b}"]]
    verdict = verify(generalised(rows, ABC))
    assert verdict.holds
    assert verdict.measured == {"k": 2, "m": 2, "size": 1, "itemsets": 3}
    broken_one = verify(generalised([*rows, ["c", "d"], ["d"]], ABC))
    assert broken_one.counterexample == {"values": ["c", "d"], "support": 1, "size": 2}
    assert not verify(generalised(rows, ABC, KmItems(k=2, m=2, sensitive=("c",)))).holds
