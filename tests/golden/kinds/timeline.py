"""What happened at points in time, and how often."""

from __future__ import annotations

from typing import Any

from tests.golden import interface
from tests.golden.cases import Case, Catalogue, File
from tests.golden.draws import Draws, draw_walks, name_labels, write_csv

KIND = "timeline"
EVENTS = name_labels("e", 6)


def make_sales(seed: int = 1, points: int = 50, most: int = 4, **options: Any) -> Any:
    """Sales of some goods at every point, the first goods most often; two of them are sensitive."""
    draws, walks = Draws(seed + 20), draw_walks(EVENTS, points, seed, longest=4)
    rows = [{event: draws.number(1, most) for event in row} for row in walks]
    return interface.make_data(KIND, rows, **{"sensitive": ("e1", "e3"), **options})


def make_twins(seed: int = 6, sensitive: tuple[str, ...] = ("e1", "e3")) -> Any:
    """As sales, but of some events there is nearly as much as of another one, to hide among."""
    draws, walks = Draws(seed + 20), draw_walks(EVENTS[:4], 40, seed, longest=3)
    rows = [{event: draws.number(1, 4) for event in row} for row in walks]
    rows[0] = {"e0": 40}
    for row in rows:
        row |= {twin: row[event] - draws.number(0, 1) for event, twin in (("e1", "t1"), ("e3", "t3")) if event in row}
    return interface.make_data(KIND, rows, sensitive=sensitive)


def make_gaps() -> Any:
    """Points of time far from each other, one of them without anything, and an event that never happens."""
    rows = [{"e0": 3}, {"e1": 1, "e0": 1}, {}, {"e1": 2, "e2": 1}, {"e0": 1}, {"e2": 2, "e1": 1}, {"e0": 5}]
    times = [3, 4, 10, 11, 40, 41, 100]
    time_unit = interface.make_time_unit("day")
    return interface.make_data(KIND, rows, times=times, sensitive=("e1",), events=("e9",), time_unit=time_unit)


def write_orders() -> File:
    """Orders one by one, counted by the day; some rows say how many."""
    draws, rows = Draws(4), []
    for _ in range(150):
        time = f"2024-02-{draws.number(1, 20):02}T{draws.number(0, 23):02}:00:00Z"
        rows.append((time, draws.pick(EVENTS, 1.4), draws.number(1, 3)))
    return File(write_csv(("time", "event", "count"), rows), {"resolution": "day", "sensitive": ["e2"]})


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


SHARES = (
    "count event where e1 before 20",
    "count event where any by 10",
    "relation value e0 and e3",
    "first e1",
)
QUESTIONS = {
    "sales": SHARES,
    "one": SHARES,
    "large": SHARES[:2],
    "everything": SHARES[:1],
    "twins": SHARES[:3],
    "one twin": SHARES[:1],
    "gaps": ("count event where e1 by week", "relation value e0 and e1"),
    "orders": (
        "count event where e2 on 2024-02-05",
        "count event where e0 | e1 by week",
        "relation value e0 and e2",
        "last e2",
    ),
}
CASES = (
    case("odesa", "one", delta="1/7"),
    case("odesa", "one", delta="0.1"),
    case("odesa", "one twin", delta="1/4", cover=2),
    case("odesa", "large", delta="1/4"),
    case("odesa", "gaps", delta="1/3"),
    case("odesa", "orders", delta="1/12"),
    case("essa", "sales", delta="1/5"),
    case("essa", "sales", delta="1/10"),
    case("essa", "twins", delta="1/4", cover=2),
    case("essa", "everything", delta="1/5"),
    case("essa", "gaps", delta="0.25"),
    case("essa", "orders", delta="1/12"),
    case("essa-joint", "sales", delta="1/5"),
    case("essa-joint", "sales", delta="1/10"),
    case("essa-joint", "twins", delta="1/4", cover=2),
    case("essa-joint", "everything", delta="1/5"),
    case("essa-joint", "gaps", delta="1/3"),
    case("essa-joint", "orders", delta="1/15"),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "sales": make_sales,
        "one": lambda: make_sales(seed=2, sensitive=("e1",)),
        "large": lambda: make_sales(seed=3, points=100, most=60, sensitive=("e0",)),
        "everything": lambda: make_sales(seed=5, points=40, sensitive=tuple(EVENTS[1:])),
        "twins": make_twins,
        "one twin": lambda: make_twins(seed=7, sensitive=("e1",)),
        "gaps": make_gaps,
        "orders": write_orders,
    },
    QUESTIONS,
    CASES,
)
