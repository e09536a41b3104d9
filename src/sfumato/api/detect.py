"""What a file is, guessed by every kind of data, and proven by reading it so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sfumato import plugins
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.messages import Message, option
from sfumato.readers.archives import Part, find_archive, list_parts, name_place
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.sources import Source
from sfumato.readers.tables import first_lines

__all__ = ["Completed", "DetectedFile", "complete_options", "detect_file", "name_other_kind"]

_DATA_LIKE = re.compile(r"[<+-]*[\d.]+>?", re.ASCII)


class DetectedFile(NamedTuple):
    """A file, what it was taken for, and the data read so."""

    path: Path
    """The file, or the one that was chosen in a folder or archive."""
    detection: Detection
    dataset: Dataset
    others: tuple[str, ...] = ()
    """Kinds of data that the file could be read as, too."""


def detect_file(path: Path, kind: str | None = None, given: Mapping[str, Any] | None = None) -> DetectedFile:
    """Guess the kind, the columns and the options of a file; a guess counts only if the file can be read so.

    Parameters
    ----------
    path
        File, folder or archive. Where a folder holds several files that differ, the largest one is taken.
    kind
        Kind of data, where that is known.
    given
        Reading options that are known; they win.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = file.write_text("uid,venue,lat,lng\\n7,a,1.5,2.5\\n7,b,1.6,2.6\\n8,a,1.5,2.5\\n")
    >>> found = detect_file(file)
    >>> found.detection.kind, found.detection.options["columns"]
    ('trajectories', {'person': 'uid', 'place': 'venue', 'y': 'lat', 'x': 'lng'})
    """
    path, given = name_place(path), given or {}
    _refuse_foreign(path)
    chosen, file_reasons = _choose_file(path)
    preview = FileProfile.of(chosen, given)
    if kind is not None:
        plugins.find_kind(kind)
    kinds = plugins.all_kinds() if kind is None else (kind,)
    detections = [detection for candidate in kinds if (detection := _run_detector(candidate, preview)) is not None]
    failures: list[SfumatoError] = []
    read: list[tuple[Detection, Dataset]] = []
    for detection in sorted(detections, key=lambda detection: -detection.score):
        options = _give_way(
            given, {**_select_common_options(detection.kind, preview.read_options), **detection.options}
        )
        complete = detection._replace(
            options=options,
            reasons=[*file_reasons, *(() if detection.of_lines else preview.reasons), *detection.reasons],
        )
        if read:
            read.append((complete, read[0][1]))
            continue
        try:
            read.append((complete, _read(chosen, complete)))
        except SfumatoError as error:
            place = f"{preview.name}: cannot be read as {detection.kind}"
            failures.append(error.at(place, instead_of=preview.name))
    if not read:
        raise _explain(preview, kind, failures)
    best, dataset = read[0]
    protect = plugins.find_kind(best.kind).protect
    best = best if protect is None else protect.load()(best, dataset)
    return DetectedFile(chosen, best, dataset, tuple(detection.kind for detection, _ in read[1:]))


def _give_way(given: Mapping[str, Any], detected: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of which those that are given win; columns that are guessed keep out of their way."""
    options = {**detected, **given}
    for name in _PARTS:
        if name in detected and name in given:
            options[name] = detected[name]  # with those that are given among them
    columns = given.get("columns", {})
    if columns and "columns" in detected:
        remaining = {role: column for role, column in detected["columns"].items() if column not in columns.values()}
        options["columns"] = {**remaining, **columns}
    return options


class Completed(NamedTuple):
    """Options that a file is read with: those that are given, and what was detected of how it is written."""

    options: dict[str, Any]
    detected: dict[str, Any]
    """What was detected."""
    left: dict[str, Any]
    """What `start` would say besides, which is for the owner to decide."""


def name_other_kind(path: Path, kind: str) -> str:
    """Say what a file looks like that cannot be read as some kind of data; nothing where that is not known.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "baskets.dat"
    >>> _ = file.write_text("1 2\\n2\\n1 2 3\\n")
    >>> name_other_kind(file, "table")
    'The file looks like sets.'
    """
    try:
        likely_kind = detect_file(path).detection.kind
    except SfumatoError:
        return ""
    return f"The file looks like {likely_kind}." if likely_kind != kind else ""


def complete_options(path: Path, kind: str, given: Mapping[str, Any]) -> Completed | None:
    """Detect how a file is written, as :func:`detect_file` does; None where nothing can be detected.

    How a file is written is taken from its look. What is left out, what is sensitive and how places are made decide
    what is published, and are the owner's to say.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "baskets.csv"
    >>> _ = file.write_text("tea,jam\\nrum,tea,jam\\njam\\ntea,rum\\nrum,jam,tea,ale\\nale,tea\\n")
    >>> complete_options(file, "sets", {}).detected
    {'format': 'transactions', 'separator': ','}
    """
    try:
        detected_file = detect_file(path, kind, given)
    except SfumatoError:
        return None
    more = {name: _leave_out(value, given.get(name)) for name, value in detected_file.detection.options.items()}
    more = {name: value for name, value in more.items() if value}
    if detected_file.path != path or not more:
        return None
    detected = {name: value for name, value in more.items() if name in _LAYOUT}
    columns = {role: column for role, column in detected.pop("columns", {}).items() if role not in _DECIDED}
    if columns:
        detected["columns"] = columns
    options = {**given, **detected, "columns": {**given.get("columns", {}), **columns}}
    return Completed(options, detected, more)


