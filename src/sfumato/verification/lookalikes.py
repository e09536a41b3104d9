"""Released values that people take for one another: they differ in what is not seen, and count as different."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.base.verdict import Verdict
from sfumato.escape import make_different
from sfumato.release.release import PublishedColumn, Release

__all__ = ["fold", "warn_of_lookalikes"]

_HISTORIES = {"history", "activity"}
"""Roles of columns that hold what people did."""
_SHOWN = 3
"""Groups of values that a warning names."""
_SUSPICIOUS = r"[^\x21-\x7e ]|^ | $|  "
_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff"  # control characters, halves of characters
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2800"  # what Unicode says to show nothing for, and the blank of Braille
    "]"
)


def fold(text: str) -> str:
    r"""Return what people see of a text: without what is not seen, blanks at its ends, and ways to write a letter.

    Examples
    --------
    >>> [fold(text) for text in ("caf\u00e9", "cafe\u0301", "caf\u00e9 ", "caf\u00e9\u200b", "Caf\u00e9")]
    ['café', 'café', 'café', 'café', 'Café']
    >>> fold("\ufb01le"), fold("m\u00b2")
    ('file', 'm²')
    """
    seen = "".join(map(_write_out, _UNSEEN.sub("", text)))
    return " ".join(unicodedata.normalize("NFC", seen).split())


def _write_out(character: str) -> str:
    """Return the letters that a ligature or another twin of letters is made of; a raised 2 is seen to be another."""
    twin = unicodedata.decomposition(character).startswith("<compat>")
    return unicodedata.normalize("NFKC", character) if twin else character


def warn_of_lookalikes(release: Release) -> Verdict:
    r"""Name values of a column that look the same: a reader takes them for one, and every count for two.

    Values of all columns of histories are compared together, with members, removed values and those that the claim
    names. The outcome does not depend on it.

    Parameters
    ----------
    release
        A release whose structure was checked.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(20, "flu"), (21, "flu\u200b"), (22, "flu"), (23, "flu\u200b")]
    >>> data = sf.Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> verdict = warn_of_lookalikes(sf.anonymize(data, sf.methods.Mondrian(k=2, l=2), secret=bytes(32)).release)
    >>> verdict.outcome, len(verdict.warnings)
    ('holds', 1)
    >>> print(verdict.warnings[0])
    2 values of column 'ill' look like others and count as different: 'flu' and 'flu\u{200b}'. Write them alike before
    publishing, or the guarantee may count one value as several.
    """
    confusables = ((name, _group_confusables(labels)) for name, labels in _list_values(release))
    return Verdict(True, {}, {}, warnings=tuple(_describe(name, groups) for name, groups in confusables if groups))


def _list_values(release: Release) -> Iterator[tuple[str, list[pa.Array]]]:
    """Yield what values are compared with each other: those of a column, or of all columns of histories together."""
    histories = [column.name for column in release.columns if column.role in _HISTORIES]
    history_columns = _name_columns(histories) if histories else ""
    listed = {history_columns: [pa.array(_list_claimed(release), pa.string())]} if histories else {}
    for columns, table in (
        (release.columns, release.table),
        *((p.columns, p.table) for p in release.extra_tables.values()),
    ):
        for column in columns:
            if _has_values(column):
                name = (
                    history_columns if history_columns and column.role in _HISTORIES else _name_columns([column.name])
                )
                labels = (_list_labels(table.column(column.name)), _list_members(release, column.name))
                listed.setdefault(name, []).extend(labels)
    yield from listed.items()


def _name_columns(names: list[str]) -> str:
    return ("column " if len(names) == 1 else "columns ") + " and ".join(map(repr, names))


def _has_values(column: PublishedColumn) -> bool:
    return column.role != "identifier" and column.form.type == "string" and column.form.cell != "interval"


def _list_claimed(release: Release) -> list[str]:
    """Return the values that a claim names; columns that it names are none."""
    columns = {column.name for column in release.columns}
    parameters = release.guarantee.to_dict(release.unit)["parameters"].values()
    return sorted({name for listed in parameters for name in _list_texts(listed)} - columns)


def _list_texts(listed: object) -> Iterator[str]:
    """Yield the texts of a list, or of lists in it."""
    for entry in listed if isinstance(listed, tuple | list) else ():
        if isinstance(entry, str):
            yield entry
        else:
            yield from _list_texts(entry)


def _list_labels(column: pa.ChunkedArray) -> pa.Array:
    """Return the different texts of a column."""
    chunks = []
    for chunk in column.chunks:
        cells = chunk.flatten() if pa.types.is_list(chunk.type) or pa.types.is_large_list(chunk.type) else chunk
        chunks.append(cells.unique().cast(pa.string()))
    return pa.chunked_array(chunks, pa.string()).unique()


def _list_members(release: Release, column: str) -> pa.Array:
    """Return the generalised values of a column that ``values.csv`` lists, and their members."""
    rows = release.values.filter(pc.equal(release.values.column("column"), column))
    names = [rows.column(name).cast(pa.string()).chunks for name in ("value", "member")]
    return pa.chunked_array([*names[0], *names[1]], pa.string()).unique()


def _group_confusables(labels: Iterable[pa.Array]) -> list[list[str]]:
    """Return the groups of different labels that look the same."""
    distinct = pa.chunked_array(list(labels), pa.string()).unique().drop_null()
    suspicious = pc.match_substring_regex(distinct, _SUSPICIOUS)
    confusables: dict[str, list[str]] = {}
    for label in distinct.filter(suspicious).to_pylist():
        confusables.setdefault(fold(label), []).append(label)
    if confusables:
        plain = distinct.filter(pc.invert(suspicious))
        for label in plain.filter(pc.is_in(plain, value_set=pa.array(list(confusables), pa.string()))).to_pylist():
            confusables[label].append(label)
    return sorted(
        sorted(group, key=lambda label: (len(label), label)) for group in confusables.values() if len(group) > 1
    )


def _describe(columns: str, groups: list[list[str]]) -> str:
    shown = "; ".join(" and ".join(f"'{label}'" for label in make_different(group)) for group in groups[:_SHOWN])
    more = f"; and {len(groups) - _SHOWN:,} more groups" if len(groups) > _SHOWN else ""
    return (
        f"{sum(map(len, groups)):,} values of {columns} look like others and count as different: {shown}{more}. "
        "Write them alike before publishing, or the guarantee may count one value as several."
    )
