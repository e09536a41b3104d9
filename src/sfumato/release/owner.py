"""What the owner keeps beside a release: who became whom, the secret, times, the recoding."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.dataset import Dataset
from sfumato.data.fingerprint import Fingerprint, describe_original, digest_records, match_records
from sfumato.data.secret import SECRET_BYTES, Secret
from sfumato.data.select import order_rows
from sfumato.exceptions import SchemaError
from sfumato.formats.json_files import read_json
from sfumato.formats.memory import Place
from sfumato.formats.parquet import read_parquet
from sfumato.messages import Message, option
from sfumato.release.batches import PublishedBatches
from sfumato.release.partition_plan import Plan
from sfumato.release.recoding import SavedRecoding, read_saved
from sfumato.release.release import OwnerRecord, Release, Result, describe_guarantee

__all__ = [
    "DIVISION_FILE",
    "NO_OWNER_FACTS",
    "SECRET_FILE",
    "OwnerFacts",
    "begin_batches",
    "find_rows",
    "keep_in_memory",
    "read_division",
    "read_owner_facts",
    "read_owner_record",
    "read_recoded",
    "read_recoding",
    "read_recorded_guarantee",
    "read_rows",
    "read_secret",
    "write_division",
    "write_owner",
    "write_secret",
]

SECRET_FILE = "secret.hex"
DIVISION_FILE = "parts.parquet"
"""Who is in which partition of a release in partitions."""


def write_owner(result: Result, folder: Place, version: str) -> None:
    """Write the row map, the trace and, if there is one, the recoding."""
    owner_record, release = result.owner_record, result.release
    rows = pa.array(owner_record.rows, pa.int64())
    columns: dict[str, Any] = {"original_row": rows}
    digests = None if owner_record.original is None else digest_records(owner_record.original)
    for column in release.columns:
        if column.role == "identifier":
            columns["published"] = release.table.column(column.name)
    if owner_record.original is not None:
        for original_column in owner_record.original.schema.columns:
            if original_column.role == "identifier":
                columns["person"] = owner_record.original.table.column(original_column.name).take(rows)
        if owner_record.original.people is not None:
            columns["whose"] = owner_record.original.people.take(rows)
        if owner_record.original.weights is not None:
            columns["weight"] = pa.array(owner_record.original.weights[owner_record.rows])
    if digests is not None:
        columns["content"] = pa.array(digests[owner_record.rows], pa.uint64())
    with (folder / "rows.parquet").open("wb") as file:
        pq.write_table(pa.table(columns), file)
    if owner_record.secret is not None and isinstance(folder, Path):
        write_secret(owner_record.secret, folder / SECRET_FILE)
    document = {
        "sfumato": version,
        "method": release.method,
        "unit": release.unit.to_dict(),
        "parameters": owner_record.parameters,
        "seconds": owner_record.seconds,
        "counters": owner_record.counters,
        "notes": [] if owner_record.original is None else [str(note) for note in owner_record.original.notes],
        "reading": dict(owner_record.original.read_options) if owner_record.original is not None else {},
        "claim": describe_guarantee(release),
        "original": {}
        if digests is None or owner_record.original is None
        else describe_original(digests, owner_record.original.time_unit),
    }
    (folder / "trace.json").write_bytes((json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())
    if owner_record.recoding is not None:
        text = json.dumps(owner_record.recoding.to_dict(), ensure_ascii=False)
        (folder / "recoding.json").write_bytes((text + "\n").encode())


class OwnerFacts(NamedTuple):
    """What its owner knows of a release, as far as checking it against an original needs it."""

    rows: npt.NDArray[np.int64] | None
    """The row that every published row has in the original; None where that is not known."""
    reordered: bool
    """Whether the rows were looked for by their content."""
    guarantee: dict[str, Any] | None
    recoded: tuple[str, ...]
    """Values of the recoding, where there is one."""
    another: bool = False
    """Whether the original holds other records than were published from."""


NO_OWNER_FACTS = OwnerFacts(None, False, None, ())


def read_owner_facts(path: Path, original: Dataset) -> OwnerFacts:
    """Return what lies in ``owner/`` beside a release."""
    rows, reordered, another = _match_rows(path, original)
    return OwnerFacts(rows, reordered, read_recorded_guarantee(path), read_recoded(path), another)


def keep_in_memory(result: Result, original: Dataset) -> OwnerFacts:
    """Return the same of a result that was not written."""
    owner_record = result.owner_record
    recoded = () if owner_record.recoding is None else owner_record.recoding.values
    rows, reordered, another = owner_record.rows, False, False
    if owner_record.original is not None and owner_record.original is not original:
        digests, here = digest_records(owner_record.original), digest_records(original)
        another = owner_record.original.time_unit != original.time_unit or not np.array_equal(
            np.sort(digests), np.sort(here)
        )
        if not another and not np.array_equal(digests, here):
            rows, reordered = match_records(digests[rows], here), True
    return OwnerFacts(rows, reordered, describe_guarantee(result.release), recoded, another)


def read_recorded_guarantee(path: Path) -> dict[str, Any] | None:
    """Return the claim that the owner kept beside a release, or None where it is not at hand."""
    guarantee = read_owner_record(path).get("claim")
    return guarantee if isinstance(guarantee, dict) else None


def write_secret(secret: Secret, path: Path) -> None:
    """Write a secret as hexadecimal digits, for nobody but the owner."""
    path.touch(mode=0o600)
    path.write_text(secret.key.hex() + "\n", encoding="ascii")


def read_secret(path: Path) -> Secret:
    """Read a secret that was kept in ``owner/``, or made by other means: 64 hexadecimal digits."""
    try:
        # A little more than a secret and its line end, so that a wrong file is not read whole.
        text = path.open("rb").read(4 * SECRET_BYTES).strip().decode("ascii")
        key = bytes.fromhex(text)
    except OSError as error:
        raise SchemaError(f"{path}: cannot be read ({error.strerror}).") from None
    except ValueError:
        key = b""
    if len(key) != SECRET_BYTES:
        raise SchemaError(
            f"{path} is not a secret of {2 * SECRET_BYTES} hexadecimal digits.",
            option="secret",
            hint=f"Use {SECRET_FILE} of owner/, or the output of 'openssl rand -hex 32'.",
        )
    return Secret(key)


def read_rows(path: Path) -> npt.NDArray[np.int64] | None:
    """Return the original row of every published row, or None where the owner's part is not at hand."""
    rows = _read_row_map(path)
    return None if rows is None else np.asarray(rows.column("original_row").to_numpy(), dtype=np.int64)