def _leave_out(value: Any, given: Any) -> Any:
    """Return what an option says beyond what is given of it."""
    if isinstance(value, Mapping):
        return {name: entry for name, entry in value.items() if entry != (given or {}).get(name)}
    if isinstance(value, list):
        return [entry for entry in value if entry not in (given or ())]
    return None if value == given else value


_PARTS = ("identifier", "quasi", "sensitive", "plain", "drop")
"""Options that list columns by the part they play."""
_LAYOUT = ("format", "delimiter", "header", "separator", "columns", "items", "slots")
"""Options that say how a file is written."""
_DECIDED = ("quasi-identifier", OWNER)
"""Parts of columns that are the owner's to give."""
_FOREIGN = {
    ".npy": "an array of NumPy: save its columns as CSV with numpy.savetxt, or as Parquet",
    ".npz": "arrays of NumPy: save their columns as CSV with numpy.savetxt, or as Parquet",
    ".tar": "an archive of tar: unpack it, and give one of the files or the folder",
    ".tgz": "an archive of tar: unpack it, and give one of the files or the folder",
    ".7z": "an archive of 7-Zip: unpack it, and give one of the files or the folder",
    ".rda": "data of R: write them with write.csv(..., row.names = FALSE)",
    ".rds": "data of R: write them with write.csv(..., row.names = FALSE)",
    ".sav": "data of SPSS: save them as CSV",
    ".dta": "data of Stata: save them as CSV",
    ".sas7bdat": "data of SAS: save them as CSV",
    ".xls": "a workbook of an old format: save it as XLSX",
    ".shp": "shapes: save points as GeoJSON or CSV",
}
"""What files of other programs are, and what to do."""


def _refuse_foreign(path: Path) -> None:
    bare = path.with_suffix("") if path.suffix.lower() in {".gz", ".xz"} else path
    about = _FOREIGN.get(bare.suffix.lower())
    if about is not None:
        raise ParameterError(f"{path.name}: this is {about}.")


def _run_detector(kind: str, preview: FileProfile) -> Detection | None:
    detector = plugins.find_kind(kind).detect
    return None if detector is None else detector.load()(preview)


def _select_common_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of any file that a kind takes as well."""
    return {name: value for name, value in options.items() if value} if kind in {"table", "rt"} else {}


def _read(path: Path, detection: Detection) -> Dataset:
    read_options = ReadOptions.of(detection.kind, detection.options)
    return plugins.find_kind(detection.kind).reader.load().read(path, read_options)


def _explain(preview: FileProfile, kind: str | None, failures: list[SfumatoError]) -> SfumatoError:
    if failures:
        return failures[0]
    expected = "any kind of data" if kind is None else kind
    return ParameterError(
        f"{preview.name}: does not look like {expected}.",
        hint=Message(
            "Give its kind, ",
            option("kind"),
            f" ({', '.join(plugins.all_kinds())}), and its columns, such as ",
            option("columns", {"place": "venue"}),
            ".",
        ),
    )


def _choose_file(path: Path) -> tuple[Path, list[str]]:
    """Return what to look at: a file, a whole folder whose files are alike, or the largest of files that differ."""
    path = _enter_archive(path)
    inside = find_archive(path)
    if not path.is_dir() and inside is None:
        return path, []
    parts = list_parts(path)
    if len(parts) == 1:
        return path / parts[0].name if path.is_dir() else path, []
    begins: dict[tuple[str, ...], list[tuple[int, Part]]] = {}
    for part in parts:
        block = next(iter(part.blocks()), b"")
        data = len(part.load())
        begins.setdefault(_begin_of(part, block), []).append((data, part))
    groups = sorted(begins.values(), key=lambda group: -sum(size for size, _ in group))
    folder_checks = (plugins.find_kind(kind).knows_folder for kind in plugins.all_kinds())
    if path.is_dir() and any(knows is not None and knows.load()(path) for knows in folder_checks):
        return path, []
    if len(groups) == 1:
        return path, [f"All {len(parts)} files begin alike, and are read as one."]
    _, part = max((entry for group in groups for entry in group), key=lambda entry: entry[0])
    return path / part.name, [
        f"{path.name} holds {len(parts)} files that differ; the largest is `{part.name}`. Others are left alone."
    ]


def _enter_archive(path: Path) -> Path:
    """Return the archive that is the only visible file of a folder, or the path itself."""
    if not path.is_dir():
        return path
    files = [file for file in path.iterdir() if not file.name.startswith(".")]
    return files[0] if len(files) == 1 and files[0].suffix.lower() == ".zip" else path


def _begin_of(part: Part, block: bytes) -> tuple[str, ...]:
    """Return what files that belong together have in common: format and columns or, of a text, the first line."""
    suffix = Path(part.name.removesuffix(".gz").removesuffix(".xz")).suffix.lower()
    if suffix in {".parquet", ".pq", ".xlsx", ".ods"}:
        return (suffix, *Source(Path(part.name), ReadOptions("table"), [part]).table().column_names)
    if suffix in {".gpx", ".xes", ".geojson"}:
        return (suffix,)
    lines = first_lines(block, 1)
    data_like = bool(lines) and all(
        _DATA_LIKE.fullmatch(cell) for cell in re.split(r"[,;\s|]+", lines[0].strip(" ,;|"))
    )
    return (suffix, "data") if data_like else (suffix, *lines)
