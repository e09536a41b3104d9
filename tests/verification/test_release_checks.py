"""What the verifiers of a kind declare is missed as soon as it is not there."""

from __future__ import annotations

import dataclasses
import importlib

import pytest

import sfumato as sf
from sfumato.data.kind import all_kinds, find_kind
from sfumato.verification.release_checks import ReleaseChecks, find_checks
from sfumato.verification.structure import verify_structure


@pytest.fixture(autouse=True)
def _reset_caches():
    find_checks.cache_clear()
    yield
    find_checks.cache_clear()


def declaring(kind: str):
    """The module that declares the checks of a kind."""
    return importlib.import_module(find_kind(kind).release_checks.target.partition(":")[0])


@pytest.mark.parametrize("kind", all_kinds())
def test_every_kind_declares_checks_of_columns_order_and_content(kind: str) -> None:
    checks = find_checks(kind)
    assert checks.roles and checks.order_checks and checks.content_checks


@pytest.mark.parametrize("kind", all_kinds())
def test_checks_that_are_called_otherwise_are_an_error(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declaring(kind), "RULES", declaring(kind).CHECKS, raising=False)
    monkeypatch.delattr(declaring(kind), "CHECKS")
    with pytest.raises(AttributeError, match="CHECKS"):
        find_checks(kind)


def test_a_release_is_not_judged_where_nothing_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sf.Dataset.of("sets", [["a"], ["a"]])
    release = sf.anonymize(data, sf.methods.Pcta(k=2, m=1), secret=bytes(32)).release
    assert verify_structure(release).holds
    monkeypatch.delattr(declaring("sets"), "CHECKS")
    find_checks.cache_clear()
    with pytest.raises(AttributeError, match="CHECKS"):
        verify_structure(dataclasses.replace(release, table=release.table.slice(0)))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(ReleaseChecks)])
def test_no_field_can_be_called_otherwise(field: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{field}s_'"):
        ReleaseChecks(roles={}, **{f"{field}s_": ()})


def test_roles_must_be_declared() -> None:
    with pytest.raises(TypeError, match="roles"):
        ReleaseChecks()
