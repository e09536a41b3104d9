"""A release in parts held against the file of its original, part by part and in bounded memory.

The owner kept the secret and the size of the parts, so the file is cut into the very parts that were published.
"""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato import plugins
from sfumato.api.verify import verify_part, verify_undivided
from sfumato.base.verdict import Verdict
from sfumato.engines.local import Local
from sfumato.engines.scan import ScanResult, scan
from sfumato.engines.tasks import count_people_per_place
from sfumato.exceptions import SfumatoError, StoppedError
from sfumato.formats.memory import MemoryPlace
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.disk import OnDisk
from sfumato.readers.partitioned.reading import ReadWhole
from sfumato.readers.partitioned.records import StoredPart
from sfumato.release import owner, partitioned
from sfumato.release.folder import register_temporary
from sfumato.release.run import PartEngine, Progress, silent

__all__ = ["PartCheck", "check_part", "verify_file"]


@dataclasses.dataclass(frozen=True)
class PartCheck:
    """All that checking a part needs: where it is published, and where its people lie."""

    path: Path
    folder: Path
    name: str
    people: StoredPart


def verify_file(
    path: Path,
    file: Path,
    read_options: Mapping[str, Any] | None = None,
    *,
    engine: PartEngine | None = None,
    progress: Progress = silent,
) -> Verdict | None:
    """Check a release in parts against the file it was made from, with one part a core in memory.

    Return None where that cannot be: the release is not in parts, its owner's part is not at hand, the file has to be
    read whole, or it is not the one that was published. Whoever reads it whole can tell.

    Parameters
    ----------
    path
        The directory with ``release/`` and ``owner/``.
    file
        The original.
    read_options
        Options to read it with that win over those it was published with.
    engine, progress
        Where parts are checked, and what shows how far that is.

    Examples
    --------
    >>> import tempfile
    >>> import sfumato as sf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     original = Path(folder, "baskets.csv")
    ...     _ = original.write_text("person,item\\n" + "\\n".join(f"p{n},tea" for n in range(8)))
    ...     method = sf.methods.Disassociation(k=2, m=1)
    ...     made = sf.publish_in_parts(original, method, f"{folder}/out", kind="sets", part_size=4, engine=Local(1))
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
                part_size=owner_record["part_size"],
                people_per_place=count_people_per_place(method),
                progress=progress,
            )
        except StoppedError:
            raise
        except (ReadWhole, SfumatoError, TypeError, KeyError):
            return None
        if not _is_the_same(scanned, owner_record, release):
            return None
        parts = zip(release.parts, scanned.parts, strict=True)
        checks = (PartCheck(path, folder, part.name, StoredPart(Path(temporary), of)) for part, of in parts)
        verdicts: dict[str, Verdict] = {}
        for name, part_verdict in local.stream(check_part, checks):
            verdicts[name] = part_verdict
            progress("verify parts", len(verdicts), len(release.parts))
    return Verdict.unite({part.name: verdicts[part.name] for part in release.parts}) & verdict


def _is_the_same(scanned: ScanResult, owner_record: Mapping[str, Any], release: partitioned.DividedRelease) -> bool:
    fingerprint = owner_record.get("original", {}).get("fingerprint")
    return fingerprint == scanned.fingerprint.to_bytes().hex() and len(scanned.parts) == len(release.parts)


def check_part(check: PartCheck) -> tuple[str, Verdict]:
    """Check a part against its people; return its name and what was found."""
    return check.name, verify_part(check.path, check.folder, check.name, check.people.load())
