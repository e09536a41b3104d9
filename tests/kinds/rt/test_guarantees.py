"""What is promised, in words and as parameters."""

from __future__ import annotations

import pytest

from sfumato.base.guarantee import read_guarantee
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.kinds.rt.guarantees import KKmAnonymity


def test_the_sentence_says_what_is_known_and_what_a_record_is() -> None:
    told = KKmAnonymity(5, 2, 3, ("age", "sex", "zip"), ("insulin",)).statement(RecordUnit("stay", "stays", "patient"))
    assert told.startswith("Someone who knows age, sex and zip of a")
    assert "up to 2 items that are not sensitive" in told
    assert "in more than 1 in 3 of these" in told
    assert "published unchanged" in KKmAnonymity(5, 2, quasi=("age",), sensitive=("insulin",)).statement()


def test_it_is_read_back_from_a_manifest() -> None:
    guarantee = KKmAnonymity(5, 2, 3, ("b", "a"), ("y", "x"))
    again = read_guarantee("rt", guarantee.to_dict())
    assert again == guarantee
    assert again.quasi == ("a", "b")


def test_diversity_needs_something_sensitive() -> None:
    with pytest.raises(ParameterError, match="needs sensitive items"):
        KKmAnonymity(5, 2, 3)
