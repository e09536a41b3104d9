"""What people see while they wait: steps, the time left where it can be known, and nothing on what is no terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time

import sfumato as sf
from sfumato.cli.bars import Bars, format_time_left
from sfumato.progress import report_progress, track, watch

CODE = """
import time
from sfumato.cli import output
from sfumato.progress import track
output._DELAY = 0.05
from sfumato.cli import bars
bars._BRIEF = 0.05
with output.show_work("read"):
    for _ in track("unpack", range(20)):
        time.sleep(0.06)
"""


def test_a_terminal_shows_the_step_that_goes_on_and_the_time_left():
    master, slave = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", CODE], stderr=slave, stdout=slave)
    os.close(slave)
    seen = b""
    while True:
        try:
            block = os.read(master, 4096)
        except OSError:
            break
        if not block:
            break
        seen += block
    assert process.wait() == 0
    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", seen).decode(errors="replace")
    assert "read" in text and "so far" in text
    assert re.search(r"unpack.*\d+ %.*about 0:0\d left", text)


def test_what_is_no_terminal_stays_as_it_was(sfumato, checkins):
    done = sfumato("inspect", checkins, "--kind", "trajectories", "--json")
    assert not done.stderr


def test_verbose_names_the_steps_of_every_command(sfumato, checkins):
    method = ("--kind", "trajectories", "--method", "seqanon", "-p", "k=2", "-p", "m=1", "--out", "out")
    told = sfumato("--verbose", "anonymize", checkins, *method).stderr
    assert all(re.search(rf"^\d\d:\d\d:\d\d {step}", told, re.M) for step in ("read", "anonymise", "write", "verify"))
    told = sfumato("--verbose", "verify", "out", "--original", checkins).stderr
    assert "verify the published files" in told and "compare every record with its original" in told
    assert "measure" in sfumato("--verbose", "measure", "out", "--original", checkins).stderr


def test_measures_tell_how_many_are_done():
    data = sf.Dataset.of("sets", [["a", "b"], ["a", "b"], ["b"], ["b"]])
    result = sf.anonymize(data, sf.methods.Apriori(k=2, m=1), secret=bytes([1] * 32))
    seen = []
    with watch(lambda phase, done, total: seen.append((phase, done, total))):
        scores = sf.measure(result)
    counts = [(done, total) for phase, done, total in seen if phase == "measure"]
    assert counts == [(done, len(scores)) for done in range(len(scores) + 1)]


def test_nobody_watches_outside_of_a_block():
    report_progress("nothing", 1, 2)
    assert list(track("nothing", [1, 2])) == [1, 2]


def test_a_bar_without_an_end_shows_the_time_so_far():
    bars = Bars("read")
    bars("unpack", 0, 4)
    time.sleep(0.01)
    bars("unpack", 1, 4)
    main, step = bars._rows.tasks
    assert format_time_left(main).endswith("so far") and format_time_left(step) == "about 0:00 left"
    bars("inspect", 0, 0)
    assert [task.description for task in bars._rows.tasks] == ["unpack", "inspect"]
