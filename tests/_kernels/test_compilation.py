"""Compilation is noticed when it happens: once, in any thread, and not for what was kept from earlier runs."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import pytest

from sfumato._kernels.compilation import notice_compilation

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

KEPT = """
from numba import njit

@njit(cache=True)
def add(x):
    return x + 1
"""
RUN = """
from sfumato._kernels.compilation import notice_compilation
with notice_compilation(lambda: print("told")):
    from kept import add
    add(1)
"""


def make_kernel():
    @numba.njit
    def add(x):
        return x + 1

    return add


def test_it_is_told_once():
    told = []
    with notice_compilation(lambda: told.append(1)):
        make_kernel()(1)
        make_kernel()(1)
    make_kernel()(1)
    assert told == [1]


def test_it_is_told_of_other_threads():
    told = []
    with notice_compilation(lambda: told.append(1)), ThreadPoolExecutor(1) as pool:
        pool.submit(make_kernel(), 1).result()
    assert told == [1]


def test_an_error_ends_it():
    told = []
    with pytest.raises(ZeroDivisionError), notice_compilation(lambda: told.append(1)):
        raise ZeroDivisionError
    make_kernel()(1)
    assert told == []


def test_kept_kernels_are_not_told_of(tmp_path):
    (tmp_path / "kept.py").write_text(KEPT)
    ran = [
        subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert ran == ["told\n", ""]
