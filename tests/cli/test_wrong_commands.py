"""What commands print that are wrong, as a snapshot, and as fields for programs."""

from __future__ import annotations

import pytest
from tests.contracts import wrong_commands
from tests.contracts.comparison import show_difference
from tests.contracts.statements import read_sentences

FIELDS = {
    "nothing but a command": {"option": "data"},
    "option of other tools": {"option": "--quasi-identifiers"},
    "attack without original": {"option": "original"},
    "verify nothing": {"option": "directory"},
    "query without a question": {"option": "file"},
    "study with an unknown method": {"option": "name"},
}


def test_wrong_commands_print_what_the_snapshot_has(tmp_path):
    lines = wrong_commands.list_lines(tmp_path)
    difference = show_difference(wrong_commands.SNAPSHOT, read_sentences(wrong_commands.SNAPSHOT), lines)
    assert not difference, difference


@pytest.fixture(scope="module")
def fields(tmp_path_factory):
    return wrong_commands.list_fields(tmp_path_factory.mktemp("wrong"))


def test_errors_have_their_fields_in_json(fields):
    for name, found in fields.items():
        assert found["error"] and set(found) <= {"error", "option", "column", "rows", "hint"}, name
    for name, expected in FIELDS.items():
        assert fields[name].items() >= expected.items(), (name, fields[name])


def test_hints_are_a_part_of_the_error(fields):
    hinted = [found for found in fields.values() if "hint" in found]
    assert hinted and all(found["error"].endswith(found["hint"]) for found in hinted)


def test_every_wrong_command_is_an_error_that_people_can_act_on(tmp_path):
    for line in wrong_commands.list_lines(tmp_path):
        assert " (2): sfumato: " in line and "unexpected" not in line.lower(), line
