"""What `sfumato explore` recommends on eight public files, one per kind, and whether it holds on all records.

Each file is explored as it lies there (only the set of diagnoses of a patient is put into one column first), then the
policy that was written is run on the whole file and its release verified.
``SFUMATO_DATA=... python -m benchmarks.explore``
"""

from __future__ import annotations

import csv
import io
import shlex
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import DATA, run, run_parts, table


def _diabetes(folder: Path) -> Path:
    """One encounter per line: race, gender, age and its diagnoses."""
    path = folder / "diabetes.csv"
    with zipfile.ZipFile(DATA / "diabetes-130/dataset_diabetes.zip") as archive:
        name = next(name for name in archive.namelist() if name.endswith("diabetic_data.csv"))
        rows = list(csv.DictReader(io.TextIOWrapper(archive.open(name), encoding="ascii")))
    with path.open("w", newline="", encoding="ascii") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["race", "gender", "age", "diagnoses"])
        for row in rows:
            items = dict.fromkeys(code for which in "123" if (code := row[f"diag_{which}"]) != "?")
            out.writerow([row["race"], row["gender"], row["age"], "|".join(items)])
    return path


FILES = {
    "table": (
        "adult/arx_adult.csv.xz",
        "--quasi sex,age,race,marital-status,education,native-country,workclass,occupation --sensitive salary-class",
    ),
    "trajectories": (
        "sf-cabs/cabs_dataset_20080608.parquet",
        "--column person=trajectory_id --column time=timestamp --column lon=lon --column lat=lat"
        " --owner-column user_id --places quadtree:200 --drop '*'",
    ),
    "sequences": (
        "sepsis/sepsis.csv.xz",
        "--column 'person=Case ID' --column 'time=Complete Timestamp' --column event=Activity --drop '*'"
        " --monitored 'ER Triage,IV Antibiotics'",
    ),
    "sets": ("bms-webview-1/BMS1.dat.xz", ""),
    "rt": ("diabetes-130/dataset_diabetes.zip", "--quasi race,gender,age --items diagnoses --separator pipe"),
    "activity": (
        "life-course/mvad.csv.xz",
        "--slots Jul.93:Jun.99 --column person=id --drop '*' --sensitive joblessness",
    ),
    "timeline": (
        "hospital-billing/hospital_billing.csv.xz",
        "--column time=timestamp --column event=activity --drop '*' --resolution day"
        " --sensitive 'CODE NOK' --sensitive REOPEN",
    ),
    "snapshots": (
        "hospital-billing/hospital_billing.csv.xz",
        "--step 'filter activity=NEW' --column time=timestamp --resolution day --missing drop --drop '*'"
        " --sensitive diagnosis --column quasi-identifier=speciality,casetype",
    ),
}
"""The file of each kind, and how it is read."""
PREPARED = {"rt": _diabetes}


def recommended(folder: Path) -> list[list[object]]:
    """One row per kind: the policy picked, and what came of it on all records."""
    rows: list[list[object]] = []

    def explored() -> Iterator[list[object]]:
        for kind, (name, options) in FILES.items():
            if not (DATA / name).exists():
                continue
            path = PREPARED[kind](folder) if kind in PREPARED else DATA / name
            out = folder / kind
            found = run("explore", path, "--kind", kind, "--out", out, *shlex.split(options))
            policy = tomllib.loads((out / "policy.toml").read_text(encoding="utf-8"))
            release = run("run", out / "policy.toml")
            chosen = " ".join(f"{key}={value}" for key, value in policy["method"].items())
            holds = release.result["verify"]["holds"]
            rows.append([kind, name.split("/")[0], chosen, found.seconds, holds, release.seconds, found.megabytes])
            yield rows[-1]

    columns = ["kind", "data", "picked", "explore s", "verified on all records", "run s", "MB of explore"]
    table("What explore recommends", columns, explored())
    return rows


if __name__ == "__main__":
    run_parts("explore", __doc__, recommended)
