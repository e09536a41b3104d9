"""Independent partitions on a cluster, by PySpark."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import itertools
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from sfumato.engines.hadoop import ReleasePlace
from sfumato.engines.refusals import explain
from sfumato.engines.spark_store import SparkStore, open_files, translate_errors
from sfumato.exceptions import ParameterError, SchemaError, VerificationError
from sfumato.release.run import StoredFile

__all__ = ["Spark"]

A = TypeVar("A")
B = TypeVar("B")

_ANSWER = "answer binary"
_WAVE = 1 << 28
"""Bytes of jobs that are sent together, about."""


class Spark:
    """Runs partitions as tasks of Spark; nothing but Arrow crosses, and people of files stay on the cluster.

    The package must be installed where the tasks run.

    Parameters
    ----------
    session
        A session of Spark that is there already.

    Examples
    --------
    >>> Spark("a session").session
    'a session'
    """

    def __init__(self, session: Any) -> None:
        self.session = session

    @classmethod
    def start(cls, master: str = "") -> Spark:
        """Start a session, or take the one that is there; say what is missing for it.

        Parameters
        ----------
        master
            The cluster, such as ``local[2]`` or ``spark://HOST:PORT``; as Spark is configured if not given.
        """
        try:
            sql = importlib.import_module("pyspark.sql")
            importlib.import_module("pandas")
        except ImportError as error:
            lacking = "pandas" if error.name == "pandas" else "PySpark"
            raise ParameterError(
                f"engine spark: needs {lacking}. Install it: pip install 'sfumato[cluster]'."
            ) from None
        if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
            raise ParameterError(
                "engine spark: needs Java 17 or later, and there is none. Install it (Debian: apt install "
                "openjdk-17-jre-headless), or name its place in JAVA_HOME."
            )
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.appName("sfumato").config("spark.ui.showConsoleProgress", "false")
        if not master or master.startswith("local"):
            # Nobody else is to reach a session of this machine alone.
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            builder = builder.config("spark.ui.enabled", "false")
        return cls((builder.master(master) if master else builder).getOrCreate())

    def stream(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[B]:
        """Yield the results as they come; as many jobs are on their way as there are cores, fewer if large."""
        waiting = (pickle.dumps((work, job)) for job in jobs)
        width = self._count_cores()
        while wave := list(_take_wave(waiting, width)):
            frame = self.session.createDataFrame(pa.table({"job": pa.array(wave, pa.binary())}))
            with translate_errors():
                rows = frame.repartition(len(wave)).mapInArrow(_answer_all, _ANSWER).collect()
            for row in rows:
                failed, result = pickle.loads(row[0])
                if failed:
                    raise result
                yield result

    def list_files(self, uri: str) -> list[StoredFile]:
        """Return the files that a URI stands for: a file, all files below a folder, or those of a pattern."""
        try:
            rows = open_files(self.session, uri).select("path", "length", "modificationTime").collect()
        except Exception as error:
            raise SchemaError(f"{uri}: {explain(error)}.") from None
        return [StoredFile(row[0], int(row[1]), str(row[2])) for row in rows]

    def work_on_files(self, uri: str, sizes: Mapping[str, int], work: Callable[[str, Any], Iterable[B]]) -> Iterator[B]:
        """Yield what comes of files, each of which a task reads whole; the answers of some tasks are here at a time."""
        with self.open_store() as store:
            yield from store.read_files(uri, sizes, work)

    @contextlib.contextmanager
    def open_store(self) -> Iterator[SparkStore]:
        """Hand out a shelf for files that stay on the cluster; what lies on it is gone when it is left."""
        store = SparkStore(self.session, self._count_cores())
        try:
            yield store
        finally:
            store.close()

    def check_free(self, uri: str, *, force: bool) -> None:
        """Refuse a folder in which no release can be put: one with a release, unless forced, or with anything else."""
        ReleasePlace(self.session, uri).check_free(force=force)

    def upload_release(self, folder: Path, uri: str, *, force: bool) -> None:
        """Put a release of this machine where a URI says, or nothing; it is read there before it is in its place."""
        digests = {str(file.relative_to(folder)): _digest(file) for file in folder.rglob("*") if file.is_file()}

        def prove(temporary: str) -> None:
            sizes = {file.path: file.size for file in self.list_files(temporary)}
            written = dict(self.work_on_files(temporary, sizes, _digest_content))
            inside = f"/{temporary.rsplit('/', 1)[-1]}/"
            if {path.partition(inside)[2]: digest for path, digest in written.items()} != digests:
                raise VerificationError(f"{uri}: what was written there is not the release; nothing was published.")

        ReleasePlace(self.session, uri).write(folder, prove, force=force)

    def _count_cores(self) -> int:
        try:
            return int(self.session.sparkContext.defaultParallelism)
        except Exception:
            # A session on the other end of a connection does not tell.
            return int(self.session.conf.get("spark.sql.shuffle.partitions", "8"))


def _take_wave(jobs: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Yield so many jobs at most, and no more once they are many bytes together."""
    size = 0
    for job in itertools.islice(jobs, most):
        yield job
        size += len(job)
        if size > _WAVE:
            return


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _digest_content(path: str, content: Any) -> Iterator[tuple[str, str]]:
    yield path, hashlib.sha256(content).hexdigest()


def _answer_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Do the jobs of a task, and answer with Arrow."""
    from sfumato.engines.worker import answer

    for batch in batches:
        for job in batch.column(0).to_pylist():
            payload = pickle.dumps(answer(*pickle.loads(job)))
            yield pa.RecordBatch.from_arrays([pa.array([payload], pa.binary())], ["answer"])
