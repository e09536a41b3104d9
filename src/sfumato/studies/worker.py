"""A process that works on cells: it reads the data once, then takes one cell after the other.

It is started as a program of its own rather than forked: compiled code with threads does not survive a fork, and a
notebook or a script without a guarded main part can start it, too. It ends as soon as the process that started it does.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import queue
import threading
from pathlib import Path
from typing import IO, Any

from sfumato.exceptions import SchemaError, SfumatoError
from sfumato.studies.trials import Job, Trial
from sfumato.studies.work import TrialRunner, describe_fault

__all__ = ["ONE_THREAD", "main"]

_POOLS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
ONE_THREAD = dict.fromkeys(_POOLS, "1")
"""Environment in which a worker has one thread: as many workers as cores then use all cores once."""


def main() -> None:
    """Take a job and its cells from standard input, and answer each on standard output with a line of JSON."""
    commands, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What libraries print goes nowhere near the answers.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    with contextlib.suppress(BrokenPipeError):
        _serve(commands, answers)
    os._exit(0)


def _serve(commands: IO[bytes], answers: IO[bytes]) -> None:
    import pyarrow as pa

    pa.set_cpu_count(1)
    job, folder, quick = pickle.load(commands)
    runner = _prepare(job, Path(folder), quick, answers)
    if runner is None:
        return
    waiting: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    threading.Thread(target=_read_commands, args=(commands, waiting), daemon=True).start()
    while True:
        _answer(answers, {"outcome": json.loads(runner.run(waiting.get()).to_json())})


def _prepare(job: Job, folder: Path, quick: float, answers: IO[bytes]) -> TrialRunner | None:
    """Read the data, and answer with what they are or with the error."""
    try:
        dataset = job.source.read()
    except SfumatoError as error:
        _refuse(answers, error)
        return None
    except MemoryError:
        _refuse(answers, SchemaError("The data do not fit into memory.", hint="Use less data or more memory."))
        return None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        _refuse(answers, SchemaError(f"{error.filename or 'The data'} cannot be read: {reason}."))
        return None
    except Exception as error:
        _refuse(answers, SchemaError(f"The data cannot be read: {describe_fault(error)}"))
        return None
    facts = {"kind": dataset.kind, "records": len(dataset), "unit": dataset.unit.to_dict(), "summary": repr(dataset)}
    _answer(answers, {"ready": {**facts, "notes": [str(note) for note in dataset.notes]}})
    return TrialRunner(dataset, job, folder, quick)


def _refuse(answers: IO[bytes], error: SfumatoError) -> None:
    """Answer with an error and its fields."""
    _answer(answers, {"unreadable": base64.b64encode(pickle.dumps(error)).decode("ascii")})


def _read_commands(commands: IO[bytes], waiting: queue.SimpleQueue[Trial]) -> None:
    """Queue the cells that come in; when nobody is left to send any, end the process in whatever it does."""
    while True:
        try:
            waiting.put(pickle.load(commands))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)


def _answer(answers: IO[bytes], value: dict[str, Any]) -> None:
    answers.write(json.dumps(value).encode() + b"\n")
    answers.flush()
