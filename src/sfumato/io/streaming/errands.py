"""Work on files of a folder that is done where the folder is not: files are sent there, and those made come back."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Brought", "Errand", "run_errand"]


class Errand(NamedTuple):
    """Work, its job, which has a ``folder``, and the files of the folder that it needs."""

    work: Callable[[Any], Any]
    job: Any
    files: Mapping[str, bytes]


class Brought(NamedTuple):
    """What came of an errand: its answer, the files that are new, and the names of those that were removed."""

    answer: Any
    files: dict[str, bytes]
    gone: tuple[str, ...]

    def put_into(self, folder: Path) -> Any:
        """Change a folder as the work would have changed it there; return the answer."""
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        for name in self.gone:
            (folder / name).unlink(missing_ok=True)
        return self.answer


def run_errand(errand: Errand) -> Brought:
    """Do the work in a folder of its own, of which nothing stays.

    Examples
    --------
    >>> Job = dataclasses.make_dataclass("Job", ["folder"])
    >>> errand = Errand(lambda job: (job.folder / "b").write_bytes(b"made"), Job(Path("elsewhere")), {"a": b"sent"})
    >>> run_errand(errand)
    Brought(answer=4, files={'b': b'made'}, gone=())
    """
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name:
        folder = Path(name)
        for sent, content in errand.files.items():
            (folder / sent).write_bytes(content)
        answer = errand.work(dataclasses.replace(errand.job, folder=folder))
        left = {file.name: file for file in folder.iterdir()}
        made = {found: file.read_bytes() for found, file in left.items() if found not in errand.files}
    return Brought(answer, made, tuple(sent for sent in errand.files if sent not in left))
