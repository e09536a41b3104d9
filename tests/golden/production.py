"""Making goldens: publish a case in a folder of its own, digest what is there, and ask what checkers say."""

from __future__ import annotations

import fnmatch
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.golden.cases import Case, Original, Workplace, list_cases, list_originals
from tests.golden.digests import digest_release
from tests.golden.findings import collect_answers, describe_original
from tests.golden.storage import round_numbers

Item = Case | Original


class Golden(NamedTuple):
    """What is stored of an item; there is no release of an original."""

    release: dict[str, Any] | None
    answers: dict[str, Any]


def list_items() -> tuple[Item, ...]:
    """Return everything of which a golden is stored, kind by kind: originals and releases of them."""
    return (*list_originals(), *list_cases())


def choose_items(pattern: str) -> list[Item]:
    """Return the items whose names fit a pattern such as `sets/*` or `table/mondrian *`."""
    return [item for item in list_items() if fnmatch.fnmatchcase(item.name, pattern)]


def make_golden(item: Item, workplace: Workplace) -> Golden:
    """Return the golden of an item; what is published on the way is removed."""
    if isinstance(item, Original):
        return Golden(None, round_numbers(describe_original(item, workplace)))
    place = Path(tempfile.mkdtemp(dir=workplace.folder))
    out = place / "out"
    try:
        data = workplace.publish(item, out)
        answers = collect_answers(item, workplace, out, data)
        return Golden(digest_release(out / "release"), round_numbers(answers))
    finally:
        shutil.rmtree(place)


def make_goldens(items: list[Item]) -> Iterator[tuple[Item, Golden]]:
    """Yield the goldens of several items, which share data."""
    with tempfile.TemporaryDirectory() as folder:
        workplace = Workplace(Path(folder))
        for item in items:
            yield item, make_golden(item, workplace)
