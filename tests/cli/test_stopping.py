"""Ctrl-C and termination are answered also while compiled code has the main thread."""

import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import hashlib, signal
from sfumato.kinds.trajectories.methods.seqanon import SeqAnon

def count(self, rows, run):
    open("begun", "w").close()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # one call, of half an hour, that does not listen

SeqAnon.recode = count
signal.signal(signal.SIGINT, signal.default_int_handler)
from sfumato.cli import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_long_call_is_left_at_once_and_the_disk_is_as_it_was(checkins, tmp_path, number):
    words = ["anonymize", checkins.name, "--kind", "trajectories", "--method", "seqanon", "-p", "k=5", "-p", "m=2"]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words, "--out", "new/out"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (tmp_path / "begun").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(number)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 130, told
    assert "Nothing was published" in told
    (tmp_path / "begun").unlink()
    assert [path.name for path in tmp_path.iterdir()] == [checkins.name]


HANDS_OVER = """
import os
import signal
from typing import NamedTuple
from numba import njit

class Inner(NamedTuple):
    number: int

class Outer(NamedTuple):
    inner: Inner

@njit(nogil=True)
def count(until):
    number = 0
    while number < until:
        number += 1 + (number & 1) // 2 + number % 3 // 3
    return Outer(Inner(number))

count(1)
signal.signal(signal.SIGINT, signal.default_int_handler)
from sfumato.cli.interrupts import answer_signals
answer_signals(lambda: os._exit(130))
open("begun", "w").close()
try:
    while True:
        count(20_000)
except KeyboardInterrupt:
    raise SystemExit(130)
"""


def test_compiled_code_that_hands_tuples_over_is_not_cut_short(tmp_path):
    """Most of the time is spent in calls in which an exception would end the process by a fault of memory."""
    process = subprocess.Popen([sys.executable, "-c", HANDS_OVER], cwd=tmp_path)
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 130


def test_whoever_ignores_ctrl_c_goes_on_ignoring_it():
    program = (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from sfumato.cli.interrupts import answer_signals\nanswer_signals(lambda: None)\n"
        "assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


CALLED_BACK = """
import ctypes
import os
import signal
from sfumato.cli.interrupts import answer_signals

numbers = ctypes.POINTER(ctypes.c_int)
order = ctypes.CFUNCTYPE(ctypes.c_int, numbers, numbers)(lambda one, other: one[0] - other[0])
sort = ctypes.CDLL(None).qsort

class HalfMade:
    def __init__(self):
        while True:
            sum(range(999))
        self.handle = 1

    def __del__(self):
        del self.handle

signal.signal(signal.SIGINT, signal.default_int_handler)
answer_signals(lambda: os._exit(130))
open("begun", "w").close()
try:
    while True:
        {work}
except KeyboardInterrupt:
    raise SystemExit(130)
"""
ONLY_CALLBACKS = "sort((ctypes.c_int * 2**16)(*range(2**16, 0, -1)), 2**16, 4, order)"
SOME_CALLBACKS = "sort((ctypes.c_int * 9)(*range(9)), 9, 4, order); sum(range(999))"


@pytest.mark.parametrize("work", [ONLY_CALLBACKS, SOME_CALLBACKS, "HalfMade()"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_heard_where_python_ignores_exceptions_counts_and_shows_no_traceback(tmp_path, number, work):
    """What a library calls back cannot raise: Python would print the exception, and the work would go on."""
    process = subprocess.Popen(
        [sys.executable, "-c", CALLED_BACK.format(work=work)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(number)
    try:
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert told == ""
