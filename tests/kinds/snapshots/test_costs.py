"""Costs are read exactly."""

import pytest

from sfumato.exceptions import ParameterError
from sfumato.kinds.snapshots.costs import CostModel


def test_costs_are_read_exactly():
    model = CostModel.read("test", "0.1,0.3", "0.7,a\\,b=1/3", 3)
    assert (model.mu, model.beta, model.scale) == ((0, 3, 9), 21, 30)
    assert model.by_value(["a,b", "other"]).tolist() == [10, 21]
    with pytest.raises(ParameterError, match="fewer digits"):
        CostModel.read("test", "linear", "0.0000000000001", 3)
