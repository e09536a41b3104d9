"""A release in partitions held against the file of its original, partition by partition and in bounded memory.

The owner kept the secret and the size of the partitions, so the file is cut into the very partitions that were
published.
"""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato import plugins
from sfumato.api.verify import verify_partition, verify_undivided
from sfumato.base.verdict import Verdict
from sfumato.engines.local import Local
from sfumato.engines.scan import ScanResult, scan
from sfumato.engines.tasks import count_people_per_place
from sfumato.exceptions import SfumatoError, StoppedError
from sfumato.formats.memory import MemoryPlace
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.disk import OnDisk
from sfumato.readers.partitioned.reading import ReadWhole
from sfumato.readers.partitioned.records import StoredPartition
from sfumato.release import owner, partitioned
from sfumato.release.folder import register_temporary
from sfumato.release.run import PartitionEngine, Progress, silent

__all__ = ["PartitionCheck", "check_partition", "verify_file"]


@dataclasses.dataclass(frozen=True)
class PartitionCheck:
    """All that checking a partition needs: where it is published, and where its people lie."""

    path: Path
    folder: Path
    name: str
    people: StoredPartition


def verify_file(
    path: Path,
    file: Path,
    read_options: Mapping[str, Any] | None = None,
    *,
    engine: PartitionEngine | None = None,
    progress: Progress = silent,
) -> Verdict | None:
    """Check a release in partitions against the file it was made from, with one partition a core in memory.

    Return None where that cannot be: the release is not in partitions, its owner's part is not at hand, the file has
    to be read whole, or it is not the one that was published. Whoever reads it whole can tell.

    Parameters
    ----------
    path
        The directory with ``release/`` and ``owner/``.
    file
        The original.
    read_options
        Options to read it with that win over those it was published with.
    engine, progress
        Where partitions are checked, and what shows how far that is.

    Examples
    --------
    >>> import tempfile
    >>> import sfumato as sf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     original = Path(folder, "baskets.csv")
    ...     _ = original.write_text("person,item\\n" + "\\n".join(f"p{n},tea" for n in range(8)))
    ...     method = sf.methods.Disassociation(k=2, m=1)
    ...     given = {"kind": "sets", "partition_size": 4, "engine": Local(1)}
    ...     made = sf.publish_in_partitions(original, method, f"{folder}/out", **given)
    ...     verify_file(Path(folder, "out"), original, engine=Local(1)).holds
    True
    """
    folder, owner_record = partitioned.find_divided(path), owner.read_owner_record(path)
    secret_file = path / "owner" / owner.SECRET_FILE
    if (
        folder is None
        or isinstance(folder, MemoryPlace)
        or "part_size" not in owner_record
        or not secret_file.is_file()
    ):
        return None
    release = partitioned.read_divided(folder)
    verdict = verify_undivided(path, folder, release)
    if not verdict.holds:
        return verdict
    inside = path if os.access(path, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=inside, prefix=".verify-") as temporary:
        register_temporary(Path(temporary))
        local = engine if isinstance(engine, Local) else Local()
        try:
            options = {**owner_record.get("reading", {}), **(read_options or {}), "kind": release.kind}
            method = plugins.find_method(release.method, release.kind)(**owner_record["parameters"])
            scanned = scan(
                file,
                ReadOptions.from_dict(options),
                method,
                owner.read_secret(secret_file),
                OnDisk(Path(temporary), local),
                partition_size=owner_record["part_size"],
                people_per_place=count_people_per_place(method),
                progress=progress,
            )
        except StoppedError:
            raise
        except (ReadWhole, SfumatoError, TypeError, KeyError):
            return None
        if not _is_the_same(scanned, owner_record, release):
            return None
        partitions = zip(release.partitions, scanned.partitions, strict=True)
        checks = (
            PartitionCheck(path, folder, partition.name, StoredPartition(Path(temporary), of))
            for partition, of in partitions
        )
        verdicts: dict[str, Verdict] = {}
        for name, partition_verdict in local.stream(check_partition, checks):
            verdicts[name] = partition_verdict
            progress("verify partitions", len(verdicts), len(release.partitions))
    return Verdict.unite({partition.name: verdicts[partition.name] for partition in release.partitions}) & verdict


def _is_the_same(scanned: ScanResult, owner_record: Mapping[str, Any], release: partitioned.DividedRelease) -> bool:
    fingerprint = owner_record.get("original", {}).get("fingerprint")
    return fingerprint == scanned.fingerprint.to_bytes().hex() and len(scanned.partitions) == len(release.partitions)


def check_partition(check: PartitionCheck) -> tuple[str, Verdict]:
    """Check a partition against its people; return its name and what was found."""
    return check.name, verify_partition(check.path, check.folder, check.name, check.people.load())
