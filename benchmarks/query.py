"""Times of questions on a million records, and answers of real releases beside the truth.

``python -m benchmarks.query speed`` asks every form of question of a made-up release of a million records of ten events
each, all values generalised and all times intervals. ``python -m benchmarks.query truth`` publishes real data and asks
original and release the same.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import sfumato as sf
from benchmarks.measure import DATA, table
from sfumato.core.unit import PERSON
from sfumato.query.asking import ask
from sfumato.query.columns import Labels, Ranges
from sfumato.query.events import MANY, Events
from sfumato.query.evidence import Evidence, Names, Values

_DAY = 86_400_000_000
_YEAR = int(np.datetime64("2024-01-01", "us").astype(np.int64))

FORMS = {
    "one event": "count person where v3",
    "in a window": "count person where v3 during 2024-03-01..2024-05-31",
    "a common event": "count person where any during 2024-03-01..2024-05-31",
    "one after another": "count person where v3 and then v7",
    "within a week": "count person where v3 and then v7 within 7d",
    "any within a day": "count person where any then any within 1d",
    "three in a row": "count person where v3 then v7 within 30d then v9",
    "both, and not": "count person where v3 and v7 and not v11",
    "either": "count person where v3 or v7 during 2024-06",
    "with attributes": "count person where v3 and age in 20..29 and town = t4",
    "events": "count event where v3 | v4 during 2024-03",
    "by month": "count person where v3 by month",
    "by day, any": "count person where any by day",
    "first": "first v3",
    "relation of values": "relation value v3 and v7",
}


def make_up(records: int, events: int = 10, labels: int = 100) -> Evidence:
    """Make a release of records whose values stand for two or three and whose times are intervals of up to a month."""
    random = np.random.default_rng(1)
    size = records * events
    members = [[code] for code in range(labels)]
    members += [sorted(random.choice(labels, random.integers(2, 4), replace=False).tolist()) for _ in range(labels)]
    lo = _YEAR + random.integers(0, 330, size) * _DAY
    hi = lo + random.integers(0, 30, size) * _DAY
    many = np.where(random.random(size) < 0.5, 1, MANY)
    names = Names(tuple(f"v{code}" for code in range(labels)))
    record = np.repeat(np.arange(records), events)
    value = random.integers(0, len(members), size)
    history = Events.of(records, record, value, Values.of(members), names, "moment", lo=lo, hi=hi, most=many)
    no = np.zeros(12, dtype=bool)
    age = Ranges(np.arange(0, 96, 8), np.arange(9, 105, 8), no, no, random.integers(0, 12, records), whole=True)
    towns = Values.of([[code, (code + 1) % 20] for code in range(20)])
    town = Labels(Names(tuple(f"t{code}" for code in range(20))), towns, random.integers(0, 20, records))
    return Evidence(PERSON, records, 1_000, history, {"age": age, "town": town})


def speed(records: int = 1_000_000) -> list[list[object]]:
    """Time every form of question, in seconds of a processor."""
    evidence = make_up(records)
    rows: list[list[object]] = []
    for name, question in FORMS.items():
        start, wall = time.process_time(), time.perf_counter()
        answer = ask(evidence, question)
        spent = time.process_time() - start, time.perf_counter() - wall
        rows.append([name, question, *spent, answer.certain, answer.expected, answer.possible])
        print(rows[-1], file=sys.stderr, flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    head = ["form", "question", "processor s", "wall s", "certain", "expected", "possible"]
    table(f"{records:,} records of 10 events; at most {peak:.1f} GB", head, rows)
    return rows


def real() -> dict[str, tuple[sf.Dataset, object, str]]:
    """Read real data of every timed kind, with a method and questions for each."""
    return {
        "sepsis": (
            sf.read(DATA / "sepsis" / "sepsis.csv.xz", kind="sequences", **SEPSIS),
            sf.methods.Hi(k=5),
            SEPSIS_QUESTIONS,
        ),
        "cdnow": (
            sf.read(DATA / "groceries" / "groceries.csv.xz", kind="sets", format="transactions", separator=","),
            sf.methods.LocalKmSets(k=5, m=2) if hasattr(sf.methods, "LocalKmSets") else sf.methods.Disassociation(k=5, m=2),
            "count record where \"whole milk\"\ncount record where \"whole milk\" and \"rolls/buns\"",
        ),
    }
