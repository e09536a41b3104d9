"""What the verifiers of a kind declare is found whatever it is called, and missed as soon as it is not there."""

from __future__ import annotations

import dataclasses

import pytest

import sfumato as sf
from sfumato import registry
from sfumato.checking.shapes import ReleaseChecks, find_checks
from sfumato.checking.structure import verify_structure
from sfumato.core import rooms
from sfumato.core.rooms import all_kinds, find_room, list_modules


@pytest.fixture(autouse=True)
def _looked_up_anew():
    find_checks.cache_clear()
    registry._attackers.cache_clear()
    yield
    find_checks.cache_clear()
    registry._attackers.cache_clear()


def declaring(kind: str):
    """The module that declares the checks of a kind."""
    find_room(kind, "verifiers")
    return next(module for module in list_modules(kind, "verifiers") if module.__name__.endswith("structure"))


@pytest.mark.parametrize("kind", all_kinds())
def test_checks_that_are_called_otherwise_are_found_all_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = declaring(kind).CHECKS
    monkeypatch.delattr(declaring(kind), "CHECKS")
    monkeypatch.setattr(declaring(kind), "RULES", checks, raising=False)
    assert find_checks(kind) is checks
    assert checks.roles and checks.order_looks and checks.content_checks


@pytest.mark.parametrize("kind", all_kinds())
def test_a_kind_without_checks_is_an_error(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(declaring(kind), "CHECKS")
    with pytest.raises(LookupError, match=f"{kind}: verifiers must declare one ReleaseChecks, not 0"):
        find_checks(kind)


def test_a_kind_with_two_declarations_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    other = dataclasses.replace(declaring("sets").CHECKS, removes_values=False)
    monkeypatch.setattr(declaring("sets"), "OTHERS", other, raising=False)
    with pytest.raises(LookupError, match="not 2"):
        find_checks("sets")


def test_a_release_is_not_judged_where_nothing_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sf.Dataset.of("sets", [["a"], ["a"]])
    release = sf.anonymize(data, sf.methods.Pcta(k=2, m=1), secret=bytes(32)).release
    assert verify_structure(release).holds
    monkeypatch.setattr(rooms, "list_modules", lambda *_: ())
    find_checks.cache_clear()
    with pytest.raises(LookupError, match="not 0"):
        verify_structure(dataclasses.replace(release, table=release.table.slice(0)))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(ReleaseChecks)])
def test_no_field_can_be_called_otherwise(field: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{field}s_'"):
        ReleaseChecks(roles={}, **{f"{field}s_": ()})


def test_roles_must_be_declared() -> None:
    with pytest.raises(TypeError, match="roles"):
        ReleaseChecks()


@pytest.mark.parametrize(
    ("kind", "module", "name"),
    [("table", "homogeneity", "BEYOND"), ("sequences", "neighbours", "BEYOND"), ("snapshots", "", "KNOWLEDGE")],
)
def test_an_attacker_whose_knowledge_is_not_named_is_an_error(kind, module, name, monkeypatch) -> None:
    found = next(m for m in list_modules(kind, "attacker") if m.__name__.endswith(module) and hasattr(m, name))
    monkeypatch.delattr(found, name)
    with pytest.raises(LookupError, match="KNOWLEDGE, or BEYOND, must be what a promise is about"):
        registry.attackers_beyond(kind, "attributes")
