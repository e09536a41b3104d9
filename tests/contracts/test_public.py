"""No public name changes unseen: those of Python, of the command line, of JSON and of the files of a release."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Annotated

import pytest
import typer
from tests.contracts import public
from tests.contracts.command_names import list_command_names
from tests.contracts.comparison import ADVICE, describe_changes
from tests.contracts.internals import build_commands
from tests.contracts.json_keys import Document, list_keys
from tests.contracts.public import describe_names


def test_declared_names_are_those_of_the_snapshot():
    changes = describe_names(public.choose_declared(public.read_names()), public.list_declared_names())
    assert not changes, changes


def test_printed_names_are_those_of_the_snapshot(tmp_path):
    changes = describe_names(public.choose_printed(public.read_names()), public.list_printed_names(tmp_path))
    assert not changes, changes


@pytest.mark.slow
def test_names_of_long_commands_are_those_of_the_snapshot(tmp_path):
    before = public.choose_slowly_printed(public.read_names())
    changes = describe_names(before, public.list_slowly_printed_names(tmp_path))
    assert not changes, changes


def test_every_line_of_the_snapshot_is_compared():
    lines = public.read_names()
    parts = (public.choose_declared, public.choose_printed, public.choose_slowly_printed, public.choose_written)
    assert sorted(line for choose in parts for line in choose(lines)) == lines
    assert all(choose(lines) for choose in parts)


def test_no_name_of_the_snapshot_stands_there_twice():
    names = [line.partition(": ")[0] for line in public.read_names()]
    assert len(names) == len(set(names))


def test_a_renamed_command_is_named():
    before = list_command_names()
    tree = build_commands.__wrapped__()
    tree.commands["remove"] = tree.commands.pop("erase")
    changes = describe_names(before, list_command_names(tree))
    assert changes == f"command 'sfumato erase' is gone; new: 'sfumato remove'.\n{ADVICE}"


def list_names_of(command) -> list[str]:
    app = typer.Typer()
    app.command("publish")(command)
    app.command("other")(lambda: None)
    return list_command_names(typer.main.get_command(app))


def test_a_changed_default_is_named():
    def earlier(count: Annotated[str, typer.Option()] = "records") -> None: ...
    def later(count: Annotated[str, typer.Option()] = "people") -> None: ...

    assert describe_changes(list_names_of(earlier), list_names_of(later)) == [
        "option 'sfumato publish --count' changed: it was text, default 'records', now text, default 'people'."
    ]


def test_a_renamed_option_is_named_and_so_is_one_that_must_be_given():
    def earlier(limit: Annotated[int, typer.Option(min=1)] = 5) -> None: ...
    def later(most: Annotated[int, typer.Option(min=1)] = 5) -> None: ...
    def strict(limit: Annotated[int, typer.Option(min=1)]) -> None: ...

    names = list_names_of(earlier)
    assert describe_changes(names, list_names_of(later)) == [
        "option 'sfumato publish --limit' is gone; new: 'sfumato publish --most'."
    ]
    assert describe_changes(names, list_names_of(strict)) == [
        "option 'sfumato publish --limit' changed: it was integer from 1, default 5, now integer from 1, required."
    ]


def test_a_key_of_json_that_is_gone_is_named_with_its_kind_of_data():
    documents = [Document("sfumato verify", kind, {"holds": True, "k": 3}) for kind in ("rt", "table")]
    fewer = [documents[0], Document("sfumato verify", "table", {"holds": True})]
    assert describe_changes(list_keys("json-key", documents), list_keys("json-key", fewer)) == [
        "json-key 'sfumato verify k' changed: it was int, now int (rt)."
    ]


def test_values_of_the_data_are_not_names():
    content = {"checks": {"columns are the declared ones": True}, "home and work, before": 1.5, "notes": []}
    assert list_keys("json-key", [Document("sfumato x", "activity", content)]) == [
        "json-key sfumato x checks.{}: bool",
        "json-key sfumato x notes: list",
        "json-key sfumato x {} and {}, before: float",
    ]


def test_one_module_of_these_nets_knows_the_inside_of_the_package():
    for path in Path(__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
        inside = [module for module in modules if module.startswith("sfumato.")]
        assert not inside or path.name == "internals.py", f"{path.name}: move what needs {inside[0]} to internals.py"
