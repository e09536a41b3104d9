"""Give the command line damaged files and look at how it ends: done, broken, refused with a sentence, never otherwise.

``python tests/cli/fuzzing.py --cases 10000`` damages data files of every kind, hierarchies, policies and releases,
runs a command on each, and expects an exit code of 0, 1, 2, 3 or 130. Cases run in forked processes whose memory is
limited to what small files are allowed to unpack to, a few times over. A case that ends otherwise is kept with its
files and the words of its command.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import copy
import gzip
import io
import json
import lzma
import os
import random
import resource
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from sfumato.cli import run
from sfumato.formats.limits import ALWAYS

EXPECTED = {0, 1, 2, 3, 130}
MEMORY = 16 * ALWAYS
"""Bytes that a case may take for its data, the libraries' own included."""
BATCH = 100

JUNK_BYTES = [
    *(b"\x00", b"\x1b[2J", b"\x07", b"\xff\xfe", b"\xef\xbf\xbe", b'"', b"'", b"\n", b"\r", b",", b";", b"\t", b"\\"),
    *(b"nan", b"inf", b"-1", b"1e999", b"9" * 40, b"0x1", b"NULL", b"*", b"{a|b}", b"[1..2]", b"=cmd|' /C calc'!A0"),
    *(
        b"2024-02-30",
        b"0000-00-00T99:99:99",
        b"99999-01-01",
        b"1970-01-01",
        b"[" * 300,
        b'{"a":' * 300,
        b"\xf0\x9f\x98",
    ),
    *("\u202e".encode(), "é".encode(), "é".encode("latin-1"), b"a" * 5000, b"", b" ", b"[red]", b"</script>", b"%s%n"),
]
JUNK_VALUES = [
    *(None, True, False, 0, -1, 1.5, 10**30, -(10**30), 1e308, "", "x", "\x1b[2J", "\ud800", "../../etc", "a" * 5000),
    *([], {}, [[]], [None], {"": None}, [1, "a"], {"name": "km-anonymity"}, "category", "exact", "history"),
]


