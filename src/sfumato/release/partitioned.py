"""A release of people in partitions, each of which is a whole release in a folder of its own.

::

    release/release.json                    what all partitions promise together, and the partitions with their digests
    release/README.md
    release/data/part-00000/data.parquet    a partition: a release like any other, with its own values, places and
    numbers release/data/part-00000/release.json
    ...

A partition recodes in its own way, so what its values mean lies with it, and records are numbered anew in every
partition: partition and number together tell a record. Whoever wants to check a partition, or to work with it, needs
no other.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sfumato.base.guarantee import Guarantee, read_guarantee
from sfumato.base.verdict import Verdict
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.json_files import check_plain, encode_json, read_json
from sfumato.formats.memory import MemoryPlace, Place
from sfumato.old_names import with_old_names
from sfumato.release.attachments import digest_file, is_plain_name
from sfumato.release.inventory import COUNTED, DECLARED, STATEMENT, compare_json, find_undeclared, show
from sfumato.release.manifest import DIVIDED, FORMAT_VERSION, check_version, is_divided, read_manifest
from sfumato.release.readme import PAGE, escape_markdown, render_note
from sfumato.release.release import Included
from sfumato.release.storage import find_release

__all__ = [
    "DATA",
    "TAKEN",
    "DividedRelease",
    "ListedPartition",
    "check_divided",
    "describe_partition",
    "find_divided",
    "name_partition",
    "read_divided",
    "refuse_divided",
    "unite_partitions",
    "write_divided",
]

DATA = "data"
"""Folder of the partitions."""
TAKEN = (PAGE, "release.json", DATA)
"""Names that lie beside the partitions."""
LISTED = "the parts are those that are listed"
_NAME = re.compile(r"part-[0-9]{5,9}")


class ListedPartition(BaseModel):
    """A partition as the whole lists it: its folder, its numbers of records, and a digest of all its files.

    Examples
    --------
    >>> ListedPartition(name="part-00000", records_in=9, published=8, sha256="e3b0").published
    8
    """

    model_config = ConfigDict(strict=True, frozen=True)

    name: str
    records_in: int
    published: int
    sha256: str


@with_old_names
@dataclasses.dataclass(frozen=True)
class DividedRelease:
    """What a release in partitions says of all of them together.

    Parameters
    ----------
    kind, method, guarantee, unit, method_note
        As every partition has them.
    records_in, published, suppressed_records
        Of all partitions.
    partitions
        The partitions, in their order.
    included
        Files of the owner's own that are published beside them.

    Examples
    --------
    >>> from sfumato.kinds.sets.guarantees import KmItems
    >>> DividedRelease("sets", "apriori", KmItems(k=5, m=2), RecordUnit("person", "people"), 12, 11, {"rare": 1}, ())
    DividedRelease(sets by apriori: 11 of 12 records in 0 partitions, 5^2-anonymity of items)
    """

    kind: str
    method: str
    guarantee: Guarantee
    unit: RecordUnit
    records_in: int
    published: int
    suppressed_records: Mapping[str, int]
    partitions: tuple[ListedPartition, ...]
    included: tuple[Included, ...] = ()
    method_note: str = ""

    def __len__(self) -> int:
        return self.published

    def __repr__(self) -> str:
        return (
            f"DividedRelease({self.kind} by {self.method}: {self.published:,} of {self.records_in:,} records in "
            f"{len(self.partitions):,} partitions, {self.guarantee})"
        )


def name_partition(number: int) -> str:
    """Return the name of a partition.

    Examples
    --------
    >>> name_partition(7)
    'part-00007'
    """
    return f"part-{number:05}"


def find_divided(path: Any) -> Place | None:
    """Return the folder of a release if it comes in partitions, None if it is another one or there is none."""
    try:
        folder = find_release(path)
    except SchemaError:
        return None
    return folder if is_divided(folder) else None


def refuse_divided(path: Any) -> None:
    """Refuse to apply the recoding of a release in partitions: there is none.

    Examples
    --------
    >>> refuse_divided("nowhere")
    """
    if find_divided(path) is not None:
        raise ParameterError(
            f"apply: {path} is a partitioned release, which has no recoding for later batches.",
            hint="Publish the batch as a release of its own.",
        )


def read_divided(folder: Place) -> DividedRelease:
    """Read what a release in partitions says of itself; whether it is true is for those who check it."""
    manifest = read_json(folder / "release.json")
    check_version("release.json", manifest, FORMAT_VERSION)
    try:
        included = tuple(Included(**file) for file in manifest["included"])
        if any(not is_plain_name(file.name) or file.name in TAKEN for file in included):
            raise SchemaError("release.json: an included file must have a plain name of its own.")
        partitions = tuple(ListedPartition.model_validate(partition) for partition in manifest[DIVIDED])
        records = manifest["records"]
        return DividedRelease(
            kind=str(manifest["kind"]),
            method=str(manifest["method"]),
            guarantee=read_guarantee(manifest["kind"], manifest["guarantee"]),
            unit=RecordUnit.from_dict(manifest["unit"]),
            records_in=int(records["in"]),
            published=int(records["published"]),
            suppressed_records={str(reason): int(count) for reason, count in records["withheld_by_reason"].items()},
            partitions=partitions,
            included=included,
            method_note=str(manifest["method_note"]),
        )
    except (ValidationError, ParameterError, KeyError, TypeError, ValueError, AttributeError):
        raise SchemaError("release.json: not the manifest of a release in partitions.") from None


def describe_divided(release: DividedRelease) -> dict[str, Any]:
    """Return what ``release.json`` says of a release in partitions."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": release.kind,
        "method": release.method,
        "method_note": release.method_note,
        "guarantee": release.guarantee.to_dict(release.unit),
        "unit": release.unit.to_dict(),
        DIVIDED: [partition.model_dump() for partition in release.partitions],
        "included": [dataclasses.asdict(file) for file in release.included],
        "records": {
            "in": release.records_in,
            "published": release.published,
            "withheld": sum(release.suppressed_records.values()),
            "withheld_by_reason": dict(sorted(release.suppressed_records.items())),
        },
    }


