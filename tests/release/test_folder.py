"""A release appears whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sfumato.exceptions import SfumatoError
from sfumato.release.exchange import can_exchange, exchange
from sfumato.release.folder import open_staging


def publish(out, text="{}", **options):
    with open_staging(out, **options) as staging:
        (staging.release / "release.json").write_text(text)
        (staging.owner / "trace.json").write_text("{}")
        staging.commit()


def test_both_parts_appear_and_nothing_else(tmp_path):
    publish(tmp_path / "a" / "out")
    assert sorted(p.name for p in (tmp_path / "a" / "out").iterdir()) == ["owner", "release"]


def test_the_owners_part_is_readable_by_its_owner_only(tmp_path):
    publish(tmp_path / "out")
    assert stat.S_IMODE((tmp_path / "out" / "owner").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out" / "owner" / "trace.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_fault_leaves_the_disk_as_it_was(tmp_path, fault):
    with pytest.raises(fault), open_staging(tmp_path / "new" / "out") as staging:
        (staging.release / "data.csv").write_text("half")
        raise fault
    assert list(tmp_path.iterdir()) == []


def test_without_commit_nothing_appears(tmp_path):
    with open_staging(tmp_path / "out") as staging:
        (staging.release / "data.csv").write_text("half")
    assert not (tmp_path / "out").exists()


def test_a_release_is_not_replaced_unless_forced(tmp_path):
    publish(tmp_path / "out", "old")
    with pytest.raises(SfumatoError, match="force=True"):
        publish(tmp_path / "out", "new")
    assert (tmp_path / "out" / "release" / "release.json").read_text() == "old"
    publish(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out" / "release" / "release.json").read_text() == "new"
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["owner", "release"]


def test_a_failed_replacement_keeps_the_old_release(tmp_path):
    publish(tmp_path / "out", "old")
    with pytest.raises(ValueError, match="fault"), open_staging(tmp_path / "out", force=True):
        raise ValueError("fault")
    assert (tmp_path / "out" / "release" / "release.json").read_text() == "old"


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(SfumatoError, match="is a file"):
        publish(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_other_files_in_the_directory_stay(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with open_staging(tmp_path):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_killed_run_leaves_nothing_that_looks_finished_and_the_next_run_sweeps(tmp_path):
    program = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from sfumato.release.folder import open_staging
        with open_staging(Path(sys.argv[1])) as stage:
            (stage.release / "data.csv").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "out")], check=False)
    left = [p.name for p in (tmp_path / "out").iterdir()]
    assert all(name.startswith(".sfumato-") for name in left)
    publish(tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["owner", "release"]


def pair(out):
    """What stands in both parts: the same text, or nothing at all."""
    found = [
        (out / part / name).read_text() if (out / part).exists() else None
        for part, name in (("release", "release.json"), ("owner", "trace.json"))
    ]
    return found[0] if found[0] == found[1] else tuple(found)


def publish_pair(out, text, **options):
    with open_staging(out, **options) as staging:
        (staging.release / "release.json").write_text(text)
        (staging.owner / "trace.json").write_text(text)
        staging.commit()


def killed_at(line, action):
    """Run an action in a process that is killed at the n-th line of code of the folder; False if it ended."""
    child = os.fork()
    if not child:
        left = line

        def count(frame, event, _):
            nonlocal left
            if not frame.f_code.co_filename.endswith(("release/folder.py", "release/exchange.py")):
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return count

        sys.settrace(count)
        action()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.slow
@pytest.mark.parametrize("exchanging", [True, False])
@pytest.mark.parametrize("replacing", [True, False])
def test_killed_at_any_line_both_parts_are_old_or_both_are_new(tmp_path, monkeypatch, exchanging, replacing):
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # a killed process loses nothing that it has written
    if not exchanging:
        monkeypatch.setattr("sfumato.release.folder.can_exchange", lambda folder: False)
    before = "old" if replacing else None
    seen = []
    for line in range(1, 2000, 1 if exchanging and replacing else 5):
        out = tmp_path / str(line)
        out.mkdir()
        (out / "notes.txt").write_text("mine")
        if replacing:
            publish_pair(out, "old")
        if not killed_at(line, lambda out=out: publish_pair(out, "new", force=replacing)):
            break
        found = pair(out)
        if exchanging:
            assert found in (before, "new"), line
        else:
            assert found == "new" or (out / "release").exists() is False or found == before, line
        seen.append(found)
        with open_staging(out, force=True):  # the next run finishes or undoes what was left
            pass
        assert pair(out) == (found if exchanging or found == "new" else before), line
        assert sorted(p.name for p in out.iterdir()) == (["notes.txt"] if pair(out) is None else ALL), line
        assert not any(p.is_symlink() for p in out.iterdir())
    else:
        pytest.fail("the action never came to its end")
    assert len(seen) > 20 and {before, "new"} <= set(seen)
    assert pair(out) == "new" and sorted(p.name for p in out.iterdir()) == ALL


ALL = ["notes.txt", "owner", "release"]


def test_an_error_while_names_change_keeps_the_old_pair(tmp_path, monkeypatch):
    publish_pair(tmp_path, "old")
    calls = []

    def fail_late(one, two):
        calls.append(one)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        exchange(one, two)

    monkeypatch.setattr("sfumato.release.folder.exchange", fail_late)
    with pytest.raises(OSError, match="Input/output"):
        publish_pair(tmp_path, "new", force=True)
    assert pair(tmp_path) == "old" and sorted(p.name for p in tmp_path.iterdir()) == ["owner", "release"]


def test_what_is_not_ours_is_not_replaced_even_by_force(tmp_path):
    (tmp_path / "owner").mkdir()
    (tmp_path / "owner" / "diary.txt").write_text("mine")
    with pytest.raises(SfumatoError, match="force=True"):
        publish(tmp_path)
    with pytest.raises(SfumatoError, match="not of a Sfumato release"):
        publish(tmp_path, force=True)
    assert (tmp_path / "owner" / "diary.txt").read_text() == "mine"


def test_the_directory_may_be_the_current_one_or_a_link(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path / "real")
    for text, out in (("1", Path()), ("2", tmp_path / "link"), ("3", Path("../link"))):
        publish_pair(out, text, force=True)
        assert pair(tmp_path / "real") == text
    assert Path.cwd() == tmp_path / "real"


def test_a_run_that_is_alive_is_not_swept(tmp_path):
    with open_staging(tmp_path) as first:
        (first.release / "release.json").write_text("half")
        publish_pair(tmp_path, "other")
        assert (first.release / "release.json").read_text() == "half"
        with pytest.raises(SfumatoError, match="already holds"):
            first.commit()
    assert pair(tmp_path) == "other" and sorted(p.name for p in tmp_path.iterdir()) == ["owner", "release"]


def test_a_stop_that_comes_while_names_change_waits(tmp_path, monkeypatch):
    def stop(folder):
        os.kill(os.getpid(), signal.SIGINT)
        return can_exchange(folder)

    monkeypatch.setattr("sfumato.release.folder.can_exchange", stop)
    # Whoever runs the tests in the background may have told them not to listen.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        publish_pair(tmp_path, "new")
        assert pair(tmp_path) == "new"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
