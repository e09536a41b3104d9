"""The folder of a study: every finished cell in a file of its own, and what they add up to."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.exceptions import SchemaError, SfumatoError
from sfumato.messages import Message, option
from sfumato.studies.trials import Trial, TrialResult

__all__ = [
    "TrialFolder",
    "close_unused",
    "describe_folder",
    "open_folder",
    "remove_trials",
    "replace_file",
    "write_mark",
]

_MARK = "study.json"
_WORK = ".work"
_FORMAT = 1


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or as it was before, whenever somebody pulls the plug.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.txt"
    >>> replace_file(file, b"whole")
    >>> [found.name for found in file.parent.iterdir()], file.read_bytes()
    (['a.txt'], b'whole')
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class TrialFolder:
    """Finished cells by their keys.

    Examples
    --------
    >>> import tempfile
    >>> folder = TrialFolder(Path(tempfile.mkdtemp()))
    >>> folder.save("a1", Trial("mondrian", {"k": 5}), TrialResult("infeasible", "there is no way."))
    >>> folder.load("a1").reason, folder.load("b2")
    ('there is no way.', None)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trials = folder / "cells"
        self.trials.mkdir(parents=True, exist_ok=True)

    def load(self, key: str) -> TrialResult | None:
        """Return the outcome of a finished cell; None if it is not finished, or if its file is damaged."""
        try:
            return TrialResult.from_json(json.dumps(json.loads((self.trials / f"{key}.json").read_bytes())["outcome"]))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def save(self, key: str, trial: Trial, outcome: TrialResult) -> None:
        """Keep a finished cell."""
        plain = {"cell": {**dataclasses.asdict(trial)}, "outcome": json.loads(outcome.to_json())}
        text = json.dumps(plain, ensure_ascii=False, default=str, indent=1)
        replace_file(self.trials / f"{key}.json", text.encode() + b"\n")

    def clear_work(self) -> Path:
        """Return a folder for what is thrown away, without what a killed study left there."""
        self.remove_work()
        work = self.folder / _WORK
        work.mkdir()
        return work

    def remove_work(self) -> None:
        """Remove everything that is only there while cells are run."""
        shutil.rmtree(self.folder / _WORK, ignore_errors=True)


def open_folder(
    folder: Path, identity: Mapping[str, Any], *, resume: bool = False, force: bool = False
) -> dict[str, Any]:
    """Make the folder of a study, or go on in one; refuse the folder of other data, and any that is no study's.

    Nothing that is there is changed, and what is known about the study is returned.

    Parameters
    ----------
    folder
        The folder.
    identity
        What makes it the same study: its data. Methods, parameters and limits may change.
    resume
        Whether a study of other data may go on here; its cells stay.
    force
        Whether what is finished may be forgotten.
    """
    description = describe_folder(folder) if folder.exists() and (folder.is_file() or any(folder.iterdir())) else None
    if description is None:
        folder.mkdir(parents=True, exist_ok=True)
        write_mark(folder, {"identity": dict(identity)})
        return {}
    if description.get("identity") == dict(identity):
        return {} if force else description
    if resume or force:
        return {}
    raise SfumatoError(
        f"{folder} holds a study of other data.",
        option="resume",
        hint=Message(
            "Choose another folder, continue in this one: ",
            option("resume", True),
            ", or start over: ",
            option("force", True),
            ".",
        ),
    )


def remove_trials(folder: Path) -> None:
    """Remove everything that a study has found so far."""
    shutil.rmtree(folder / "cells", ignore_errors=True)
    (folder / "cells").mkdir()
    for name in ("results.parquet", "results.csv", "answers.parquet", "answers.csv", "study.html"):
        (folder / name).unlink(missing_ok=True)


def close_unused(folder: Path) -> None:
    """Leave the disk as it was where a study came to nothing before its first cell."""
    if next((folder / "cells").glob("*"), None) is None:
        (folder / _MARK).unlink(missing_ok=True)
        for made in (folder / "cells", folder):
            with contextlib.suppress(OSError):
                made.rmdir()


def write_mark(folder: Path, description: Mapping[str, Any]) -> None:
    """Mark a folder as that of a study, with what is known about it."""
    text = json.dumps({"format": _FORMAT, **description}, ensure_ascii=False, indent=1)
    replace_file(folder / _MARK, text.encode() + b"\n")


def describe_folder(folder: Path) -> dict[str, Any]:
    """Return what the folder of a study says about it, or refuse a folder that is none."""
    try:
        description = json.loads((folder / _MARK).read_bytes())
    except FileNotFoundError:
        raise SfumatoError(
            f"{folder} is not empty and not the folder of a study.", option="out", hint="Choose another folder."
        ) from None
    except NotADirectoryError:
        raise SfumatoError(f"{folder} is a file.", option="out", hint="Choose a folder.") from None
    except (OSError, ValueError):
        raise SchemaError(f"{folder / _MARK} cannot be read.", hint="Choose another folder.") from None
    if not isinstance(description, dict) or description.get("format") != _FORMAT:
        raise SchemaError(f"{folder / _MARK} was written by another version of Sfumato.", hint="Choose another folder.")
    return description
