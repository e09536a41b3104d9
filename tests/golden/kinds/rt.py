"""People with attributes and a set of items."""

from __future__ import annotations

from typing import Any

from tests.golden import interface
from tests.golden.cases import FILE_IN_PARTITIONS, IN_PARTITIONS, Case, Catalogue, File, change
from tests.golden.draws import Draws, draw_walks, name_labels, write_csv

KIND = "rt"
ITEMS = name_labels("i", 10)
SHELVES = interface.make_hierarchy([(item, f"shelf{at // 3}", "*") for at, item in enumerate(ITEMS)])


def make_customers(seed: int = 1, people: int = 60, **options: Any) -> Any:
    """Some have no sex, some no items; the city is published as it is."""
    draws, items = Draws(seed + 50), draw_walks(ITEMS, people, seed, longest=4)
    rows = []
    for number in range(people):
        sex = None if number % 15 == 0 else draws.pick("fm", 1.2)
        rows.append((draws.number(20, 35), sex, draws.pick(("bonn", "jena", "ulm"))))
    for number in range(0, people, 12):
        items[number] = []
    return interface.make_data(KIND, rows, ("age", "sex", "city"), items, plain=("city",), **options)


def write_shop() -> File:
    """Attributes in one file and items in another, with the sensitive ones named."""
    draws, walks = Draws(3), draw_walks(ITEMS, 50, 4, longest=4)
    people = [(f"u{number:02}", draws.number(20, 40), draws.pick("fm")) for number in range(50)]
    items = write_csv(("id", "item"), [(f"u{n:02}", item) for n, walk in enumerate(walks) for item in walk])
    options = {
        "identifier": ["id"],
        "quasi": ["age", "sex"],
        "item_file": "{items.csv}",
        "sensitive_items": ["i9"],
        "hierarchies": {"item": "fanout:3"},
    }
    return File(write_csv(("id", "age", "sex"), people), options, {"items.csv": items})


def write_cells() -> File:
    """Items in a cell of the table."""
    draws, walks = Draws(5), draw_walks(ITEMS, 50, 6, longest=4)
    rows = [(f"u{n:02}", draws.number(20, 40), draws.pick("fm"), "|".join(walk)) for n, walk in enumerate(walks)]
    options = {"identifier": ["id"], "quasi": ["age", "sex"], "items": "products", "separator": "|"}
    return File(write_csv(("id", "age", "sex", "products"), rows), options)


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


def in_partitions(method: str, data: str, **parameters: Any) -> Case:
    return change(case(method, data, **parameters), way=IN_PARTITIONS)


COUNTS = (
    'count record where age in 20..27 and not sex = "f"',
    "count person with i0 and i1",
    "count record where age < 25 and i2",
    "count event where i0 | i3",
)
QUESTIONS = {
    "customers": COUNTS[:3],
    "shelves": (*COUNTS, "count record where shelf0 and not shelf2"),
    "insulin": (*COUNTS, "count person where i9 and age >= 25"),
    "shop": (*COUNTS, "count person where i9"),
    "cells": COUNTS,
    "ties": ("count record where dose >= 2", COUNTS[1]),
}
CASES = (
    change(case("rfirst", "customers", k=3), beside=("tfirst", {"k": 3})),
    case("rfirst", "insulin", k=3, l=2),
    case("rfirst", "shelves", k=4, m=1, relational="mondrian", transaction="pcta"),
    case("rfirst", "shelves", k=3, relational="top-down", transaction="lra"),
    case("rfirst", "ties", k=5, relational="incognito", transaction="coat"),
    case("rfirst", "shop", k=3, l=2, transaction="vpa"),
    in_partitions("rfirst", "insulin", k=3, l=2),
    change(case("rfirst", "cells", k=3, m=1), way=FILE_IN_PARTITIONS, partition_size=25),
    case("tfirst", "customers", k=3),
    case("tfirst", "insulin", k=3, m=1, l=3, parts=3),
    case("tfirst", "shelves", k=3, relational="mondrian", transaction="lra"),
    case("tfirst", "shop", k=4, l=2, transaction="pcta", parts=2),
    case("tfirst", "ties", k=4, relational="optimal", transaction="vpa"),
    in_partitions("tfirst", "customers", k=3, parts=2),
    case("rum-bound", "customers", k=3, delta=0.6),
    case("rum-bound", "insulin", k=3, m=1, l=2, delta=0.7),
    case("rum-bound", "shelves", k=3, delta=0.7, merge="rt", relational="mondrian", transaction="pcta"),
    case("rum-bound", "shop", k=3, l=2, delta=0.8, merge="r", transaction="coat"),
    case("rum-bound", "ties", k=4, delta=0.5, relational="bottom-up", transaction="lra"),
    in_partitions("rum-bound", "customers", k=3, delta=0.9),
    case("tum-bound", "customers", k=3, delta=0.6),
    case("tum-bound", "insulin", k=3, m=1, l=2, delta=0.9),
    case("tum-bound", "shelves", k=3, delta=0.95, merge="rt", relational="mondrian", transaction="vpa"),
    case("tum-bound", "shop", k=3, l=2, delta=0.95, merge="r", transaction="pcta"),
    case("tum-bound", "ties", k=4, relational="mdav"),
    in_partitions("tum-bound", "customers", k=3),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "customers": make_customers,
        "shelves": lambda: make_customers(seed=2, hierarchy=SHELVES),
        "insulin": lambda: make_customers(seed=7, sensitive_items=("i1", "i9")),
        "ties": lambda: interface.make_data(
            KIND, [(20 + at % 3, float(at % 4)) for at in range(48)], ("age", "dose"), draw_walks(ITEMS[:4], 48, 8)
        ),
        "shop": write_shop,
        "cells": write_cells,
    },
    QUESTIONS,
    CASES,
)
