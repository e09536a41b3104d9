"""What pycanon measures of a release agrees with the verifier, wherever both measure the same thing.

pycanon (Sáinz-Pardo Díaz, López García, Scientific Data 2022) needs pandas and an older NumPy, so it is not among what
the tests install: ``pip install pycanon`` to run this. It is given the cells as they are spelled in data.csv.
"""

import dataclasses

import numpy as np
import pytest
from tests.kinds.table.given import publish

import sfumato as sf
from sfumato.kinds.table.decode import quasi_columns
from sfumato.kinds.table.verify.k_anonymity import verify
from sfumato.release.text import encode

pycanon = pytest.importorskip("pycanon.anonymity")
pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module", params=range(6))
def release(request):
    rng = np.random.default_rng(request.param)
    people = 200
    rows = [
        (int(age), "fm"[sex], "abcde"[min(ill, 4)], int(pain))
        for age, sex, ill, pain in zip(
            rng.integers(20, 60, people),
            rng.integers(0, 2, people),
            rng.geometric(0.4, people) - 1,
            rng.integers(0, 9, people),
            strict=True,
        )
    ]
    data = sf.Dataset.of("table", rows, ("age", "sex", "ill", "pain"), sensitive=("ill", "pain"))
    order = np.lexsort(([row[1] for row in rows], [row[0] for row in rows]))
    groups = np.empty(people, np.int64)
    groups[order] = np.arange(people) // 8
    return publish(data, groups.tolist()).release


def to_frame(release):
    """The published cells as texts, and which columns are quasi-identifiers."""
    quasi = [column.name for column in quasi_columns(release)]
    columns = {
        column.name: encode(release.table.column(column.name), column.form).to_pylist()
        if column.name in quasi
        else release.table.column(column.name).to_pylist()
        for column in release.columns
    }
    return pandas.DataFrame(columns), quasi


def measured(release, sensitive, **guarantee):
    """What the verifier measures of one sensitive column; the other is a plain one."""
    columns = tuple(
        dataclasses.replace(c, role="plain") if c.role == "sensitive" and c.name != sensitive else c
        for c in release.columns
    )
    said = dataclasses.replace(release.guarantee, sensitive=(sensitive,), **guarantee)
    return verify(dataclasses.replace(release, columns=columns, guarantee=said)).measured


def test_k_anonymity(release):
    data, quasi = to_frame(release)
    assert pycanon.k_anonymity(data, quasi) == verify(release).measured["k"]


@pytest.mark.parametrize("sensitive", ["ill", "pain"])
def test_distinct_diversity(release, sensitive):
    data, quasi = to_frame(release)
    assert pycanon.l_diversity(data, quasi, [sensitive]) == measured(release, sensitive, l=2)["l"]


@pytest.mark.parametrize("sensitive", ["ill", "pain"])
def test_entropy_diversity(release, sensitive):
    """Say the same but for rounding: pycanon cuts off what is behind the point, of e to a rounded entropy.

    Two equally frequent values have an entropy of ln 2, and pycanon may say l=1 of them.
    """
    data, quasi = to_frame(release)
    l = measured(release, sensitive, l=2, diversity="entropy")["l"]
    assert pycanon.entropy_l_diversity(data, quasi, [sensitive]) in {int(l + 1e-6), int(l - 1e-6)}


@pytest.mark.parametrize("sensitive", ["ill", "pain"])
def test_recursive_diversity(release, sensitive):
    """Agree on l, and differ on c: pycanon takes the rarest value of a class for the most frequent one.

    The definition (Machanavajjhala et al., Definition 4.2) numbers values from the most frequent on. pycanon 1.3.6
    sorts them the other way round, and gives the next whole number above r1 / (rl + ... + rm) for the l it found. Its c
    is therefore never above the whole number that follows ours.
    """
    data, quasi = to_frame(release)
    c, l = pycanon.recursive_c_l_diversity(data, quasi, [sensitive])
    assert l == measured(release, sensitive, l=2)["l"]
    if l > 1:
        ours = measured(release, sensitive, l=int(l), diversity="recursive", c=1.0)["c"]
        assert c <= int(ours) + 1


def test_closeness_of_labels(release):
    data, quasi = to_frame(release)
    found = measured(release, "ill", t=0.5)["t"]
    assert pycanon.t_closeness(data, quasi, ["ill"]) == pytest.approx(found, abs=1e-6)


def test_closeness_of_numbers():
    """Numbers are in their order for pycanon, whatever is claimed."""
    rng = np.random.default_rng(3)
    rows = [(i // 7, int(pain)) for i, pain in enumerate(rng.integers(0, 9, 70))]
    data = sf.Dataset.of("table", rows, ("age", "pain"), sensitive=("pain",))
    release = publish(data, [row[0] for row in rows], t=0.5, distance="ordered").release
    table, quasi = to_frame(release)
    assert pycanon.t_closeness(table, quasi, ["pain"]) == pytest.approx(verify(release).measured["t"], abs=1e-6)
