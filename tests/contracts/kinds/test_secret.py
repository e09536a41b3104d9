"""The secret that orders a release: nobody guesses it, and it orders nothing else."""

import collections
import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, spearmanr

import sfumato as sf
from sfumato.data.secret import Secret, digest
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.release.owner import read_secret, write_secret
from sfumato.release.run import Run

PEOPLE = 24
METHOD = sf.methods.SeqAnon(k=2, m=1)
XY = {f"{name}{i}": (i, len(name)) for name in ("cafe", "home", "a", "b") for i in range(4)}
DATA = sf.Dataset.of("trajectories", [["home0", f"cafe{i % 3}"] for i in range(PEOPLE)], XY)


def order_of(secret=None, data=DATA, method=METHOD):
    return sf.anonymize(data, method, secret=secret).owner_record.rows


@pytest.mark.slow
def test_a_million_seeds_do_not_give_the_order_away():
    """The order was once drawn by a generator that takes a seed; trying all small seeds found it in no time."""
    true = order_of()
    identity = np.arange(PEOPLE)
    most = 0
    for seed in range(2**20):
        guess = np.random.Generator(np.random.PCG64(seed)).permutation(PEOPLE)
        most = max(most, int((guess == true).sum()), int((guess[true] == identity).sum()))
    assert most < PEOPLE // 2


def test_no_number_makes_a_secret():
    for wrong in (7, "7", b"7", b"\x00" * 31):
        with pytest.raises(ParameterError, match="32 bytes"):
            sf.anonymize(DATA, METHOD, secret=wrong)
    with pytest.raises(ParameterError, match="'seed' is neither an option nor a parameter of SeqAnon"):
        sf.anonymize(DATA, METHOD, seed=7)


@pytest.mark.parametrize("method", [METHOD, sf.methods.Mc(k=2, aggregate="slot"), sf.methods.Disassociation(k=2, m=2)])
def test_names_are_the_numbers_from_one_and_nothing_else(method):
    rows = [[f"a{i % 4}", f"b{i % 3}"] for i in range(PEOPLE)]
    kind = method.kinds[0]
    more = (XY,) if kind == "trajectories" else ()
    release = sf.anonymize(sf.Dataset.of(kind, rows, *more), method).release
    listed = (
        release.table if "person" in release.table.column_names else next(iter(release.extra_tables.values())).table
    )
    names = listed.column(0).to_pylist()
    assert names == [str(number) for number in range(1, len(names) + 1)]


def test_every_order_is_as_likely_as_any_other():
    found = collections.Counter(
        tuple(Secret(number.to_bytes(32, "big")).order(4, "records").tolist()) for number in range(4800)
    )
    assert len(found) == 24
    assert chisquare([found[order] for order in itertools.permutations(range(4))]).pvalue > 1e-4


def test_a_secret_used_twice_does_not_link_two_releases():
    """One more person, another method or another k: the records stand in another order."""
    first = order_of(bytes(32))
    more = sf.Dataset.of("trajectories", [*(["home0", f"cafe{i % 3}"] for i in range(PEOPLE)), ["home0", "cafe0"]], XY)
    second = order_of(bytes(32), more)
    place = {row: at for at, row in enumerate(second.tolist())}
    common = [place[row] for row in first.tolist() if row in place]
    assert abs(spearmanr(common, np.arange(len(common))).statistic) < 0.6
    for other in (sf.methods.SeqAnon(k=3, m=1), sf.methods.SeqAnon(k=2, m=2)):
        assert order_of(bytes(32), method=other).tolist() != first.tolist()
    assert order_of(bytes(32)).tolist() == first.tolist()


def test_purposes_and_data_have_secrets_of_their_own():
    secret = Secret(bytes(32))
    assert secret.derive("a", "bc") != secret.derive("ab", "c")
    drawn = [secret.numbers(8, "a"), secret.numbers(8, "b"), secret.derive("a").numbers(8, "a")]
    assert len({tuple(numbers.tolist()) for numbers in drawn}) == 3
    assert secret.numbers(100, "a")[:8].tolist() == drawn[0].tolist()
    assert secret.numbers(0, "a").tolist() == []


cells = st.one_of(st.text(max_size=3), st.none())


@given(st.lists(st.tuples(cells, st.lists(st.text(max_size=2), max_size=3), st.integers(-9, 9)), max_size=8), st.data())
def test_a_digest_sees_the_content_and_nothing_but_the_content(rows, data):
    def table(rows):
        return pa.table(
            {
                "text": pa.array([row[0] for row in rows], pa.string()),
                "list": pa.array([row[1] for row in rows], pa.list_(pa.string())),
                "number": pa.array([row[2] for row in rows], pa.int64()),
            }
        )

    whole = table(rows)
    at = data.draw(st.integers(0, len(rows)))
    halves = pa.concat_tables([table(rows[:at]), table([("x", ["y"], 3), *rows[at:]]).slice(1)])
    assert digest(whole) == digest(halves)
    if rows:
        changed = data.draw(st.integers(0, len(rows) - 1))
        text, listed, number = rows[changed]
        for other in ((f"{text}.", listed, number), (text, [*listed, ""], number), (text, listed, number + 1)):
            assert digest(table([*rows[:changed], other, *rows[changed + 1 :]])) != digest(whole)


def test_secrets_are_read_as_they_were_written_and_never_shown(tmp_path):
    secret = Secret.fresh()
    write_secret(secret, tmp_path / "secret.hex")
    assert read_secret(tmp_path / "secret.hex") == secret
    assert secret.key.hex() not in repr(secret) + repr(Run(secret).secret)
    for text in ("", "12", "zz" * 32, "00" * 33, "00" * 5000):
        (tmp_path / "wrong.hex").write_text(text)
        with pytest.raises(SchemaError, match="64 hexadecimal digits"):
            read_secret(tmp_path / "wrong.hex")
    with pytest.raises(SchemaError, match="cannot be read"):
        read_secret(tmp_path / "missing.hex")
