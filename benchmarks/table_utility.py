"""What releases of a table are still good for: loss, COUNT queries and predictions, method by method on Adult.

All methods get the same 30,162 records, eight quasi-identifiers with the hierarchies of ARX and the salary class as
label; queries and folds are the same for all. ``python -m benchmarks.table_utility`` with ``SFUMATO_DATA`` naming the
folder of public data sets.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import sfumato as sf
from benchmarks.measure import DATA, run_parts, table
from sfumato.metrics.comparison import Comparison
from sfumato.plugins import methods_for, metrics_for

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
METHODS = ("optimal", "incognito", "top-down", "bottom-up", "mondrian", "cluster")
SIZES = (5, 25, 100)
MEASURES = ("ncp", "entropy-loss", "average-class-size", "attribute-queries", "prediction")
COLUMNS = [
    *("method", "k", "seconds", "withheld %", "NCP", "entropy loss", "C_avg", "ARE", "ARE one attribute"),
    *("logistic regression", "random forest"),
]


def read_adult() -> sf.Dataset | None:
    """Read the Adult set with its hierarchies, if it is at hand."""
    folder = DATA / "adult"
    if not (folder / "arx_adult.csv.xz").exists():
        return None
    trees = {name: str(folder / f"adult_hierarchy_{name}.csv") for name in QUASI}
    return sf.read(
        folder / "arx_adult.csv.xz", kind="table", quasi=QUASI, sensitive=("salary-class",), hierarchies=trees
    )


def measured(data: sf.Dataset, name: str, k: int) -> list[object]:
    """Make a release and measure it; times are those of a second run, after everything is compiled."""
    method = methods_for("table")[name](k=k)
    sf.anonymize(data, method, secret=bytes([1] * 32))
    start = time.perf_counter()
    result = sf.anonymize(data, method, secret=bytes([1] * 32))
    seconds = time.perf_counter() - start
    comparison = Comparison(data, result.release, result.owner_record.rows)
    found = {
        m.name: m.measure(comparison) for m in metrics_for("table") if m.name in MEASURES and m.applies(comparison)
    }
    told = found["prediction"].details if "prediction" in found else {}
    suppressed_records = 100 * (1 - len(result.release) / len(data))
    values = [found[measure].value for measure in MEASURES[:-1]]
    models = [told.get(model, "-") for model in ("logistic_regression", "random_forest")]
    return [name, k, seconds, suppressed_records, *values, found["attribute-queries"].details["one_attribute"], *models]


def of_methods(folder: Path) -> list[list[object]]:
    """Every method for several k, and above them what the original gives."""
    data = read_adult()
    rows: list[list[object]] = []
    if data is None:
        return rows

    def all_of_them() -> Iterator[list[object]]:
        for name in METHODS:
            for k in SIZES:
                rows.append(measured(data, name, k))
                yield rows[-1]
        unchanged = of_original(data)
        rows.append(unchanged)
        yield unchanged

    table("Adult, 30,162 records, 8 quasi-identifiers", COLUMNS, all_of_them())
    return rows


def of_original(data: sf.Dataset) -> list[object]:
    """Return what models reach that learn from the original, and what always guessing the most frequent gives."""
    result = sf.anonymize(data, methods_for("table")["mondrian"](k=2), secret=bytes([1] * 32))
    prediction = next(metric for metric in metrics_for("table") if metric.name == "prediction")
    comparison = Comparison(data, result.release, result.owner_record.rows)
    if not prediction.applies(comparison):
        return ["original", *["-"] * (len(COLUMNS) - 1)]
    told = prediction.measure(comparison).details
    models = [told[f"{model}_of_original"] for model in ("logistic_regression", "random_forest")]
    frequent = f"most frequent {told['most_frequent']:.3g}"
    return [f"original ({frequent})", 1, 0.0, 0.0, 0.0, 0.0, "-", 0.0, 0.0, *models]


if __name__ == "__main__":
    run_parts("table-utility", __doc__, of_methods)
