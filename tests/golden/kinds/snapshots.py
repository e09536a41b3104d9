"""Records that belong to a snapshot, each with a sensitive value."""

from __future__ import annotations

from typing import Any

from tests.golden import interface
from tests.golden.cases import FEED, Case, Catalogue, File, change
from tests.golden.draws import Draws, write_csv

KIND = "snapshots"
ILLNESSES = ("flu", "cold", "cough", "rash", "gout")


def draw_reports(records: int, per_snapshot: int, seed: int, skew: float = 1.0) -> list[tuple[Any, ...]]:
    """Records in the order of time; the first illness is now and then that of half a snapshot."""
    draws = Draws(seed)
    return [
        (at // per_snapshot, str(draws.number(20, 39)), draws.pick("fm"), draws.pick(ILLNESSES, skew))
        for at in range(records)
    ]


def make_reports(seed: int = 1, per_snapshot: int = 12, skew: float = 1.0, **options: Any) -> Any:
    rows = draw_reports(96, per_snapshot, seed, skew)
    return interface.make_data(KIND, rows, ("age", "sex"), "illness", **options)


def make_waves() -> Any:
    """One snapshot in three has one illness only, and some snapshots have nobody."""
    rows = [
        (3 * (at // 10) + at % 2, *row[1:3], "flu" if at // 10 % 3 == 1 else row[3])
        for at, row in enumerate(draw_reports(90, 9, 5))
    ]
    return interface.make_data(KIND, rows, ("age", "sex"), "illness", plain=("sex",))


def write_cases() -> File:
    """Reports by the day in no order, cut to weeks."""
    rows = [(f"2024-01-{1 + 2 * row[0]:02}", *row[1:]) for row in draw_reports(96, 8, 6, 1.3)]
    options = {"columns": {"qi": "age,sex"}, "sensitive": ["illness"]}
    return File(write_csv(("time", "age", "sex", "illness"), rows[::2] + rows[1::2]), options)


def write_months() -> File:
    rows = [(f"2023-{1 + row[0]:02}", *row[1:]) for row in draw_reports(96, 12, 7, 1.2)]
    options = {"columns": {"qi": "age", "plain": "sex"}, "sensitive": ["illness"], "resolution": "month"}
    return File(write_csv(("time", "age", "sex", "illness"), rows), options)


def write_feed() -> File:
    """Reports as they come in, in the order of time."""
    rows = draw_reports(84, 12, 8, 1.2)
    options = {"columns": {"qi": "age,sex"}, "sensitive": ["illness"]}
    return File(write_csv(("time", "age", "sex", "illness"), rows), options)


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


def at_any_loss(method: str, data: str, **parameters: Any) -> Case:
    """Leave out as many records as have to be: values that are too frequent in a small snapshot."""
    return change(case(method, data, **parameters), withhold=0.5)


def feed(data: str, **parameters: Any) -> Case:
    return change(case("reposition", data, **parameters), way=FEED)


COUNTS = (
    "count record where flu during 1..3",
    "count record where age = 25 and illness = cold",
    "count record where sex = f by 2",
    "relation value flu and gout",
)
DATED = ("count record where flu before 2024-01-09", "count record where cold by week")
QUESTIONS = {
    "reports": COUNTS,
    "skewed": COUNTS,
    "waves": COUNTS[:1],
    "small": COUNTS[:2],
    "cases": DATED,
    "months": ("count record where flu by month", "count record where illness = flu and sex = f"),
    "feed": COUNTS,
}
CASES = (
    change(case("anatomy", "reports", l=2), beside=("reposition", {"l": 2, "window": 2})),
    at_any_loss("anatomy", "reports", l=3, infeasible="suppress"),
    at_any_loss("anatomy", "waves", l=2, infeasible="suppress"),
    at_any_loss("anatomy", "small", l=2, infeasible="suppress"),
    case("anatomy", "cases", l=2, infeasible="suppress"),
    case("reposition", "skewed", l=3),
    at_any_loss("reposition", "reports", l=3, window=3),
    at_any_loss("reposition", "waves", l=2, window=4, cost="quadratic"),
    at_any_loss("reposition", "waves", l=2, window=4, cost="1,3,6,10", beta="flu=1,*=30"),
    at_any_loss("reposition", "waves", l=2, window=4, beta="1"),
    at_any_loss("reposition", "skewed", l=3, window=3, then="none"),
    at_any_loss("reposition", "cases", l=2, window=4, delays="hidden"),
    at_any_loss("reposition", "waves", l=2, window=4),
    at_any_loss("reposition", "skewed", l=3, window=2),
    at_any_loss("reposition", "small", l=3, window=1),
    case("reposition", "cases", l=3, window=5),
    at_any_loss("reposition", "months", l=3, window=2),
    case("reposition", "months", l=2, window=3, then="none", late="error"),
    feed("feed", l=3, window=3),
    feed("feed", l=3, window=4, late="error", cost="quadratic"),
    feed("feed", l=3, window=3, then="none"),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "reports": make_reports,
        "skewed": lambda: make_reports(seed=2, skew=1.7),
        "small": lambda: make_reports(seed=3, per_snapshot=5),
        "waves": make_waves,
        "cases": write_cases,
        "months": write_months,
        "feed": write_feed,
    },
    QUESTIONS,
    CASES,
)
