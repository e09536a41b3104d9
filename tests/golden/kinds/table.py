"""People with attributes."""

from __future__ import annotations

import datetime
from typing import Any

from tests.golden import interface
from tests.golden.cases import FILE_IN_PARTITIONS, IN_PARTITIONS, LATER_BATCH, Case, Catalogue, File, change
from tests.golden.draws import Draws, write_csv

KIND = "table"
ILLNESSES = ("cold", "cough", "flu", "gout", "rash")
ILLNESS_TREE = interface.make_hierarchy(
    [("cold", "lungs", "any"), ("cough", "lungs", "any"), ("flu", "lungs", "any"), ("gout", "any"), ("rash", "any")]
)
TOWNS = ("bonn", "cologne", "essen", "jena", "ulm")
TOWN_TREE = interface.make_hierarchy(
    [("bonn", "west", "*"), ("cologne", "west", "*"), ("essen", "west", "*"), ("jena", "east", "*"), ("ulm", "*")]
)
NAMES = ("age", "sex", "town", "illness", "born", "smokes")


def draw_patients(people: int, seed: int) -> list[tuple[Any, ...]]:
    """A number, a label that may be missing, a label with a hierarchy, a sensitive one, a date and a plain label."""
    draws, first = Draws(seed), datetime.date(1990, 1, 1)
    rows: list[tuple[Any, ...]] = []
    for number in range(people):
        age, sex = draws.number(20, 44), None if number % 12 == 0 else draws.pick("fmx", 1.5)
        born = first + datetime.timedelta(days=30 * draws.number(0, 24))
        rows.append((age, sex, draws.pick(TOWNS, 1.4), draws.pick(ILLNESSES), born, "yn"[number % 2]))
    return rows


def make_patients(people: int = 60, seed: int = 1, distance: str = "", fit: int = 0, skip: int = 0) -> Any:
    """The last parameters: so many of a population fit each record, and so many columns at the end are left out."""
    rows = draw_patients(people, seed)
    return interface.make_data(
        KIND,
        rows,
        NAMES,
        sensitive=("illness",),
        plain=("smokes",),
        orders={"illness": ILLNESSES} if distance == "ordered" else {},
        hierarchies={"town": TOWN_TREE} | ({"illness": ILLNESS_TREE} if distance == "hierarchical" else {}),
        population=[(age, sex, town, born) for age, sex, town, _, born, _ in rows for _ in range(fit)] or None,
    )


def make_numbers(distance: str = "") -> Any:
    """Numbers and dates only, with the tree or the order of the sensitive column."""
    rows = [(age, float(len(town)) / 4, born, ill) for age, _, town, ill, born, _ in draw_patients(60, 2)]
    return interface.make_data(
        KIND,
        rows,
        ("age", "dose", "born", "illness"),
        sensitive=("illness",),
        orders={"illness": ILLNESSES} if distance == "ordered" else {},
        hierarchies={"illness": ILLNESS_TREE} if distance == "hierarchical" else {},
    )


def write_stays() -> File:
    """Stays of patients who come back, with codes of towns, dates as Germans write them, and texts for no value."""
    draws, rows = Draws(3), []
    for number in range(60):
        town = draws.pick(("50667", "50668", "53111", "07743", "89073", "?"), 1.3)
        born = f"{draws.number(1, 28)}.{draws.number(1, 3)}.{1970 + draws.number(0, 9)}"
        rows.append((f"s{number:02}", f"u{number % 22}", born, town, draws.pick(("low", "mid", "high")), number % 7))
    options = {
        "identifier": ["stay"],
        "quasi": ["born", "town"],
        "sensitive": ["pain"],
        "drop": ["note"],
        "columns": {"owner": "patient"},
        "unit": "stay of patient",
        "scales": {"pain": "low<mid<high", "town": "categorical"},
        "hierarchies": {"born": "calendar"},
        "empty": ["?"],
    }
    return File(write_csv(("stay", "patient", "born", "town", "pain", "note"), rows), options)


def write_survey() -> File:
    """Respondents who stand for others, with a file of a population and a hierarchy in a file."""
    draws, rows = Draws(4), []
    for number in range(60):
        weight = 100 + 25 * draws.number(0, 30)
        rows.append((f"r{number:02}", draws.number(20, 60), draws.pick("fm"), draws.pick(TOWNS, 1.3), weight))
    tree = "".join(";".join(path) + "\n" for path in (("bonn", "west", "*"), ("cologne", "west", "*")))
    tree += "essen;west;*\njena;east;*\nulm;south;*\n"
    options = {
        "identifier": ["id"],
        "quasi": ["age", "sex"],
        "sensitive": ["town"],
        "weight": "weight",
        "hierarchies": {"town": "{towns.csv}", "sex": "flat"},
    }
    return File(write_csv(("id", "age", "sex", "town", "weight"), rows), options, {"towns.csv": tree})


