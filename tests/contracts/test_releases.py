"""No file of a release, no key and column in it, and no sentence about it changes unseen."""

from __future__ import annotations

import json
import shutil

import pytest
from tests.contracts import public
from tests.contracts.comparison import describe_changes, show_difference
from tests.contracts.published import list_file_names, publish_all
from tests.contracts.samples import SAMPLES
from tests.contracts.statements import list_statements, read_sentences


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """One small release per guarantee and kind of data."""
    return publish_all(tmp_path_factory.mktemp("releases"))


def test_names_in_releases_are_those_of_the_snapshot(releases):
    changes = public.describe_names(public.choose_written(public.read_names()), list_file_names(releases))
    assert not changes, changes


def test_statements_are_those_of_the_snapshot(releases):
    changes = show_difference("statements.txt", read_sentences("statements.txt"), list_statements(releases))
    assert not changes, changes


def test_every_kind_of_data_has_a_release(releases):
    assert {published.kind for published in releases} > set(SAMPLES)


@pytest.fixture
def copied(releases, tmp_path):
    """A release, and a copy of it to be changed."""
    before = next(published for published in releases if published.kind == "timeline")
    shutil.copytree(before.out, tmp_path / "out")
    return before, before._replace(out=tmp_path / "out")


def test_changed_names_in_a_release_are_named(copied):
    before, after = copied
    manifest = after.out / "release" / "release.json"
    content = json.loads(manifest.read_text())
    content["record_unit"] = content.pop("unit")["one"]
    manifest.write_text(json.dumps(content))
    (after.out / "release" / "README.md").rename(after.out / "release" / "about.md")
    assert describe_changes(list_file_names([before]), list_file_names([after])) == [
        "file-key 'release/release.json unit.many' is gone.",
        "file-key 'release/release.json unit.one' is gone.",
        "file-key 'release/release.json unit.owner' is gone; new: 'release/release.json record_unit'.",
        "release-file 'release/README.md' is gone; new: 'release/about.md'.",
    ]


def test_a_changed_page_is_shown(copied):
    before, after = copied
    page = after.out / "release" / "README.md"
    page.write_text(page.read_text().replace("published with essa", "made by essa"))
    changes = show_difference("statements.txt", list_statements([before]), list_statements([after]))
    assert "-# timeline, published with essa\n+# timeline, made by essa" in changes
