"""`sfumato start --yes` on fifteen public files nobody prepared, and whether the policies that it writes run."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from benchmarks.measure import DATA, OverlongError, Taken, run, run_parts, table

__all__ = ["front_door"]

LIMIT = 300
"""Seconds of processor time that a command may take."""


class Known(NamedTuple):
    """What a file is, as its documentation says: where it lies, its kind, and its columns by the parts they play."""

    path: str
    kind: str
    columns: Mapping[str, str] = MappingProxyType({})


FILES = {
    "foursquare-nyc": Known(
        "foursquare-nyc/specific_train.csv.xz", "trajectories", {"place": "poi", "y": "lat", "x": "lon"}
    ),
    "gowalla": Known("gowalla/loc-gowalla_totalCheckins.first10000.txt.xz", "trajectories"),
    "sf-cabs": Known("sf-cabs/cabs_dataset_20080608.parquet", "trajectories", {"y": "lat", "x": "lon"}),
    "sepsis": Known("sepsis/sepsis.csv.xz", "sequences"),
    "hospital-billing": Known("hospital-billing/hospital_billing.csv.xz", "sequences"),
    "msnbc": Known("msnbc/MSNBC.txt.xz", "trajectories"),
    "groceries": Known("groceries/groceries.csv.xz", "sets"),
    "fimi-retail": Known("fimi-retail/retail.dat.xz", "sets"),
    "bms-pos": Known("bms-pos/bmspos.txt.xz", "sets"),
    "cdnow": Known("cdnow/CDNOW_master.txt.xz", "sequences", {"person": "customer_id", "time": "date"}),
    "adl-ordonez": Known("adl-ordonez/OrdonezA_ADLs.txt.xz", "activity"),
    "atus": Known("atus/atusact.csv.xz", "activity", {"person": "tucaseid", "activity": "tiercode"}),
    "life-course": Known("life-course/mvad.csv.xz", "activity", {"person": "id"}),
    "adult": Known("adult/adult.data.xz", "table"),
    "diabetes-130": Known("diabetes-130/dataset_diabetes.zip", "table"),
}
"""The files, and what they are."""


def front_door(folder: Path) -> list[list[object]]:
    """Guess, inspect, run and verify every file that is at hand."""
    names = [name for name in os.environ.get("FRONT_DOOR", "").split(",") if name] or list(FILES)
    columns = ["file", "kind", "right", "options", "why", "start s", "start MB", "run s", "run MB", "verified"]
    rows: list[list[object]] = []

    def walk() -> Iterator[list[object]]:
        for name in names:
            if (DATA / FILES[name].path).exists():
                rows.append(_try(name, FILES[name], folder))
                yield rows[-1]

    table("The front door: start --yes, then run", columns, walk())
    return [columns, *rows]


def _try(name: str, known: Known, folder: Path) -> list[object]:
    policy = folder / f"{name}.toml"
    try:
        begun = run("start", DATA / known.path, "--yes", "--policy", policy, limit=LIMIT)
    except (OverlongError, SystemExit) as fault:
        return [name, "", False, "", _last_line(fault), "", "", "", "", "not begun"]
    found = begun.result
    given = found["options"].get("columns", {})
    right = found["kind"] == known.kind and all(given.get(part) == column for part, column in known.columns.items())
    told = "; ".join(f"{option}: {value}" for option, value in found["options"].items() if option != "header")
    cells = [name, found["kind"], right, told, " ".join(found["reasons"]), begun.cpu, begun.megabytes]
    try:
        ran = run("run", policy, limit=LIMIT)
    except (OverlongError, SystemExit) as fault:
        return [*cells, "", "", _last_line(fault)]
    return [*cells, ran.cpu, ran.megabytes, _describe_verdict(ran, policy)]


def _describe_verdict(ran: Taken, policy: Path) -> str:
    method = tomllib.loads(policy.read_text())["method"]
    done = ran.result["anonymize"]
    verdict = "verified" if ran.result["verify"]["holds"] else "BROKEN"
    return f"{method['name']}: {done['published']:,} published, {done['withheld']:,} withheld, {verdict}"


def _last_line(fault: BaseException) -> str:
    return " ".join(str(fault).strip().splitlines()[-1:])


if __name__ == "__main__":
    run_parts("front_door", __doc__ or "", front_door)
