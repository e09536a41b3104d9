"""Days and good releases of them that several tests look at, and ways to change a release."""

import dataclasses

import numpy as np
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.plugins import find_method
from sfumato.release.release import ExtraTable

GAP = "(gap)"
FLAT = ("l-mdav", "l-vmdav", "msld")
LEVELLED = ("mc-l-mdav", "mc-l-mdav-wd", "mc-l-vmdav", "mc-l-vmdav-wd", "mc-rr")
DIVERSE = (*FLAT, *LEVELLED)


def two_kinds_of_days(count=24, slots=12, seed=3):
    """Two kinds of days, a third of the people away for a while."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(count):
        row = [["sleep", "work", "eat"][(slot // 3 + person % 2 + int(rng.integers(2))) % 3] for slot in range(slots)]
        if person % 3 == 0:
            begin = int(rng.integers(0, slots - 5))
            row[begin : begin + 6] = ["away"] * 6
        rows.append(row)
    return rows


DATA = sf.Dataset.of("activity", two_kinds_of_days(), sensitive=("away",), time_unit=TimeUnit("hour"), start=72)
METHOD = sf.methods.McLMdavWd(k=3, delta="4h", epsilon="0.5", aggregate="6h,2h", fanout=2)
GOOD = sf.anonymize(DATA, METHOD, secret=bytes([1] * 32))
ROUNDED = sf.anonymize(DATA, dataclasses.replace(METHOD, digits=2), secret=bytes([1] * 32))
PLAIN = sf.anonymize(DATA, sf.methods.Mc(k=3, aggregate="6h,2h"), secret=bytes([1] * 32))


def with_column(release, name, change):
    """The release with one column changed."""
    column = release.table.column(name).to_pylist()
    change(column)
    at = release.table.column_names.index(name)
    kind = release.table.schema.field(name).type
    array = (
        pa.array(column, pa.string()).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(column, kind)
    )
    return dataclasses.replace(release, table=release.table.set_column(at, name, array))


def with_part(release, name, change):
    """The release with one column of its list of classes changed."""
    extra_table = release.extra_tables["classes"]
    column = extra_table.table.column(name).to_pylist()
    change(column)
    at = extra_table.table.column_names.index(name)
    table = extra_table.table.set_column(at, name, pa.array(column, extra_table.table.schema.field(name).type))
    return dataclasses.replace(release, extra_tables={"classes": ExtraTable(extra_table.columns, table)})


def with_claim(release, **changed):
    return dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, **changed))


def set_first(value):
    def change(column):
        column[0] = value

    return change


def move_share(column):
    """Time goes from one share of an interval to another, so that sums stay."""
    first = next(i for i, share in enumerate(column) if 0 < share < 1)
    column[first] += 0.03
    column[first + 1] -= 0.03


def swap_names(column):
    column[0], column[1] = column[1], column[0]


def week(monday, friday):
    """A row of Table 1, hour by hour from Monday; the hours that are not printed are spent eating."""
    days = [[*monday, "E"], ["S", "S", "E"], ["E", "E", "E"], ["E", "E", "E"]]
    hours = [hour for day in days for hour in (*day, *(["E"] * 21))]
    return hours + [friday] * 24 + ["V"] * 48


TABLE_1 = [week("SE", "V"), week("SE", "V"), week("BE", "S"), week("BE", "V")]


def away_from_one_past_eight():
    """A day by the minute: away from 08:01 to 16:59, and a minute before and after at home."""
    return ["home"] * 481 + ["away"] * 538 + ["home"] * (1440 - 1019)


def busy_days(people=6, slots=1440, seed=1):
    """Days by the minute, in which everybody does something else every half hour or so."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(people):
        row = []
        while len(row) < slots:
            row += [f"a{rng.integers(9)}"] * int(rng.integers(10, 60))
        rows.append(row[:slots])
    return rows


def by_hour(rows, sensitive=("away",)):
    """Data with slots of an hour."""
    return sf.Dataset.of("activity", rows, sensitive=sensitive, time_unit=TimeUnit("hour"))


def name_gap(rows):
    """What unknown time is called, if there is any."""
    return GAP if any(GAP in row for row in rows) else None


def make_data(rows):
    """Data with slots of an hour from the third day on, in which v and w are sensitive if anybody does them."""
    used = {label for row in rows for label in row}
    sensitive = tuple(label for label in "vw" if label in used) or tuple(sorted(used))[:1]
    return sf.Dataset.of("activity", rows, sensitive=sensitive, time_unit=TimeUnit("hour", origin=48))


def make_method(name, rows, slot, window, epsilon, **options):
    """A method with published intervals and windows of so many hours."""
    delta = f"{min(window, len(rows[0]))}h"
    lengths = {"interval": f"{slot}h"} if name in FLAT else {"aggregate": f"{2 * slot}h,{slot}h", "fanout": 2}
    return find_method(name)(k=2, delta=delta, epsilon=epsilon, **lengths, **options)


def draw_runs(draw, count, slots, labels):
    """Days of so many people, each with a few runs of activities that begin anew until the day is full."""
    rows = []
    for _ in range(count):
        runs = draw(st.lists(st.tuples(st.sampled_from(labels), st.integers(1, 8)), min_size=1, max_size=4))
        row = [label for label, length in runs for _ in range(length)]
        rows.append((row * slots)[:slots])
    return rows


@st.composite
def days_in_runs(draw):
    """People with runs of activities, v and w being sensitive."""
    return draw_runs(draw, draw(st.integers(2, 12)), draw(st.integers(2, 8)), "abvw")


@st.composite
def gappy_days(draw):
    """People with runs of activities, some of them unknown."""
    rows = draw_runs(draw, draw(st.integers(3, 10)), draw(st.integers(2, 8)), ["a", "v", "v", GAP])
    rows[0] = ["v", *rows[0][1:]]
    return rows


@st.composite
def small_classes(draw, activities="ah"):
    """Days of few people, few enough that all days with the same shares can be listed."""
    size, length = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    slots = draw(st.integers(2, 6))
    assume(size * length <= 6 and size * slots <= 12)
    rows = draw(
        st.lists(st.lists(st.sampled_from(activities), min_size=slots, max_size=slots), min_size=size, max_size=size)
    )
    return rows, length, draw(st.integers(1, slots))
