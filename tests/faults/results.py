"""What became of the faults: kept in a file after each of them, so that a run can go on where it was stopped."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tests.faults.plant import Fault, change_content

CAUGHT, SURVIVED, INVALID, ENDLESS = "caught", "survived", "invalid", "endless"
_CONTEXT = 8
_SHORT = 110


@dataclasses.dataclass
class Record:
    """What became of one fault.

    Parameters
    ----------
    number
        Its place in the list.
    fault
        The fault, as it was chosen.
    outcome
        ``caught``, ``survived``, ``invalid`` (the file cannot be imported) or ``endless`` (tests went on too long).
    by
        The first test that failed, and its message.
    stages
        Every stage that was run: its name, the number of its tests, and its seconds.
    seconds, processor_seconds
        What it took altogether.
    """

    number: int
    fault: Fault
    outcome: str = SURVIVED
    by: str = ""
    message: str = ""
    stages: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    processor_seconds: float = 0.0

    def print_line(self) -> None:
        """Print the outcome on one line."""
        times = f"{self.seconds:.0f} s, processor {self.processor_seconds:.0f} s"
        found = f" by {self.by}" if self.by else ""
        print(f"{self.number} {self.outcome} ({times}){found}\n    {shorten(str(self.fault))}", flush=True)


class Results:
    """The file with everything that is known of a run.

    Parameters
    ----------
    path
        The file. It is read if it exists.
    settings
        What decides the outcome, and must be the same when a run goes on.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path, self.settings = path, settings
        self.fingerprint = ""
        self.records: dict[str, Record] = {}
        self.failing_anyway: list[str] = []
        """Tests that also fail without any fault."""
        self.sound: set[str] = set()
        """Tests that failed with a fault and pass without it."""
        if path.exists():
            self._read(json.loads(path.read_text("utf-8")))

    def _read(self, found: dict[str, Any]) -> None:
        if found["settings"] != self.settings:
            raise SystemExit(f"{self.path} was made with {found['settings']}. Use the same options or another --out.")
        self.fingerprint, self.failing_anyway = found["fingerprint"], found["failing_anyway"]
        self.sound = set(found["sound"])
        for entry in found["faults"]:
            fault = Fault(**entry.pop("fault"))
            self.records[fault.key] = Record(fault=fault, **entry)

    def write(self) -> None:
        """Write the file anew; an interruption leaves the one before."""
        content = {
            "settings": self.settings,
            "fingerprint": self.fingerprint,
            "summary": self.count(),
            "failing_anyway": self.failing_anyway,
            "sound": sorted(self.sound),
            "faults": [dataclasses.asdict(record) for record in self._sorted()],
        }
        temporary = self.path.with_name(f"{self.path.name}.new")
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
        temporary.replace(self.path)

    def _sorted(self) -> list[Record]:
        return sorted(self.records.values(), key=lambda record: (record.number, record.outcome != INVALID))

    def add(self, record: Record) -> None:
        """Add what became of a fault, and write the file."""
        self.records[record.fault.key] = record
        self.write()

    def count(self) -> dict[str, int]:
        """Return how many faults had each outcome."""
        return dict(Counter(record.outcome for record in self._sorted()))

    def invalid_keys(self) -> Collection[str]:
        """Return the keys of faults that cannot be imported."""
        return {key for key, record in self.records.items() if record.outcome == INVALID}


def describe_survivor(tree: Path, record: Record) -> str:
    """Return what people need to judge a fault: the change and its function, what ran, and an entry to paste."""
    fault = record.fault
    content = (tree / fault.file).read_bytes()
    before, after = (text.decode().splitlines() for text in (content, change_content(content, fault)))
    difference = list(difflib.unified_diff(before, after, fault.file, "planted", n=_CONTEXT, lineterm=""))
    ran = ", ".join(f"{stage['name']} ({stage['tests']} tests, {stage['seconds']} s)" for stage in record.stages)
    entry = {"file": fault.file, "function": fault.function, "before": fault.before, "after": fault.after, "reason": ""}
    # A JSON string is a TOML string, too.
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
    return "\n".join(
        [
            f"\nSurvivor {record.number}: {fault}",
            f"In {fault.function or 'the module itself'}. These tests passed: {ran}.",
            *difference,
            "If nobody can notice it, give a reason and add to tests/faults/equivalent.toml:",
            "[[equivalent]]",
            *lines,
        ]
    )


def shorten(text: str) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= 2 * _SHORT else f"{text[: 2 * _SHORT]}..."
