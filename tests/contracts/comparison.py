"""What changed between a snapshot and now, in sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

ADVICE = "If that is meant, run: make snapshots"
_MOST_LINES = 40
_MOST_SENTENCES = 25
_OWNERS = {"class", "command", "kind", "method", "metric", "model", "module"}
"""What takes everything below it along when it goes."""


def describe_changes(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Return a sentence for every name that is gone or changed, and for new ones beside them.

    Examples
    --------
    >>> describe_changes(["command sfumato erase"], ["command sfumato remove"])
    ["command 'sfumato erase' is gone; new: 'sfumato remove'."]
    """
    old, new = dict(map(_split, before)), dict(map(_split, after))
    gone, added = [name for name in old if name not in new], [name for name in new if name not in old]
    changed = [name for name in old if name in new and old[name] != new[name]]
    nouns = sorted({noun for noun, _ in (*gone, *added)}, key=lambda noun: (noun not in _OWNERS, noun))
    sentences = [sentence for noun in nouns for sentence in _describe_moves(noun, gone, added)]
    sentences += [
        f"{noun} {name!r} changed: it was {_quote(old[noun, name])}, now {_quote(new[noun, name])}."
        for noun, name in changed
    ]
    if len(sentences) > _MOST_SENTENCES:
        left = len(sentences) - _MOST_SENTENCES
        sentences = [*sentences[:_MOST_SENTENCES], f"{left} more names changed; the snapshot's diff shows them."]
    return sentences


def _split(line: str) -> tuple[tuple[str, str], str]:
    """Return noun and name of a line, and what it says of them."""
    subject, _, detail = line.partition(": ")
    noun, _, name = subject.partition(" ")
    return (noun, name), detail


def _quote(detail: str) -> str:
    return detail or "without details"


def _describe_moves(noun: str, gone: Sequence[tuple[str, str]], added: Sequence[tuple[str, str]]) -> list[str]:
    lost = [name for kind, name in _leave_out_owned(gone) if kind == noun]
    arrived = [name for kind, name in _leave_out_owned(added) if kind == noun]
    if not lost:
        return [f"{noun} {name!r} is new." for name in arrived]
    sentences = [f"{noun} {name!r} is gone." for name in lost]
    if arrived:
        sentences[-1] = f"{sentences[-1][:-1]}; new: {', '.join(map(repr, arrived))}."
    return sentences


def _leave_out_owned(names: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave out what stands below something else that is gone, or new, as well."""
    owners = [name for noun, name in names if noun in _OWNERS]
    return [
        (noun, name) for noun, name in names if not any(name.startswith((f"{owner} ", f"{owner}.")) for owner in owners)
    ]


def show_difference(name: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Return a short diff between two lists of lines, and what to do about it; nothing where they are the same.

    Examples
    --------
    >>> print(show_difference("help.txt", ["Save it."], ["Write it."]))
    help.txt differs from the snapshot.
    --- help.txt, snapshot
    +++ help.txt, now
    @@ -1 +1 @@
    -Save it.
    +Write it.
    If that is meant, run: make snapshots
    """
    lines = list(difflib.unified_diff(before, after, f"{name}, snapshot", f"{name}, now", lineterm="", n=1))
    if not lines:
        return ""
    more = [f"{len(lines) - _MOST_LINES} more lines differ."] if len(lines) > _MOST_LINES else []
    return "\n".join([f"{name} differs from the snapshot.", *lines[:_MOST_LINES], *more, ADVICE])
