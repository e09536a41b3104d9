"""A small file for every kind of data, and the words of the commands that read and publish it.

Rows follow from a few multiplications, so that no generator and no random numbers decide what the nets see.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

PEOPLE = 48
SECRET = "07" * 32
ILLNESSES = ("flu", "cold", "cough", "rash", "gout")
TOWNS = ("bonn", "jena", "ulm")


class Sample(NamedTuple):
    """A file of one kind of data and how it is read and published."""

    rows: Callable[[], list[str]]
    read_options: tuple[str, ...]
    """Options that every command needs to read the file."""
    publishing: tuple[str, ...]
    """The method and its parameters."""
    person: str = "p07"
    """Somebody who is in the file."""


def walk(person: int) -> list[int]:
    """Return the numbers of the places that a person visits, one after another.

    Examples
    --------
    >>> walk(5)
    [0, 6, 4, 2]
    """
    return [(person * step + person // 7 + step) % 8 for step in range(2 + person % 3)]


def _trajectories() -> list[str]:
    visits = [
        f"p{person:02},2024-03-04T{8 + step:02}:00:00,spot{place},{place % 3},{place // 3}"
        for person in range(PEOPLE)
        for step, place in enumerate(walk(person))
    ]
    return ["person,time,place,x,y", *visits]


def _sequences() -> list[str]:
    events = [
        f"p{person:02},{60 * step + 7 * person % 50},e{event}"
        for person in range(PEOPLE)
        for step, event in enumerate(walk(person))
    ]
    return ["person,time,event", *events]


def _sets() -> list[str]:
    return ["person,item", *(f"p{person:02},i{item}" for person in range(PEOPLE) for item in sorted({*walk(person)}))]


def _activity() -> list[str]:
    activities = ("home", "work", "away")
    days = [[activities[(person * hour + person // 4 + hour) % 3] for hour in range(6)] for person in range(30)]
    return ["person,t1,t2,t3,t4,t5,t6", *(f"p{person:02},{','.join(day)}" for person, day in enumerate(days))]


def _timeline() -> list[str]:
    counts = [
        f"{time},e{event},{1 + (time + event) % 4}"
        for time in range(40)
        for event in range(4)
        if (time * event + time) % 3
    ]
    return ["time,event,count", *counts, *(f"{time},ill,{1 + time % 3}" for time in range(1, 40, 2))]


def _snapshots() -> list[str]:
    records = [f"{i // 15},{20 + 7 * i % 40},{'fm'[i % 2]},{ILLNESSES[(i * i + i // 5) % 5]}" for i in range(60)]
    return ["time,age,sex,illness", *records]


def _table() -> list[str]:
    people = [
        f"p{i:02},{20 + 7 * i % 40},{'fm'[i // 3 % 2]},{TOWNS[(i * i + i // 5) % 3]},{ILLNESSES[(i * i + i // 4) % 5]}"
        for i in range(PEOPLE)
    ]
    return ["name,age,sex,town,illness", *people]


def _rt() -> list[str]:
    baskets = [";".join(f"i{item}" for item in sorted({*walk(person)})) for person in range(PEOPLE)]
    people = [f"p{i:02},{20 + 7 * i % 40},{'fm'[i // 3 % 2]},{basket}" for i, basket in enumerate(baskets)]
    return ["name,age,sex,items", *people]


SAMPLES = {
    "activity": Sample(
        _activity,
        ("--sensitive", "away"),
        ("--method", "mc-l-mdav-wd", "-p", "k=3", "-p", "delta=2", "-p", "epsilon=1/2", "-p", "aggregate=slot"),
    ),
    "rt": Sample(
        _rt,
        ("--identifier", "name", "--quasi", "age,sex", "--items", "items"),
        ("--method", "rfirst", "-p", "k=3", "-p", "m=2"),
    ),
    "sequences": Sample(_sequences, ("--monitored", "e0,e1"), ("--method", "hi", "-p", "k=3")),
    "sets": Sample(_sets, (), ("--method", "pcta", "-p", "k=3", "-p", "m=2")),
    "snapshots": Sample(
        _snapshots,
        ("--column", "qi=age,sex", "--sensitive", "illness"),
        ("--method", "reposition", "-p", "l=2", "-p", "window=3"),
    ),
    "table": Sample(
        _table,
        ("--identifier", "name", "--quasi", "age,sex,town", "--sensitive", "illness"),
        ("--method", "mondrian", "-p", "k=3"),
    ),
    "timeline": Sample(_timeline, ("--sensitive", "ill"), ("--method", "essa", "-p", "delta=1/5")),
    "trajectories": Sample(_trajectories, (), ("--method", "seqanon", "-p", "k=3", "-p", "m=2")),
}


def write_sample(kind: str, folder: Path) -> Path:
    """Write the file of a kind, and the secret that makes its releases repeat, into a folder; return the file."""
    (folder / "secret.hex").write_text(f"{SECRET}\n", encoding="utf-8")
    file = folder / f"{kind}.csv"
    file.write_text("\n".join(SAMPLES[kind].rows()) + "\n", encoding="utf-8")
    return file


def list_publishing_words(kind: str, file: Path, out: Path, *more: str) -> list[str]:
    """Return the words of the command that publishes the file of a kind."""
    sample = SAMPLES[kind]
    secret = str(file.parent / "secret.hex")
    words = ["anonymize", str(file), "--kind", kind, *sample.publishing, *sample.read_options]
    return [*words, "--secret", secret, "--out", str(out), *more]
