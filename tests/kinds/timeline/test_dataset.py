"""Timelines made by hand are checked."""

import pytest

import sfumato as sf
from sfumato.exceptions import SchemaError


def test_data_are_checked():
    with pytest.raises(SchemaError, match="negative count"):
        sf.Dataset.of("timeline", [{"a": -1}])
    with pytest.raises(SchemaError, match="ascending"):
        sf.Dataset.of("timeline", [{"a": 2}, {"a": 5}, {"a": 1}], times=[1, 1, 2])
