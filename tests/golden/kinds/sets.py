"""Items that people have."""

from __future__ import annotations

from typing import Any

from tests.golden import interface
from tests.golden.cases import FILE_IN_PARTITIONS, IN_PARTITIONS, LATER_BATCH, Case, Catalogue, File, change
from tests.golden.draws import Draws, draw_walks, name_labels

KIND = "sets"
ITEMS = name_labels("i", 12)
SHELVES = interface.make_hierarchy([(item, f"shelf{at // 3}", f"hall{at // 6}", "*") for at, item in enumerate(ITEMS)])
PRIVACY = (("i00", "i07"), ("i08",), ("i09", "i10"))
UTILITY = (("i00", "i01", "i02"), ("i06", "i07", "i08"), ("i09", "i10", "i11"))


def make_baskets(seed: int = 1, people: int = 60, **options: Any) -> Any:
    return interface.make_data(KIND, draw_walks(ITEMS, people, seed), **options)


def make_weeks() -> Any:
    """Several baskets of the same people."""
    owners = [f"owner{number % 20}" for number in range(60)]
    return interface.group_by_people(make_baskets(seed=5), owners, "week", "weeks")


def write_tickets() -> File:
    """A basket a line, with the items of a line in any order, and a hierarchy in a file."""
    draws = Draws(6)
    lines = [";".join(dict.fromkeys(draws.pick(ITEMS, 1.5) for _ in range(draws.number(1, 5)))) for _ in range(50)]
    tree = "".join(f"{item};shelf{at // 4};*\n" for at, item in enumerate(ITEMS))
    options = {"hierarchies": {"item": "{shelves.csv}"}, "format": "transactions", "separator": ";", "unit": "ticket"}
    return File("".join(f"{line}\n" for line in lines), options, {"shelves.csv": tree}, "tickets.txt")


def write_long(sensitive: bool = False) -> File:
    """A row for every item, of people in no order, with items derived into a tree by how frequent they are."""
    walks = draw_walks(ITEMS, 50, 7)
    rows = [f"u{number:02},{item}\n" for number, walk in enumerate(walks) for item in walk]
    options = {"hierarchies": {"item": "fanout:3"}, **({"sensitive": ["i11"]} if sensitive else {})}
    return File("person,item\n" + "".join(rows[1::2] + rows[::2]), options)


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


def in_partitions(method: str, data: str, **parameters: Any) -> Case:
    return change(case(method, data, **parameters), way=IN_PARTITIONS)


COUNTS = ("count record with i00 and i01", "count person where i02 and not i00", "count event where i03 | i05")
QUESTIONS = {
    "baskets": COUNTS,
    "more baskets": COUNTS,
    "insulin": (*COUNTS, "count person where i04", "count person where i00 and i04"),
    "shelves": (*COUNTS, "count record where shelf0 and hall1"),
    "constrained": COUNTS,
    "weeks": COUNTS,
    "tickets": (*COUNTS[:1], *COUNTS[2:], "count record where shelf1"),
    "long": COUNTS,
    "long with insulin": COUNTS,
}
CASES = (
    change(case("apriori", "baskets", k=3, m=2), beside=("local-km", {"k": 4, "m": 2})),
    case("apriori", "baskets", k=12, m=1),
    case("apriori", "shelves", k=4, m=3),
    case("apriori", "shelves", k=3, m=2, refine=True),
    change(case("apriori", "weeks", k=3, m=2), count="people"),
    change(case("apriori", "shelves", k=14, m=1), way=LATER_BATCH, later="more baskets"),
    in_partitions("apriori", "shelves", k=3, m=2),
    change(case("apriori", "long", k=3, m=1), way=FILE_IN_PARTITIONS, partition_size=25),
    case("local-km", "baskets", k=3, m=2),
    case("local-km", "shelves", k=5, m=2),
    case("local-km", "baskets", k=4, m=2, prefer="exact"),
    case("local-km", "tickets", k=3, m=3),
    in_partitions("local-km", "shelves", k=3, m=2),
    change(case("disassociation", "baskets", k=3, m=2), reconstructed=True),
    case("disassociation", "baskets", k=3, m=2, max_cluster=12, refine=False),
    case("disassociation", "insulin", k=3, m=2, l=6, max_cluster=12),
    case("disassociation", "baskets", k=3, m=2, safe=True, max_cluster=12),
    case("disassociation", "baskets", k=3, m=2, max_cluster=12, bands=False),
    change(case("disassociation", "weeks", k=3, m=2, max_cluster=15), reconstructed=True),
    case("disassociation", "long with insulin", k=3, m=2, l=3),
    in_partitions("disassociation", "insulin", k=3, m=2, l=3),
    case("coat", "constrained", k=5),
    case("coat", "constrained", k=8, partner="any"),
    case("coat", "constrained", k=12, suppression_limit=0.9),
    case("coat", "baskets", k=14, m=1, utility="none"),
    case("coat", "shelves", k=4, privacy="all", utility="level:1", suppression_limit=0.9),
    change(case("coat", "constrained", k=6), way=LATER_BATCH, later="more baskets"),
    in_partitions("coat", "constrained", k=3, suppression_limit=0.5),
    case("pcta", "baskets", k=4),
    change(case("pcta", "constrained", k=5, privacy="all", suppression_limit=0.5), withhold=0.2),
    case("pcta", "shelves", k=4, m=3, utility="similarity:3", suppression_limit=0.9),
    case("pcta", "constrained", k=8, partner="any"),
    in_partitions("pcta", "baskets", k=4),
    case("lra", "shelves", k=3, m=2),
    case("lra", "shelves", k=4, m=2, parts=3),
    case("lra", "tickets", k=3, m=2, parts=2),
    in_partitions("lra", "shelves", k=3, m=2, parts=2),
    case("vpa", "shelves", k=3, m=2),
    case("vpa", "shelves", k=4, m=2, parts=3),
    case("vpa", "tickets", k=3, m=3, parts=2),
    in_partitions("vpa", "shelves", k=3, m=2, parts=2),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "baskets": make_baskets,
        "more baskets": lambda: make_baskets(seed=8, people=70),
        "insulin": lambda: make_baskets(seed=2, sensitive=("i04", "i09")),
        "shelves": lambda: make_baskets(seed=3, hierarchy=SHELVES),
        "constrained": lambda: make_baskets(seed=4, privacy=PRIVACY, utility=UTILITY),
        "weeks": make_weeks,
        "tickets": write_tickets,
        "long": write_long,
        "long with insulin": lambda: write_long(sensitive=True),
    },
    QUESTIONS,
    CASES,
)
