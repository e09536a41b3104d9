"""What people read of commands and of releases: help, promises, pages, and what checkers and attackers say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.contracts.command_names import walk_commands
from tests.contracts.internals import build_commands, print_attack, run_command
from tests.contracts.messages import list_messages
from tests.contracts.published import Published

FOLDER = Path(__file__).parent / "sentences"
_WIDTH = 100
_CONSOLE = re.compile("[\u2500-\u257f]+")


def list_sentences(releases: Sequence[Published]) -> dict[str, list[str]]:
    """Return the lines of every file of sentences."""
    return {"help.txt": list_help(), "messages.txt": list_messages(), "statements.txt": list_statements(releases)}


def read_sentences(name: str) -> list[str]:
    """Return the lines of a file of sentences as they were when it was written."""
    return (FOLDER / name).read_text(encoding="utf-8").splitlines()


def list_help(tree: Any = None) -> list[str]:
    """Return the lines of the help of every command, as plain text of 100 columns."""
    return [line for words, command in walk_commands(tree or build_commands()) for line in _show_help(words, command)]


def _show_help(words: str, command: Any) -> Iterator[str]:
    yield f"== {words} --help"
    above, _, name = words.rpartition(" ")
    context = command.context_class(
        command,
        info_name=f"{above} {name}".strip(),
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        help_option_names=["-h", "--help"],
    )
    yield from (line.rstrip() for line in command.get_help(context).splitlines())
    yield ""


def list_statements(releases: Iterable[Published]) -> list[str]:
    """Return the lines that people read of every release; a part of a page that was there before is named only."""
    shown: dict[str, str] = {}
    return [line for published in releases for line in _show_release(published, shown)]


def _show_release(published: Published, shown: dict[str, str]) -> Iterator[str]:
    yield f"== {published.name} ({published.kind})"
    for statement in _find_statements(published):
        yield f"statement: {statement}"
    for note in (*published.original.notes, *_find_notes(published)):
        yield f"note: {note}"
    for warning in published.warnings:
        yield f"warning: {warning}"
    answer = run_command("verify", published.out)
    yield from _show_console("verify", answer.output + answer.errors, published)
    yield from _show_console("attack", print_attack(published.out, published.original), published)
    for page in sorted(published.out.glob("release/**/README.md")):
        yield from _show_page(page, page.relative_to(published.out).as_posix(), shown, published.name)
    yield ""


def _show_page(page: Path, name: str, shown: dict[str, str], release: str) -> Iterator[str]:
    yield f"-- {name}"
    for part in re.split(r"^(?=## )", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        before = shown.setdefault(part, f"{release}, {name}")
        if before == f"{release}, {name}":
            yield from filter(None, part.splitlines())
        else:
            yield f"{part.splitlines()[0]} (as in {before})"


def _find_statements(published: Published) -> list[str]:
    """Return what the files of a release promise, each promise once."""
    manifests = [json.loads(path.read_text(encoding="utf-8")) for path in published.out.glob("release/**/*.json")]
    guarantees = {manifest["guarantee"]["statement"] for manifest in manifests if "guarantee" in manifest}
    return sorted(guarantees)


def _find_notes(published: Published) -> list[str]:
    trace = json.loads((published.out / "owner" / "trace.json").read_text(encoding="utf-8"))
    return list(trace.get("notes", ()))


def _show_console(title: str, printed: str, published: Published) -> Iterator[str]:
    """Yield the lines that a command printed, with bars between the cells of tables and no frames around them."""
    yield f"-- {title}"
    for line in printed.replace(str(published.out), "OUT").splitlines():
        cells = [cell.strip() for cell in _CONSOLE.split(line)]
        if any(cells):
            yield " | ".join(cells).strip(" |")
