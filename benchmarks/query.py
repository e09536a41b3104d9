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
from sfumato.api.query import query_all
from sfumato.data.coded import ValueSets
from sfumato.data.record_unit import PERSON
from sfumato.data.time_units import TimeUnit
from sfumato.queries.ask import ask
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.events import MANY, Events
from sfumato.queries.published_view import Names, PublishedView, Values

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


def make_up(records: int, events: int = 10, labels: int = 100) -> PublishedView:
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
    ages = ValueSets.of_ranges(np.arange(0, 96, 8), np.arange(9, 105, 8), no, no, "integer")
    age = CodedAttribute(ages, random.integers(0, 12, records))
    labels = tuple(f"t{code}" for code in range(20))
    towns = ValueSets.of_labels(labels, [[code, (code + 1) % 20] for code in range(20)])
    town = CodedAttribute(towns, random.integers(0, 20, records), Names(labels))
    return PublishedView(PERSON, records, 1_000, history, {"age": age, "town": town})


def speed(records: int = 1_000_000) -> list[list[object]]:
    """Time every form of question, in seconds of a processor."""
    view = make_up(records)
    rows: list[list[object]] = []
    for name, question in FORMS.items():
        start, wall = time.process_time(), time.perf_counter()
        answer = ask(view, question)
        spent = time.process_time() - start, time.perf_counter() - wall
        rows.append([name, question, *spent, answer.certain, answer.expected, answer.possible])
        print(rows[-1], file=sys.stderr, flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    head = ["form", "question", "processor s", "wall s", "certain", "expected", "possible"]
    table(f"{records:,} records of 10 events; at most {peak:.1f} GB", head, rows)
    return rows


def read_sepsis() -> sf.Dataset:
    """Read what was done to 1,050 patients with sepsis, by the hour."""
    roles = {"person": "Case ID", "time": "Complete Timestamp", "event": "Activity"}
    watched = ["ER Registration", "Admission NC"]
    path = DATA / "sepsis" / "sepsis.csv.xz"
    return sf.read(path, kind="sequences", columns=roles, drop=("*",), monitored=watched, resolution="hour")


def read_checkins() -> sf.Dataset:
    """Read the kinds of venues that people of New York checked in at, in order."""
    roles = {"person": "tid", "time": "date_time", "place": "root_type"}
    path = DATA / "foursquare-nyc" / "Foursquare_Sample.csv.xz"
    return sf.read(path, kind="trajectories", columns=roles, drop=("*",))


def read_groceries() -> sf.Dataset:
    """Read 9,835 baskets of a grocery."""
    return sf.read(DATA / "groceries" / "groceries.csv.xz", kind="sets", format="transactions", separator=",")


def read_records() -> sf.Dataset:
    """Read the admissions of the sepsis data as records of days, with a sensitive diagnosis."""
    events = read_sepsis()
    rows = []
    histories = zip(events.history().lists(), events.table["times"].to_pylist(), strict=True)
    for number, (done, when) in enumerate(histories):
        rows.append((when[0] // 24, f"{min(len(done) // 5, 8)}", done[-1] if number % 3 else done[0]))
    return sf.Dataset.of("snapshots", rows, ("length",), "step", time_unit=TimeUnit("day"))


REAL = {
    "sepsis, hi k=5": (
        read_sepsis,
        sf.methods.Hi(k=5),
        """count record where "ER Registration" during 2014-03
count record where "ER Registration" then "Admission NC" within 12h
count record where "Admission NC" then Leucocytes within 24h
count record where not "Admission NC"
count event where "Admission NC"
count record where "ER Registration" during 2014-01..2014-06 and CRP""",
    ),
    "check-ins, seqanon k=5 m=2": (
        read_checkins,
        sf.methods.SeqAnon(k=5, m=2, infeasible="suppress"),
        """count record where Food
count record where Food then Residence
count record where "Nightlife Spot" and not "College & University"
count record where Food then Food then Food""",
    ),
    "groceries, disassociation k=5 m=2": (
        read_groceries,
        sf.methods.Disassociation(k=5, m=2),
        """count record with "whole milk"
count record with "whole milk" and "rolls/buns"
count record with yogurt and not soda""",
    ),
    "admissions by day, reposition l=2 window=7": (
        read_records,
        sf.methods.Reposition(l=2, window=7),
        """count record where step = "Release A"
count record where step = "Release A" and length = 2
count record where "Release A" during 2014-03""",
    ),
}


def truth() -> list[list[object]]:
    """Ask original and release the same, and put the answers side by side."""
    rows: list[list[object]] = []
    for name, (read, method, questions) in REAL.items():
        data = read()
        release = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1).release
        start = time.process_time()
        answers = query_all(release, questions)
        spent = (time.process_time() - start) / len(answers)
        for exact, answer in zip(query_all(data, questions), answers, strict=True):
            assert answer.certain <= exact.certain <= answer.possible, answer.query
            rows.append([name, answer.query, answer.certain, answer.expected, answer.possible, exact.certain, spent])
    table("Real releases", ["release", "question", "certain", "expected", "possible", "truth", "s"], rows)
    return rows


if __name__ == "__main__":
    {"speed": speed, "truth": truth}[sys.argv[1]]()
