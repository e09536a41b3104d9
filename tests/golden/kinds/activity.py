"""What people did in every slot of time."""

from __future__ import annotations

from typing import Any

from tests.golden import interface
from tests.golden.cases import FILE_IN_PARTITIONS, IN_PARTITIONS, Case, Catalogue, File, change
from tests.golden.draws import Draws, write_csv

KIND = "activity"
DOES = ("home", "work", "shop", "away")
GUARANTEE = {"delta": "3h", "epsilon": "3/4"}


def make_days(seed: int = 1, people: int = 40, hours: int = 12, known: int = 0, unit: str = "hour") -> Any:
    """Days in which people stay with what they do for some time; of those after the known ones a tenth is a gap."""
    draws, rows = Draws(seed), []
    for person in range(people):
        gaps = 0.1 if known and person >= known else 0.0
        row = [draws.pick(DOES, 1.5)]
        while len(row) < hours:
            row.append(row[-1] if draws.happens(0.6) else draws.pick(DOES, 1.5))
        rows.append(["(gap)" if draws.happens(gaps) else each for each in row])
    return interface.make_data(KIND, rows, sensitive=("away",), time_unit=interface.make_time_unit(unit))


def write_diaries() -> File:
    """Episodes of a weekend with a weight for everybody; some ends are missing, and the zone is not UTC."""
    draws, rows = Draws(3), []
    for person in range(36):
        hour, weight = 0, 100 + 50 * draws.number(0, 9)
        while hour < 48:
            end = min(hour + draws.number(2, 9), 48)
            if not draws.happens(0.05):
                times = (f"2024-06-{1 + at // 24:02}T{at % 24:02}:00:00" for at in (hour, end))
                rows.append((f"u{person:02}", *times, draws.pick(DOES, 1.5), weight))
            hour = end
    options = {"sensitive": ["away"], "resolution": "hour", "gap": "unknown", "weight": "weight"}
    return File(write_csv(("person", "start", "end", "activity", "weight"), rows), options)


def write_slots() -> File:
    """A column for every two hours of a day; the file has no weights and can be cut row by row."""
    draws = Draws(4)
    rows = [(f"u{n:02}", *(draws.pick(DOES, 1.5) for _ in range(12))) for n in range(40)]
    header = ("person", *(f"{hour:02}:00" for hour in range(0, 24, 2)))
    return File(write_csv(header, rows), {"sensitive": ["away"]})


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


def without_gaps(made: Case) -> Case:
    """Leave out people of whom some time is unknown, as many as there are."""
    return change(made, parameters={**made.parameters, "gaps": "withhold"}, withhold=0.3)


def private(method: str, data: str, **parameters: Any) -> Case:
    """Return a case of a method that promises something about a sensitive activity."""
    return case(method, data, **{"k": 4, **GUARANTEE, **parameters})


def in_partitions(made: Case) -> Case:
    return change(made, way=IN_PARTITIONS, partition_size=20)


SHARES = (
    "count person where away during 1970-01-01T02..1970-01-01T05",
    "count person where home then work",
    "count event where away by 3h",
    "relation value home and work",
)
QUESTIONS = {
    "days": (SHARES[1], SHARES[3]),
    "gaps": (SHARES[0], SHARES[3]),
    "slots": ("count person where home then away within 4h",),
    "diaries": ("count person where away during 2024-06-01", "count event where work by day"),
    "long days": SHARES[2:],
}
HOURS = {"aggregate": "day,hour"}
FINE = {"aggregate": "12h,3h,hour"}
LEVELS = {"levels": 3, "fanout": 2, "digits": 3, **FINE}
STRICT = {"k": 3, "delta": "2h", "epsilon": "1/2", **LEVELS}
CASES = (
    change(case("mc", "days", k=3, **HOURS), beside=("mc", {"k": 4, **HOURS})),
    case("mc", "days", k=3, **LEVELS),
    without_gaps(case("mc", "gaps", k=3, size=6, **HOURS)),
    case("mc", "diaries", k=3, **HOURS),
    case("mc", "long days", k=3, fanout=3, **FINE),
    in_partitions(case("mc", "days", k=3, **HOURS)),
    change(case("mc", "slots", k=3, aggregate="day,2h"), way=FILE_IN_PARTITIONS, partition_size=20),
    private("l-mdav", "days"),
    without_gaps(private("l-mdav", "gaps", k=3)),
    private("l-mdav", "gaps", size=6, interval="2h", digits=2),
    in_partitions(private("l-mdav", "days", k=3)),
    private("l-vmdav", "days"),
    without_gaps(private("l-vmdav", "gaps", k=3)),
    private("l-vmdav", "gaps", size=6, interval="2h", digits=2),
    in_partitions(private("l-vmdav", "days", k=3)),
    private("msld", "days"),
    without_gaps(private("msld", "gaps", k=3)),
    private("msld", "gaps", size=6, interval="2h", digits=2),
    in_partitions(private("msld", "days", k=3)),
    private("mc-l-mdav", "days", **HOURS),
    private("mc-l-mdav", "days", repair="all", **STRICT),
    without_gaps(private("mc-l-mdav", "gaps", k=3, size=5, **HOURS)),
    in_partitions(private("mc-l-mdav", "days", k=3, **HOURS)),
    private("mc-l-mdav-wd", "days", **HOURS),
    private("mc-l-mdav-wd", "days", wd=2.5, repair="all", **STRICT),
    without_gaps(private("mc-l-mdav-wd", "gaps", k=3, size=5, **HOURS)),
    private("mc-l-mdav-wd", "diaries", k=3, delta="6h", **HOURS),
    in_partitions(private("mc-l-mdav-wd", "days", k=3, **HOURS)),
    private("mc-l-vmdav", "days", **HOURS),
    change(private("mc-l-vmdav", "days", **STRICT), withhold=0.4),
    without_gaps(private("mc-l-vmdav", "gaps", k=3, size=5, **HOURS)),
    in_partitions(private("mc-l-vmdav", "days", k=3, **HOURS)),
    private("mc-l-vmdav-wd", "days", **HOURS),
    change(private("mc-l-vmdav-wd", "days", wd=2.5, **STRICT), withhold=0.4),
    without_gaps(private("mc-l-vmdav-wd", "gaps", k=3, size=5, **HOURS)),
    in_partitions(private("mc-l-vmdav-wd", "days", k=3, **HOURS)),
    private("mc-rr", "days", **HOURS),
    private("mc-rr", "days", **STRICT),
    without_gaps(private("mc-rr", "gaps", k=3, size=6, **HOURS)),
    in_partitions(private("mc-rr", "days", k=3, **HOURS)),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "days": make_days,
        "gaps": lambda: make_days(seed=2, known=34),
        "long days": lambda: make_days(seed=5, people=30, hours=36),
        "diaries": write_diaries,
        "slots": write_slots,
    },
    QUESTIONS,
    CASES,
)
