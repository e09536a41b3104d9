"""Releases that are not those of the last version stand in the changelog, with a reason."""

import pytest

from tests.golden.changelog import CHANGELOG, HEADING, find_missing, read_reasons
from tests.golden.storage import BASELINE, combine, load

CURRENT = {"sets/apriori k=3 on baskets": "1", "sets/apriori k=5 on baskets": "2", "table/mondrian k=3 on people": "3"}
TEXT = f"""# Changelog

## 0.9 (unreleased)

{HEADING}

- sets/apriori: ties are broken by name
- rt/rfirst: because

Other things

- table/mondrian: is faster than ever

## 0.8

{HEADING}

- sets/coat: an older reason
"""


def test_every_release_that_changed_has_its_line_in_the_changelog(stored_releases):
    current = {name: combine(release) for name, release in stored_releases.items()}
    missing = find_missing(load(BASELINE), current, CHANGELOG.read_text(encoding="utf-8"))
    assert not missing, "\n".join(missing)


def test_reasons_are_those_below_the_heading_of_the_unreleased_version():
    assert read_reasons(TEXT) == {"sets/apriori": "ties are broken by name"}
    assert read_reasons(TEXT.replace("(unreleased)", "")) == {}


def test_a_heading_may_have_signs_and_reasons_may_fill_two_lines():
    text = TEXT.replace(f"{HEADING}\n\n- sets", f"### {HEADING}\n\n- sets").replace(
        "by name", "by name,\n  not by place"
    )
    assert read_reasons(text)["sets/apriori"].startswith("ties are broken by name")
    assert len(read_reasons(text.replace("- rt/rfirst: because", "- rt/rfirst: because of ties"))) == 2


@pytest.mark.parametrize("name", CURRENT)
def test_a_changed_release_needs_a_line(name):
    baseline = {**CURRENT, name: "0"}
    method = name.split(" ")[0]
    assert find_missing(baseline, CURRENT, "") == [
        f"The release '{name}' changed since the last version. Add the line `- {method}: reason in words` to "
        f"CHANGELOG.md, in the unreleased section, below a line `{HEADING}`."
    ]
    assert bool(find_missing(baseline, CURRENT, TEXT)) == (method != "sets/apriori")


def test_a_release_that_is_gone_needs_a_line_and_a_new_one_does_not():
    fewer = {name: digest for name, digest in CURRENT.items() if "apriori" not in name}
    (sentence,) = find_missing(CURRENT, fewer, "")
    assert "'sets/apriori k=3 on baskets' (and 1 more of sets/apriori) is gone" in sentence
    assert not find_missing(CURRENT, fewer, TEXT)
    assert not find_missing(fewer, CURRENT, "")


def test_one_line_may_speak_of_every_method():
    text = TEXT.replace("sets/apriori: ties are broken by name", "every method: release.json has a new key")
    assert not find_missing(dict.fromkeys(CURRENT, "0"), CURRENT, text)