def find_rows(path: Path, original: Dataset) -> tuple[npt.NDArray[np.int64] | None, bool]:
    """Return the row that every published row has in an original, and whether they were looked for by their content.

    The row map counts the rows of the file that was published. Where the original has the same records in another
    order, they are matched by what they hold; records that hold the same are as good as each other.
    """
    return _match_rows(path, original)[:2]


def _match_rows(path: Path, original: Dataset) -> tuple[npt.NDArray[np.int64] | None, bool, bool]:
    """Return the same, and whether the original holds other records than were published from."""
    row_map = _read_row_map(path)
    recorded = read_owner_record(path).get("original")
    if row_map is None or not recorded or "content" not in row_map.column_names:
        return read_rows(path), False, False
    digests = digest_records(original)
    here = describe_original(digests, original.time_unit)
    another = here["in_any_order"] != recorded.get("in_any_order") or here["clock"] != recorded.get("clock")
    if here["in_order"] == recorded.get("in_order") or another:
        return read_rows(path), False, another
    return match_records(row_map.column("content").to_numpy(), digests), True, False


def _read_row_map(path: Path) -> pa.Table | None:
    file = _find_owner(path) / "rows.parquet"
    if not file.is_file():
        return None
    try:
        row_map = read_parquet(file.name, file, file.stat().st_size)
        rows = row_map.column("original_row")
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise SchemaError(f"{file}: not a row map.") from None
    if not pa.types.is_integer(rows.type) or rows.null_count:
        raise SchemaError(f"{file}: not a row map; it must hold whole numbers only.")
    if "content" in row_map.column_names and (
        row_map.column("content").type != pa.uint64() or row_map.column("content").null_count
    ):
        raise SchemaError(f"{file}: not a row map; what records hold must be whole numbers.")
    return row_map


