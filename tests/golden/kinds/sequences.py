"""Events of people with their times."""

from __future__ import annotations

from typing import Any

from tests.golden import interface
from tests.golden.cases import FILE_IN_PARTITIONS, IN_PARTITIONS, Case, Catalogue, File, change
from tests.golden.draws import Draws, draw_walks, name_labels, write_csv

KIND = "sequences"
EVENTS = name_labels("e", 10)
TOPICS = interface.make_hierarchy([(event, f"topic{at // 3}", "*") for at, event in enumerate(EVENTS)])


def make_clicks(seed: int = 1, spread: int = 50, people: int = 60, **options: Any) -> Any:
    """Clicks at about the same times, many of them at the same moment; the receiver sees two events."""
    walks, draws = draw_walks(EVENTS, people, seed, longest=6), Draws(seed + 100)
    rows = [[(event, spread * step + draws.number(0, spread)) for step, event in enumerate(row)] for row in walks]
    return interface.make_data(KIND, rows, **{"monitored": ("e0", "e2"), **options})


def write_visits() -> File:
    """Contacts with a hospital by the minute, cut to hours; some people never come to the desk."""
    draws, rows = Draws(3), []
    for person in range(50):
        day = draws.number(1, 6)
        for step in range(draws.number(1, 5)):
            event = draws.pick(("desk", "ward", "lab", "x-ray"), 1.2)
            hour, minute = draws.number(6, 18), draws.number(0, 59)
            rows.append((f"u{person:02}", f"2024-05-{day + step:02}T{hour:02}:{minute:02}:00+02:00", event))
    options = {"monitored": ["desk"], "resolution": "hour"}
    return File(write_csv(("person", "time", "event"), rows), options)


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


def in_partitions(method: str, data: str, **parameters: Any) -> Case:
    return change(case(method, data, **parameters), way=IN_PARTITIONS)


TIMED = (
    "count person where e0 during 20..90",
    "count person where e0 then e1 within 60",
    "count event where e1 by 100",
    "relation value e0 and e1",
)
QUESTIONS = {
    "clicks": (*TIMED, "last e2"),
    "topics": (*TIMED, "count person where topic0 then topic1"),
    "watched": TIMED,
    "days": ("count person where e0 during 1970-01-03..1970-01-09", TIMED[3]),
    "crowd": TIMED[:2],
    "visits": (
        "count person where desk on 2024-05-03",
        "count person where desk then lab within 2d",
        "count event where any by day",
        "relation value desk and lab",
    ),
}
CASES = (
    change(case("hi", "clicks", k=3), beside=("hl", {"k": 4})),
    case("hi", "clicks", g=10, l=2),
    case("hi", "clicks", k=3, g=20, l=3),
    case("hi", "clicks", k=4, blur=25),
    case("hi", "topics", k=3, wt=2.0, we=1.0, fingerprint_bits=8),
    case("hi", "watched", k=3),
    case("hi", "visits", k=3),
    in_partitions("hi", "clicks", k=3, g=10, l=2),
    change(case("hi", "visits", k=3), way=FILE_IN_PARTITIONS, partition_size=25),
    case("hl", "clicks", k=3),
    case("hl", "clicks", k=3, g=10, l=2, blur=10),
    case("hl", "topics", k=4, wt=0.5, we=2.0, fingerprint_bits=16),
    case("hl", "days", k=3),
    in_partitions("hl", "clicks", k=3),
    case("hn", "clicks", k=3),
    case("hn", "clicks", k=3, g=10, l=2, blur=10),
    case("hn", "topics", k=4, wt=0.5, we=1.0),
    in_partitions("hn", "clicks", k=3),
    case("hy", "clicks", k=3),
    case("hy", "clicks", k=3, g=10, l=2, along="regions"),
    case("hy", "topics", k=2, wt=0.5, we=1.0, fingerprint_bits=8),
    case("hy", "crowd", k=2, blur=10, block=50),
    in_partitions("hy", "clicks", k=3),
    case("et", "topics", k=3),
    case("et", "topics", k=3, g=10, l=2, blur=10),
    case("et", "topics", k=4, wt=5.0, we=0.5),
    in_partitions("et", "topics", k=3),
    case("sa", "clicks", k=3),
    case("sa", "clicks", k=5, blur=20),
    case("sa", "visits", k=4),
    in_partitions("sa", "clicks", k=3),
    case("ta", "clicks", k=3),
    case("ta", "topics", k=5),
    case("ta", "visits", k=3),
    in_partitions("ta", "clicks", k=3),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "clicks": make_clicks,
        "topics": lambda: make_clicks(seed=2, hierarchy=TOPICS),
        "watched": lambda: make_clicks(seed=4, monitored=tuple(EVENTS)),
        "days": lambda: make_clicks(seed=5, spread=3, time_unit=interface.make_time_unit("day")),
        "crowd": lambda: make_clicks(seed=12, people=150),
        "visits": write_visits,
    },
    QUESTIONS,
    CASES,
)
