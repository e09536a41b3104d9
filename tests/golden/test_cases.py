"""The net has no hole: every method, every parameter, partitions, and every layout and format of export occur."""

import pytest

from tests.golden import interface
from tests.golden.cases import FEED, FILE_IN_PARTITIONS, IN_PARTITIONS, KINDS, WHOLE, File, find_catalogue, list_cases

METHODS = [(kind, method) for kind, methods in interface.list_methods().items() for method in methods]
ALWAYS_DEFAULT: dict[tuple[str, str, str], str] = {}
"""Parameters that no case sets, by kind, method and name, with the reason."""
MIN_WHOLE = 3


def find_cases(kind, method, *ways):
    return [
        case
        for case in list_cases()
        if (case.kind, case.method) == (kind, method) and case.way in (ways or (case.way,))
    ]


def test_every_kind_has_cases():
    assert tuple(sorted(interface.list_methods())) == KINDS


@pytest.mark.parametrize("kind, method", METHODS, ids=map("/".join, METHODS))
def test_every_method_has_cases(kind, method):
    cases = find_cases(kind, method, WHOLE)
    assert len(cases) >= MIN_WHOLE, f"{kind}/{method}: add cases to tests/golden/kinds/{kind}.py."


@pytest.mark.parametrize("kind, method", METHODS, ids=map("/".join, METHODS))
def test_every_method_that_can_be_is_published_in_partitions(kind, method):
    possible = interface.can_be_in_partitions(kind, method)
    assert bool(find_cases(kind, method, IN_PARTITIONS)) == possible, (
        f"{kind}/{method}: add a case in partitions, or drop it."
    )


@pytest.mark.parametrize("kind, method", METHODS, ids=map("/".join, METHODS))
def test_every_parameter_has_another_value_than_its_default(kind, method):
    defaults = interface.list_parameters(kind, method)
    changed = {
        name for case in find_cases(kind, method) for name, value in case.parameters.items() if value != defaults[name]
    }
    excused = {name for of_kind, of_method, name in ALWAYS_DEFAULT if (of_kind, of_method) == (kind, method)}
    assert changed | excused == set(defaults), f"{kind}/{method}: set {sorted(set(defaults) - changed)} in some case."
    assert not changed & excused


def test_cases_name_methods_that_there_are():
    assert {(case.kind, case.method) for case in list_cases()} == set(METHODS)
    assert {kind for kind, _, _ in ALWAYS_DEFAULT} <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_layout_and_format_of_export_occurs(kind, stored_answers):
    written = {
        export
        for case in list_cases()
        for export, digest in stored_answers[case.name]["exports"].items()
        if case.kind == kind and digest != "refused"
    }
    assert written == {" ".join(export) for export in interface.list_exports(kind)}


def test_every_format_occurs_in_some_kind():
    offered = {form for kind in KINDS for _, form, *_ in interface.list_exports(kind)}
    assert offered == set(interface.EXPORT_FORMATS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_read_from_files_too(kind):
    catalogue = find_catalogue(kind)
    files = {name for name, make in catalogue.data.items() if isinstance(make(), File)}
    assert files & {case.data for case in catalogue.cases}
    used = {name for case in catalogue.cases for name in (case.data, case.later) if name}
    assert used == set(catalogue.data) == set(catalogue.questions)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_asked_and_few_questions_are_refused(kind, stored_answers):
    answers = [
        answer for case in list_cases() if case.kind == kind for answer in stored_answers[case.name]["answers"].items()
    ]
    refused = [question for question, answer in answers if answer == "refused"]
    assert len({question for question, _ in answers}) >= 3
    assert len(refused) <= len(answers) / 20, refused


def test_files_in_partitions_and_feeds_occur():
    ways = {case.kind: set() for case in list_cases()}
    for case in list_cases():
        ways[case.kind].add(case.way)
    assert all(FILE_IN_PARTITIONS in found for kind, found in ways.items() if IN_PARTITIONS in found)
    assert FEED in ways["snapshots"]
