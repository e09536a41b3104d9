"""Coordinates that cannot be right are refused by column and row."""

import pytest
from tests.kinds.trajectories.reader.points import on_earth, on_plane

from sfumato.exceptions import SchemaError


@pytest.mark.parametrize(("point", "column"), [((0, 91), "lat"), ((-181, 0), "lon")])
def test_degrees_out_of_range_name_column_and_row(point, column):
    with pytest.raises(SchemaError, match=f"column '{column}' must hold numbers from .* row 2 does not"):
        on_earth([(0, 0), point])


def test_plane_coordinates_out_of_range():
    with pytest.raises(SchemaError, match=r"column 'y' must hold numbers from .* row 1 does not"):
        on_plane([(0, 1e13)])
