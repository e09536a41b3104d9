"""Run the command line in a process of its own and record which functions of Sfumato are called, in order.

``python tests/contracts/tracing.py FILE WORDS ...`` runs ``sfumato WORDS ...`` and writes to FILE a JSON list with the
module and the name of every function, when it is first called. What other packages do is not recorded.

Not recorded is code of modules and of classes, which runs once when it is imported. Comprehensions and lambdas count as
the function that they stand in. Only the main thread is followed, and there is one processor, so that everything is
done in that thread: the record is the same on every machine.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import json
import os
import re
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

_INSIDE = re.compile(r"(?:\.<locals>)?\.?<(?:listcomp|setcomp|dictcomp|genexpr|lambda)>.*")


def find_package() -> Path:
    """Return the folder of Sfumato without importing it."""
    package = importlib.util.find_spec("sfumato")
    assert package is not None and package.origin is not None
    return Path(package.origin).parent


class Tracer:
    """Notes the code of every function when it is first called."""

    def __init__(self) -> None:
        self.seen: dict[int, CodeType] = {}

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a frame whose code is new; code that is kept here never gives its number to other code."""
        code = frame.f_code
        if id(code) not in self.seen:
            self.seen[id(code)] = code

    def list_functions(self, package: Path) -> list[tuple[str, str]]:
        """Return module and name of the functions of a package, in the order of their first calls."""
        calls: dict[tuple[str, str], None] = {}
        for code in self.seen.values():
            path = Path(code.co_filename)
            if not code.co_flags & inspect.CO_OPTIMIZED or not path.is_relative_to(package):
                continue
            name = _INSIDE.sub("", code.co_qualname)
            if name:
                calls.setdefault((_name_module(path, package), name))
        return list(calls)


def _name_module(path: Path, package: Path) -> str:
    return ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def main() -> None:
    """Run the command line; it ends the process, so the record is written just before that."""
    record, *words = sys.argv[1:]
    package, tracer, leave = find_package(), Tracer(), os._exit

    def write(code: int) -> NoReturn:
        sys.setprofile(None)
        Path(record).write_text(json.dumps([code, tracer.list_functions(package)]), encoding="utf-8")
        leave(code)

    os._exit = write  # type: ignore[assignment]
    os.cpu_count = lambda: 1
    sys.argv = ["sfumato", *words]
    sys.setprofile(tracer.note)
    (command,) = importlib.metadata.entry_points(group="console_scripts", name="sfumato")
    command.load()()


if __name__ == "__main__":
    main()
