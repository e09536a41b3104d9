"""Numbers for records: the same however many records are looked at together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.data import fingerprint
from sfumato.data.dataset import Dataset
from sfumato.data.fingerprint import digest_records, digest_texts

MASK = (1 << 64) - 1


def spread(number):
    """Mix the bits of one number, in plain arithmetic."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


def digest(record, column):
    """The number of one list of labels in their order, entry by entry."""
    numbers = [int(digest_texts([label])[0]) for label in record]
    entries = sum(spread(number ^ spread(place)) for place, number in enumerate(numbers, start=1))
    return spread((entries + spread(len(record))) & MASK ^ int(digest_texts([column])[0]))


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1, max_size=9), st.integers(1, 12))
def test_numbers_are_those_of_records_looked_at_one_by_one(records, held):
    data = Dataset.of("trajectories", records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprint, "_HELD", held)
        found = digest_records(data)
    assert found.tolist() == [digest(record, data.schema.history) for record in records]
