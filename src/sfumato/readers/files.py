"""Contents of files: unpacked, and checked to be text where text is expected."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.limits import check_expansion, largest_expansion
from sfumato.formats.memory import Place, Readable, as_place
from sfumato.messages import Message, option
from sfumato.progress import report_progress

__all__ = [
    "COPY_AGAIN",
    "FORMATS",
    "check_encoding",
    "choose_format",
    "is_uri",
    "iterate_blocks",
    "load",
    "read_lines",
    "to_utf8",
    "unpack",
]

FORMATS = ("csv", "parquet", "jsonl", "spmf", "xes", "xlsx", "gpx", "geojson")

COPY_AGAIN = "Copy it again."

_EXTENSIONS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".dat": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".spmf": "spmf",
    ".xes": "xes",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".ods": "xlsx",
    ".gpx": "gpx",
    ".geojson": "geojson",
}
_PACKED = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\x00"}
_OPENERS: dict[str, Callable[[Any], Any]] = {".gz": gzip.open, ".xz": lzma.open}
_BLOCK = 1 << 20
_LINE_END = re.compile(rb"\r\n|\n|\r")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def is_uri(text: object) -> bool:
    """Return whether a text is a URI with a scheme, such as ``hdfs://`` or ``s3a://``.

    Examples
    --------
    >>> is_uri("s3a://bucket/visits"), is_uri("file:///tmp/visits.csv"), is_uri("visits.csv")
    (True, True, False)
    """
    return isinstance(text, str) and _URI.match(text) is not None


def load(path: Readable) -> bytes:
    """Return the content of a file, unpacked if it is packed with gzip or xz.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "visits.csv.gz"
    >>> _ = file.write_bytes(gzip.compress(b"person,place"))
    >>> load(file)
    b'person,place'
    """
    path = as_place(path)
    if path.is_dir():
        raise SchemaError(f"{path}: this is a directory, not a file.", hint="Give one of its files.")
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise _explain_unread(path, error) from None
    expected = _PACKED.get(path.suffix.lower(), b"")
    if data and not data.startswith(expected):
        raise SchemaError(
            f"{path.name}: the extension is {path.suffix}, but the content is not compressed that way.",
            hint="Rename the file.",
        )
    return unpack(path.name, data)


def iterate_blocks(path: Place) -> Iterator[bytes]:
    """Yield the content of a file a megabyte at a time, unpacked if it is packed with gzip or xz.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "log.xes.gz"
    >>> _ = file.write_bytes(gzip.compress(b"<log/>"))
    >>> list(iterate_blocks(file))
    [b'<log/>']
    """
    with contextlib.ExitStack() as open_files:
        try:
            file = open_files.enter_context(path.open("rb"))
            size = path.stat().st_size
        except (OSError, ValueError) as error:
            raise _explain_unread(path, error) from None
        yield from _unpack_blocks(path.name, file, size)


def _explain_unread(path: Place, error: OSError | ValueError) -> SchemaError:
    if isinstance(error, FileNotFoundError):
        return SchemaError(f"{path}: there is no such file.")
    reason = getattr(error, "strerror", None) or "not a valid path"
    return SchemaError(f"{path}: the file cannot be read ({reason}).")


def _unpack_blocks(name: str, file: Any, size: int) -> Iterator[bytes]:
    begin = file.peek(8) if hasattr(file, "peek") else file.getvalue()[:8]
    opener = next((_OPENERS[suffix] for suffix, magic in _PACKED.items() if begin.startswith(magic)), None)
    source, total, limit = file if opener is None else opener(file), 0, largest_expansion(size)
    try:
        while block := source.read(_BLOCK):
            total += len(block)
            if opener is not None and total > limit:
                check_expansion(name, size, total)
            if opener is not None:
                report_progress("unpack", file.tell(), size)
            yield block
    except (lzma.LZMAError, OSError, zlib.error, EOFError):
        raise SchemaError(f"{name}: the compressed file is truncated or damaged.", hint=COPY_AGAIN) from None


def unpack(name: str, data: bytes) -> bytes:
    """Return content packed with gzip or xz unpacked, within the limit of expansion; other content unchanged.

    Examples
    --------
    >>> unpack("visits.csv.xz", lzma.compress(b"person,place"))
    b'person,place'
    """
    if not data.startswith(tuple(_PACKED.values())):
        return data
    return b"".join(_unpack_blocks(name, io.BytesIO(data), len(data)))


def choose_format(path: Readable, given: str | None = None, formats: Sequence[str] = FORMATS) -> str:
    """Return the format given, or the one the extension stands for.

    Examples
    --------
    >>> choose_format("visits.csv.xz"), choose_format("visits.pq"), choose_format("visits.txt", "spmf")
    ('csv', 'parquet', 'spmf')
    >>> choose_format("visits.doc", formats=("csv", "parquet"))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.doc: the extension is not that of a known format. Set the format, one of
    csv, parquet: format='csv'.
    """
    if given is not None:
        if given not in FORMATS:
            raise ParameterError(Message(option("format"), f" must be one of {', '.join(FORMATS)}, got {given!r}."))
        return given
    path = as_place(path)
    bare = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    implied_format = _EXTENSIONS.get(bare.suffix.lower())
    if implied_format is None:
        raise SchemaError(
            f"{path.name}: the extension is not that of a known format.",
            option="format",
            hint=Message(f"Set the format, one of {', '.join(formats)}: ", option("format", formats[0]), "."),
        )
    return implied_format


def check_encoding(encoding: str) -> str:
    """Return the name of a text encoding, or refuse an unknown one.

    Examples
    --------
    >>> check_encoding("latin-1")
    'latin-1'
    """
    try:
        codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, ValueError):
        rule = f" must be the name of a text encoding such as utf-8 or latin-1, got {encoding!r}."
        raise ParameterError(Message(option("encoding"), rule)) from None
    return encoding


def to_utf8(name: str, data: bytes, encoding: str | None = None) -> bytes:
    """Return text as UTF-8 without byte-order mark, or name the first line that is not text.

    Examples
    --------
    >>> to_utf8("visits.csv", "café".encode("latin-1"), "latin-1").decode()
    'café'
    >>> to_utf8("visits.csv", b"person\\ncaf\\xe9")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: text must be UTF-8, line 2 is not. Save the file as UTF-8, or set
    its encoding: encoding='latin-1'.
    """
    if encoding is not None and codecs.lookup(encoding).name not in {"utf-8", "utf-8-sig", "ascii"}:
        data = _decode(name, data, encoding).encode("utf-8", errors="surrogatepass")
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.isascii():
        _decode(name, data, "utf-8")
    if (position := data.find(0)) >= 0:
        line = _line_of(data, position)
        raise SchemaError(
            f"{name}: line {line} has a NUL byte, so the file is not text in this encoding.",
            rows=(line,),
            hint=Message("Set ", option("format"), " or ", option("encoding"), ", or remove the byte."),
        )
    return data


def _decode(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = _line_of(data, error.start)
    wanted = "UTF-8" if encoding == "utf-8" else encoding
    example = "latin-1" if encoding == "utf-8" else "utf-8"
    raise SchemaError(
        f"{name}: text must be {wanted}, line {line} is not.",
        option="encoding",
        rows=(line,),
        hint=Message("Save the file as UTF-8, or set its encoding: ", option("encoding", example), "."),
    )


def _line_of(data: bytes, position: int) -> int:
    return len(_LINE_END.findall(data, 0, position)) + 1


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """Return the lines of a small text file, without line ends.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "sensitive.txt"
    >>> _ = file.write_bytes(b"clinic\\r\\ncourt\\n")
    >>> read_lines(file)
    ['clinic', 'court']
    """
    text = to_utf8(Path(path).name, load(path)).decode()
    lines = re.split(r"\r\n|\n|\r", text)
    return lines[:-1] if lines[-1] == "" else lines
