"""Scales of columns: numbers, dates, categories or an order, as given by options or detected."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.table.reader.cells import Values
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, marks
from sfumato.readers.times import parse_times

__all__ = ["Scaled", "parse_scale", "scale_values"]

Marks = npt.NDArray[np.bool_]

_WORDS = ("numeric", "integer", "decimal", "date", "categorical")
_WHOLE = r"^[+-]?\d+$"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_ENDLESS = r"^[+-]?(?i:nan|inf|infinity)$"
_COMMA = r"^[+-]?[\d.]*\d,\d+$"
_ZERO_FIRST = r"^[+-]?0\d"
_LARGEST = 2**53
_DAY = 86_400_000_000
_SAMPLE = 100
_FEW = 5  # different texts among numbers, which may mean that there is no value; codes have more of them
_SCALE_NAMES = {"integer": "whole numbers", "decimal": "decimal numbers", "date": "dates"}


class Scaled(NamedTuple):
    """The values of a column on their scale, each written in one way."""

    values: Values
    scale: str
    order: tuple[str, ...]
    notes: tuple[Note, ...]

    @property
    def word(self) -> str:
        """The scale as an option gives it, so that another file is read the same way."""
        return "<".join(re.sub(r"([\\<])", r"\\\1", label) for label in self.order) or self.scale


def parse_scale(column: str, text: str) -> tuple[str, tuple[str, ...]]:
    """Read what the owner says a column holds: a word, or the values from the lowest to the highest.

    A backslash goes before ``<`` that is part of a value.

    Examples
    --------
    >>> parse_scale("age", "numeric"), parse_scale("pain", "low < mid < high")
    (('numeric', ()), ('ordered', ('low', 'mid', 'high')))
    >>> parse_scale("income", r"\\<=50K<>50K")
    ('ordered', ('<=50K', '>50K'))
    >>> parse_scale("age", "numerical")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: scales={'age': 'numerical'}: a scale must be one of numeric, integer, decimal,
    date, categorical, or an order such as low<mid<high. Did you mean 'numeric'?
    """
    if text in _WORDS:
        return text, ()
    labels = tuple(re.sub(r"\\(.)", r"\1", part).strip() for part in re.findall(r"(?:\\.|[^<\\]|\\$)+", text))
    cuts = len(re.findall(r"(?<!\\)(?:\\\\)*<", text))
    if cuts < 1 or len(labels) != cuts + 1 or not all(labels):
        near = difflib.get_close_matches(text, _WORDS, n=1)
        words = f"{', '.join(_WORDS)}, or an order such as low<mid<high"
        raise ParameterError(
            Message(option("scales", {column: text}), f": a scale must be one of {words}."),
            column=column,
            hint=f"Did you mean {near[0]!r}?" if near else "",
        )
    if len(set(labels)) < len(labels):
        raise ParameterError(
            Message(option("scales"), f": the order of {column!r} names a value twice."),
            column=column,
            hint="Name each value once.",
        )
    return "ordered", labels


def scale_values(values: Values, given: str | None = None) -> Scaled:
    """Read the values of a column on the given scale, or on the one that is detected.

    Examples
    --------
    >>> from sfumato.kinds.table.reader.cells import encode_values
    >>> ages = encode_values("people.csv", "age", pa.chunked_array([["30", "+40"]]))
    >>> scale_values(ages).values.texts.to_pylist(), str(scale_values(ages).notes[0])
    (['30', '40'], 'Reading `age` as whole numbers.')
    >>> zips = encode_values("people.csv", "zip", pa.chunked_array([["01067", "80331"]]))
    >>> scale_values(zips).scale, scale_values(zips, "numeric").scale
    ('categorical', 'integer')
    """
    if given is not None:
        scale, order = parse_scale(values.name, given)
        if scale == "categorical":
            return Scaled(values, scale, (), ())
        if scale == "ordered":
            return _read_order(values, order)
        return _read_dates(values, given=True) if scale == "date" else _read_numbers(values, scale, given=True)
    kind = _detect_scale(values)
    if kind == "date":
        return _read_dates(values, given=False)
    if kind == "numeric":
        return _read_numbers(values, kind, given=False)
    return Scaled(values, "categorical", (), _doubt_categories(values))


def _detect_scale(values: Values) -> str:
    """Return the scale of values by how they are written."""
    texts = values.texts
    sample = texts.slice(0, _SAMPLE)
    if not len(texts):
        return "categorical"
    if marks(_matches(sample, f"{_NUMBER}|{_ENDLESS}|{_COMMA}")).all():
        numbers = marks(_matches(texts, _NUMBER))
        if not numbers.all():
            comma = marks(_matches(texts, _COMMA))
            odd = numbers | comma | marks(_matches(texts, _ENDLESS))
            if not odd.all() or not (numbers | comma).any():
                return "categorical"
        return "categorical" if marks(_matches(texts, _ZERO_FIRST + r"\d*$")).any() else "numeric"
    return "date" if _dates(values, sample) is not None and _dates(values, texts) is not None else "categorical"


def _matches(texts: Cells, pattern: str) -> Cells:
    return pc.match_substring_regex(texts, pattern)


def _dates(values: Values, texts: Cells) -> npt.NDArray[np.int64] | None:
    """Return days since 1970 if all texts are plain dates."""
    try:
        times = parse_times(values.file, values.name, pa.chunked_array([texts]))
    except SchemaError:
        return None
    plain = times.micros is not None and not times.zoned and not (times.micros % _DAY).any()
    return times.micros // _DAY if plain and times.micros is not None else None


def _read_dates(values: Values, *, given: bool) -> Scaled:
    if not len(values.texts):
        return Scaled(values, "date", (), ())
    cells = pa.chunked_array([values.texts])
    numbers = marks(_matches(values.texts, _NUMBER))
    if numbers.any():
        numeric = option("scales", {values.name: "numeric"})
        hint = Message("Write dates as 2012-04-30, or read the column as numbers: ", numeric, ".")
        values.refuse("must hold dates", numbers, hint)
    times = parse_times(values.file, values.name, cells, values.first_rows())
    assert times.micros is not None
    days = times.micros // _DAY
    notes = [] if given else [_note_scale(values.name, "date")]
    if (times.micros % _DAY).any():
        template = "Left out times of day in {columns}" + (" (days are days of UTC)." if times.zoned else ".")
        notes.append(Note("times-of-day-left-out", template, columns=(values.name,)))
    texts = pa.array(days.astype(np.int32), pa.int32()).cast(pa.date32()).cast(pa.string())
    return Scaled(values.replace_texts(texts), "date", (), tuple(notes))


def _read_order(values: Values, order: tuple[str, ...]) -> Scaled:
    unknown = ~marks(pc.is_in(values.texts, value_set=pa.array(order, pa.string())))
    if unknown.any():
        values.refuse(
            "must hold values of its order",
            unknown,
            Message(
                "Add them to the order in ", option("scales"), ", or list what means no value in ", option("empty"), "."
            ),
        )
    return Scaled(values, "ordered", order, ())


def _read_numbers(values: Values, wanted: str, *, given: bool) -> Scaled:
    if not len(values.texts):
        return Scaled(values, "decimal" if wanted == "decimal" else "integer", (), ())
    texts = pc.replace_substring_regex(values.texts, r"^\+", "")
    try:
        parsed = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        parsed = None  # its message quotes a cell, so it must not even be the context of ours
    if parsed is None:
        _refuse_other_than_numbers(values)
    numbers = np.asarray(parsed.to_numpy(zero_copy_only=False)) + 0.0
    whole = marks(_matches(texts, _WHOLE))
    _refuse_endless(values, ~np.isfinite(numbers))
    _refuse_large(values, texts, whole, numbers, wanted == "integer")
    if wanted == "integer":
        whole = numbers == np.trunc(numbers)
        if not whole.all():
            hint = Message("Correct them, or read decimals: ", option("scales", {values.name: "decimal"}), ".")
            values.refuse("must hold whole numbers", ~whole, hint)
    name, scale = values.name, "integer" if whole.all() and wanted != "decimal" else "decimal"
    notes = [] if given else [_note_scale(name, scale)]
    if scale == "integer":
        return Scaled(
            values.replace_texts(pa.array(numbers.astype(np.int64)).cast(pa.string())), scale, (), tuple(notes)
        )
    if not given and (numbers == np.trunc(numbers)).all():
        notes = [
            Note(
                "whole-decimals",
                "Reading {columns} as decimal numbers, though all are whole. To read whole numbers: {option}.",
                columns=(name,),
                details={"option": option("scales", {name: "integer"})},
            )
        ]
    formatted = pc.replace_substring_regex(pa.array(numbers).cast(pa.string()), r"^(-?\d+)$", r"\1.0")
    return Scaled(values.replace_texts(formatted), scale, (), tuple(notes))


def _refuse_other_than_numbers(values: Values) -> NoReturn:
    texts, categorical = values.texts, option("scales", {values.name: "categorical"})
    comma = marks(_matches(texts, _COMMA))
    if comma.any():
        values.refuse(
            "must hold numbers with a decimal point",
            comma,
            Message("Write 3.5 for 3,5, or read the column as categories: ", categorical, "."),
        )
    values.refuse(
        "must hold numbers",
        ~marks(_matches(texts, f"{_NUMBER}|{_ENDLESS}")),
        Message(
            *("Correct them, list what means no value in ", option("empty"), ", or read the column as categories: "),
            *(categorical, "."),
        ),
    )


def _refuse_endless(values: Values, endless: Marks) -> None:
    if endless.any():
        values.refuse(
            "must hold finite numbers",
            endless,
            Message("Correct them or, if they mean no value, list them: ", option("empty", ["NaN"]), "."),
        )


def _refuse_large(values: Values, texts: Cells, whole: Marks, numbers: npt.NDArray[np.float64], every: bool) -> None:
    """Refuse whole numbers that a decimal number does not hold exactly."""
    beyond = (np.abs(numbers) > _LARGEST) & (whole | every)
    at = np.flatnonzero(whole & (np.abs(numbers) == _LARGEST))
    beyond[at] = [abs(int(text)) > _LARGEST for text in texts.take(pa.array(at)).to_pylist()]
    if beyond.any():
        values.refuse(
            f"must hold whole numbers from {-_LARGEST} to {_LARGEST}",
            beyond,
            Message(
                "If they are codes, read them as categories: ", option("scales", {values.name: "categorical"}), "."
            ),
        )


def _note_scale(column: str, scale: str) -> Note:
    return Note(
        "scale-detected", "Reading {columns} as {scale}.", columns=(column,), details={"scale": _SCALE_NAMES[scale]}
    )


def _doubt_categories(values: Values) -> tuple[Note, ...]:
    """Note it where most cells are numbers and some are not."""
    if not len(values.texts) or not marks(_matches(values.texts.slice(0, _SAMPLE), _NUMBER)).any():
        return ()
    numbers = marks(_matches(values.texts, _NUMBER)) & ~marks(_matches(values.texts, _ZERO_FIRST))
    counts = np.bincount(values.codes[values.codes >= 0], minlength=len(numbers))
    others = int(counts[~numbers].sum())
    if not 0 < (~numbers).sum() <= _FEW or counts[numbers].sum() <= others:
        return ()
    note = Note(
        "mixed-numbers",
        "Most cells of {columns} are numbers; those that are not: {others} ({rows}). If they mean no value, list them "
        "({empty}). If all are codes: {scales}.",
        columns=(values.name,),
        details={
            "others": f"{others:,}",
            "rows": values.name_rows(~numbers),
            "empty": option("empty"),
            "scales": option("scales", {values.name: "categorical"}),
        },
    )
    return (note,)
