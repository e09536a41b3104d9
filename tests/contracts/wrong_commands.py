"""Commands that are wrong in the ways in which people are wrong, with their exit codes and what is printed first."""

from __future__ import annotations

import json
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path

from tests.console import run_command

SNAPSHOT = "wrong_commands.txt"
_PEOPLE = "name,age,sex,city\n" + "".join(f"n{n},{20 + n % 7},{'fm'[n % 2]},{'abc'[n % 3]}\n" for n in range(40))
_VISITS = "person,time,place,x,y\n" + "".join(
    f"p{n % 9},2024-01-0{1 + n % 5},{'abc'[n % 3]},{n},0\n" for n in range(40)
)
_BASKETS = "person,item\n" + "".join(f"p{n // 2},{'abcd'[n % 4]}\n" for n in range(40))
_POLICY = (
    '[data]\npath = "people.csv"\nkind = "table"\nquasi = ["age"]\ndrop = ["*"]\n'
    '[method]\nname = "mondrian"\nk = 2\n[release]\nout = "new"\nforse = true\n'
)
_STUDY = '[data]\npath = "people.csv"\nkind = "table"\n[[method]]\nname = "mondrain"\nvary = { k = [2, 3] }\n'
_FILES = {
    "people.csv": _PEOPLE,
    "visits.csv": _VISITS,
    "baskets.csv": _BASKETS,
    "empty.csv": "",
    "city.csv": "a;*\nb;*\n",
    "policy.toml": _POLICY,
    "study.toml": _STUDY,
    "folder/notes.txt": "Notes.\n",
}
_TABLE = "people.csv --kind table --quasi age,sex --drop '*'"
_PUBLISH = f"anonymize {_TABLE} --method mondrian -p k=2"
COMMANDS = {
    "nothing but a command": "anonymize",
    "unknown command": "anonymise people.csv",
    "missing file": "inspect none.csv --kind table",
    "unknown kind": "inspect people.csv --kind tabel",
    "unknown method": f"anonymize {_TABLE} --method mondrain -p k=2 --out new",
    "missing parameters": f"anonymize {_TABLE} --method mondrian --out new",
    "unknown parameter": f"anonymize {_TABLE} --method mondrian -p k=2 -p kk=3 --out new",
    "parameter out of range": f"anonymize {_TABLE} --method mondrian -p k=0 --out new",
    "parameter as an option": f"anonymize {_TABLE} --method mondrian --k 2 --out new",
    "unknown column": "inspect people.csv --kind table --quasi agee --drop '*'",
    "column with two roles": "inspect people.csv --kind table --quasi age --sensitive age --drop '*'",
    "columns without a role": "inspect people.csv --kind table --quasi age",
    "option of other tools": "inspect people.csv --kind table --quasi-identifiers age",
    "option of another kind": "inspect baskets.csv --kind sets --slots t1:t9",
    "option without a value": "inspect people.csv --kind",
    "release exists": f"{_PUBLISH} --out out --no-report",
    "verify a file of data": "verify people.csv",
    "verify a file of a release": "verify out/release/data.csv",
    "verify nothing": "verify nowhere",
    "attack without original": "attack out",
    "unknown split": "inspect visits.csv --kind trajectories --split hour",
    "unknown places": "inspect visits.csv --kind trajectories --places grid:large",
    "empty file": "inspect empty.csv --kind table --quasi age",
    "hierarchy without a value": "inspect people.csv --kind table --quasi city --drop '*' --hierarchy city=city.csv",
    "policy with an unknown key": "run policy.toml",
    "export to an unknown format": "export out --out records.xyz --format xyz",
    "export over a file": "export out --out people.csv",
    "port in use": "serve project --port PORT",
    "folder that is no project": "serve folder --port 0",
    "study with an unknown method": "evaluate study.toml --out study",
    "query without a question": "query out",
    "query that cannot be read": "query out 'count person whre age = 20'",
}


def list_lines(folder: Path) -> list[str]:
    """Return a line for each command: its name, its exit code and the first line that it prints."""
    _write_files(folder)
    return [line for name, command in COMMANDS.items() for line in _run(name, command, folder)]


def list_fields(folder: Path) -> dict[str, dict[str, object]]:
    """Return the JSON object that each command prints with ``--json``, by the names of the commands."""
    _write_files(folder)
    quiet = {"serve"}
    return {
        name: json.loads(run_command([*shlex.split(command), "--json"], folder).stdout)
        for name, command in COMMANDS.items()
        if command.split()[0] not in quiet
    }


def _write_files(folder: Path) -> None:
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    done = run_command(shlex.split(f"{_PUBLISH} --out out --no-report"), folder)
    assert done.returncode == 0, done.stderr


def _run(name: str, command: str, folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        done = run_command(shlex.split(command.replace("PORT", port)), folder)
    first = (done.stderr.splitlines() or [""])[0].replace(port, "PORT").replace(str(folder), ".")
    yield f"{name} ({done.returncode}): {first}"
