"""Small made-up snapshots for the tests, and what is published of them."""

import functools

import numpy as np
from hypothesis import strategies as st

import sfumato as sf
from sfumato.kinds.snapshots.generators import generate
from sfumato.metrics.comparison import Comparison


def dataset(days):
    """Return people with the values of each day, numbered by day and place."""
    rows = [(time, f"{time}-{i}", f"v{value}") for time, day in enumerate(days) for i, value in enumerate(day)]
    return sf.Dataset.of("snapshots", rows, ("who",), "ill")


def random_snapshots(people=90, seed=4):
    """Return people with an age, a sex and an illness; some illnesses are more frequent than others."""
    rng = np.random.default_rng(seed)
    values = ["flu", "cold", "cough", "rash", "gout"]
    rows = [
        (
            int(rng.integers(0, 6)),
            str(rng.integers(20, 60)),
            "fm"[rng.integers(2)],
            values[rng.integers(5) % (1 + i % 5)],
        )
        for i in range(people)
    ]
    return sf.Dataset.of("snapshots", rows, ("age", "sex"), "illness")


def cases(records=1500, **options):
    """Return generated cases."""
    table = generate(records, 1, **{"snapshots": 40, "values": 8, "areas": 5, **options})
    rows = zip(
        table["time"].cast("int32").to_pylist(),
        *(map(str, table[name].to_pylist()) for name in ("age", "sex", "area", "condition")),
        strict=True,
    )
    return sf.Dataset.of("snapshots", list(rows), ("age", "sex", "area"), "condition")


@functools.cache
def publish_cases():
    """Return generated cases, what is published of them, and both side by side."""
    data = cases()
    result = sf.anonymize(data, sf.methods.Reposition(l=3, window=5), secret=bytes([1] * 32))
    return data, result, Comparison(data, result.release, result.owner_record.rows)


def snapshots_of(rows):
    """Return a dataset of times, numbers and values."""
    return sf.Dataset.of("snapshots", rows, ("number",), "value")


@st.composite
def record_lists(draw):
    """Draw times, numbers and values; one value is frequent."""
    times = draw(st.lists(st.integers(0, 12), min_size=1, max_size=60))
    values = draw(st.lists(st.sampled_from("aaaabbcd"), min_size=len(times), max_size=len(times)))
    return [(time, str(i), value) for i, (time, value) in enumerate(zip(times, values, strict=True))]


def push_all(method, data):
    """Return the stream of a method, and all that left it."""
    stream = method.stream(data.schema, data.time_unit, secret=bytes([3] * 32))
    leaving = [out for snapshot in stream.cut(data) for out in stream.push(snapshot)]
    return stream, leaving + stream.flush()
