"""What published files alone cannot tell, as the guide lists it: forged perfectly, and found with the original."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.damage.forging import forge, lower_claim, swap_records
from tests.damage.test_damages import answer

import sfumato as sf
from sfumato.data.record_unit import RecordUnit
from sfumato.engines.local import Local
from sfumato.engines.publish import publish_in_partitions
from sfumato.kinds.trajectories.dataset import KIND
from sfumato.release import partitioned
from sfumato.release.release import Release
from sfumato.release.storage import read_release

SECRET = bytes([7] * 32)


def another_method(release: Release) -> Release:
    return dataclasses.replace(release, method="sd-seqanon")


def another_unit(release: Release) -> Release:
    return dataclasses.replace(release, unit=RecordUnit("case", "cases", "person"))


def a_record_is_suppressed(release: Release) -> Release:
    return dataclasses.replace(
        release, table=release.table.slice(0, len(release) - 1), suppressed_records={KIND.suppression_reasons[0]: 1}
    )


def a_record_is_invented(release: Release) -> Release:
    more = pa.concat_tables([release.table, _last(release)])
    return dataclasses.replace(release, table=more, records_in=release.records_in + 1)


def a_place_is_called_removed(release: Release) -> Release:
    row = pa.table({"column": ["places"], "value": [None], "member": ["zz"]}, schema=release.values.schema)
    return dataclasses.replace(release, values=pa.concat_tables([row, release.values]))


def _last(release: Release) -> pa.Table:
    """The last record under the next number."""
    row, names = release.table.slice(len(release) - 1), pa.array([str(len(release) + 1)])
    return row.set_column(0, release.table.column_names[0], names).cast(release.table.schema)


FORGED = (
    swap_records,
    lower_claim,
    another_method,
    another_unit,
    a_record_is_suppressed,
    a_record_is_invented,
    a_place_is_called_removed,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[sf.Dataset, Path]:
    rows = [[*"abcdefgh"[at % 4 : at % 4 + 3]] for at in range(24)]
    data = sf.Dataset.of("trajectories", rows, {name: (at, at % 3) for at, name in enumerate("abcdefgh")})
    out = tmp_path_factory.mktemp("whole") / "out"
    sf.write(sf.anonymize(data, sf.methods.SeqAnon(k=3, m=2), secret=SECRET), out)
    return data, out


@pytest.mark.parametrize("change", FORGED)
def test_what_is_written_anew_is_found_with_the_original(whole, tmp_path, change) -> None:
    data, good = whole
    out = tmp_path / "out"
    shutil.copytree(good, out)
    forge(change)(out / "release")
    assert answer(out) == "holds"
    assert answer(out, data) == "broken"


def test_what_order_records_were_drawn_in_is_found_by_making_them_again(whole, tmp_path) -> None:
    data, good = whole
    out = tmp_path / "out"
    shutil.copytree(good, out)
    forge(lambda release: dataclasses.replace(release, table=turn(release)))(out / "release")
    shutil.rmtree(out / "owner")
    assert answer(out) == answer(out, data) == "holds"
    sf.write(sf.anonymize(data, sf.methods.SeqAnon(k=3, m=2), secret=SECRET), tmp_path / "again")
    again, drawn, turned = ((path / "release/data.csv").read_bytes() for path in (tmp_path / "again", good, out))
    assert again == drawn != turned


def turn(release: Release) -> pa.Table:
    turned = release.table.take(np.arange(len(release))[::-1])
    return turned.set_column(0, turned.column_names[0], release.table.column(0))


@pytest.fixture(scope="module")
def partitions(tmp_path_factory) -> tuple[sf.Dataset, Path]:
    rows = [[f"i{at // 30}", f"j{at % 3}"] for at in range(90)]
    data, out = sf.Dataset.of("sets", rows), tmp_path_factory.mktemp("parts") / "out"
    publish_in_partitions(data, sf.methods.Apriori(k=3, m=1), out, engine=Local(1), partition_size=30, secret=SECRET)
    return data, out


def remove_partition(folder: Path) -> list[str]:
    *names, gone = sorted(partition.name for partition in (folder / "data").iterdir())
    shutil.rmtree(folder / "data" / gone)
    return names


def double_partition(folder: Path) -> list[str]:
    names = sorted(partition.name for partition in (folder / "data").iterdir())
    shutil.copytree(folder / "data" / names[0], folder / "data" / partitioned.name_partition(len(names)))
    return [*names, partitioned.name_partition(len(names))]


def exchange_partition(folder: Path) -> list[str]:
    names = sorted(partition.name for partition in (folder / "data").iterdir())
    shutil.rmtree(folder / "data" / names[1])
    shutil.copytree(folder / "data" / names[0], folder / "data" / names[1])
    return names


@pytest.mark.parametrize("change", [remove_partition, double_partition, exchange_partition])
def test_other_partitions_than_there_were_are_found_with_the_original(partitions, tmp_path, change) -> None:
    data, good = partitions
    assert answer(good) == answer(good, data) == "holds"
    out = tmp_path / "out"
    shutil.copytree(good, out)
    names = change(out / "release")
    whole = partitioned.unite_partitions(
        [partitioned.describe_partition(out / "release" / "data" / name, name) for name in names]
    )
    partitioned.write_divided(whole, out / "release")
    assert answer(out) == "holds"
    assert answer(out, data) != "holds"


def test_values_that_look_alike_in_two_partitions_are_not_named(tmp_path) -> None:
    rows = [["flu" if at < 30 else "flu\u200b"] for at in range(60)]
    out = tmp_path / "out"
    publish_in_partitions(
        sf.Dataset.of("sets", rows),
        sf.methods.Apriori(k=3, m=1),
        out,
        engine=Local(1),
        partition_size=30,
        secret=SECRET,
    )
    one, other = (read_release(out / "release" / "data" / partitioned.name_partition(at)) for at in range(2))
    assert {*one.history().labels, *other.history().labels} == {"flu", "flu\u200b"}
    assert sf.verify(out).warnings == ()
