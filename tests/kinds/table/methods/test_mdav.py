"""Microaggregation of tables: groups, means, the loss that is known, and what is refused."""

import datetime

import numpy as np
import pytest

import sfumato as sf
from sfumato._kernels.microaggregation import measure_error_share, standardise
from sfumato.exceptions import SchemaError
from sfumato.kinds.table.methods.mdav import Mdav

SECRET = bytes([1] * 32)


def test_means_are_those_of_the_records_of_a_class():
    rows = [(20, 1.5), (61, 2.0), (21, 1.7), (60, 2.2), (62, 2.1)]
    result = sf.anonymize(sf.Dataset.of("table", rows, ("age", "height")), Mdav(k=2), secret=SECRET)
    assert result.release.extra_tables["means"].table.to_pylist() == [
        {"age": {"lo": 20, "hi": 21}, "height": {"lo": 1.5, "hi": 1.7}, "mean_age": 20.5, "mean_height": 1.6},
        {"age": {"lo": 60, "hi": 62}, "height": {"lo": 2.0, "hi": 2.2}, "mean_age": 61.0, "mean_height": 2.1},
    ]


def test_the_error_share_is_that_of_the_classes_that_are_published():
    table = np.random.default_rng(1).integers(0, 90, (200, 3))
    data = sf.Dataset.of("table", [tuple(row) for row in table.tolist()], ("a", "b", "c"))
    for k in (3, 5, 10):
        result = sf.anonymize(data, Mdav(k=k), secret=SECRET)
        cells = [repr(row) for row in result.release.table.to_pylist()]
        group = np.unique(cells, return_inverse=True)[1]
        lost = measure_error_share(standardise(table[result.owner_record.rows].astype(float)), group)
        assert result.owner_record.counters["millionths_of_spread_lost"] == round(1e6 * lost)


def test_pairs_on_a_line():
    """Pairs at 0, 10 and 30, each half a unit from its mean: 6 * 1/4 is lost of a spread of 951 - 1/6."""
    data = sf.Dataset.of("table", [(x,) for x in (0, 30, 10, 1, 31, 11)], ("x",))
    result = sf.anonymize(data, Mdav(k=2), secret=SECRET)
    x = np.array([0, 30, 10, 1, 31, 11])
    assert result.owner_record.counters["millionths_of_spread_lost"] == round(1e6 * 1.5 / ((x - x.mean()) ** 2).sum())


def test_dates_have_means_in_days():
    rows = [(datetime.date(1970, 1, day),) for day in (1, 2, 20, 23)]
    means = sf.anonymize(sf.Dataset.of("table", rows, ("born",)), Mdav(k=2), secret=SECRET).release.extra_tables[
        "means"
    ]
    assert means.table["mean_born"].to_pylist() == [0.5, 20.5]


def test_means_do_not_tell_how_records_stood_in_the_file():
    """Sums of floating-point numbers depend on their order in the last digit; published means do not."""
    heights = [0.1, 0.2, 0.3, 1e9, 1e9, 0.7, -1e9]
    means = {
        repr(
            sf.anonymize(sf.Dataset.of("table", [(h,) for h in order], ("h",)), Mdav(k=7))
            .release.extra_tables["means"]
            .table
        )
        for order in (heights, heights[::-1], sorted(heights))
    }
    assert len(means) == 1


def test_weights_decide_which_numbers_are_near():
    rows = [(0, 0), (0, 9), (9, 0), (9, 9)]
    data = sf.Dataset.of("table", rows, ("a", "b"))
    for weights, narrow in (("a=100", "a"), ("b=100", "b")):
        cells = sf.anonymize(data, Mdav(k=2, weights=weights), secret=SECRET).release.table[narrow].to_pylist()
        assert all(cell["lo"] == cell["hi"] for cell in cells)


def test_diverse_classes():
    rows = [(1, "flu"), (2, "flu"), (50, "flu"), (51, "cold"), (90, "flu"), (91, "cold")]
    data = sf.Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    release = sf.anonymize(data, Mdav(k=2, l=2), secret=SECRET).release
    assert {(cell["lo"], cell["hi"]) for cell in release.table["age"].to_pylist()} == {(1, 51), (90, 91)}
    assert release.extra_tables["means"].table["mean_age"].to_pylist() == [26.0, 90.5]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, "a"), (2, "b")], "column 'two' has labels. Use the method cluster or mondrian"),
        ([(1, 5), (2, None)], "column 'two' has empty cells"),
    ],
)
def test_labels_and_missing_values_are_refused(rows, said):
    with pytest.raises(SchemaError, match=said):
        sf.anonymize(sf.Dataset.of("table", rows, ("one", "two")), Mdav(k=2))


def test_a_column_that_is_called_like_means_is_refused():
    with pytest.raises(SchemaError, match="Rename it"):
        sf.anonymize(sf.Dataset.of("table", [(1, 2), (2, 3)], ("age", "mean_age")), Mdav(k=2))
