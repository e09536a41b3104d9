"""Changes to a table before it is read as data of a kind: recorded as text, so that they can be replayed and checked.

=============================  =====================================================================================
step                           what it does
=============================  =====================================================================================
``rename venue=place``         gives a column another name
``drop email``                 leaves a column out
``replace sex:M=male``         puts one value of a column in the place of another
``recode job=FILE``            the same for many: a CSV file with the old and the new value in every line
``filter age=20..29``          keeps the rows whose number or date lies there, ends included; either may be left out
``filter city=Bonn|Ulm``       keeps the rows with one of these values
``filter city!=Bonn``          keeps the others
=============================  =====================================================================================
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.json_text import read_toml

__all__ = ["Step", "apply_steps", "read_steps"]

Flags = npt.NDArray[np.bool_]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?")
_SHAPES = {
    "rename": "rename OLD=NEW",
    "drop": "drop COLUMN",
    "replace": "replace COLUMN:OLD=NEW",
    "recode": "recode COLUMN=FILE",
    "filter": "filter COLUMN=VALUE, COLUMN=LOW..HIGH or COLUMN!=VALUE",
}


class Step(NamedTuple):
    """One change, read from its text.

    Attributes
    ----------
    name
        ``rename``, ``drop``, ``replace``, ``recode`` or ``filter``.
    column
        The column it is about.
    old, new
        What stands for what; the condition of a filter is ``new``.
    keeps
        Whether a filter keeps what fits its condition, or what does not.

    Examples
    --------
    >>> Step.parse("replace sex:M=male")
    Step(name='replace', column='sex', old='M', new='male', keeps=True)
    >>> Step.parse("rename venue")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: steps: write rename OLD=NEW.
    """

    name: str
    column: str
    old: str = ""
    new: str = ""
    keeps: bool = True

    @classmethod
    def parse(cls, text: str) -> Step:
        """Read a step, or say how it is written."""
        name, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        if name not in _SHAPES:
            raise ParameterError(f"steps: there is no step {name!r}. Known: {', '.join(_SHAPES)}.")
        shape = ParameterError(f"steps: write {_SHAPES[name]}.")
        if name == "drop":
            if not rest:
                raise shape
            return cls(name, rest)
        left, equals, right = rest.partition("=")
        keeps = not (name == "filter" and left.endswith("!"))
        left = left if keeps else left[:-1]
        old = ""
        if name == "replace":
            left, colon, old = left.partition(":")
            equals = equals if colon else ""
        if not equals or not left.strip() or (name in {"rename", "recode"} and not right.strip()):
            raise shape
        return cls(name, left.strip(), old, right.strip() if name in {"rename", "recode"} else right, keeps)

    def apply(self, table: pa.Table) -> tuple[pa.Table, str]:
        """Return the table changed, and what was done in numbers.

        Examples
        --------
        >>> table = pa.table({"age": ["19", "25", "?"], "sex": ["M", "f", "M"]})
        >>> changed, sentences = Step.parse("filter age=20..").apply(table)
        >>> changed.num_rows, sentences
        (1, '1 of 3 rows kept; 1 without a number or date left out')
        >>> Step.parse("replace sex:M=male").apply(table)[1]
        '2 cells changed'
        """
        if self.column not in table.column_names:
            raise SchemaError(f"steps: {self.name}: there is no column {self.column!r}.")
        if self.name == "rename":
            if self.new in table.column_names:
                raise SchemaError(f"steps: rename: there is a column {self.new!r} already.")
            return table.rename_columns(
                [self.new if name == self.column else name for name in table.column_names]
            ), "1 column renamed"
        if self.name == "drop":
            if table.num_columns == 1:
                raise SchemaError("steps: drop: no column would be left.")
            return table.drop_columns([self.column]), "1 column left out"
        if self.name == "filter":
            return self._filter(table)
        replacements = {self.old: self.new} if self.name == "replace" else _read_codes(Path(self.new))
        return self._recode(table, replacements)

    def _texts(self, table: pa.Table) -> pa.ChunkedArray:
        """Return the column as text; numbers and dates of Parquet files are spelled."""
        column = table.column(self.column)
        try:
            return column.cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise SchemaError(f"steps: {self.name}: column {self.column!r} cannot be changed: it has lists.") from None

    def _recode(self, table: pa.Table, replacements: dict[str, str]) -> tuple[pa.Table, str]:
        coded = self._texts(table).dictionary_encode().combine_chunks()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
        labels = coded.dictionary.to_pylist()
        indices = coded.indices
        changed = [replacements.get(label, label) for label in labels]
        hit = np.array([label in replacements and replacements[label] != label for label in labels], dtype=bool)
        codes = np.asarray(indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
        count = int(hit[codes[codes >= 0]].sum()) if len(labels) else 0
        column = pa.array(changed, pa.string()).take(indices) if labels else table.column(self.column)
        at = table.column_names.index(self.column)
        return table.set_column(at, self.column, column), f"{count:,} cells changed"

    def _filter(self, table: pa.Table) -> tuple[pa.Table, str]:
        texts = self._texts(table).to_pylist()
        low, dots, high = self.new.partition("..")
        unread = 0
        if dots:
            fits, unread = _lie_between(texts, low.strip(), high.strip())
        else:
            wanted = {self.new, *self.new.split("|")}
            fits = np.array([("" if text is None else text) in wanted for text in texts], dtype=bool)
        keep_mask = fits if self.keeps else ~fits
        if not keep_mask.any():
            raise SchemaError(f"steps: filter: no row would be left by the condition on column {self.column!r}.")
        summary = f"{int(keep_mask.sum()):,} of {table.num_rows:,} rows kept"
        summary += f"; {unread:,} without a number or date left out" if unread and self.keeps else ""
        return table.filter(pa.array(keep_mask)), summary


def _lie_between(texts: Sequence[str | None], low: str, high: str) -> tuple[Flags, int]:
    """Tell which texts are numbers or dates from low to high, and how many are neither."""
    dates = any(_DATE.fullmatch(end) for end in (low, high) if end)
    try:
        ends = [end if dates or not end else float(end) for end in (low, high)]
    except ValueError:
        raise ParameterError("steps: filter: LOW..HIGH must be numbers or dates such as 2024-03-01.") from None
    fits, unread = np.zeros(len(texts), dtype=bool), 0
    for at, text in enumerate(texts):
        try:
            value = (text or "") if dates else float(text or "")
        except ValueError:
            unread += 1
            continue
        if dates and not _DATE.match(str(value)):
            unread += 1
            continue
        # A day as the upper end holds all of its hours.
        top = value if not dates or not ends[1] else str(value)[: len(str(ends[1]))]
        fits[at] = (not low or value >= ends[0]) and (not high or top <= ends[1])  # type: ignore[operator]
    return fits, unread


def _read_codes(path: Path) -> dict[str, str]:
    """Read the old and the new value in every line of a CSV file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SchemaError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise SchemaError(f"{path}: not UTF-8 text.") from None
    first = text.partition("\n")[0]
    delimiter = ";" if ";" in first and "," not in first else ","
    codes: dict[str, str] = {}
    for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), start=1):
        if not row:
            continue
        if len(row) != 2:
            raise SchemaError(f"{path}: line {number} must have two cells, the old and the new value.")
        if codes.setdefault(row[0], row[1]) != row[1]:
            raise SchemaError(f"{path}: line {number} gives a value a second time, and another one for it.")
    if not codes:
        raise SchemaError(f"{path}: there are no values.")
    return codes


def apply_steps(table: pa.Table, steps: Iterable[str]) -> tuple[pa.Table, list[str]]:
    """Apply steps in their order; return the table and, step by step, what was done in numbers.

    Examples
    --------
    >>> table = pa.table({"venue": ["a", "b"], "mail": ["x", "y"]})
    >>> changed, sentences = apply_steps(table, ["rename venue=place", "drop mail"])
    >>> changed.column_names, sentences
    (['place'], ['rename venue=place: 1 column renamed', 'drop mail: 1 column left out'])
    """
    summaries = []
    for text in steps:
        table, done = Step.parse(text).apply(table)
        summaries.append(f"{text.strip()}: {done}")
    return table, summaries


def read_steps(path: Path) -> tuple[str, ...]:
    """Read the steps of a file: ``steps = ["rename venue=place", ...]``."""
    content = read_toml(path)
    steps = content.get("steps")
    if not isinstance(steps, list) or not steps or not all(isinstance(step, str) for step in steps):
        raise SchemaError(f'{path}: must have steps = ["...", ...], one text for each.')
    for step in steps:
        Step.parse(step)
    return tuple(steps)
