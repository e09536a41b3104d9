"""Steps that change a table before it is read as data of a kind; the owner keeps them as text.

=============================  =====================================================================================
step                           what it does
=============================  =====================================================================================
``rename venue=place``         gives a column another name
``drop email``                 leaves a column out
``replace sex:M=male``         replaces a value of a column
``recode job=FILE``            replaces values by a CSV file with the old and the new value in every line
``filter age=20..29``          keeps the rows with a number or date in a range with both ends; either may be left out
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
from sfumato.messages import Message, option

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
        The column that is changed.
    old, new
        The old and the new name or value; the condition of a filter is ``new``.
    keeps
        Whether a filter keeps the rows that fit its condition, or the others.

    Examples
    --------
    >>> Step.parse("replace sex:M=male")
    Step(name='replace', column='sex', old='M', new='male', keeps=True)
    >>> Step.parse("rename venue")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: steps= must have the form rename OLD=NEW.
    """

    name: str
    column: str
    old: str = ""
    new: str = ""
    keeps: bool = True

    @classmethod
    def parse(cls, text: str) -> Step:
        """Parse a step, or refuse it with its form."""
        name, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        if name not in _SHAPES:
            raise ParameterError(
                Message(option("steps"), f" has no step {name!r}."), hint=f"Steps: {', '.join(_SHAPES)}."
            )
        shape = ParameterError(Message(option("steps"), f" must have the form {_SHAPES[name]}."))
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
        """Return the changed table, and the number of changes in words.

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
            raise self._refuse(f"there is no column {self.column!r}.")
        if self.name == "rename":
            if self.new in table.column_names:
                raise self._refuse(f"there is already a column {self.new!r}.")
            return table.rename_columns(
                [self.new if name == self.column else name for name in table.column_names]
            ), "1 column renamed"
        if self.name == "drop":
            if table.num_columns == 1:
                raise self._refuse("no column would be left.")
            return table.drop_columns([self.column]), "1 column left out"
        if self.name == "filter":
            return self._filter(table)
        replacements = {self.old: self.new} if self.name == "replace" else _read_codes(Path(self.new))
        return self._recode(table, replacements)

    def _refuse(self, fault: str) -> SchemaError:
        return SchemaError(f"Step {self.name}: {fault}", option="steps", column=self.column)

    def _texts(self, table: pa.Table) -> pa.ChunkedArray:
        """Return the column as text; numbers and dates of Parquet files are formatted."""
        column = table.column(self.column)
        try:
            return column.cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise self._refuse(f"column {self.column!r} has lists, which steps cannot change.") from None

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
            raise self._refuse(f"no row fits the condition on column {self.column!r}.")
        summary = f"{int(keep_mask.sum()):,} of {table.num_rows:,} rows kept"
        summary += f"; {unread:,} without a number or date left out" if unread and self.keeps else ""
        return table.filter(pa.array(keep_mask)), summary


def _lie_between(texts: Sequence[str | None], low: str, high: str) -> tuple[Flags, int]:
    """Return which texts are numbers or dates from low to high, and how many are neither."""
    dates = any(_DATE.fullmatch(end) for end in (low, high) if end)
    try:
        ends = [end if dates or not end else float(end) for end in (low, high)]
    except ValueError:
        raise ParameterError(
            "Step filter: LOW..HIGH must be numbers or dates such as 2024-03-01.", option="steps"
        ) from None
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
        # A day as the upper end includes all of its hours.
        top = value if not dates or not ends[1] else str(value)[: len(str(ends[1]))]
        fits[at] = (not low or value >= ends[0]) and (not high or top <= ends[1])  # type: ignore[operator]
    return fits, unread


def _read_codes(path: Path) -> dict[str, str]:
    """Read the old and the new value in every line of a CSV file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SchemaError(f"{path}: the file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise SchemaError(f"{path}: the file is not UTF-8 text.", hint="Save it as UTF-8.") from None
    first = text.partition("\n")[0]
    delimiter = ";" if ";" in first and "," not in first else ","
    codes: dict[str, str] = {}
    for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), start=1):
        if not row:
            continue
        if len(row) != 2:
            raise SchemaError(f"{path}: line {number} must have two cells, the old and the new value.", rows=(number,))
        if codes.setdefault(row[0], row[1]) != row[1]:
            raise SchemaError(
                f"{path}: line {number} replaces a value that an earlier line replaces by another.", rows=(number,)
            )
    if not codes:
        raise SchemaError(f"{path}: the file has no values.", hint="Write OLD,NEW in every line.")
    return codes


def apply_steps(table: pa.Table, steps: Iterable[str]) -> tuple[pa.Table, list[str]]:
    """Apply steps in their order; return the table and, step by step, the number of changes in words.

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
        raise SchemaError(f'{path}: the file must have a list of texts: steps = ["drop email"].', option="steps")
    for step in steps:
        Step.parse(step)
    return tuple(steps)
