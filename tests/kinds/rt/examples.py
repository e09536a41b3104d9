"""The six customers of the paper's Figure 1, and the releases of its Figures 1b and 2, written by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.data.lists import ListColumn
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.rt.guarantees import KKmAnonymity
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

NAMES = ("age", "origin", "gender")
PEOPLE = [
    (19, "France", "Male"),
    (22, "Greece", "Male"),
    (28, "Germany", "Female"),
    (39, "Spain", "Female"),
    (70, "Algeria", "Female"),
    (55, "Nigeria", "Male"),
]
PRODUCTS = [list("EFBG"), list("EFDH"), list("BCEG"), list("FDH"), list("EG"), list("AFH")]
SENSITIVE = ("G", "H")

ORIGIN = Hierarchy.from_paths(
    [(country, "Europe", "All") for country in ("France", "Greece", "Germany", "Spain")]
    + [(country, "Africa", "All") for country in ("Algeria", "Nigeria")]
)
GENDER = Hierarchy.from_paths([("Male", "All"), ("Female", "All")])
ITEM = Hierarchy.from_paths([(item, "(A,B,C,D)", "All") for item in "ABCD"] + [(item, "All") for item in "EFGH"])


def customers(sensitive: tuple[str, ...] = SENSITIVE) -> sf.Dataset:
    return sf.Dataset.of(
        "rt",
        PEOPLE,
        NAMES,
        PRODUCTS,
        sensitive_items=sensitive,
        hierarchy=ITEM,
        hierarchies={"origin": ORIGIN, "gender": GENDER},
    )


Row = tuple[tuple[int, int], str | None, str | None, str]


def by_hand(rows: list[Row], guarantee: KKmAnonymity | None = None) -> Release:
    """A release of ranges, regions, sexes and products; ``BD`` stands for the generalised item (B,D)."""
    columns = (
        PublishedColumn("age", "quasi-identifier", ValueFormat("interval", "int64")),
        PublishedColumn("origin", "quasi-identifier", ValueFormat("category")),
        PublishedColumn("gender", "quasi-identifier", ValueFormat("category")),
        PublishedColumn("items", "history", ValueFormat("category", history=True, meaning="at least one of")),
    )
    sets = [sorted(_name(word) for word in row[3].split()) for row in rows]
    listed = [("items", _name(word), item) for row in rows for word in row[3].split() if len(word) > 1 for item in word]
    for region, members in (("Europe", ORIGIN.members("Europe")), ("Africa", ORIGIN.members("Africa"))):
        if any(row[1] == region for row in rows):
            listed += [("origin", region, member) for member in members]
    values = sorted(set(listed))
    labels = sorted({value for row in sets for value in row})
    code = {label: at for at, label in enumerate(labels)}
    list_column = ListColumn(
        np.concatenate([[0], np.cumsum([len(row) for row in sets])]).astype(np.int64),
        np.array([code[value] for row in sets for value in row], np.int32),
        tuple(labels),
    )
    table = pa.table(
        {
            "age": pa.array([{"lo": row[0][0], "hi": row[0][1]} for row in rows], columns[0].form.arrow),
            "origin": pa.array([row[1] for row in rows], pa.string()).dictionary_encode(),
            "gender": pa.array([row[2] for row in rows], pa.string()).dictionary_encode(),
            "items": list_column.to_arrow(),
        }
    )
    names = ("column", "value", "member")
    known = pa.table({name: pa.array([row[i] for row in values], pa.string()) for i, name in enumerate(names)})
    claimed = guarantee or KKmAnonymity(2, 2, 1, NAMES, SENSITIVE)
    return Release("rt", "by-hand", claimed, columns, table, known, records_in=len(rows))


def _name(word: str) -> str:
    return word if len(word) == 1 else "{" + "|".join(sorted(word)) + "}"


FIGURE_1B: list[Row] = [
    ((19, 22), "Europe", "Male", "E F ABCD G"),
    ((19, 22), "Europe", "Male", "E F ABCD H"),
    ((28, 39), "Europe", "Female", "E ABCD G"),
    ((28, 39), "Europe", "Female", "F ABCD H"),
    ((55, 70), "Africa", None, "E G"),
    ((55, 70), "Africa", None, "F ABCD H"),
]

FIGURE_2A: list[Row] = [  # the printed rows 0 and 1 begin "D E" and "E E"; E F (B,D) is meant
    ((19, 22), "Europe", "Male", "E F BD G"),
    ((19, 22), "Europe", "Male", "E F BD H"),
    ((28, 39), "Europe", "Female", "BCF DE G"),
    ((28, 39), "Europe", "Female", "BCF DE H"),
    ((55, 70), "Africa", None, "AEF G"),
    ((55, 70), "Africa", None, "AEF H"),
]

FIGURE_2B: list[Row] = [((19, 70), None, None, row[3]) for row in FIGURE_1B]

FIGURE_2C: list[Row] = [
    ((19, 39), "Europe", None, "E F BCD G"),
    ((19, 39), "Europe", None, "E F BCD H"),
    ((19, 39), "Europe", None, "E BCD G"),
    ((19, 39), "Europe", None, "F BCD H"),
    ((55, 70), "Africa", None, "AEF G"),
    ((55, 70), "Africa", None, "AEF H"),
]

FIGURE_2D: list[Row] = [
    ((19, 70), None, None, "E F ABD G"),
    ((19, 70), None, None, "E F ABD H"),
    ((28, 39), "Europe", "Female", "BCF DE G"),
    ((28, 39), "Europe", "Female", "BCF DE H"),
    ((19, 70), None, None, "E G"),
    ((19, 70), None, None, "F ABD H"),
]