def _deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def damage_bytes(rng: random.Random, data: bytes) -> bytes:
    """Change a few bytes, cells or lines."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if rng.random() < 0.5:
            data = _damage_cells(rng, data)
            continue
        at, to = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        to = min(to, at + rng.choice((1, 4, 64, 4096)))
        junk = rng.choice(JUNK_BYTES)
        data = rng.choice(
            (
                lambda data=data, at=at, to=to: data[:at] + data[to:],
                lambda data=data, at=at, to=to: data[:to] + data[at:to] * rng.choice((1, 3)) + data[to:],
                lambda data=data, at=at, junk=junk: data[:at] + junk + data[at:],
                lambda data=data, at=at, to=to, junk=junk: data[:at] + junk + data[to:],
                lambda data=data, at=at: data[:at],
                lambda data=data: _damage_cells(rng, data),
                lambda data=data: _damage_lines(rng, data),
                lambda data=data, at=at: data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
            )
        )()
    return data


def _damage_cells(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    number = rng.randrange(len(lines))
    cells = lines[number].split(b",")
    cells[rng.randrange(len(cells))] = rng.choice(JUNK_BYTES)
    lines[number] = b",".join(cells)
    return b"\n".join(lines)


def _damage_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[two] = lines[two], rng.choice((lines[one], lines[two], b""))
    return b"\n".join(lines)


def damage_json(rng: random.Random, data: bytes) -> bytes:
    """Change values and names of a JSON text, or its bytes."""
    if rng.random() < 0.25:
        return damage_bytes(rng, data)
    value = copy.deepcopy(json.loads(data))
    for _ in range(rng.choice((1, 1, 2))):
        where = rng.choice(list(_containers(value)))
        names = list(where) if isinstance(where, dict) else list(range(len(where)))
        if not names:
            continue
        name = rng.choice(names)
        action = rng.random()
        if action < 0.2:
            del where[name]
        elif action < 0.3:
            where[name] = _deep(rng.choice((10, 100, 3000)))
        else:
            where[name] = rng.choice(JUNK_VALUES)
    try:
        return json.dumps(value).encode("utf-8", "surrogatepass")
    except RecursionError:
        return b"[" * 20_000


def _containers(value):
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)


def damage_parquet(rng: random.Random, table: pa.Table) -> bytes:
    """Write a table with a column of another type, or damage the file."""
    if rng.random() < 0.6:
        at, size = rng.randrange(table.num_columns), table.num_rows
        column = rng.choice(
            (
                lambda: pa.nulls(size),
                lambda: pa.array([b"\xff\x00"] * size),
                lambda: pa.array([[1, None]] * size),
                lambda: pa.array([{"a": 1}] * size),
                lambda: pa.array([1.5, float("nan")] * (size // 2) + [1.0] * (size % 2)),
                lambda: pa.array([2**62] * size),
                lambda: pa.array(["\x1b[2J"] * size).dictionary_encode(),
                lambda: pa.array([0] * size, pa.timestamp("ns", "UTC")),
                lambda: pa.array([-(2**40)] * size, pa.timestamp("us")),
                lambda: pa.array([0] * size, pa.duration("s")),
                lambda: pa.array([0] * size, pa.date32()),
                lambda: pa.array([None] * size, pa.decimal128(10, 2)),
                lambda: pa.array([True] * size),
            )
        )()
        table = table.set_column(at, rng.choice((table.column_names[at], "", "person")), column)
    sink = io.BytesIO()
    pq.write_table(table, sink)
    data = sink.getvalue()
    return damage_bytes(rng, data) if rng.random() < 0.5 else data


class Cases:
    """Sound files of every kind, from which damaged ones are made."""

    def __init__(self, folder: Path) -> None:
        self.data: dict[str, bytes] = {}
        self.options: dict[str, list[str]] = {
            "snapshots": ["--column", "qi=age,sex", "--sensitive", "condition", "--drop", "area"],
            "sequences": ["--monitored", "*"],
            "table": [
                *("--identifier", "person", "--quasi", "age,sex,zip,education", "--sensitive", "diagnosis,income"),
                *("--drop", "*", "--hierarchy", "zip=mask", "--hierarchy", "age=width:4"),
            ],
        }
        sizes = {"trajectories": 12, "sequences": 4, "sets": 12, "activity": 3, "timeline": 20, "snapshots": 60} | {
            "table": 30
        }
        for kind, size in sizes.items():
            file = folder / f"{kind}.csv"
            assert run(["generate", kind, "--size", str(size), "--seed", "1", "--out", str(file)]) == 0
            self.data[kind] = b"\n".join(file.read_bytes().split(b"\n")[:120]) + b"\n"
        self.data["slots"] = b"person,t1,t2,t3\na,x,y,z\nb,x,,z\n"
        self.data["episodes"] = b"person,start,end,activity\na,0,5,x\nb,1,9,y\n"
        self.data["baskets"] = b"1 2 3\n2 3\n1 4\n"
        self.kind_of = {"slots": "activity", "episodes": "activity", "baskets": "sets"}
        self.people = b"name,age,sex,born\na,3,f,2024-02-29\nb,,m,1999-12-31\nc,10,f,\n"
        self.hierarchies = [
            b"child,parent\na,A\nb,A\nc,B\nA,*\nB,*\n",
            b"a;A;*\nb;A;*\nc;B;*\n",
            b"*\n\tA\n\t\ta\n\t\tb\n\tB\n\t\tc\n",
            b"distinct\nname codes\ntype string\nheight 3\n\nA has a b\n\nB has c\n\nALL has A B\n",
            b"range\nname age\ntype int\nheight 2\n\n0,10 has 0,4 5,10\n",
        ]
        self.items = b"person,item\n" + b"".join(b"p%d,%s\n" % (i, b"abc"[i % 3 : i % 3 + 1]) for i in range(9))
        self.policy = (
            b'[data]\npath = "data.csv"\nkind = "sets"\n\n[method]\nname = "disassociation"\nk = 2\nm = 1\n\n'
            b'[release]\nout = "out"\nreport = false\n'
        )
        self.releases = [
            self._publish(folder, kind) for kind in ("sets", "trajectories", "snapshots", "sequences", "table")
        ]
        self._warm_up(folder)

    def _warm_up(self, folder: Path) -> None:
        """Run every command once, so that forked processes need not import anything; sound files end with code 0."""
        for name, data in self.data.items():
            kind = self.kind_of.get(name, name)
            file = folder / f"{name}-warm.{'dat' if name == 'baskets' else 'csv'}"
            file.write_bytes(data)
            assert run(["inspect", str(file), "--kind", kind, *self.options.get(kind, [])]) == 0, name
        (folder / "data.csv").write_bytes(self.items)
        (folder / "policy.toml").write_bytes(self.policy)
        assert run(["run", str(folder / "policy.toml")]) == 0, "policy"
        for out in self.releases:
            assert run(["verify", str(out), "--original", str(folder / f"{out.name[:-4]}-sound.csv")]) == 0, out.name

    def _publish(self, folder: Path, kind: str) -> Path:
        methods = {
            "sets": ["disassociation", "-p", "k=2", "-p", "m=1"],
            "trajectories": ["seqanon", "-p", "k=2", "-p", "m=1", "-p", "infeasible=suppress"],
            "snapshots": ["reposition", "-p", "l=2", "-p", "window=6", "--max-suppressed-records", "1"],
            "sequences": ["hl", "-p", "k=2"],
            "table": ["mondrian", "-p", "k=2"],
        }
        file, out = folder / f"{kind}-sound.csv", folder / f"{kind}-out"
        file.write_bytes(self.data[kind])
        words = ["anonymize", str(file), "--kind", kind, "--method", *methods[kind], *self.options.get(kind, [])]
        assert run([*words, "--no-report", "--out", str(out)]) == 0, kind
        return out

    def make(self, rng: random.Random, folder: Path) -> list[str]:
        """Write the files of one case and return the words of its command."""
        what = rng.choice(
            (self._data, self._data, self._table, self._hierarchy, self._policy, self._release, self._release)
        )
        return what(rng, folder)

    def _data(self, rng: random.Random, folder: Path) -> list[str]:
        name = rng.choice(list(self.data))
        kind = self.kind_of.get(name, name)
        data, suffix = self.data[name], "csv" if name != "baskets" else "dat"
        shape = rng.choice(("csv", "csv", "csv", "gz", "xz", "jsonl", "parquet"))
        if shape in {"jsonl", "parquet"} and suffix == "csv":
            table = pa_csv.read_csv(io.BytesIO(data))
            if shape == "parquet":
                data, suffix = damage_parquet(rng, table), "parquet"
            else:
                lines = [json.dumps(row, default=str).encode() for row in table.to_pylist()]
                number = rng.randrange(len(lines))
                lines[number] = damage_json(rng, lines[number])
                data, suffix = b"\n".join(lines), "jsonl"
        else:
            data = damage_bytes(rng, data)
            if shape in {"gz", "xz"}:
                data = (gzip if shape == "gz" else lzma).compress(data)
                data = damage_bytes(rng, data) if rng.random() < 0.5 else data
                suffix = f"{suffix}.{shape}"
        file = folder / f"data.{suffix}"
        file.write_bytes(data)
        given = list(self.options.get(kind, []))
        if rng.random() < 0.2:
            extra = [
                ["--header", "person,time,place"],
                ["--delimiter", ";"],
                ["--encoding", "latin-1"],
                ["--drop", "*"],
            ]
            given += rng.choice(extra)
        return ["inspect", str(file), "--kind", kind, *given]

    def _table(self, rng: random.Random, folder: Path) -> list[str]:
        """Damage a table, its population or its hierarchy, or what is said of its columns."""
        parts = [("data.csv", self.people), ("town.csv", self.people), ("hierarchy.csv", rng.choice(self.hierarchies))]
        hurt = rng.randrange(5)
        for at, (name, data) in enumerate(parts):
            (folder / name).write_bytes(damage_bytes(rng, data) if at == hurt else data)
        said = [
            *(
                "--identifier=name",
                "--quasi=age,sex,born",
                "--scale=age=numeric",
                "--scale=sex=m<f",
                "--scale=born=date",
            ),
            *(f"--population={folder / 'town.csv'}", f"--hierarchy=age={folder / 'hierarchy.csv'}", "--empty=?"),
            *("--hierarchy=born=calendar", "--hierarchy=sex=mask:right", "--missing=error", "--owner-column=name"),
        ]
        chosen = [*said[:2], *(word for word in said[2:] if rng.random() < 0.3)]
        if hurt > 2:
            at = rng.randrange(len(chosen))
            name, _, value = chosen[at].partition("=")
            junk = damage_bytes(rng, value.encode()).decode(errors="replace").replace("\0", "")
            chosen[at] = f"{name}={junk}"
        return ["inspect", str(folder / "data.csv"), "--kind", "table", *chosen]

    def _hierarchy(self, rng: random.Random, folder: Path) -> list[str]:
        (folder / "data.csv").write_bytes(self.items)
        file = folder / "hierarchy.csv"
        file.write_bytes(damage_bytes(rng, rng.choice(self.hierarchies)))
        return ["inspect", str(folder / "data.csv"), "--kind", "sets", "--hierarchy", f"item={file}"]

    def _policy(self, rng: random.Random, folder: Path) -> list[str]:
        (folder / "data.csv").write_bytes(self.items)
        file = folder / "policy.toml"
        text = damage_bytes(rng, self.policy)
        if rng.random() < 0.1:
            text += rng.choice(
                (b"x = " + b"[" * 5000, b"[a" + b".a" * 3000 + b"]\n", b"x = " + b"{a=" * 2000, b"d=9999-99-99")
            )
        # Whatever the damage says, it is written inside of the case's folder.
        file.write_bytes(text.replace(b"/", b"_"))
        return ["run", str(file)]

    def _release(self, rng: random.Random, folder: Path) -> list[str]:
        out = folder / "out"
        shutil.copytree(rng.choice(self.releases), out)
        part = "owner" if rng.random() < 0.15 else "release"
        files = sorted(path for path in (out / part).iterdir() if path.is_file())
        file = rng.choice([*files, *(path for path in files if path.suffix == ".json")])
        if file.suffix == ".json":
            data = damage_json(rng, file.read_bytes())
        elif file.suffix == ".parquet" and rng.random() < 0.6:
            data = damage_parquet(rng, pq.read_table(file))
        else:
            data = damage_bytes(rng, file.read_bytes())
        file.write_bytes(data)
        if part == "owner":
            kind = out.parent and json.loads((out / "release" / "release.json").read_text())["kind"]
            (folder / "data.csv").write_bytes(self.data[kind])
            return ["verify", str(out), "--original", str(folder / "data.csv")]
        return ["verify", str(out), *["--json"] * (rng.random() < 0.3)]


def _run_batch(cases: Cases, seeds: list[int], folder: Path, report: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    silent = os.open(os.environ.get("FUZZ_LOG", os.devnull), os.O_RDWR | os.O_CREAT | os.O_APPEND)
    for handle in (0, 1, 2):
        os.dup2(silent, handle)
    sys.stdout, sys.stderr = (open(handle, "w", 1, errors="backslashreplace", closefd=False) for handle in (1, 2))  # noqa: SIM115
    warnings.simplefilter("ignore")
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        try:
            words = cases.make(random.Random(seed), place)
        except Exception:  # no such file can be written
            words = ["methods"]
        (place / "words.json").write_text(json.dumps(words))
        code = run(words)
        os.write(report, f"{seed} {code}\n".encode())
        if code in EXPECTED:
            shutil.rmtree(place)


def fuzz(count: int, seed: int, folder: Path, keep: Path | None = None) -> tuple[collections.Counter, list[str], int]:
    """Run so many cases; return how often each exit code came, what ended otherwise, and the largest memory taken."""
    import sfumato.api.calls  # noqa: F401

    with contextlib.redirect_stdout(io.StringIO()):
        cases = Cases(folder)
    codes: collections.Counter = collections.Counter()
    faults: list[str] = []
    largest = told = 0
    seeds = list(range(seed, seed + count))
    while seeds:
        batch, seeds = seeds[:BATCH], seeds[BATCH:]
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            with contextlib.suppress(BaseException):
                _run_batch(cases, batch, folder, writing)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as lines:
            done = [tuple(map(int, line.split())) for line in lines]
        _, status, usage = os.wait4(child, 0)
        largest = max(largest, usage.ru_maxrss * 1024)
        for one, code in done:
            codes[code] += 1
            if code not in EXPECTED:
                faults.append(_keep(folder / str(one), keep, f"exit code {code}"))
        if len(done) < len(batch):  # the process died in the case after the last one that was told
            died = batch[len(done)]
            codes["died"] += 1
            faults.append(_keep(folder / str(died), keep, f"died with status {status}"))
            seeds = [*batch[len(done) + 1 :], *seeds]
        if count > 500:
            print(f"{sum(codes.values())} cases, {faults[told:]}", flush=True)
            told = len(faults)
    return codes, faults, largest


def _keep(place: Path, keep: Path | None, what: str) -> str:
    words = (place / "words.json").read_text() if (place / "words.json").is_file() else "?"
    if keep is not None and place.is_dir():
        shutil.copytree(place, keep / place.name, dirs_exist_ok=True)
    shutil.rmtree(place, ignore_errors=True)
    return f"{place.name}: {what}: {words}"


def main() -> None:
    """Run as many cases as asked for and say how they ended."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cases", type=int, default=10_000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--keep", type=Path, help="Folder for the files of cases that ended otherwise.")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        codes, faults, largest = fuzz(given.cases, given.seed, Path(folder), given.keep)
    for fault in faults:
        print(fault)
    print(f"{sum(codes.values())} cases, exit codes {dict(codes)}, at most {largest / 1e6:,.0f} MB of memory")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