def write_divided(release: DividedRelease, folder: Path) -> None:
    """Write what lies beside the partitions."""
    (folder / PAGE).write_bytes(_render_page(release))
    (folder / "release.json").write_bytes(encode_json(describe_divided(release)))


def describe_partition(folder: Path, name: str) -> DividedRelease:
    """Return a partition as a release in one partition: what it says of itself, and the digest of its files."""
    read = read_manifest(folder)
    records = read.records
    state = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        check_plain(file)
        state.update(f"{file.name}\n{digest_file(file).sha256}\n".encode())
    partition = ListedPartition(
        name=name, records_in=records.records_in, published=records.published, sha256=state.hexdigest()
    )
    return DividedRelease(
        kind=read.kind,
        method=read.method,
        guarantee=read_guarantee(read.kind, read.guarantee.model_dump()),
        unit=RecordUnit.from_dict(read.unit.model_dump()),
        records_in=records.records_in,
        published=records.published,
        suppressed_records=dict(records.withheld_by_reason),
        partitions=(partition,),
        method_note=read.method_note,
    )


def unite_partitions(partitions: Iterable[DividedRelease], included: tuple[Included, ...] = ()) -> DividedRelease:
    """Return what partitions say together; refuse partitions of different data, methods or promises."""
    listed = list(partitions)
    first = listed[0]
    if len({(partition.kind, partition.method, partition.method_note, partition.unit) for partition in listed}) > 1:
        raise SchemaError("release.json: partitions differ in kind of data, method, notes or unit.")
    suppressed_records: Counter[str] = Counter()
    for partition in listed:
        suppressed_records.update(partition.suppressed_records)
    return dataclasses.replace(
        first,
        guarantee=functools.reduce(
            lambda merged, other: merged.join(other), (partition.guarantee for partition in listed)
        ),
        records_in=sum(partition.records_in for partition in listed),
        published=sum(partition.published for partition in listed),
        suppressed_records=dict(sorted(suppressed_records.items())),
        partitions=tuple(entry for partition in listed for entry in partition.partitions),
        included=included,
    )


