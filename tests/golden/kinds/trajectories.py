"""Places that people visited, in order."""

from __future__ import annotations

from typing import Any

from tests.golden import interface
from tests.golden.cases import FILE_IN_PARTITIONS, IN_PARTITIONS, LATER_BATCH, Case, Catalogue, File, change
from tests.golden.draws import Draws, draw_walks, name_labels, write_csv

KIND = "trajectories"
PLACES = name_labels("p", 12)
MAP = {place: (float(number % 4), float(number // 4)) for number, place in enumerate(PLACES)} | {"clinic": (1.5, 0.5)}
DISTRICTS = interface.make_hierarchy([(place, f"d{at // 3}", f"side{at // 6}", "*") for at, place in enumerate(PLACES)])
NEIGHBOURS = tuple(tuple(PLACES[at : at + 6]) for at in (0, 6))


def make_walks(seed: int = 1, people: int = 60, **options: Any) -> Any:
    return interface.make_data(KIND, draw_walks(PLACES, people, seed), MAP, **options)


def make_clinic() -> Any:
    """One in four visits a sensitive place at the end."""
    rows = draw_walks(PLACES, 60, 2)
    for row in rows[::4]:
        row.append("clinic")
    return interface.make_data(KIND, rows, MAP, sensitive=("clinic",))


def make_short(clinic: bool = False) -> Any:
    """Walks of one or two places but for two long ones, which have nobody to hide among."""
    rows = [*draw_walks(PLACES, 58, 8, longest=2, skew=2.5), list(PLACES[:4]), list(PLACES[1:5])]
    for row in rows[:56:5] if clinic else ():
        row.append("clinic")
    if clinic:
        return interface.make_data(KIND, rows, MAP, sensitive=("clinic",))
    return interface.make_data(KIND, rows, MAP, hierarchy=DISTRICTS, constraints=NEIGHBOURS)


def make_corners() -> Any:
    """Few places and long walks: every count has ties, and places come back again and again."""
    return interface.make_data(KIND, draw_walks(PLACES[:5], 48, 3, longest=9, skew=1.0), MAP)


def write_days() -> File:
    """Positions of ten people on several days, around midnight in their zone; places are cells of a grid."""
    draws, rows = Draws(4), []
    for person in range(10):
        for visit in range(draws.number(8, 16)):
            hour, day = draws.number(0, 23), 1 + visit // 3
            lon, lat = 23.70 + draws.number(0, 3) / 100, 37.95 + draws.number(0, 2) / 100
            rows.append((f"u{person}", f"2024-03-{day:02}T{hour:02}:30:00Z", f"{lon:.4f}", f"{lat:.4f}"))
    options = {"places": "grid:2km", "split": "day", "zone": "Europe/Athens"}
    return File(write_csv(("person", "time", "lon", "lat"), rows), options)


def write_visits(spread: int = 20, seed: int = 5) -> File:
    """Visits that say where their places are: each a little beside the other, or all at the same point."""
    draws, rows = Draws(seed), []
    for person in range(48):
        for minute in range(draws.number(1, 4)):
            place = draws.pick(PLACES[:8], 1.5)
            lon, lat = (at / 50 + draws.number(-spread, spread) / 5000 for at in MAP[place])
            rows.append((f"u{person:02}", 60 * minute, place, f"{lon:.4f}", f"{45 + lat:.4f}"))
    return File(write_csv(("person", "time", "place", "lon", "lat"), rows))


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


def in_partitions(method: str, data: str, **parameters: Any) -> Case:
    return change(case(method, data, **parameters), way=IN_PARTITIONS)


COUNTS = ("count person where p00", "count person where p00 then p01", "count event where p01 | p02")
QUESTIONS = {
    "walks": COUNTS,
    "more walks": COUNTS,
    "clinic": (*COUNTS, "count person where clinic", "count person where p00 then clinic"),
    "districts": (*COUNTS, "count person where d1", "count person where d0 then side1"),
    "corners": ("count person where p00 then p01 then p00", "count record where p04", "count event where p01"),
    "constrained": COUNTS[:2],
    "short": COUNTS[:1],
    "short clinic": COUNTS[:1],
    "days": (),
    "visits": COUNTS,
    "towns": COUNTS,
}
CASES = (
    case("seqanon", "walks", k=3, m=2),
    case("seqanon", "walks", k=14, m=1),
    case("seqanon", "walks", k=3, m=2, refine=True),
    case("seqanon", "walks", k=6, m=3, apriori=False),
    case("seqanon", "short", k=3, m=3, infeasible="suppress"),
    change(case("seqanon", "visits", k=3, m=2), exported=True),
    change(case("seqanon", "days", k=2, m=2, infeasible="suppress"), count="people"),
    change(case("seqanon", "walks", k=14, m=1), way=LATER_BATCH, later="more walks"),
    in_partitions("seqanon", "walks", k=3, m=2),
    change(case("seqanon", "towns", k=3, m=2), way=FILE_IN_PARTITIONS, partition_size=24),
    change(case("local-km", "walks", k=3, m=2), beside=("seqanon", {"k": 4, "m": 2})),
    case("local-km", "districts", k=3, m=2, labels="hierarchy"),
    case("local-km", "clinic", k=3, m=2, l=3),
    case("local-km", "short", k=4, m=3, infeasible="suppress"),
    case("local-km", "corners", k=10, m=2),
    case("local-km", "days", k=4, m=2, infeasible="suppress"),
    in_partitions("local-km", "clinic", k=3, m=2),
    case("lm-anon", "clinic", k=3, m=2),
    case("lm-anon", "clinic", k=4, m=1, l=3),
    case("lm-anon", "short clinic", k=3, m=3, infeasible="suppress"),
    in_partitions("lm-anon", "clinic", k=3, m=2),
    case("zga", "clinic", k=3, m=2),
    case("zga", "clinic", k=4, m=2, clusters=2),
    case("zga", "short clinic", k=3, m=3, l=3, clusters=3, infeasible="suppress"),
    in_partitions("zga", "clinic", k=3, m=2, clusters=2),
    case("sga", "clinic", k=3, m=2),
    case("sga", "clinic", k=4, m=2, clusters=2, top=3),
    case("sga", "short clinic", k=3, m=3, l=3, clusters=3, infeasible="suppress"),
    in_partitions("sga", "clinic", k=3, m=1, clusters=2),
    case("sd-seqanon", "districts", k=3, m=2),
    case("sd-seqanon", "districts", k=16, m=1),
    case("sd-seqanon", "short", k=3, m=3, infeasible="suppress"),
    in_partitions("sd-seqanon", "districts", k=3, m=2),
    case("u-seqanon", "constrained", k=3, m=2, delta=60),
    case("u-seqanon", "constrained", k=4, m=1, delta=100),
    change(case("u-seqanon", "short", k=3, m=3, delta=100, infeasible="suppress"), withhold=0.3),
    in_partitions("u-seqanon", "constrained", k=3, m=1, delta=100),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "walks": make_walks,
        "more walks": lambda: make_walks(seed=9, people=70),
        "clinic": make_clinic,
        "districts": lambda: make_walks(seed=6, hierarchy=DISTRICTS),
        "constrained": lambda: make_walks(seed=7, constraints=NEIGHBOURS),
        "short": make_short,
        "short clinic": lambda: make_short(clinic=True),
        "corners": make_corners,
        "days": write_days,
        "visits": write_visits,
        "towns": lambda: write_visits(spread=0, seed=11),
    },
    QUESTIONS,
    CASES,
)
