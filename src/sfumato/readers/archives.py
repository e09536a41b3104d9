"""Files of folders and of ZIP archives, which are never unpacked to disk."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sfumato.exceptions import SchemaError
from sfumato.formats.limits import check_expansion, largest_expansion
from sfumato.formats.memory import MemoryPlace, Place
from sfumato.messages import Message, option
from sfumato.progress import report_progress
from sfumato.readers.files import COPY_AGAIN, choose_format, iterate_blocks, load, unpack

__all__ = ["Part", "choose_data", "find_archive", "list_parts"]

_BLOCK = 1 << 20
_NO_DATA = re.compile(r"(readme|licen[cs]e|copying|description|changelog|notice)\b.*", re.IGNORECASE)
"""Names of files that describe data."""
_DIGITS = re.compile(r"(\d+)", re.ASCII)


class Part(NamedTuple):
    """One file, of a folder, of an archive or by itself."""

    name: str
    blocks: Callable[[], Iterator[bytes]]
    """Its content, unpacked, a block at a time."""
    load: Callable[[], bytes]
    suffix: str = ""
    """Extension of the format, where the name has none."""

    @property
    def file(self) -> str:
        """The name with the extension of its format."""
        return self.name if self.name.endswith(self.suffix) else f"{self.name}{self.suffix}"

    @property
    def stem(self) -> str:
        """Name of the file without folders and extensions."""
        return PurePosixPath(self.name).name.split(".")[0]


def find_archive(path: Path) -> tuple[Path, str] | None:
    """Return the ZIP archive that a path leads into, and the name inside of it; None where there is none.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "data.zip"
    >>> with zipfile.ZipFile(file, "w") as archive:
    ...     archive.writestr("in/visits.csv", "person,place")
    >>> find_archive(file / "in" / "visits.csv")[1], find_archive(file)[1], find_archive(file.parent)
    ('in/visits.csv', '', None)
    """
    # Places in memory have no parents, and are no archives.
    for place in (path, *getattr(path, "parents", ())):
        if place.suffix.lower() == ".zip" and place.is_file() and isinstance(place, Path):
            return place, path.relative_to(place).as_posix() if place != path else ""
    return None


def name_place(path: Path) -> Path:
    """Return a path whose name messages can show: `.` becomes the folder that it stands for.

    Examples
    --------
    >>> name_place(Path("visits.csv")).name, name_place(Path(".")).name == Path.cwd().name
    ('visits.csv', True)
    """
    return path if path.name not in {"", ".."} else path.resolve()


def refuse_absent(path: Path) -> None:
    """Refuse a path that is no file, no folder and no entry of an archive.

    Examples
    --------
    >>> refuse_absent(Path("nowhere.csv"))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: nowhere.csv: there is no such file.
    """
    if not path.exists() and find_archive(path) is None:
        raise SchemaError(f"{path}: there is no such file.")


def list_parts(path: Place, format: str | None = None) -> list[Part]:
    """Return the files that a path stands for: itself, or the data files of a folder or ZIP archive.

    In a folder or archive, hidden files and files such as README and LICENSE are left out and, unless the format is
    given, so are files without the extension of a format. Names with numbers are ordered by these.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("day10.csv", "day9.csv", "README.txt", "map.png"):
    ...     _ = (folder / name).write_text("person,place")
    >>> [part.name for part in list_parts(folder)]
    ['day9.csv', 'day10.csv']
    """
    if isinstance(path, MemoryPlace):
        return [_part_of_file(path, f"{path.name}{path.suffix}")]
    inside = find_archive(path)
    if inside is not None:
        parts = _list_members(*inside)
    elif path.is_dir():
        files = [file for file in path.rglob("*") if file.is_file()]
        parts = [_part_of_file(file, file.relative_to(path).as_posix()) for file in files]
    else:
        return [_part_of_file(path, path.name)]
    if inside is not None and any(part.name == inside[1] for part in parts):
        return [part for part in parts if part.name == inside[1]]
    named = {part.name: part for part in parts}
    return [named[name] for name in choose_data(str(path), named, format)]


def choose_data(owner: str, names: Iterable[str], format: str | None = None) -> list[str]:
    """Return the data files of a folder, in the order in which they are read.

    Folders such as ``year=2024`` are refused: the files lack that column.

    Examples
    --------
    >>> choose_data("visits", ["part-10.csv", "part-9.csv", "LICENSE.txt", "_SUCCESS"])
    ['part-9.csv', 'part-10.csv']
    """
    data_names = sorted((name for name in names if _is_data(name, format)), key=_natural)
    if not data_names:
        raise SchemaError(
            f"{owner}: no file in it has the extension of a known format.",
            option="format",
            hint=Message("Set the format of the files: ", option("format", "csv"), "."),
        )
    folder = next((part for name in data_names for part in PurePosixPath(name).parts[:-1] if "=" in part), None)
    if folder is not None:
        column = folder.partition("=")[0]
        raise SchemaError(
            f"{owner}: names of folders hold the values of column {column!r}, which the files lack.",
            column=column,
            hint="Write the files with this column and without such folders, or give one of the folders.",
        )
    return data_names


def _is_data(name: str, format: str | None) -> bool:
    parts = PurePosixPath(name).parts
    if any(part.startswith((".", "__MACOSX")) for part in parts) or _NO_DATA.fullmatch(parts[-1]):
        return False
    if format is not None:
        # Programs that write folders of files add marker files, such as _SUCCESS.
        return not (parts[-1].startswith("_") and "." not in parts[-1])
    try:
        choose_format(parts[-1])
    except SchemaError:
        return False
    return True


def _part_of_file(path: Place, name: str) -> Part:
    return Part(name, lambda: iterate_blocks(path), lambda: load(path), path.suffix)


def _list_members(path: Path, under: str) -> list[Part]:
    damaged = SchemaError(f"{path.name}: the archive is truncated or damaged.", hint=COPY_AGAIN)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
    except (zipfile.BadZipFile, OSError):
        raise damaged from None
    if any(member.flag_bits & 1 for member in members):
        raise SchemaError(f"{path.name}: the archive is encrypted.", hint="Save it without a password.")
    wanted = [member for member in members if not under or f"{member.filename}/".startswith(f"{under}/")]
    if not wanted:
        raise SchemaError(f"{path.name}: there is no {under!r} in the archive.")
    return [_part_of_member(path, member) for member in wanted]


def _part_of_member(path: Path, member: zipfile.ZipInfo) -> Part:
    name = f"{path.name}/{member.filename}"

    def load_member() -> bytes:
        buffer, limit = io.BytesIO(), largest_expansion(member.compress_size)
        try:
            with zipfile.ZipFile(path) as archive, archive.open(member) as file:
                while block := file.read(_BLOCK):
                    buffer.write(block)
                    report_progress("unpack", buffer.tell(), max(member.file_size, buffer.tell()))
                    if buffer.tell() > limit:
                        check_expansion(name, member.compress_size, buffer.tell())
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError):
            raise SchemaError(f"{name}: the archive is truncated or damaged.", hint=COPY_AGAIN) from None
        return unpack(name, buffer.getvalue())

    def iterate_member() -> Iterator[bytes]:
        data = load_member()
        for begin in range(0, len(data), _BLOCK):
            yield data[begin : begin + _BLOCK]

    return Part(member.filename, iterate_member, load_member)


def _natural(name: str) -> list[tuple[int, str]]:
    """Order names by the numbers in them."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name) if part]
