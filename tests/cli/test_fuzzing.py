"""A short run of ``tests/cli/fuzzing.py``: whatever is damaged, the command line ends with a code it promises."""

import pytest
from tests.cli.fuzzing import fuzz


@pytest.mark.slow
def test_damaged_files_end_with_a_code_that_is_promised(tmp_path):
    codes, faults, _ = fuzz(150, 20_000, tmp_path)
    assert not faults, "\n".join(faults)
    assert sum(codes.values()) == 150
