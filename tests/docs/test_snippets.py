"""Everything the README and the guide show is run: Python blocks, policies and commands."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer
from tests import console

from sfumato.cli.app import app

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
MANY_RUNS = {"exploring", "scale", "studies"}
"""Pages that show studies and engines, which start processes."""
BLOCK = re.compile(r"^```(python|console|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_command(line: str, folder: Path) -> None:
    words = shlex.split(line.removeprefix("$ ").removeprefix("sfumato "))
    done = console.run_command(words, folder)
    broken_batch = words[0] == "apply" and done.returncode == 1
    assert done.returncode == 0 or broken_batch, f"{line}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow if page.stem in MANY_RUNS else (), id=page.stem) for page in PAGES],
)
def test_what_a_page_shows_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    text = "\n".join(body for _, body in blocks)
    if "checkins.csv" in text and "generate trajectories" not in text:
        run_command("sfumato generate trajectories --size 2000 --seed 1 --out checkins.csv", tmp_path)
    if "tuna/tuna.toml" in text:
        shutil.copytree(ROOT / "examples" / "tuna", tmp_path / "tuna")
    names: dict = {}
    for language, body in blocks:
        if language == "python":
            exec(compile(body, str(page), "exec"), names)
        elif language == "toml" and "[[source]]" in body:
            assert body in Path("tuna/tuna.toml").read_text(encoding="utf-8")
        elif language == "toml" and "[[method]]" in body:
            Path("study.toml").write_text(body, encoding="utf-8")
        elif language == "toml":
            Path("policy.toml").write_text(body, encoding="utf-8")
            run_command("sfumato run policy.toml", tmp_path)
        else:
            for line in body.splitlines():
                if line.startswith("$ sfumato"):
                    run_command(line, tmp_path)


INLINE = re.compile(r"`sfumato ([^`]+)`")


def list_options(command) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / "docs").glob("*.md")], ids=lambda page: page.stem)
def test_commands_inside_sentences_exist_with_their_options(page):
    """What is not run is at least known: a command by its name, and every option it is shown with."""
    top = typer.main.get_command(app)
    for shown in INLINE.findall(page.read_text(encoding="utf-8")):
        words = [word.rstrip(".,;") for word in shown.split()]
        names = [words[0]] if "|" not in words[0] else words[0].split("|")
        for name in names:
            if name.startswith("-"):
                assert name in list_options(top)
                continue
            assert name in top.commands, shown
            command = top.commands[name]
            if hasattr(command, "commands") and len(words) > 1:
                command = command.commands[words[1].split("|")[0]]
            asked = {word.split("=")[0] for word in words if word.startswith("-") and word != "-"}
            assert asked <= list_options(command) | {"--help"}, shown
