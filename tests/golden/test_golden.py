"""What every method publishes and what every checker says of it is as it is stored.

Where it is meant to be otherwise, ``python -m tests.golden`` writes it anew, and the changelog says which releases
change (``test_changelog.py``).
"""

import pytest

from tests.golden.comparison import compare_answers, compare_release
from tests.golden.production import list_items, make_golden


@pytest.mark.parametrize("item", list_items(), ids=lambda item: item.name)
def test_nothing_changed(item, workplace, stored_releases, stored_answers):
    golden = make_golden(item, workplace)
    found = []
    if golden.release is not None:
        found += compare_release(item.name, stored_releases.get(item.name), golden.release)
    found += compare_answers(item.name, stored_answers.get(item.name), golden.answers)
    assert not found, "\n".join(found)


def test_nothing_is_stored_of_cases_that_are_gone(stored_releases, stored_answers):
    known = {item.name for item in list_items()}
    gone = sorted({*stored_releases, *stored_answers} - known)
    assert not gone, f"{gone[0]}: there is no such case any more. Write all goldens with: python -m tests.golden"


@pytest.mark.parametrize("section", ["releases", "answers"])
def test_every_name_is_written_in_order(section, stored):
    """Two branches that add cases do not meet at the end of a file."""
    by_kind: dict[str, list[str]] = {}
    for name in stored[section]:
        by_kind.setdefault(name.split("/")[0], []).append(name)
    assert all(names == sorted(names) for names in by_kind.values())


def test_names_of_cases_are_different():
    names = [item.name for item in list_items()]
    assert len(set(names)) == len(names)
