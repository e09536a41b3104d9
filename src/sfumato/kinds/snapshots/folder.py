"""A published stream on disk, read back and checked: one small release per snapshot, each whole or not there at all.

``DIR/release/<snapshot>/`` is a complete release; ``DIR/release/stream.json`` sums them up. ``DIR/owner/`` holds the
secret, the row maps and, while the stream goes on, a checkpoint with the records that wait.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.base.verdict import Verdict
from sfumato.data.kind import find_kind
from sfumato.exceptions import SchemaError, VerificationError
from sfumato.formats.json_files import read_json
from sfumato.kinds.snapshots.dataset import STREAM_FILE, STREAM_VERSION
from sfumato.release import inventory
from sfumato.release.inventory import DECLARED, check_tables, compare_json, compare_page, find_undeclared, show
from sfumato.release.manifest import check_version
from sfumato.release.readme import PAGE, render_page
from sfumato.release.release import ExtraTable, Release
from sfumato.release.storage import read_release
from sfumato.verification.order import verify_order
from sfumato.verification.structure import READABLE, verify_structure

__all__ = [
    "check_folder",
    "is_stream",
    "read_folder",
    "read_snapshots",
    "read_summary",
    "render_stream_page",
    "snapshot_folders",
]

_SUMMED_UP = "stream.json sums up its snapshots"
_NAMED = "every snapshot is called by its time"
_COMBINED = "the combined table holds the records of the snapshots"


def is_stream(path: Path) -> bool:
    """Return whether a directory, or its ``release/``, holds a published stream."""
    return (_find_published(path) / STREAM_FILE).is_file()


def _find_published(path: Path) -> Path:
    """Return a folder that is a release itself, or else its ``release/``."""
    is_release = any((path / name).is_file() for name in (STREAM_FILE, "release.json"))
    return path if is_release or not (path / "release").is_dir() else path / "release"


def snapshot_folders(path: Path) -> list[Path]:
    """Return the folders of the published snapshots in the order of time."""
    folder = _find_published(path)
    folders = [entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink() and _holds(entry)]
    return sorted(folders, key=lambda entry: _sort_key(entry.name))


def check_folder(release: Release, folder: Path) -> Verdict:
    """Compare everything in the folder of a stream with what its snapshots, and their sum, would write there."""
    snapshots = read_snapshots(folder)
    summary = read_summary(folder)
    totals: dict[str, Any] = {}
    combined: list[str] = []
    differing, undeclared = list[str](), list[str]()
    if summary.get("finished") is True:
        combined = ["data.parquet", "data.csv", *sorted(f"{name}.csv" for name in release.extra_tables)]
        differing, undeclared, _ = check_tables(release, folder, combined)
        records = {
            "in": release.records_in,
            "published": len(release),
            "withheld": sum(release.suppressed_records.values()),
            "withheld_by_reason": dict(release.suppressed_records),
        }
        guarantee = release.guarantee.to_dict(release.unit)
        declared = {"method": release.method, "method_note": release.method_note, "guarantee": guarantee}
        totals = {**declared, "snapshots": len(snapshots), "records": records, "combined": combined}
        undeclared += compare_page(folder / PAGE, render_stream_page(release))
    whole = [PAGE, *combined] if totals else []
    undeclared += find_undeclared(folder, {STREAM_FILE, *whole, *snapshots})
    expected = {"format_version": STREAM_VERSION, "kind": "snapshots", **totals, "finished": bool(totals)}
    otherwise, more = compare_json(folder / STREAM_FILE, expected)
    counted = _add_up(snapshot.suppressed_records for snapshot in snapshots.values())
    otherwise += [reason for reason, count in counted.items() if count > release.suppressed_records.get(reason, 0)]
    wrong = [show(name) for name, snapshot in snapshots.items() if name not in _possible_names(snapshot)]
    counterexample: dict[str, Any] | None = None
    if otherwise:
        counterexample = {"check": _SUMMED_UP, "file": STREAM_FILE, "keys": otherwise}
    elif wrong:
        counterexample = {"check": _NAMED, "folders": wrong[:10]}
    elif differing:
        counterexample = {"check": _COMBINED, "files": differing}
    checks = {
        DECLARED: not undeclared and not more,
        _SUMMED_UP: not otherwise,
        _NAMED: not wrong,
        _COMBINED: not differing,
    }
    verdict = Verdict(counterexample is None, {}, {}, counterexample, checks, (), (*undeclared, *more))
    for name, snapshot in snapshots.items():
        batch_verdict, structure = inventory.check_folder(snapshot, folder / name), verify_structure(snapshot)
        verdict &= structure
        if structure.checks[READABLE]:
            batch_verdict &= verify_order(snapshot)
        verdict &= dataclasses.replace(
            batch_verdict, undeclared=tuple(f"{name}/{what}" for what in batch_verdict.undeclared)
        )
    return verdict


def render_stream_page(release: Release) -> bytes:
    """Return the page for someone who receives a stream that has come to its end; any of its snapshots tells as much.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(1, "a", "flu"), (1, "b", "cold"), (1, "a", "cold"), (1, "b", "flu")]
    >>> data = sf.Dataset.of("snapshots", rows, ("town",), "illness")
    >>> page = render_stream_page(sf.anonymize(data, sf.methods.Reposition(l=2)).release).decode()
    >>> "| `stream.json` |" in page, "`<time>/`" in page
    (True, True)
    """
    descriptions = find_kind(release.kind).descriptions
    files = {
        "data.parquet": "the records of all snapshots with types; best if your tool reads Parquet",
        "data.csv": "the same records as text",
        **{f"{name}.csv": descriptions.get(f"{name} table", "another table") for name in sorted(release.extra_tables)},
        STREAM_FILE: "kind, method, guarantee and numbers of records of the whole stream",
        PAGE: "this page",
        "<time>/": "a folder for every snapshot, named after its time: a release of this snapshot only, with the same "
        "files and its own page",
    }
    return render_page(release, files)


def _possible_names(snapshot: Release) -> set[str]:
    """Return how the folder of a snapshot may be called: by the time of all its records, in one of the units."""
    column = next((column for column in snapshot.columns if column.role == "time"), None)
    times = [] if column is None else snapshot.table.column(column.name).unique().to_pylist()
    if len(times) != 1:
        return set()
    moment = times[0]
    if not isinstance(moment, datetime.datetime):
        return {str(moment)} if isinstance(moment, int) else set()
    day = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    hour = f"{day}T{moment.hour:02}"
    minute = f"{hour}-{moment.minute:02}"
    names = {f"{minute}-{moment.second:02}"}
    # A coarser name is possible only where it leaves nothing out.
    if moment.second == 0:
        names.add(minute)
        if moment.minute == 0:
            names.add(hour)
            if moment.hour == 0:
                names.add(day)
                if moment.day == 1:
                    names.add(day[:7])
    return names


def _holds(folder: Path) -> bool:
    return (folder / "release.json").exists()


def _sort_key(name: str) -> tuple[int, str]:
    with contextlib.suppress(ValueError):
        return int(name), ""
    return 0, name


def read_snapshots(path: Path, data: str = "data.parquet") -> dict[str, Release]:
    """Read the snapshots of a stream one by one, by the names of their folders."""
    return {entry.name: read_release(entry, data) for entry in snapshot_folders(path)}


def read_folder(path: Path, data: str = "data.parquet") -> Release:
    """Read all snapshots of a stream as one release.

    Counts come from the summary of a stream that has come to its end, and from its snapshots otherwise.
    """
    folder = _find_published(path)
    summary = read_summary(folder)
    snapshots = read_snapshots(folder, data)
    if not snapshots:
        raise SchemaError(f"{path}: the stream has not published a snapshot yet.")
    listed = list(snapshots.values())
    first = listed[0]
    for name, other in snapshots.items():
        if not _is_compatible(other, first):
            raise VerificationError(
                f"{show(name)}: the snapshot has other columns or another guarantee than the first one."
            )
    records = _read_records(summary) if summary.get("finished") else None
    suppressed_records = records[1] if records else _add_up(snapshot.suppressed_records for snapshot in listed)
    return Release(
        kind=first.kind,
        method=first.method,
        method_note=first.method_note,
        guarantee=first.guarantee,
        columns=first.columns,
        table=pa.concat_tables([snapshot.table for snapshot in listed]).combine_chunks(),
        values=first.values,
        records_in=records[0] if records else sum(snapshot.records_in for snapshot in listed),
        suppressed_records=suppressed_records,
        extra_tables={
            name: ExtraTable(
                table.columns,
                pa.concat_tables([snapshot.extra_tables[name].table for snapshot in listed]).combine_chunks(),
            )
            for name, table in first.extra_tables.items()
        },
        unit=first.unit,
    )


def _is_compatible(snapshot: Release, other: Release) -> bool:
    """Return whether two snapshots have the same columns, and say the same of themselves."""
    names = ("kind", "columns", "guarantee", "method", "method_note", "unit")
    return all(getattr(snapshot, name) == getattr(other, name) for name in names)


def _add_up(counts: Iterator[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for by_reason in counts:
        for reason, count in by_reason.items():
            total[reason] = total.get(reason, 0) + count
    return total


def read_summary(folder: Path) -> dict[str, Any]:
    """Read what ``stream.json`` says."""
    content = read_json(folder / STREAM_FILE)
    check_version(STREAM_FILE, content, STREAM_VERSION)
    summary: dict[str, Any] = content
    return summary


def _read_records(summary: Mapping[str, Any]) -> tuple[int, dict[str, int]]:
    """Return how many records a stream had, and those it left out by reason."""
    records = summary.get("records")
    reasons = records.get("withheld_by_reason") if isinstance(records, dict) else None
    if not isinstance(records, dict) or not isinstance(reasons, dict) or type(records.get("in")) is not int:
        raise SchemaError("stream.json: the number of records in the input is missing.")
    if not all(type(count) is int for count in reasons.values()):
        raise SchemaError("stream.json: records.withheld_by_reason must hold whole numbers.")
    return records["in"], reasons
