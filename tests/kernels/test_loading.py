"""What kernels run on can be loaded while a file is read, without what no kernel needs."""

import json
import subprocess
import sys

import numba
import pytest

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

SAY = """
import json, sys
from sfumato.kernels.loading import load_ahead
load_ahead()()
ahead = "numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules
import numpy as np
from numba import njit
from numba.np import linalg

@njit
def double(values):
    return 2 * values.sum()

print(json.dumps([*ahead, int(double(np.arange(4))), linalg.ensure_blas.__name__]))
"""


def test_numba_is_there_without_linear_algebra_and_kernels_run():
    done = subprocess.run([sys.executable, "-c", SAY], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [True, False, 12, "ensure_blas"]


def test_what_cannot_be_loaded_ahead_is_left_to_the_first_kernel(monkeypatch):
    from sfumato.kernels import loading

    def fail() -> None:
        raise AttributeError("another Numba")

    monkeypatch.setattr(loading, "_leave_out_linear_algebra", fail)
    loading.load_ahead()()