def write_long() -> File:
    draws = Draws(5)
    rows = [(f"u{n:02}", draws.number(20, 60), draws.pick("fm"), draws.pick(ILLNESSES, 1.3)) for n in range(60)]
    options = {"identifier": ["id"], "quasi": ["age", "sex"], "sensitive": ["illness"]}
    return File(write_csv(("id", "age", "sex", "illness"), rows), options)


def case(method: str, data: str, **parameters: Any) -> Case:
    return Case(KIND, method, parameters, data)


def in_partitions(method: str, data: str, **parameters: Any) -> Case:
    return change(case(method, data, **parameters), way=IN_PARTITIONS)


def list_guarantee_cases(method: str, plain: str = "patients", ordered: str = "ordered") -> tuple[Case, ...]:
    """The promises that all methods for tables can keep, on data that suit the method."""
    return (
        case(method, plain, k=3, l=2, weights="age=2,born=0.5"),
        case(method, plain, k=3, l=2, diversity="recursive", c=1.5),
        case(method, ordered, k=3, t=0.35, distance="ordered"),
        in_partitions(method, plain, k=3, l=2),
    )


AGES = ("count record where age in 20..29", "count person where age < 30 and illness = flu")
QUESTIONS = {
    "patients": (*AGES, "count record where town = west and not smokes = y", "count record where born <= 1991-01"),
    "more patients": AGES,
    "ordered": AGES,
    "tree": (*AGES, "count record where illness = lungs"),
    "population": AGES,
    "numbers": (*AGES, "count record where dose >= 1.25"),
    "ordered numbers": AGES,
    "tree of numbers": AGES,
    "stays": ('count record where town = "53111"', "count person where born < 1975", "count record where pain = low"),
    "survey": ("count record where age in 30..39 and sex = f", "count person where town = west"),
    "long": AGES,
}
CASES = (
    change(case("mondrian", "patients", k=3), thorough=True),
    case("mondrian", "patients", k=5, cut="relaxed"),
    *list_guarantee_cases("mondrian"),
    case("mondrian", "patients", k=3, l=2, diversity="entropy"),
    change(case("mondrian", "patients", k=4, t=0.45), beside=("cluster", {"k": 3})),
    case("mondrian", "tree", k=3, t=0.35, distance="hierarchical"),
    case("mondrian", "survey", k=4),
    change(case("mondrian", "stays", k=4), count="people"),
    change(case("mondrian", "long", k=4), way=FILE_IN_PARTITIONS),
    case("cluster", "patients", k=3),
    case("cluster", "patients", k=5, nearest_to="seed"),
    *list_guarantee_cases("cluster"),
    case("incognito", "patients", k=3, at_most="sex=0", loss="entropy"),
    case("incognito", "population", k=3, presence=0.5),
    *list_guarantee_cases("incognito"),
    change(case("incognito", "patients", k=3, l=3), way=LATER_BATCH, later="more patients"),
    change(case("optimal", "patients", k=3), thorough=True),
    case("optimal", "patients", k=4, at_most="sex=0", loss="precision"),
    case("optimal", "population", k=3, presence=0.4),
    case("optimal", "stays", k=4, loss="discernibility"),
    *list_guarantee_cases("optimal"),
    case("top-down", "patients", k=4, at_most="sex=0"),
    case("top-down", "population", k=3, presence=0.4),
    *list_guarantee_cases("top-down"),
    case("bottom-up", "patients", k=4, at_most="sex=0"),
    case("bottom-up", "population", k=3, presence=0.4),
    *list_guarantee_cases("bottom-up"),
    case("mdav", "numbers", k=3),
    case("mdav", "tree of numbers", k=3, t=0.35, distance="hierarchical"),
    *list_guarantee_cases("mdav", "numbers", "ordered numbers"),
)
CATALOGUE = Catalogue(
    KIND,
    {
        "patients": make_patients,
        "more patients": lambda: make_patients(people=66, seed=8),
        "ordered": lambda: make_patients(seed=6, distance="ordered"),
        "tree": lambda: make_patients(seed=7, distance="hierarchical"),
        "population": lambda: make_patients(people=90, seed=9, fit=3),
        "numbers": make_numbers,
        "ordered numbers": lambda: make_numbers("ordered"),
        "tree of numbers": lambda: make_numbers("hierarchical"),
        "stays": write_stays,
        "survey": write_survey,
        "long": write_long,
    },
    QUESTIONS,
    CASES,
)
