"""What is promised about classes of days, in words."""

import pytest

from sfumato.exceptions import ParameterError
from sfumato.kinds.activity.guarantees import ActivityDiversity, ClassAnonymity


def test_what_is_claimed_is_what_is_stated():
    guarantee = ClassAnonymity(k=3, slot=60, digits=1)
    assert guarantee.statement().endswith("are published, rounded to 1 digit.")
    several = ActivityDiversity(3, "4", "1/2", 4, 1, slots=4, sensitive=("a", "b"))
    assert (
        "any one of the sensitive activities throughout any 4 slots in a row, whenever it begins" in several.statement()
    )
    with pytest.raises(ParameterError, match="sensitive must be names"):
        ActivityDiversity(3, "4", "1/2", 4, 1, sensitive=(3,))
