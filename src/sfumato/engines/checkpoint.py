"""Partitions that are ready, kept until all of them are: a run that was stopped goes on with those that are missing.

They lie in a hidden folder beside the release that is to be, which is called by a digest of all that decides on the
partitions: data, method, parameters and size. Another run of the same finds them; a run of anything else removes them.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sfumato.data.secret import Secret
from sfumato.exceptions import SfumatoError, StoppedError
from sfumato.formats.json_files import read_json
from sfumato.release.folder import (
    StagingFolder,
    first_missing,
    register_temporary,
    remove_empty,
    remove_temporary,
    try_lock,
)
from sfumato.release.owner import SECRET_FILE, read_secret, write_secret
from sfumato.release.partitioned import DATA, describe_partition, name_partition

__all__ = ["PartitionsCheckpoint"]

_PREFIX = ".parts-"
_READY = "ready.json"
_SPILL, _DATA = "people", "data.hex"


class PartitionsCheckpoint:
    """The folder in which the partitions of a release are collected.

    Leaving it by an error of this program, or when the release is there, removes it; by anything else, such as Ctrl-C,
    leaves the partitions that are ready for the next run, and nothing else of anybody.

    Parameters
    ----------
    out
        The directory of the release that is to be.
    mark
        A digest of all that decides on the partitions but the secret.
    secret
        The owner's secret, if one is given; else the one that was drawn for the partitions that are there, or a fresh
        one.

    Examples
    --------
    >>> import tempfile
    >>> mark = "0f" * 16
    >>> with tempfile.TemporaryDirectory() as folder, PartitionsCheckpoint(Path(folder) / "out", mark, None) as ready:
    ...     ready.is_ready(0)
    False
    """

    def __init__(self, out: Path, mark: str, secret: Secret | None) -> None:
        self._out, self._top = out, first_missing(out)
        self.folder = out / f"{_PREFIX}{mark[:32]}"
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        if not try_lock(self._lock):
            os.close(self._lock)
            raise SfumatoError(f"{out}: another run is preparing the same release there. Wait for it to end.")
        for other in out.glob(f"{_PREFIX}*"):
            if other != self.folder and not _is_held(other):
                shutil.rmtree(other, ignore_errors=True)
        shutil.rmtree(self.folder / _SPILL, ignore_errors=True)
        file = self.folder / SECRET_FILE
        stored = read_secret(file) if file.is_file() else None
        if stored is None or (secret is not None and secret != stored):
            for partition in self.folder.glob("part-*"):
                shutil.rmtree(partition)
            stored = secret or Secret.fresh()
            beside = file.with_suffix(".new")
            write_secret(stored, beside)
            beside.replace(file)
        self.secret = stored

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        remove_temporary(self.folder / _SPILL)
        os.close(self._lock)
        if error is None or (isinstance(error, SfumatoError) and not isinstance(error, StoppedError)):
            shutil.rmtree(self.folder, ignore_errors=True)
            if self._top is not None:
                remove_empty(self._out, self._top)

    def create_spill_folder(self) -> Path:
        """Return an empty folder for people who are read in bounded memory; whatever happens, it does not stay."""
        folder = self.folder / _SPILL
        remove_temporary(folder)
        folder.mkdir(mode=0o700)
        register_temporary(folder)
        return folder

    def keep_for(self, data: bytes) -> None:
        """Remove ready partitions that were made of other data: a file may change and keep its size and time."""
        file = self.folder / _DATA
        if file.is_file() and file.read_text() == data.hex():
            return
        for partition in self.folder.glob("part-*"):
            shutil.rmtree(partition)
        beside = file.with_suffix(".new")
        beside.write_text(data.hex())
        beside.replace(file)

    def is_ready(self, number: int) -> bool:
        """Tell whether a partition is there, whole."""
        folder = self.folder / name_partition(number)
        if not (folder / _READY).is_file():
            return False
        try:
            if (
                describe_partition(folder / "release", folder.name).partitions[0].sha256
                == self.read_facts(number)["sha256"]
            ):
                return True
        except (SfumatoError, OSError, KeyError, TypeError):
            pass  # whatever it is, it is no partition: it is made again
        shutil.rmtree(folder)
        return False

    def read_facts(self, number: int) -> dict[str, Any]:
        """Return what was kept of a partition beside its files."""
        facts: dict[str, Any] = read_json(self.folder / name_partition(number) / _READY)
        return facts

    def keep(self, number: int, files: Mapping[str, bytes], facts: Mapping[str, Any]) -> None:
        """Keep the files of a partition: it is there when all of them are."""
        unfinished, folder = self.folder / "aside", self.folder / name_partition(number)
        shutil.rmtree(unfinished, ignore_errors=True)
        for name, content in files.items():
            path = unfinished / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        digest = describe_partition(unfinished / "release", folder.name).partitions[0].sha256
        (unfinished / _READY).write_text(
            json.dumps({**facts, "sha256": digest}, default=_encode_value), encoding="utf-8"
        )
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)

    def hand_over(self, count: int, staging: StagingFolder) -> None:
        """Put all partitions where a release is prepared; they stay here until it is there."""
        (staging.release / DATA).mkdir(mode=0o755)
        for number in range(count):
            name = name_partition(number)
            for side, target in (("release", staging.release / DATA), ("owner", staging.owner)):
                shutil.copytree(self.folder / name / side, target / name, copy_function=_link)


def _encode_value(value: Any) -> Any:
    """Return a number as JSON has it; what else was found, as a text."""
    return value.item() if hasattr(value, "item") else str(value)


def _link(source: str, target: str) -> None:
    """Give a file a second name, or copy it where the file system cannot."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _is_held(folder: Path) -> bool:
    """Tell whether a run is at work there."""
    try:
        handle = os.open(folder / "lock", os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(handle)
    finally:
        os.close(handle)
