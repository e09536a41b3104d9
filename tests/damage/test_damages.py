"""Every guarantee, damaged in every way: all of it is found, from the published files alone wherever they allow it."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.damage.damages import DAMAGES, Damage
from tests.damage.damaging import has_dictionary, list_label_twice
from tests.damage.releases import RELEASES, SHAPES

import sfumato as sf
from sfumato import plugins
from sfumato.base.guarantee import list_guarantees
from sfumato.data.kind import all_kinds
from sfumato.exceptions import SchemaError, VerificationError
from sfumato.kinds.snapshots.folder import is_stream, snapshot_folders
from sfumato.release.release import ExtraTable, Release
from sfumato.release.storage import read_release


def draw_pairs() -> set[tuple[str, str]]:
    """Return every damage once for every way releases are stored, with the releases stored so taking turns."""
    pairs = set()
    for releases in SHAPES.values():
        turn = 0
        for name, damage in DAMAGES.items():
            fitting = [release for release in releases if damage.applies(release)]
            if fitting:
                pairs.add((fitting[turn % len(fitting)], name))
                turn += len(fitting) > 1
    return pairs


FAST = draw_pairs()
CASES = [
    pytest.param(release, damage, id=f"{release}: {name}", marks=() if (release, name) in FAST else pytest.mark.slow)
    for release in RELEASES
    for name, damage in DAMAGES.items()
    if damage.applies(release)
]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Write each release once, when it is first asked for."""
    known: dict[str, tuple[Path, sf.Dataset]] = {}

    def get(name: str) -> tuple[Path, sf.Dataset]:
        if name not in known:
            out = tmp_path_factory.mktemp("good") / "out"
            known[name] = out, RELEASES[name](out)
        return known[name]

    return get


def answer(out: Path, original: sf.Dataset | None = None) -> str:
    """What the command line would answer."""
    try:
        return sf.verify(out, original).outcome
    except VerificationError:
        return "broken"
    except SchemaError:
        return "unsettled"


def read_from(out: Path) -> Release:
    """A release, or one snapshot of a stream."""
    return read_release(snapshot_folders(out)[1] if is_stream(out) else out / "release")


@pytest.mark.parametrize("release", RELEASES)
def test_undamaged_releases_hold(published, release):
    out, original = published(release)
    assert answer(out) == answer(out, original) == "holds"


@pytest.mark.parametrize(("release", "damage"), CASES)
def test_damage_is_found(published, tmp_path, release: str, damage: Damage):
    good, original = published(release)
    out = tmp_path / "out"
    shutil.copytree(good, out)
    damage.do(snapshot_folders(out)[1] if is_stream(out) else out / "release")
    wanted = damage.outcome if isinstance(damage.outcome, tuple) else (damage.outcome,)
    if damage.alone:
        assert answer(out) in wanted
    else:
        answer(out)
        assert answer(out, original) in wanted


@pytest.mark.parametrize("release", RELEASES)
def test_a_label_with_two_codes_is_refused_alike_in_every_kind(published, release: str):
    found = read_from(published(release)[0])
    if not has_dictionary(found.table):
        assert found.kind == "snapshots" or release == "k-anonymity, means"
        return
    twice = dataclasses.replace(found, table=list_label_twice(found.table))
    verdict = plugins.find_verifier(found.guarantee).verify(twice)
    assert verdict.outcome == "broken"
    assert verdict.counterexample["check"] == "a dictionary lists a label once"
    assert verdict.counterexample["labels"] == verdict.counterexample["distinct_labels"] + 1


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_of_nobody_is_refused_by_every_verifier(published, release: str):
    out, original = published(release)
    found = read_from(out)
    extra_tables = {
        name: ExtraTable(extra_table.columns, extra_table.table.slice(0, 0))
        for name, extra_table in found.extra_tables.items()
    }
    nobody = dataclasses.replace(found, table=found.table.slice(0, 0), extra_tables=extra_tables)
    verifier, faithful = plugins.find_verifier(found.guarantee), plugins.find_kind(found.kind).verify_faithful.load()
    # A row map of nobody may have come without a type, as decimal numbers.
    for rows in (np.array([]), np.array([], dtype=np.int64)):
        assert not verifier.verify(nobody).holds
        assert not faithful(nobody, original, rows).holds
        if verifier.verify(nobody).checks["readable"]:
            verifier.verify_against(nobody, original, rows)


def test_the_table_is_complete():
    named = {release.split(",")[0] for release in RELEASES}
    assert named == {name for kind in all_kinds() for name in list_guarantees(kind)}
    assert sorted(release for releases in SHAPES.values() for release in releases) == sorted(RELEASES)
    for release in RELEASES:
        assert sum(damage.applies(release) for damage in DAMAGES.values()) >= 20
