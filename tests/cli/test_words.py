"""Messages in the words of the door used: options on the command line, names of Python everywhere else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato import plugins
from sfumato.cli import run
from sfumato.cli.style import COMMAND_LINE

HOME = Path(sf.__file__).parent
TEXTS_OF_FILES = {"reports/style.py", "studies/page.py", "release/readme.py", "api/edits.py"}
"""Style sheets, and pages whose readers sit at a command line."""
OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-p [a-z]\w*=)")
PYTHON = re.compile(
    r"\breading: |\b(force=True|allow_expansion|max_suppressed_records|owner_column|places_file|plain_anyway|item_file"
    r")\b"
    r"|\((columns|hierarchies|scales|drop|quasi|sensitive|identifier|monitored|header)\b|^[A-Z]\w+: "
)


def list_messages():
    """Yield every text of the source that is not a docstring, outside of the command line and what it serves."""
    for file in sorted(HOME.rglob("*.py")):
        name = str(file.relative_to(HOME))
        if name.startswith(("cli/", "web/")) or name in TEXTS_OF_FILES:
            continue
        tree = ast.parse(file.read_text())
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        # What to call is given in Python and as a command.
        calls = [
            node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "call"
        ]
        told |= {id(part) for node in calls for part in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                yield f"{name}, line {node.lineno}", node.value


def test_no_message_of_python_names_an_option_of_the_command_line():
    found = {where: OPTION.findall(text) for where, text in list_messages() if OPTION.search(text)}
    assert not found


TABLE = "name,age,sex,ill\nAnn,30,f,flu\nBob,40,m,cold\nCid,40,m,flu\n"
VISITS = "person,time,place\n1,2024-01-01,a\n2,2024-01-02,b\n"
READINGS = [
    ("table", {}, TABLE),
    ("table", {"quasi": "age", "plain": "age", "drop": "*"}, TABLE),
    ("table", {"quasi": "age", "scales": {"ill": "integer"}, "sensitive": "ill", "drop": "*"}, TABLE),
    ("table", {"quasi": "age", "weight": "sex", "drop": "*"}, TABLE),
    ("table", {"quasi": "age", "weight": "age", "plain": "age"}, TABLE),
    ("table", {"quasi": "age", "split": "day"}, TABLE),
    ("table", {"quasi": "age", "columns": {"place": "sex"}, "drop": "*"}, TABLE),
    ("trajectories", {"split": "hour"}, VISITS),
    ("trajectories", {"places": "grid:500m"}, VISITS),
    ("trajectories", {"columns": {"plcae": "place"}}, VISITS),
    ("trajectories", {}, VISITS.replace("place", "spot")),
    ("trajectories", {"zone": "Mars"}, VISITS),
    ("trajectories", {"columns": {"person": "who"}}, VISITS),
    ("sequences", {}, VISITS),
    ("sequences", {"monitored": "x"}, VISITS.replace("place", "event")),
    ("sets", {"missing": "dorp"}, "person,item\n1,a\n"),
    ("sets", {"weight": "w"}, "person,item\n1,a\n"),
    ("snapshots", {}, "day,age,ill\n1,30,flu\n"),
    ("snapshots", {"sensitive": "ill"}, "day,age,ill\n1,30,flu\n"),
    ("activity", {}, "id,a,b\n1,x,y\n"),
    ("timeline", {"columns": {"when": "t"}}, "t,event\n1,a\n"),
]
NAMES = {"columns": "column", "scales": "scale"}


def format_options(options):
    for name, value in options.items():
        if isinstance(value, dict):
            yield from (word for pair in value.items() for word in (f"--{NAMES[name]}", "=".join(pair)))
        else:
            yield from (f"--{name}", value)


@pytest.mark.parametrize("case", range(len(READINGS)))
def test_what_is_wrong_with_a_file_is_said_in_the_words_of_the_door(case, tmp_path, monkeypatch, capsys):
    kind, options, text = READINGS[case]
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(text)
    with pytest.raises(sf.SfumatoError) as fault:
        data = sf.read("data.csv", kind, **options)
        sf.anonymize(data, next(iter(plugins.methods_for(kind).values()))(k=2))
    assert not OPTION.search(str(fault.value)), str(fault.value)
    if kind == "sequences" and not options:
        return  # inspecting needs no monitored events
    code = run(["inspect", "data.csv", "--kind", kind, *format_options(options)])
    told = capsys.readouterr().err.removeprefix("sfumato: ")
    assert code == 2 and not PYTHON.search(told), told


PUBLISH = ["anonymize", "data.csv", "--kind", "table", "--quasi", "age", "--drop", "*", "--method", "mondrian"]
COMMANDS = [
    ["anonymize", "data.csv", "--kind", "tabel", "--method", "mondrian", "--out", "o2"],
    [*PUBLISH, "-p", "k=9", "--out", "o2"],
    [*PUBLISH, "-p", "k=2", "-p", "l=2", "--out", "o2"],
    [*PUBLISH, "-p", "k=2", "--max-suppressed-records", "5", "--out", "o2"],
    [*PUBLISH, "-p", "k=2", "--protect", "dogs", "--out", "o2"],
    ["export", "o", "--out", "x.csv", "--layout", "tall"],
    ["verify", "nowhere"],
    ["start", "data.csv", "--yes", "--policy", "data.csv"],
]


def test_commands_that_go_wrong_say_so_in_options(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(TABLE)
    good = [*PUBLISH, "-p", "k=3", "--out", "o", "--no-report"]
    assert [run(good), run(good)] == [0, 2]
    assert "Replace it: --force" in capsys.readouterr().err
    for words in COMMANDS:
        assert run(words) == 2, words
        told = capsys.readouterr().err.removeprefix("sfumato: ")
        assert not PYTHON.search(told), told


def test_python_is_told_to_give_force_and_the_command_line_to_give_its_option(tmp_path):
    data = sf.read(pa.table({"age": [30, 40, 40, 30]}), "table", quasi=("age",))
    result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    sf.write(result, tmp_path / "out", reports=False)
    with pytest.raises(sf.SfumatoError, match="Replace it: force=True") as fault:
        sf.write(result, tmp_path / "out", reports=False)
    assert "Replace it: --force." in fault.value.write(COMMAND_LINE)
