"""Streams on disk: killed anywhere and resumed, they publish what an undisturbed stream publishes."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sfumato as sf
from sfumato.api import calls
from sfumato.cli.output import Quiet
from sfumato.cli.stream import publish_stream
from sfumato.data.secret import Secret
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError, SfumatoError
from sfumato.kinds.snapshots.folder import is_stream, read_folder, snapshot_folders
from sfumato.kinds.snapshots.stream import run as stream_run
from sfumato.kinds.snapshots.stream.writer import StreamFolder
from sfumato.kinds.snapshots.verify.faithful import verify_faithful
from sfumato.release import owner
from sfumato.release.folder import StagingFolder

OPTIONS = {"columns": {"qi": "age,sex"}, "sensitive": ("illness",)}
METHOD = sf.methods.Reposition(l=3, window=4)
SECRET = Secret(bytes([7] * 32))
HEADER = "time,age,sex,illness\n"


def lines(seed=0, snapshots=12, gap=None):
    rng = np.random.default_rng(seed)
    found = []
    for time_ in range(snapshots):
        at = time_ + (0 if gap is None or time_ < snapshots // 2 else gap)
        for _ in range(rng.integers(0, 25)):
            ill = min(int(rng.exponential(1.5 + time_ % 4)), 8)
            found.append(f"{at},{rng.integers(20, 60)},{'fm'[rng.integers(2)]},ill{ill}\n")
    return found


def write(path, rows, header=HEADER):
    path.write_text(header + "".join(rows))
    return path


def publish(data, out, method=METHOD, **more):
    return publish_stream(Quiet(), data, out, method, OPTIONS, **{"secret": SECRET, "report": False, **more})


def content(out):
    """All that is published, file by file, but for the compressed file that repeats the CSV."""
    return {
        str(path.relative_to(out / "release")): path.read_bytes()
        for path in (out / "release").rglob("*")
        if path.is_file() and path.suffix != ".parquet"
    }


def original_rows(out):
    return {path.name: path.read_bytes() for path in (out / "owner" / "rows").iterdir()}


class Killed(BaseException):
    """Nothing catches this."""


@pytest.fixture
def whole(tmp_path):
    data = write(tmp_path / "cases.csv", lines())
    publish(data, tmp_path / "whole")
    return data, tmp_path / "whole"


def test_a_stream_publishes_what_the_method_publishes_at_once(whole):
    data, out = whole
    original = sf.read(data, kind="snapshots", **OPTIONS)
    result = sf.anonymize(original, METHOD, secret=SECRET)
    release = read_folder(out)
    assert release.table.equals(result.release.table)
    assert release.extra_tables["sensitive"].table.equals(result.release.extra_tables["sensitive"].table)
    assert (release.records_in, release.suppressed_records) == (
        result.release.records_in,
        result.release.suppressed_records,
    )
    assert owner.read_rows(out).tolist() == result.owner_record.rows.tolist()
    assert verify_faithful(release, original, owner.read_rows(out)).holds


def test_every_snapshot_is_a_release_that_verifies(whole):
    _, out = whole
    folders = snapshot_folders(out)
    assert [int(folder.name) for folder in folders] == sorted(int(folder.name) for folder in folders)
    for folder in folders:
        assert calls.verify(folder).holds
    summary = json.loads((out / "release" / "stream.json").read_text())
    assert summary["finished"] and summary["snapshots"] == len(folders)
    assert summary["format_version"] == 3 and summary["method_note"] == METHOD.note(read_folder(out).guarantee) != ""
    assert {path.name for path in (out / "owner").iterdir()} == {"trace.json", "rows", "rows.parquet"}


@pytest.mark.parametrize("seed", range(4))
def test_killed_and_resumed_streams_publish_the_same(whole, tmp_path, monkeypatch, seed):
    data, undisturbed = whole
    rng = np.random.default_rng(seed)
    out = tmp_path / "broken"
    monkeypatch.setattr(stream_run, "_CHECKPOINT_SECONDS", -1.0 if seed % 2 else 0.02)
    monkeypatch.setattr(stream_run, "_PUBLISH_SECONDS", 0.01)
    rename, replace = Path.rename, Path.replace
    left = 0

    def dying(step):
        def act(self, target):
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            return step(self, target)

        return act

    monkeypatch.setattr(Path, "rename", dying(rename))
    monkeypatch.setattr(Path, "replace", dying(replace))
    resume, kills = None, 0
    for _ in range(60):
        left = int(rng.integers(2, 16))
        try:
            publish(data, out, resume=resume)
            break
        except Killed:
            kills += 1
            resume = "replay" if is_stream(out) else None
            known = {name: data for name, data in content(out).items() if name != "stream.json"} if resume else {}
            assert known.items() <= content(undisturbed).items()
    assert kills
    assert content(out) == content(undisturbed)
    assert original_rows(out) == original_rows(undisturbed)


def test_a_stream_goes_on_from_the_record_where_it_stopped(whole, tmp_path, monkeypatch):
    data, undisturbed = whole
    rows = data.read_text().splitlines(keepends=True)[1:]
    out = tmp_path / "broken"
    monkeypatch.setattr(stream_run, "_CHECKPOINT_SECONDS", -1.0)
    save, saved = StreamFolder.save, []

    def save_ten(self, checkpoint):
        save(self, checkpoint)
        saved.append(checkpoint.facts["rows"])
        if len(saved) == 6:
            raise Killed

    monkeypatch.setattr(StreamFolder, "save", save_ten)
    with pytest.raises(Killed):
        publish(data, out)
    publish(write(tmp_path / "rest.csv", rows[saved[-1] :]), out, resume="onwards")
    assert content(out) == content(undisturbed)
    assert original_rows(out) == original_rows(undisturbed)


def test_a_stream_that_is_being_published_is_not_taken_over(whole):
    data, out = whole
    summary = json.loads((out / "release" / "stream.json").read_text())
    (out / "release" / "stream.json").write_text(json.dumps({**summary, "finished": False}))
    other = StagingFolder(out, force=True)
    with pytest.raises(SfumatoError, match=f"process {os.getpid()} is publishing this stream"):
        publish(data, out, resume="replay")
    assert other.hidden.is_dir()
    other.close()


def test_a_stopped_stream_says_from_which_record_it_can_go_on(whole, tmp_path, monkeypatch, capsys):
    data, undisturbed = whole
    monkeypatch.setattr(stream_run, "_CHECKPOINT_SECONDS", -1.0)
    save, saved = StreamFolder.save, []

    def stop_after_some(self, checkpoint):
        if len(saved) == 5:
            raise KeyboardInterrupt
        save(self, checkpoint)
        saved.append(checkpoint.facts["rows"])

    monkeypatch.setattr(StreamFolder, "save", stop_after_some)
    with pytest.raises(SystemExit) as stopped:
        publish(data, tmp_path / "out")
    assert stopped.value.code == 130
    assert f"from record {saved[-1] + 1:,} of the input" in capsys.readouterr().err
    monkeypatch.setattr(StreamFolder, "save", save)
    rows = data.read_text().splitlines(keepends=True)[1:]
    publish(write(tmp_path / "rest.csv", rows[saved[-1] :]), tmp_path / "out", resume="onwards")
    assert content(tmp_path / "out") == content(undisturbed)


def test_a_stream_without_a_given_secret_is_resumed_with_its_own_secret(tmp_path, monkeypatch):
    data = write(tmp_path / "cases.csv", lines())
    out = tmp_path / "out"
    monkeypatch.setattr(stream_run, "_CHECKPOINT_SECONDS", -1.0)
    publish_pending, count = StreamFolder.publish_pending, []

    def publish_some(self):
        publish_pending(self)
        count.append(1)
        if len(count) == 8:
            raise Killed

    monkeypatch.setattr(StreamFolder, "publish_pending", publish_some)
    with pytest.raises(Killed):
        publish(data, out, secret=None)
    before = {name: data for name, data in content(out).items() if name != "stream.json"}
    monkeypatch.setattr(StreamFolder, "publish_pending", publish_pending)
    done = publish(data, out, secret=None, resume="replay")
    assert before and before.items() <= content(out).items()
    rows = np.concatenate([np.array(_rows(path)) for path in (out / "owner" / "rows").iterdir()])
    assert len(np.unique(rows)) == len(rows) == done["published"]


def _rows(path):
    import pyarrow.parquet as pq

    return pq.read_table(path).column("original_row").to_pylist()


def test_a_killed_process_leaves_whole_snapshots_and_can_be_resumed(tmp_path):
    """Killed for real, while its input keeps coming."""
    data = write(tmp_path / "cases.csv", lines(3, 20))
    publish(data, tmp_path / "whole")
    code = (
        "import sys, sfumato as sf; from pathlib import Path; from sfumato.cli.output import Quiet\n"
        "from sfumato.cli.stream import publish_stream\n"
        "method = sf.methods.Reposition(l=3, window=4)\n"
        "from sfumato.data.secret import Secret; secret = Secret(bytes([7] * 32))\n"
        f"publish_stream(Quiet(), Path('-'), Path(sys.argv[1]), method, {OPTIONS!r}, secret=secret)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "out")], stdin=subprocess.PIPE, env={**os.environ}
    )
    rows = data.read_text().splitlines(keepends=True)
    process.stdin.write("".join(rows[: len(rows) // 2]).encode())
    process.stdin.flush()
    for _ in range(600):
        if len(list((tmp_path / "out" / "release").glob("[0-9]*"))) >= 3 or process.poll() is not None:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdin.close()
    early = {name: data for name, data in content(tmp_path / "out").items() if name != "stream.json"}
    assert early and early.items() <= content(tmp_path / "whole").items()
    publish(data, tmp_path / "out", resume="replay")
    assert content(tmp_path / "out") == content(tmp_path / "whole")
    assert not list((tmp_path / "out").glob(".sfumato-*"))


def test_standard_input_is_read_as_it_comes(whole, tmp_path, monkeypatch):
    data, undisturbed = whole
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data.read_bytes()))))
    publish(Path("-"), tmp_path / "out")
    assert content(tmp_path / "out") == content(undisturbed)


def test_a_feed_is_reported_on_and_leaves_no_records_behind(whole, tmp_path, monkeypatch):
    data, undisturbed = whole
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data.read_bytes()))))
    done = publish(Path("-"), tmp_path / "out", report=True)
    page = (tmp_path / "out" / "owner" / "report.html").read_text()
    assert done["report"] and "Late and missing records" in page
    assert not (tmp_path / "out" / "owner" / "records").exists()
    assert content(tmp_path / "out") == content(undisturbed)


def test_a_killed_feed_keeps_the_records_that_were_taken_for_its_report(whole, tmp_path, monkeypatch):
    data, _ = whole
    monkeypatch.setattr(stream_run, "_CHECKPOINT_SECONDS", -1.0)
    save, count = StreamFolder.save, []

    def save_some(self, checkpoint):
        save(self, checkpoint)
        count.append(1)
        if len(count) == 6:
            raise Killed

    monkeypatch.setattr(StreamFolder, "save", save_some)
    with pytest.raises(Killed):
        publish(data, tmp_path / "out", report=True)
    assert list((tmp_path / "out" / "owner" / "records").iterdir())
    monkeypatch.setattr(StreamFolder, "save", save)
    assert publish(data, tmp_path / "out", report=True, resume="replay")["report"]


def test_a_stream_ends_with_one_table_that_equals_its_snapshots(whole):
    _, out = whole
    summary = json.loads((out / "release" / "stream.json").read_text())
    assert summary["combined"] == ["data.parquet", "data.csv", "sensitive.csv"]
    texts = [(folder / "data.csv").read_text().splitlines() for folder in snapshot_folders(out)]
    joined = (out / "release" / "data.csv").read_text().splitlines()
    assert joined == [texts[0][0], *(line for text in texts for line in text[1:])]
    assert calls.verify(out).holds


@pytest.mark.parametrize("name", ["data.csv", "sensitive.csv", "data.parquet"])
@pytest.mark.parametrize("damage", ["changed", "longer", "removed"])
def test_a_combined_table_that_differs_from_the_snapshots_is_found(whole, name, damage):
    import pyarrow as pa
    import pyarrow.parquet as pq

    _, out = whole
    file = out / "release" / name
    if damage == "removed":
        file.unlink()
    elif name == "data.parquet":
        table = pq.read_table(file)
        pq.write_table(pa.concat_tables([table, table.slice(0, 1)]) if damage == "longer" else table.slice(1), file)
    else:
        lines_ = file.read_text().splitlines(keepends=True)
        lines_ = lines_ + lines_[-1:] if damage == "longer" else [*lines_[:-2], lines_[-1], lines_[-2]]
        file.write_text("".join(lines_))
    if damage == "removed":
        with pytest.raises(SchemaError, match=f"{name}: the file is missing"):
            calls.verify(out)
        return
    verdict = calls.verify(out)
    assert not verdict.holds
    assert name in verdict.counterexample["files"]


def test_a_combined_table_that_is_not_declared_is_found(whole):
    _, out = whole
    summary = json.loads((out / "release" / "stream.json").read_text())
    (out / "release" / "stream.json").write_text(json.dumps({**summary, "combined": ["data.csv", "sensitive.csv"]}))
    assert not calls.verify(out).holds


def test_a_feed_that_withholds_too_much_says_so(tmp_path, capsys):
    """It cannot be taken back; a file is refused before anything is published."""
    from sfumato.cli.output import Output

    data = write(
        tmp_path / "cases.csv", [f"{day},30,f,{'flu' if i < 9 else 'cold'}\n" for day in (1, 2) for i in range(12)]
    )
    method = sf.methods.Reposition(l=2, window=1)
    done = publish_stream(Output(as_json=False), data, tmp_path / "out", method, OPTIONS, report=False)
    assert done["withholds_too_much"] and done["withheld"] == 12
    assert "WARNING: 12 of 24 records are suppressed, 50 % (suppressed: 12)" in " ".join(
        capsys.readouterr().out.split()
    )
    assert not publish(data, tmp_path / "more", method, max_suppressed_records=0.5)["withholds_too_much"]
    with pytest.raises(ParameterError, match="max_suppressed_records= must be a share"):
        publish(data, tmp_path / "wrong", method, max_suppressed_records=2)


HIDDEN = sf.methods.Reposition(l=2, window=4, delays="hidden")


@pytest.mark.parametrize("seed", range(2))
def test_hidden_delays_are_resumed_where_they_stopped(whole, tmp_path, monkeypatch, seed):
    data, _ = whole
    publish(data, tmp_path / "whole-hidden", HIDDEN)
    monkeypatch.setattr(stream_run, "_CHECKPOINT_SECONDS", -1.0)
    save, count = StreamFolder.save, []

    def save_some(self, checkpoint):
        save(self, checkpoint)
        count.append(1)
        if len(count) % (4 + seed) == 0:
            raise Killed

    monkeypatch.setattr(StreamFolder, "save", save_some)
    resume = None
    for _ in range(20):
        try:
            publish(data, tmp_path / "out", HIDDEN, resume=resume)
            break
        except Killed:
            resume = "replay"
    assert len(count) > 4
    assert content(tmp_path / "out") == content(tmp_path / "whole-hidden")


@pytest.mark.parametrize("block", [100, 1000])
def test_batches_do_not_matter(whole, tmp_path, monkeypatch, block):
    data, undisturbed = whole
    monkeypatch.setattr("sfumato.kinds.snapshots.reader.batches._BLOCK", block)
    publish(data, tmp_path / "out")
    assert content(tmp_path / "out") == content(undisturbed)


def test_parquet_and_json_lines_are_streams_too(whole, tmp_path):
    from sfumato.exports import write_table
    from sfumato.readers.tables import read_table

    data, undisturbed = whole
    for name in ("cases.parquet", "cases.jsonl"):
        write_table(read_table(data), tmp_path / name)
        publish(tmp_path / name, tmp_path / name.replace(".", "-"))
        assert content(tmp_path / name.replace(".", "-")) == content(undisturbed)


def test_long_gaps_cost_nothing(tmp_path):
    data = write(tmp_path / "cases.csv", lines(1, 12, gap=10**12))
    publish(data, tmp_path / "out")
    assert max(int(folder.name) for folder in snapshot_folders(tmp_path / "out")) > 10**12


def test_an_existing_stream_is_not_replaced_without_force(whole):
    data, out = whole
    with pytest.raises(SfumatoError, match="force=True"):
        publish(data, out)
    with pytest.raises(SfumatoError, match="is finished"):
        publish(data, out, resume="replay")
    publish(data, out, force=True)


def test_what_cannot_be_resumed_says_why(whole, tmp_path, monkeypatch):
    data, _ = whole
    with pytest.raises(SfumatoError, match="no stream to resume"):
        publish(data, tmp_path / "nothing", resume="replay")
    with pytest.raises(ParameterError, match="must be one of"):
        publish(data, tmp_path / "nothing", resume="yes")
    monkeypatch.setattr(stream_run, "_CHECKPOINT_SECONDS", -1.0)
    save, count = StreamFolder.save, []

    def save_some(self, checkpoint):
        save(self, checkpoint)
        count.append(1)
        if len(count) == 6:
            raise Killed

    monkeypatch.setattr(StreamFolder, "save", save_some)
    with pytest.raises(Killed):
        publish(data, tmp_path / "out")
    monkeypatch.setattr(StreamFolder, "save", save)
    with pytest.raises(ParameterError, match="other parameters"):
        publish(data, tmp_path / "out", method=sf.methods.Reposition(l=2, window=4), resume="replay")
    with pytest.raises(SchemaError, match="does not begin with"):
        publish(write(tmp_path / "other.csv", lines(9)), tmp_path / "out", resume="replay")
    with pytest.raises(SchemaError, match="other columns"):
        other = write(tmp_path / "columns.csv", lines(), "time,age,gender,illness\n")
        publish_stream(
            Quiet(), other, tmp_path / "out", METHOD, {**OPTIONS, "columns": {"qi": "age,gender"}}, resume="replay"
        )
    (tmp_path / "out" / "owner" / "checkpoint.npz").write_bytes(b"nonsense")
    with pytest.raises(SchemaError, match="checkpoint is damaged"):
        publish(data, tmp_path / "out", resume="replay")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("time,age,sex,illness\n", "there are no rows"),
        ("time,age,illness\n1,2,flu\n", "no column 'sex'"),
        ("time,age,sex,illness\n1,2,f,flu\nx,2,f,flu\n", "row 2"),
        ("time,age,sex,illness\n1,,f,flu\n", "empty cells"),
        ("time,age,sex,illness\n1.5,3,f,flu\n", "whole numbers"),
        ("time,age,sex,illness,name\n1,3,f,flu,bob\n", "'name'"),
    ],
)
def test_bad_input_changes_nothing_on_disk(tmp_path, text, message):
    (tmp_path / "cases.csv").write_text(text)
    with pytest.raises(SchemaError, match=message) as error:
        publish(tmp_path / "cases.csv", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert "bob" not in str(error.value) and "flu" not in str(error.value)


def test_nothing_publishable_is_an_answer(tmp_path):
    data = write(tmp_path / "cases.csv", [f"{time},30,f,flu\n" for time in range(9)])
    with pytest.raises(InfeasibleError, match="no snapshot can be published"):
        publish(data, tmp_path / "out")
    assert not (tmp_path / "out" / "release").exists()


def test_a_stream_has_a_page_for_its_receiver_that_is_compared_byte_by_byte(tmp_path):
    publish(write(tmp_path / "cases.csv", lines()), tmp_path / "out")
    page = tmp_path / "out" / "release" / "README.md"
    text = page.read_text()
    assert "`stream.json`" in text and "`data.parquet`" in text and "a folder for every snapshot" in text
    named = {row.split("`")[1] for row in text.split("## The columns")[0].splitlines() if row.startswith("| `")}
    lies = {entry.name for entry in (tmp_path / "out" / "release").iterdir() if entry.is_file()}
    assert lies == named - {"<time>/"}
    assert sf.verify(tmp_path / "out").outcome == "holds"
    page.write_text(text.replace("It is", "Ann is here. It is", 1) + "\n")
    assert sf.verify(tmp_path / "out").outcome == "undeclared"
    page.unlink()
    with pytest.raises(SchemaError):
        sf.verify(tmp_path / "out")


def test_a_stream_does_not_publish_names_of_people_as_they_are(tmp_path):
    rows = [f"{time_},{20 + n},f,ill{n % 4},p{time_}x{n}@example.org\n" for time_ in range(6) for n in range(9)]
    data = write(tmp_path / "cases.csv", rows, "time,age,sex,illness,contact\n")
    options = {"columns": {"qi": "age,sex", "plain": "contact"}, "sensitive": ("illness",)}
    with pytest.raises(ParameterError, match=r"contact.*e-mail"):
        publish_stream(Quiet(), data, tmp_path / "out", METHOD, options, secret=SECRET, report=False)
    assert not (tmp_path / "out").exists()
    anyway = options | {"plain_anyway": ("contact",)}
    publish_stream(Quiet(), data, tmp_path / "out", METHOD, anyway, secret=SECRET, report=False)
    assert is_stream(tmp_path / "out")
