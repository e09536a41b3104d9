"""Survey weights: how many of the population a record stands for. They count in measures, not in guarantees."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, as_text, list_marked, name_failing, name_marked

__all__ = ["Floats", "describe_weights", "is_weight", "read_weights", "refuse_second_role", "weigh_people"]

Floats = npt.NDArray[np.float64]
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_SURE = re.compile(r"w(ei)?gh?ts?$|^(final|sample|sampling|survey|person|design)?_?weight(s|ing)?$|wt\d*$")
_DOUBTFUL = re.compile(r"(^|_)weight$")
"""Names that may also be body weights."""


def read_weights(owner: str, table: pa.Table, column: str) -> Floats:
    """Return the weights of all rows; cells that are no weights are refused.

    Examples
    --------
    >>> read_weights("a.csv", pa.table({"w": ["1.5", " 0 "]}), "w").tolist()
    [1.5, 0.0]
    >>> read_weights("a.csv", pa.table({"w": ["1.5", "-2"]}), "w")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: a.csv: column 'w' must hold weights of at least 0; row 2 does not. Correct it, or
    leave out these rows.
    """
    if column not in table.column_names:
        raise SchemaError(Message(f"{owner}: there is no column {column!r} for ", option("weight"), "."), column=column)
    cells = table.column(column)
    if not (pa.types.is_floating(cells.type) or pa.types.is_decimal(cells.type)):
        text: Cells = pc.utf8_trim_whitespace(as_text(owner, column, cells))
        numeric = pc.fill_null(pc.match_substring_regex(text, _NUMBER), False)
        cells = pc.if_else(numeric, text, pa.scalar(None, text.type))
    weights = np.asarray(pc.fill_null(cells.cast(pa.float64()), np.nan).to_numpy(), dtype=np.float64)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise SchemaError(
            f"{owner}: column {column!r} must hold weights of at least 0; {name_failing(wrong)}.",
            column=column,
            rows=list_marked(wrong),
            hint="Correct it, or leave out these rows.",
        )
    if not weights.any():
        raise SchemaError(
            f"{owner}: all weights in column {column!r} are 0.",
            column=column,
            hint=Message("Correct them, or leave out ", option("weight"), "."),
        )
    return weights


def weigh_people(owner: str, table: pa.Table, person: str, column: str) -> dict[str, float]:
    """Return the weight of every person; all rows of a person must have the same.

    Examples
    --------
    >>> weigh_people("a.csv", pa.table({"id": ["a", "a", "b"], "w": [2.0, 2.0, 1.0]}), "id", "w")
    {'a': 2.0, 'b': 1.0}
    """
    weights = read_weights(owner, table, column)
    names = as_text(owner, person, table.column(person)).combine_chunks().dictionary_encode()
    codes = np.asarray(pc.fill_null(names.indices, -1).to_numpy(zero_copy_only=False), dtype=np.int64)
    is_named = codes >= 0
    first = np.zeros(len(names.dictionary))
    first[codes[is_named][::-1]] = weights[is_named][::-1]
    differs = is_named & (first[codes] != weights)
    if differs.any():
        raise SchemaError(
            f"{owner}: all rows of a person must have the same weight; column {column!r} has another in "
            f"{name_marked(differs)}.",
            column=column,
            rows=list_marked(differs),
            hint=Message("Correct it, or give the column with weights of people: ", option("weight"), "."),
        )
    return dict(zip(names.dictionary.to_pylist(), first.tolist(), strict=True))


def refuse_second_role(column: str, roles: Mapping[str, str]) -> None:
    """Refuse a weight with a second role other than quasi-identifier.

    A precise weight is made of age, sex, region and more, and nearly identifies people.

    Examples
    --------
    >>> refuse_second_role("w", {"w": "quasi-identifier"})
    >>> refuse_second_role("w", {"w": "plain"})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Column 'w' is the weight and plain; precise weights nearly identify people. Leave
    out the other role, or publish the weight in ranges: quasi=['w'].
    """
    role = roles.get(column, "quasi-identifier")
    if role != "quasi-identifier":
        ranges = option("quasi", [column])
        raise ParameterError(
            f"Column {column!r} is the weight and {role}; precise weights nearly identify people.",
            option="weight",
            column=column,
            hint=Message("Leave out the other role, or publish the weight in ranges: ", ranges, "."),
        )


def describe_weights(column: str, weights: Floats, *, published: bool) -> Note:
    """Note what the weights are used for.

    Examples
    --------
    >>> str(describe_weights("w", np.array([1.0, 2.0]), published=False))
    'Reading `w` as the weight of records (sum: 3). It counts in measures, not in the guarantee, and is not published.'
    """
    treatment = "is published in ranges, as a quasi-identifier" if published else "is not published"
    return Note(
        "weights",
        "Reading {columns} as the weight of records (sum: {sum}). It counts in measures, not in the guarantee, and "
        "{treatment}.",
        columns=(column,),
        details={"sum": f"{weights.sum():,.4g}", "treatment": treatment},
    )


def is_weight(name: str, cells: Cells) -> bool:
    """Return whether a column holds survey weights: by its name and, where that may be a body weight, by its mean.

    Weights are scaled so that their mean is 1, or so that they add up to a population.

    Examples
    --------
    >>> kilograms = pa.chunked_array([["70", "82.5", "64"]])
    >>> is_weight("weight", kilograms), is_weight("tufinlwgt", pa.chunked_array([["8155462.6", "1.5"]]))
    (False, True)
    >>> is_weight("weight", pa.chunked_array([["0.33", "1.7", "0.9"]]))
    True
    """
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not (_SURE.search(plain) or _DOUBTFUL.search(plain)):
        return False
    try:
        weights = read_weights(name, pa.table({name: cells}), name)
    except SchemaError:
        return False
    if len(np.unique(weights)) < 2:
        return False
    mean = float(weights.mean())
    return not _DOUBTFUL.search(plain) or 0.5 <= mean <= 2 or mean >= 500