def begin_batches(path: Path, release: Release) -> PublishedBatches:
    """Begin the list of published batches with a release that was made before there was one."""
    file = path / "owner" / SECRET_FILE
    published = PublishedBatches.begin(read_secret(file) if file.is_file() else Secret.fresh())
    file = path / "owner" / "rows.parquet"
    people = [""] * len(release)
    if file.is_file():
        rows = read_parquet(file.name, file, file.stat().st_size)
        name = next((name for name in ("whose", "person") if name in rows.column_names), "original_row")
        people = [str(who) for who in rows.column(name).to_pylist()]
    here = str((path / "owner").resolve())
    return dataclasses.replace(published.add(published.mark(release, people)), folders=(here,))


def _find_owner(path: Path) -> Path:
    """Return the folder that holds a row map: the given one, as that of a partition is, or its ``owner/``."""
    return path if (path / "rows.parquet").is_file() else path / "owner"


def write_division(
    owner_record: OwnerRecord,
    contents: Iterable[tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]],
    guarantee: Mapping[str, Any],
    folder: Path,
    by: str,
    partition_size: int | None = None,
) -> None:
    """Write what the owner keeps of a partitioned release: who is in which partition, and what is kept of the whole."""
    original, fingerprint = owner_record.original, Fingerprint(0, 0, 0)
    assert original is not None
    schema = pa.schema([("part", pa.int32()), ("content", pa.uint64())])
    with pq.ParquetWriter(folder / DIVISION_FILE, schema) as file:
        for partition, digests in contents:
            file.write_table(pa.table([pa.array(partition), pa.array(digests)], schema=schema))
            fingerprint += Fingerprint.of(digests)
    if owner_record.secret is not None:
        write_secret(owner_record.secret, folder / SECRET_FILE)
    document = {
        "sfumato": by,
        "parameters": owner_record.parameters,
        "seconds": owner_record.seconds,
        "counters": owner_record.counters,
        "notes": [str(note) for note in original.notes],
        "reading": dict(original.read_options),
        "claim": guarantee,
        "part_size": partition_size,
        "original": {"records": fingerprint.records, "fingerprint": fingerprint.to_bytes().hex()},
    }
    (folder / "trace.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_division(path: Path, original: Dataset, partitions: int) -> list[npt.NDArray[np.int64]] | None:
    """Return the rows of an original by the partition they were published in; None where that is not at hand."""
    file = path / "owner" / DIVISION_FILE
    if not file.is_file():
        return None
    try:
        division = read_parquet(file.name, file, file.stat().st_size)
        partition, content = (division.column(name).to_numpy() for name in ("part", "content"))
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise SchemaError(f"{file}: does not link people to partitions.") from None
    if len(partition) != len(original) or partition.dtype != np.int32 or content.dtype != np.uint64:
        raise SchemaError(
            f"the original has {len(original):,} records, but the release was made from {len(partition):,}.",
            hint=Message(
                "Give the same original, read with the same options, such as ",
                option("places"),
                ", ",
                option("split"),
                " and ",
                option("columns"),
                ".",
            ),
        )
    count = int(partition.max(initial=-1)) + 1
    if partition.min(initial=0) < 0 or count != partitions:
        raise SchemaError(
            f"{path}: owner/ is of {count:,} partitions, but the release has {partitions:,}.",
            hint="Give the owner/ that was written with this release.",
        )
    rows, digests = np.arange(len(partition)), digest_records(original)
    if not np.array_equal(digests, content) and np.array_equal(np.sort(digests), np.sort(content)):
        rows = match_records(content, digests)
    return [order_rows(original, rows[chosen]) for chosen in Plan(partition, partitions)]


def read_owner_record(path: Path) -> dict[str, Any]:
    """Return the owner's trace, empty where it is not at hand."""
    file = _find_owner(path) / "trace.json"
    if not file.is_file():
        return {}
    data = read_json(file)
    if not isinstance(data, dict):
        raise SchemaError(f"{file}: not the owner's record of a release.")
    return data


def read_recoded(path: Path) -> tuple[str, ...]:
    """Return the values of the recoding learnt for a release, none where there is none."""
    if not (path / "owner" / "recoding.json").is_file():
        return ()
    return read_recoding(path).values


def read_recoding(path: Path) -> SavedRecoding:
    """Return the recoding learnt for a release."""
    file = path if path.is_file() else path / "owner" / "recoding.json"
    if not file.is_file():
        raise SchemaError(f"{path}: there is no saved recoding here; only methods that recode globally save one.")
    try:
        return read_saved(read_json(file))
    except (KeyError, TypeError, ValueError):
        raise SchemaError(f"{file}: not a saved recoding.") from None
