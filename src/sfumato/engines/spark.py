"""Independent parts on a cluster, by PySpark."""

from __future__ import annotations

import importlib
import itertools
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import pyarrow as pa

from sfumato.core.errors import ParameterError, StoppedError

__all__ = ["Spark"]

A = TypeVar("A")
B = TypeVar("B")

_ANSWER = "answer binary"


class Spark:
    """Runs parts of a release as tasks of Spark; nothing but Arrow crosses, and the driver holds a part a core.

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
        except ImportError:
            raise ParameterError("engine spark: needs PySpark. Install it: pip install 'sfumato[cluster]'.") from None
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
        """Yield the results as they come; so many jobs are on their way as there are cores."""
        waiting, width = iter(jobs), self._count_cores()
        while wave := [pickle.dumps((work, job)) for job in itertools.islice(waiting, width)]:
            frame = self.session.createDataFrame(pa.table({"job": pa.array(wave, pa.binary())}))
            try:
                rows = frame.repartition(len(wave)).mapInArrow(_answer_all, _ANSWER).collect()
            except Exception as error:
                # What Spark says may quote what a task held; its own log has it.
                raise StoppedError(
                    f"engine spark: tasks failed ({type(error).__name__}); the log of Spark says why. Parts that are "
                    "ready are kept: run it again to go on."
                ) from None
            for row in rows:
                failed, found = pickle.loads(row[0])
                if failed:
                    raise found
                yield found

    def _count_cores(self) -> int:
        try:
            return int(self.session.sparkContext.defaultParallelism)
        except Exception:
            # A session on the other end of a connection does not tell.
            return int(self.session.conf.get("spark.sql.shuffle.partitions", "8"))


def _answer_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Do the jobs of a task, and answer with Arrow."""
    from sfumato.engines.worker import answer

    for batch in batches:
        for job in batch.column(0).to_pylist():
            found = pickle.dumps(answer(*pickle.loads(job)))
            yield pa.RecordBatch.from_arrays([pa.array([found], pa.binary())], ["answer"])
