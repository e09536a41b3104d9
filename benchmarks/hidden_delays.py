"""What hiding delays costs, and what late and missing records tell with and without it."""

from __future__ import annotations

import datetime as dt
import io
import lzma
import time
from collections.abc import Iterable
from pathlib import Path

import polars as pl

import sfumato as sf
from benchmarks.measure import DATA, run_parts, table
from sfumato.kinds.snapshots.attacks.late_and_missing import infer_values
from sfumato.kinds.snapshots.generators import generate
from sfumato.kinds.snapshots.methods._base.stream import release_snapshots

WINDOW = 7
HEAD = [
    "data", "l", "delays", "records", "snapshots", "late %", "withheld %", "release: late", "missing",
    "frequencies: on time", "late", "missing", "ms/snapshot",
]  # fmt: skip


def outbreaks(a_day: int, days: int = 400) -> sf.Dataset:
    """Return generated cases, so many a day."""
    cases = generate(a_day * days, 1, snapshots=days)
    times = [when.toordinal() if isinstance(when, dt.date) else when for when in cases["time"].to_pylist()]
    return dataset(zip(times, cases["condition"].to_pylist(), strict=True))


def dataset(records: Iterable[tuple[object, str]]) -> sf.Dataset:
    """Return records with a time and a value; attributes play no part in what becomes of a record."""
    rows = [(int(time), str(number), value) for number, (time, value) in enumerate(records)]
    return sf.Dataset.of("snapshots", rows, ("record",), "value")


def log(name: str, **options: object) -> pl.DataFrame | None:
    """Read an event log as text, if it is at hand."""
    path = DATA / name
    return pl.read_csv(io.BytesIO(lzma.open(path).read()), infer_schema_length=0, **options) if path.exists() else None


def by_day(events: pl.DataFrame, when: str, value: str, days: int = 1) -> sf.Dataset:
    """Return the events that have a value, in snapshots of so many days."""
    kept = events.filter(pl.col(value).is_not_null() & (pl.col(value) != ""))
    dates = [dt.date.fromisoformat(text[:10].replace("/", "-")).toordinal() // days for text in kept[when].to_list()]
    return dataset(zip(dates, kept[value].to_list(), strict=True))


def cases() -> list[tuple[str, int, sf.Dataset]]:
    """Return data sets by name with an l each: generated ones, and real ones where they are at hand."""
    small = outbreaks(30)
    found = [("generated, 30 a day", 2, small), ("generated, 30 a day", 4, small)]
    billing = log("hospital-billing/hospital_billing.csv.xz")
    if billing is not None:
        new = billing.filter(pl.col("activity") == "NEW")
        found.append(("hospital-billing, speciality", 4, by_day(new, "timestamp", "speciality")))
        found.append(("hospital-billing, close code", 3, by_day(billing, "timestamp", "closecode")))
    sepsis = log("sepsis/sepsis.csv.xz", separator=";")
    if sepsis is not None:
        arrivals = sepsis.filter(pl.col("Activity") == "ER Registration")
        found.append(("sepsis by week, diagnosis", 3, by_day(arrivals, "Complete Timestamp", "Diagnose", 7)))
    hospital = log("bpic2011-hospital/hospital.csv.xz")
    if hospital is not None:
        found.append(("bpic2011, department", 2, by_day(hospital, "timestamp", "group")))
    return found


def compare(folder: Path) -> list[list[object]]:
    """Publish with the paper's delays and with hidden ones; attack both."""
    rows = []
    for name, l, data in cases():
        for delays in ("paper", "hidden"):
            method = sf.methods.Reposition(l=l, window=WINDOW, delays=delays)
            run = sf.Run(bytes([1] * 32))
            start = time.process_time()
            # Not by the method: it refuses hidden delays where one value is too frequent overall.
            result = release_snapshots(method, data, method.stream(data.schema, data.time_unit, secret=run.secret), run)
            seconds = time.process_time() - start
            rates = infer_values(result.release, data, result.owner_record.rows).rates()
            snapshots = len(set(data.table["time"].to_pylist()))
            rows.append(
                [
                    name,
                    l,
                    delays,
                    len(data),
                    snapshots,
                    100 * run.counters["records_published_late"] / len(data),
                    100 * sum(result.release.suppressed_records.values()) / len(data),
                    *(share(rates, fate, "right") for fate in ("late", "missing")),
                    *(share(rates, fate, "right_knowing_frequencies") for fate in ("on_time", "late", "missing")),
                    1000 * seconds / snapshots,
                ]
            )
    table(f"Guesses that are right, in percent; window={WINDOW}", HEAD, rows)
    return rows


def share(rates: dict[str, dict[str, float]], fate: str, which: str) -> object:
    """Return a share in percent, or a dash where nobody has the fate."""
    return 100 * rates[fate][which] if fate in rates else "-"


if __name__ == "__main__":
    run_parts("hidden-delays", __doc__, compare)
