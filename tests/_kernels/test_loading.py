"""What kernels run on can be loaded while a file is read, without what no kernel needs."""

import json
import os
import subprocess
import sys

import numba
import pytest

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

SAY = """
import json, sys
from sfumato._kernels.loading import load_ahead
load_ahead()()
load_ahead()()
unused = [name for name in ("scipy", "yaml") if name in sys.modules]
import numpy as np
import kept

found = [int(kept.double(np.arange(4))), kept.count_words(("a", "b", "a")), kept.count_different(np.array([3, 1, 3]))]
hits = [sum(kernel.stats.cache_hits.values()) for kernel in (kept.double, kept.count_words, kept.count_different)]

@kept.njit
def triple(values):
    return 3 * values.sum()

import scipy.linalg
print(json.dumps([unused, found, hits, int(triple(np.arange(4)))]))
"""
KEPT = """
import numpy as np
from numba import njit

@njit(cache=True)
def double(values):
    return 2 * values.sum()

@njit(cache=True)
def count_words(words):
    found = {words[0]: 0}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return len(found)

@njit(cache=True)
def count_different(values):
    return len(set(values)) + int(np.log(np.sort(values)[0]))
"""


def test_kept_kernels_run_without_what_compiles_and_new_ones_are_compiled(tmp_path):
    """Also kernels that hash, sort and allocate; the second process finds all of them kept."""
    (tmp_path / "kept.py").write_text(KEPT)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for hits in (0, 1):
        done = subprocess.run(
            [sys.executable, "-c", SAY], capture_output=True, text=True, check=True, env=environment, cwd=tmp_path
        )
        assert json.loads(done.stdout) == [[], [12, 2, 2], [hits] * 3, 18]


def test_what_cannot_be_loaded_ahead_is_left_to_the_first_kernel(monkeypatch):
    from sfumato._kernels import loading

    def fail() -> None:
        raise AttributeError("another Numba")

    monkeypatch.setattr(loading, "_import_numba", fail)
    loading.load_ahead()()
