"""Hierarchies of the attributes of a table: read from files or derived, and checked against every value."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import RULES, derive_hierarchy, derive_ranges
from sfumato.kinds.table.dataset import NUMERIC, place_values
from sfumato.kinds.table.reader.scales import Scaled
from sfumato.messages import Message, option
from sfumato.readers.hierarchies import read_hierarchy
from sfumato.readers.options import ReadOptions

__all__ = ["find_hierarchies"]

_TYPES = {"integer": "int", "decimal": "decimal", "date": "date"}


def find_hierarchies(
    read_options: ReadOptions,
    roles: Mapping[str, str],
    scaled_columns: Mapping[str, Scaled],
    others: Mapping[str, Scaled],
) -> tuple[dict[str, Hierarchy], list[Note]]:
    """Return the hierarchy of every attribute that has one, with notes on what they are made of.

    Parameters
    ----------
    read_options
        Files or rules by column.
    roles
        Of the columns that stay.
    scaled_columns
        Values of the columns that stay.
    others
        Values of the same columns in a population, which the hierarchies must know as well.
    """
    hierarchies, notes = {}, []
    for column, given in read_options.hierarchies.items():
        _refuse_column(column, roles)
        scaled = scaled_columns[column]
        if not len(scaled.values.texts):
            raise SchemaError(
                Message(f"{scaled.values.file}: column {column!r} has a hierarchy and no values."),
                option="hierarchies",
                column=column,
                hint=Message("Leave the column out: ", option("drop", [column]), "."),
            )
        samples = [scaled, *([others[column]] if column in others else [])]
        hierarchy = _derive(given, samples)
        if hierarchy is None:
            _refuse_misspelled(given)
            hierarchy = read_hierarchy(given, root=read_options.hierarchy_root)
        elif given.startswith("frequency"):
            template = "Ranges of {columns} begin at values in the data, so that each holds equally many records."
            notes.append(Note("ranges-by-frequency", template, columns=(column,)))
        for sample in samples:
            _require(hierarchy, sample)
        hierarchies[column] = hierarchy
    return hierarchies, notes


def _refuse_column(column: str, roles: Mapping[str, str]) -> None:
    if column not in roles:
        near = difflib.get_close_matches(column, roles, n=1)
        raise ParameterError(
            Message(option("hierarchies"), f" names {column!r}, which is no column of the release."),
            column=column,
            hint=f"Did you mean {near[0]!r}?" if near else "Leave it out.",
        )
    if roles[column] == "plain":
        raise ParameterError(
            Message(option("hierarchies"), f" names {column!r}, which is plain and not generalised."),
            column=column,
            hint=Message("Leave it out, or make the column a quasi-identifier: ", option("quasi", [column]), "."),
        )


def _refuse_misspelled(given: str) -> None:
    near = difflib.get_close_matches(given.partition(":")[0], RULES, n=1)
    if near and not Path(given).exists():
        raise ParameterError(
            Message(option("hierarchies"), f": there is no file or rule {given!r}."), hint=f"Did you mean {near[0]}?"
        )


def _derive(rule: str, samples: Sequence[Scaled]) -> Hierarchy | None:
    """Derive a hierarchy from all values, or return None where the text is a file."""
    scaled = samples[0]
    try:
        if scaled.scale in NUMERIC:
            hierarchy = derive_ranges(rule, np.concatenate([_axis(sample) for sample in samples]), _TYPES[scaled.scale])
        else:
            hierarchy = None
            if derive_ranges(rule, [0], "date") is not None:
                name = scaled.values.name
                raise ParameterError(
                    Message(option("hierarchies", {name: rule}), " needs numbers or dates; the column has categories."),
                    column=name,
                    hint=Message("Choose another rule, or give the scale of the column with ", option("scales"), "."),
                )
        return hierarchy or _derive_labels(rule, samples)
    except SchemaError as error:
        raise SchemaError(
            Message(f"{scaled.values.file}: column {scaled.values.name!r}: ", error.text),
            option=error.option,
            column=scaled.values.name,
            rows=error.rows,
        ) from None


def _derive_labels(rule: str, samples: Sequence[Scaled]) -> Hierarchy | None:
    scaled = samples[0]
    if scaled.scale == "ordered":
        return derive_hierarchy(rule, scaled.order, ordered=True)
    labels = scaled.values.texts.to_pylist()
    rows = scaled.values.first_rows().tolist()
    more = [text for sample in samples[1:] for text in sample.values.texts.to_pylist()]
    strangers = [text for text in dict.fromkeys(more) if text not in set(labels)] if more else []
    return derive_hierarchy(rule, [*labels, *strangers], rows=[*rows, *[0] * len(strangers)])


def _axis(scaled: Scaled) -> npt.NDArray[np.generic]:
    """Return where the values of all rows lie, as a hierarchy of their type takes them."""
    at = scaled.values.codes[scaled.values.codes >= 0]
    places = place_values(scaled.values.texts.to_pylist(), scaled.scale)[at]
    return places.astype("datetime64[D]") if scaled.scale == "date" else places


def _require(hierarchy: Hierarchy, scaled: Scaled) -> None:
    """Refuse a hierarchy that lacks a value, or that is on another scale."""
    values = scaled.values
    owner = f"{values.file}: hierarchy of {values.name}"
    texts, rows = values.texts.to_pylist(), values.first_rows().tolist()
    if hierarchy.kind == "labels":
        hierarchy.require(texts, owner, rows)
        return
    if scaled.scale not in NUMERIC:
        raise SchemaError(
            f"{owner}: the hierarchy has ranges and the column categories.",
            column=values.name,
            hint=Message(
                *("Read the column as numbers: ", option("scales", {values.name: "numeric"}), ", or give a hierarchy "),
                "of labels.",
            ),
        )
    if (hierarchy.type == "date") != (scaled.scale == "date"):
        raise SchemaError(
            f"{owner}: the hierarchy is of type {hierarchy.type}, the column of type {_TYPES[scaled.scale]}.",
            column=values.name,
            hint=Message("Give a hierarchy of the same type, or another scale with ", option("scales"), "."),
        )
    places = place_values(texts, scaled.scale)
    hierarchy.leaf_of_value(texts if scaled.scale == "date" else places, owner, rows)
