"""Remove people from a release, on the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from sfumato import plugins
from sfumato.api import calls
from sfumato.api.removal import Changes, compare_releases, leave_out, read_as_table
from sfumato.base.method import Method
from sfumato.cli.output import Output, Quiet
from sfumato.cli.publish import publish
from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.readers.files import read_lines
from sfumato.readers.options import ReadOptions
from sfumato.release import owner
from sfumato.release.release import Result
from sfumato.release.run import Run
from sfumato.release.storage import find_release, read_release

__all__ = ["Erased", "erase_people", "leave_out_people"]


def erase_people(
    out: Output,
    directory: Path,
    person: str,
    original: Path,
    column: str | None,
    target: Path | None,
    *,
    report: bool,
) -> None:
    """Publish a release again without some people, in its place, and print what changed."""
    named = {line for line in read_lines(person[1:]) if line} if person.startswith("@") else {person}
    earlier = read_release(directory)
    erased: list[Erased] = []
    made: list[Result] = []

    def read() -> Dataset:
        erased.append(leave_out_people(directory, named, original, column=column))
        return erased[0].dataset

    def anonymize(dataset: Dataset, run: Run) -> Result:
        made.append(calls.anonymize(dataset, erased[0].method, protect=erased[0].counting, run=run))
        return made[0]

    place = target or directory
    folder = Path(str(find_release(directory)))
    included = [folder / file.name for file in earlier.included]
    done = publish(Quiet(), place, read, anonymize, secret=None, force=target is None, report=report, include=included)
    changes = compare_releases(earlier, made[0].release, len(named), erased[0].rows)
    _report_changes(out, changes, place, original)
    out.warn([_warn_of_both(changes, earlier.guarantee.smallest_group or 1), *done["warnings"]])
    out.remain([possibility for possibility in done["remaining"] if possibility["severity"] == "note"])
    out.finish({**changes.to_dict(), "anonymize": done})


class Erased(NamedTuple):
    """An original without some people, and how its release was made."""

    dataset: Dataset
    rows: int
    """Rows of the original that were theirs."""
    method: Method
    counting: str
    """What k counts."""


def leave_out_people(
    path: str | Path, people: Collection[str], original: str | Path, *, column: str | None = None
) -> Erased:
    """Read the original of a release again without some people, to publish it as before without them.

    Parameters
    ----------
    path
        The directory of the release, with ``owner/``, which says how the original was read and published.
    people
        What they are called in the original.
    original
        The file.
    column
        The column of the file that names people, if the reading options do not name it.
    """
    owner_record = owner.read_owner_record(Path(path))
    if not owner_record.get("reading") or not isinstance(owner_record.get("parameters"), dict):
        raise SchemaError(
            f"{path} has no owner/ that records how the release was made.",
            hint="Publish again without these people: sfumato anonymize",
        )
    read_options = ReadOptions.from_dict(owner_record["reading"])
    method = plugins.find_method(owner_record["method"], read_options.kind)(**owner_record["parameters"])
    file, rows = leave_out(Path(original), people, read_options, column)
    dataset = plugins.find_kind(read_options.kind).reader.load().read(file, read_as_table(read_options))
    # What is remembered is how the file is read, so that its owner can read it once more.
    dataset = dataclasses.replace(dataset, read_options=read_options.to_dict())
    return Erased(dataset, rows, method, (owner.read_recorded_guarantee(Path(path)) or {}).get("count", "records"))


def _warn_of_both(changes: Changes, k: int) -> str:
    """Warn of what someone with both releases can learn."""
    warning = (
        "Copies of the earlier release remain with those who have them. Comparing both shows "
        f"{_count(changes.gone)} removed and {_count(changes.new)} added."
    )
    smallest = min(count for count in (changes.gone, changes.new) if count) if changes.gone or changes.new else 0
    if 0 < smallest < k:
        return f"{warning} That is fewer than {k}: the published records of the removed people can be recognised."
    return warning


def _count(records: int) -> str:
    return f"{records:,} record{'' if records == 1 else 's'}"


def _report_changes(out: Output, changes: Changes, place: Path, original: Path) -> None:
    facts: dict[str, Any] = {
        "people removed": changes.people,
        "their rows of the original": changes.rows,
        "records in, before and now": changes.records_in,
        "records published, before and now": changes.published,
        "published records unchanged": changes.same,
        "published records removed": changes.gone,
        "published records added": changes.new,
    }
    out.facts("Changes", facts)
    out.print_line(
        f"The release in {place} was published again and verified. {original} is unchanged: remove the people "
        "there, too."
    )
