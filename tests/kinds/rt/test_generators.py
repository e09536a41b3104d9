"""Generated patients and videos have the sizes of the paper's data sets."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.exceptions import ParameterError
from sfumato.kinds.rt.generators import generate


@pytest.mark.parametrize(
    ("model", "attributes", "items", "mean", "longest"),
    [("patients", 5, 619, 4.27, 17), ("videos", 6, 936, 6.51, 37)],
)
def test_numbers_are_those_of_the_paper(model: str, attributes: int, items: int, mean: float, longest: int) -> None:
    table = generate(20_000, seed=3, model=model)
    sets = [text.split("|") for text in table["items"].to_pylist()]
    lengths = np.array([len(row) for row in sets])
    assert len(table.column_names) == attributes + 2
    assert lengths.mean() == pytest.approx(mean, rel=0.05)
    assert lengths.max() == longest
    assert len({item for row in sets for item in row}) > 0.97 * items
    assert all(len(set(row)) == len(row) for row in sets)


def test_items_hang_on_attributes_as_much_as_is_asked_for() -> None:
    gaps = []
    for bond in (0.0, 1.0):
        table = generate(4_000, seed=3, bond=bond)
        first = np.array([int(text.split("|")[0][4:]) for text in table["items"].to_pylist()])
        year = table["birth_year"].to_numpy()
        gaps.append(abs(np.corrcoef(first, year)[0, 1]))
    assert gaps[0] < 0.1 < 0.4 < gaps[1]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ParameterError, match="longest must be at most 5"):
        generate(10, seed=1, items=5)
