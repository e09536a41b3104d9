"""A release appears whole or not at all."""

import stat
import subprocess
import sys
import textwrap

import pytest

from sfumato.core.errors import SfumatoError
from sfumato.io.stage import staged


def publish(out, text="{}", **options):
    with staged(out, **options) as stage:
        (stage.release / "release.json").write_text(text)
        (stage.owner / "trace.json").write_text("{}")
        stage.commit()


def test_both_parts_appear_and_nothing_else(tmp_path):
    publish(tmp_path / "a" / "out")
    assert sorted(p.name for p in (tmp_path / "a" / "out").iterdir()) == ["owner", "release"]


def test_the_owners_part_is_readable_by_its_owner_only(tmp_path):
    publish(tmp_path / "out")
    assert stat.S_IMODE((tmp_path / "out" / "owner").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out" / "owner" / "trace.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_fault_leaves_the_disk_as_it_was(tmp_path, fault):
    with pytest.raises(fault), staged(tmp_path / "new" / "out") as stage:
        (stage.release / "data.csv").write_text("half")
        raise fault
    assert list(tmp_path.iterdir()) == []


def test_without_commit_nothing_appears(tmp_path):
    with staged(tmp_path / "out") as stage:
        (stage.release / "data.csv").write_text("half")
    assert not (tmp_path / "out").exists()


def test_a_release_is_not_replaced_unless_forced(tmp_path):
    publish(tmp_path / "out", "old")
    with pytest.raises(SfumatoError, match="--force"):
        publish(tmp_path / "out", "new")
    assert (tmp_path / "out" / "release" / "release.json").read_text() == "old"
    publish(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out" / "release" / "release.json").read_text() == "new"
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["owner", "release"]


def test_a_failed_replacement_keeps_the_old_release(tmp_path):
    publish(tmp_path / "out", "old")
    with pytest.raises(ValueError, match="fault"), staged(tmp_path / "out", force=True):
        raise ValueError("fault")
    assert (tmp_path / "out" / "release" / "release.json").read_text() == "old"


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(SfumatoError, match="is a file"):
        publish(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_other_files_in_the_directory_stay(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with staged(tmp_path):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_killed_run_leaves_nothing_that_looks_finished_and_the_next_run_sweeps(tmp_path):
    program = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from sfumato.io.stage import staged
        with staged(Path(sys.argv[1])) as stage:
            (stage.release / "data.csv").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "out")], check=False)
    left = [p.name for p in (tmp_path / "out").iterdir()]
    assert all(name.startswith(".sfumato-") for name in left)
    publish(tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["owner", "release"]
