"""The project folder: data, policies, hierarchies, workloads, studies and releases as ordinary files.

Names that come from a browser never become paths: they are looked up among the names that are there
(:meth:`Project.find`), or only suggest a name that is made here (:func:`make_name`).
"""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from sfumato.exceptions import ParameterError, SfumatoError

__all__ = ["AREAS", "READ_AS_DATA", "READ_AS_TEXT", "Project", "make_name", "replace_text", "split_name"]

AREAS = ("data", "policies", "hierarchies", "constraints", "workloads", "studies", "releases", "exports")
"""Folders of a project."""
READ_AS_DATA = (
    *("csv", "tsv", "txt", "dat", "data", "parquet", "pq", "jsonl", "ndjson", "json", "xlsx", "ods", "xes", "gpx"),
    *("geojson", "spmf", "log", "zip", "gz", "xz"),
)
"""Extensions of files that readers may know."""
READ_AS_TEXT = ("csv", "txt", "tsv")
"""Extensions of hierarchies, constraints and workloads."""

_HIDDEN = ".workbench"
_LONGEST = 60
_DEEPEST = 4
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10))}
"""Names that mean devices on some systems, whatever follows them."""


def make_name(wanted: str) -> str:
    """Make a file name of what somebody typed: small letters, digits and dashes, and nothing that leads elsewhere.

    Examples
    --------
    >>> make_name("../../Check-ins of Müller (2024).csv"), make_name("..."), make_name("NUL")
    ('check-ins-of-muller-2024-csv', 'unnamed', 'nul-file')
    """
    plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode()
    stem = "-".join(re.findall(r"[a-z0-9]+", plain.lower()))[:_LONGEST].strip("-")
    return f"{stem}-file" if stem in _DEVICES else stem or "unnamed"


def split_name(wanted: str, allowed: tuple[str, ...]) -> tuple[str, str]:
    """Split the name of a file into a stem that is safe and the extension, which must be one of those known.

    Examples
    --------
    >>> split_name("C:\\\\visits.2024.CSV.gz", READ_AS_DATA)
    ('visits-2024', '.csv.gz')
    >>> split_name("run.exe", READ_AS_DATA)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Files that end in .exe are not supported. Supported: csv, tsv, txt, ...
    """
    bare = re.split(r"[/\\]", wanted)[-1]
    parts = bare.lower().split(".")
    stem, extensions = parts[:-1], parts[-1:]
    if len(stem) > 1 and extensions[0] in {"gz", "xz"}:
        stem, extensions = stem[:-1], [stem[-1], *extensions]
    if not stem or any(part not in allowed for part in extensions):
        shown = make_name(extensions[-1])[:12]
        raise ParameterError(f"Files that end in .{shown} are not supported.", hint=f"Supported: {', '.join(allowed)}.")
    return make_name(" ".join(stem)), "".join(f".{part}" for part in extensions)


def replace_text(path: Path, text: str) -> None:
    """Write a file so that it is there whole or as it was before."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class Project:
    """A folder of files that belong together.

    Examples
    --------
    >>> import tempfile
    >>> project = Project.open(Path(tempfile.mkdtemp()) / "mine")
    >>> _ = (project.area("data") / "visits.csv").write_text("person,place")
    >>> project.list("data"), project.find("data", "visits.csv").name
    (['visits.csv'], 'visits.csv')
    >>> project.find("data", "../policies")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SfumatoError: The project has no such file in data.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    @classmethod
    def open(cls, folder: Path) -> Project:
        """Open a project, or begin one in an empty or a new folder."""
        if folder.exists() and not folder.is_dir():
            raise ParameterError(f"{folder} is a file.", option="data", hint="Give a folder for the project.")
        areas = {*AREAS, _HIDDEN}
        if folder.is_dir():
            entries = [entry.name for entry in folder.iterdir() if not entry.name.startswith(".")]
            if entries and not areas & set(entries):
                raise ParameterError(
                    f"{folder} is not empty and not a project.",
                    option="data",
                    hint="For example: sfumato serve sfumato-project",
                )
        for name in (*AREAS, _HIDDEN):
            try:
                (folder / name).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ParameterError(
                    f"{folder / name} cannot be created: {error.strerror}.",
                    option="data",
                    hint="Give a folder that you can write to.",
                ) from None
        project = cls(folder)
        for left in project.hidden("incoming").iterdir():
            left.unlink(missing_ok=True)
        return project

    def area(self, name: str) -> Path:
        """Return a folder of the project."""
        if name not in AREAS:
            raise SfumatoError("The project has no such folder.")
        return self.folder / name

    def hidden(self, name: str) -> Path:
        """Return a folder for what is not the project itself: jobs, and uploads on their way."""
        folder = self.folder / _HIDDEN / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def list(self, area: str) -> list[str]:
        """Return what lies in a folder of the project, by name; policies and steps beside data are not data.

        Links would lead elsewhere, and pipes and devices would block readers: they are left out.
        """
        left_out = (".toml",) if area == "data" else ()
        with os.scandir(self.area(area)) as entries:
            return sorted(
                entry.name
                for entry in entries
                if not entry.name.startswith(".")
                and not entry.name.endswith(left_out)
                and (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False))
            )

    def find(self, area: str, name: str) -> Path:
        """Return the file of a name, which must be one of those that are there."""
        if name not in self.list(area):
            raise SfumatoError(f"The project has no such file in {area}.")
        return self.area(area) / name

    def policy_of(self, data: str) -> Path:
        """Return the policy that says how a file of data is read, whether it is there or not."""
        return self.area("data") / f"{self.find('data', data).name}.toml"

    def free(self, area: str, wanted: str, extension: str = "") -> Path:
        """Return a path in a folder of the project that nothing has yet, named like what was wanted."""
        stem, taken = make_name(wanted), {entry.name.lower() for entry in self.area(area).iterdir()}
        for number in range(1, 10_000):
            name = f"{stem}{f'-{number}' * (number > 1)}{extension}"
            if name not in taken:
                return self.area(area) / name
        raise SfumatoError("The project has too many files of this name.", hint="Choose another name.")

    def files(self, area: str, name: str) -> dict[str, Path]:
        """Return the files below an entry of the project by their paths in it; an entry that is a file is itself."""
        top = self.find(area, name)
        if top.is_file():
            return {top.name: top}
        return {path.relative_to(top).as_posix(): path for path in sorted(_walk(top, _DEEPEST))}


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.is_symlink() or entry.name.startswith("."):
            continue
        if entry.is_file():
            yield entry
        elif depth:
            yield from _walk(entry, depth - 1)
