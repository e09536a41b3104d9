"""Time anjana or anonypy on a table; run by `benchmarks.table peers` with an interpreter that has them.

It needs nothing of Sfumato. The one argument names the peer. Standard input is JSON: rows as lists, columns,
hierarchies as one list per leaf, k, and the share of records that may be suppressed. Standard output is JSON: seconds a
processor worked, records and classes.
"""

import json
import sys
import time

import numpy as np
import pandas as pd


def classes(frame, columns):
    """Return how many records and how many different ones are published."""
    return [len(frame), len(frame.drop_duplicates(subset=columns)) if len(frame) else 0]


def with_anjana(asked):
    """Recode all records alike, by hierarchies."""
    from anjana.anonymity import k_anonymity

    frame = pd.DataFrame(asked["rows"], columns=asked["columns"], dtype=str)
    trees = {}
    for column, paths in asked["hierarchies"].items():
        path_of = {path[0]: path for path in paths}
        leaves = frame[column].to_numpy()
        trees[column] = {
            level: np.array([path_of[leaf][level] for leaf in leaves], dtype=object) for level in range(len(paths[0]))
        }
    start = time.process_time()
    found = k_anonymity(frame, [], list(asked["columns"]), asked["k"], 100 * asked["suppressed"], trees)
    return [time.process_time() - start, *classes(found, list(asked["columns"]))]


def with_anonypy(asked):
    """Cut the records as Mondrian does."""
    import anonypy

    columns = list(asked["columns"])
    frame = pd.DataFrame(asked["rows"], columns=columns, dtype=str)
    for column in columns:
        frame[column] = pd.to_numeric(frame[column]) if column == "age" else frame[column].astype("category")
    frame["record"] = "one"
    start = time.process_time()
    preserver = anonypy.Preserver(frame, columns, "record")
    found = pd.DataFrame(preserver.anonymize_k_anonymity(k=asked["k"]))
    return [time.process_time() - start, int(found["count"].sum()), len(found)]


PEERS = {"anjana": with_anjana, "anonypy": with_anonypy}


def main():
    """Answer one question."""
    asked = json.load(sys.stdin)
    try:
        answer = PEERS[sys.argv[1]](asked)
    except Exception as error:  # a peer that fails is a row of the table, not the end of it
        answer = [f"{type(error).__name__}: {str(error)[:60]}", "", ""]
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
