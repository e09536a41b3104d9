"""What releases of sets promise."""

import pytest

from sfumato.base.guarantee import read_guarantee
from sfumato.exceptions import ParameterError
from sfumato.kinds.sets.guarantees import ItemsetAnonymity


def test_the_claim_about_named_itemsets_comes_back_from_the_manifest():
    guarantee = ItemsetAnonymity(3, (("b", "a"), ("c",)))
    written = {"name": "itemset-anonymity", "parameters": {"k": 3, "itemsets": [["b", "a"], ["c"]]}}
    assert read_guarantee("sets", written) == guarantee
    with pytest.raises(ParameterError, match="itemsets must not have an empty itemset"):
        ItemsetAnonymity(3, ((),))