def check_divided(release: DividedRelease, folder: Place) -> Verdict:
    """Compare what a partitioned release says, and all that lies beside its partitions, with those that are there."""
    if isinstance(folder, MemoryPlace):
        raise SchemaError("release.json: a release in partitions lies in a directory.")
    names = [partition.name for partition in release.partitions]
    missing = [name for name in dict.fromkeys(names) if not _is_folder(folder / DATA / show(name))]
    if not names or len(set(names)) < len(names) or missing or not all(map(_NAME.fullmatch, names)):
        twice = sorted({show(name) for name in names if names.count(name) > 1})
        counterexample = {"check": LISTED, "missing": list(map(show, missing[:5])), "listed_twice": twice[:5]}
        return Verdict(False, release.guarantee.parameters(), {}, counterexample, {LISTED: False})
    undeclared = [*find_undeclared(folder, {*TAKEN, *(file.name for file in release.included)})]
    undeclared += [f"{DATA}/{what}" for what in find_undeclared(folder / DATA, set(names))]
    if names != list(map(name_partition, range(len(names)))):
        undeclared.append("release.json: partitions that are not numbered from 0")
    for file in release.included:
        check_plain(folder / file.name)
    undeclared += [
        f"{show(file.name)}: its content is not the declared one"
        for file in release.included
        if digest_file(folder / file.name) != file
    ]
    try:
        merged = unite_partitions((describe_partition(folder / DATA / name, name) for name in names), release.included)
    except (SchemaError, ParameterError) as error:
        return Verdict(False, {}, {}, {"check": LISTED, "found": str(error)}, {LISTED: False})
    if merged.guarantee.bound_to_whole:
        counterexample = {
            "check": LISTED,
            "found": f"this guarantee cannot be kept in partitions: {merged.guarantee.bound_to_whole}",
        }
        return Verdict(False, merged.guarantee.parameters(), {}, counterexample, {LISTED: False})
    return _compare(merged, folder, undeclared)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _compare(merged: DividedRelease, folder: Path, undeclared: list[str]) -> Verdict:
    """Compare the manifest and the page with what the partitions, as they are, would say."""
    otherwise, more = compare_json(folder / "release.json", describe_divided(merged))
    undeclared += more
    check_plain(folder / PAGE)
    if not otherwise and (folder / PAGE).read_bytes() != _render_page(merged):
        undeclared.append(f"{PAGE}: is not what a release says there")
    statement = "guarantee.statement" in otherwise
    counts = [key for key in otherwise if key.startswith("records.")]
    others = [key for key in otherwise if key not in counts and key != "guarantee.statement"]
    checks = {LISTED: not others, STATEMENT: not statement, COUNTED: not counts, DECLARED: not undeclared}
    broken = next((name for name, passed in checks.items() if not passed and name != DECLARED), None)
    counterexample = None if broken is None else {"check": broken, "file": "release.json", "keys": otherwise[:10]}
    measured: dict[str, Any] = {"parts": len(merged.partitions)}
    if merged.included:
        measured["included_not_judged"] = [file.name for file in merged.included]
    claimed = merged.guarantee.parameters()
    return Verdict(counterexample is None, claimed, measured, counterexample, checks, (), tuple(undeclared[:20]))


def _render_page(release: DividedRelease) -> bytes:
    """Return the page for whoever receives all partitions."""
    lines = [
        f"# {release.kind}, published with {escape_markdown(release.method)} in {len(release.partitions):,} parts",
        "",
        f"A record is {release.unit.record_of_person}. The guarantee holds for every part and for the whole release, "
        "and can be verified from these files:",
        "",
        f"> {escape_markdown(release.guarantee.statement(release.unit))}",
        *render_note(release.method_note),
        "",
        "## The files",
        "",
        "| file | what it is |",
        "| --- | --- |",
        "| `data/part-00000/` and so on | a part: a whole release, with a `README.md` that explains its files |",
        "| `release.json` | kind, method, guarantee, the parts with their numbers of records and digests |",
        f"| `{PAGE}` | this page |",
        *(f"| `{file.name}` | added by the publisher; the guarantee does not cover it |" for file in release.included),
        "",
        "Each part makes values coarser in its own way: what its values stand for is in its own `values.csv`, and a "
        "value that one part has removed may be in another. Records, and what else is numbered, are numbered anew in "
        "every part: the part and the number together tell a record. The same value of two parts has the same members "
        "only if both parts list them.",
        "",
        "## How to load it",
        "",
        "```python",
        "import glob",
        "import polars",
        "",
        'parts = {path: polars.read_parquet(path) for path in sorted(glob.glob("data/part-*/data.parquet"))}',
        "```",
        "",
        "## How to check it",
        "",
        "```",
        "sfumato verify .",
        "sfumato verify data/part-00000",
        "```",
        "",
    ]
    return "\n".join(lines).encode()
