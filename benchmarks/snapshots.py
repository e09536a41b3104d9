"""Records per second, memory and window queries of repositioned snapshots."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq

import sfumato as sf
from benchmarks.measure import generated, run, run_parts, table
from sfumato.kinds.snapshots.metrics.publication_delay import PublicationDelay
from sfumato.kinds.snapshots.metrics.window_queries import WindowQueries
from sfumato.metrics.comparison import Comparison

COLUMNS = {"quasi-identifier": "age,sex,area"}
SENSITIVE = "condition"


def stream(path: Path, out: Path, l: int, window: int) -> list[object]:
    """Publish a file as a feed: snapshots, records per second, peak memory, late and withheld records.

    A pipe is what a feed comes through; Parquet cannot, so the file is CSV.
    """
    pipe = out.with_name("feed.csv")
    os.mkfifo(pipe)
    words = ["anonymize", pipe, "--kind", "snapshots", "--sensitive", SENSITIVE, "--no-report"]
    words += ["--column", "quasi-identifier=" + COLUMNS["quasi-identifier"], "--method", "reposition"]
    feeding = threading.Thread(target=feed, args=(path, pipe))
    feeding.start()
    taken = run(*words, "-p", f"l={l}", "-p", f"window={window}", "--out", out, "--force")
    feeding.join()
    pipe.unlink()
    done = taken.result
    records = done["published"] + done["withheld"]
    return [
        records,
        done["snapshots"],
        round(taken.seconds, 1),
        round(records / taken.seconds),
        round(taken.megabytes),
        f"{done['published_late'] / records:.2%}",
        f"{done['withheld'] / records:.2%}",
    ]


def feed(path: Path, pipe: Path) -> None:
    """Write the records of a file into a pipe, some at a time."""
    with pipe.open("wb") as file:
        batches = pq.ParquetFile(path).iter_batches()
        for number, batch in enumerate(batches):
            pacsv.write_csv(batch, file, pacsv.WriteOptions(include_header=number == 0))


HEAD = ["records", "snapshots", "s", "records/s", "peak MB", "late", "withheld"]


def length(folder: Path) -> list[list[object]]:
    """Whole runs over longer and longer streams: time grows with them, memory does not."""
    rows = []
    for records in (250_000, 1_000_000, 4_000_000):
        path = generated(folder, records, "outbreaks", f"snapshots={records // 1000}", kind="snapshots")
        rows.append(stream(path, folder / "out", 4, 7))
        path.unlink()
    table("Streams of 1,000 records per snapshot, l=4, window=7", HEAD, rows)
    return rows


def target(folder: Path) -> list[list[object]]:
    """Ten million records, at most ten minutes."""
    path = generated(folder, 10_000_000, "outbreaks", "snapshots=10000", kind="snapshots")
    rows = [stream(path, folder / "out", 4, 7)]
    path.unlink()
    table("Ten million records, l=4, window=7", HEAD, rows)
    return rows


def overhead(folder: Path) -> list[list[object]]:
    """The same number of records in more and more snapshots: what a folder costs."""
    rows = []
    for snapshots in (50, 200, 1_000, 5_000):
        path = generated(folder, 200_000, "outbreaks", f"snapshots={snapshots}", kind="snapshots")
        rows.append(stream(path, folder / "out", 4, 7))
    table("200,000 records in snapshots of different sizes, l=4, window=7", HEAD, rows)
    return rows


def windows(folder: Path) -> list[list[object]]:
    """What a window buys: late and suppressed records, and the error of window queries by length."""
    path = generated(folder, 200_000, "outbreaks", "snapshots=1000", kind="snapshots")
    data = sf.read(path, kind="snapshots", columns=COLUMNS, sensitive=(SENSITIVE,))
    rows, lengths = [], []
    for l in (2, 4, 6):
        for window in (1, 3, 7, 14, 30):
            method = sf.methods.Reposition(l=l, window=window)
            result = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1)
            comparison = Comparison(data, result.release, result.owner_record.rows)
            delay = PublicationDelay().measure(comparison)
            score = WindowQueries().measure(comparison)
            details = score.details
            lengths = [name for name in details if name.startswith("length_")]
            late = [delay.details["suppressed_share"], delay.value, delay.details["longest"]]
            alternatives = [details["suppression"], details["merging"]]
            rows.append([l, window, *late, score.value, *alternatives, *(details[name] for name in lengths)])
    head = ["l", "window", "suppressed", "mean delay", "longest", "error", "suppression", "merging", *lengths]
    table("Window queries, 200 records per snapshot", head, rows)
    return rows


if __name__ == "__main__":
    run_parts("snapshots", __doc__, length, overhead, windows, target)
