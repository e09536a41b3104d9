"""A method whose classes are given, to test what judges releases without any method of the package."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

import sfumato as sf
from sfumato.kinds.table.methods._base.relational import Relational
from sfumato.release.release import ExtraTable, Result
from sfumato.release.run import Run

SECRET = bytes([1] * 32)


@dataclasses.dataclass(frozen=True)
class Given(Relational):
    """Classes are given; -1 is withheld."""

    name: ClassVar[str] = "given"

    groups: tuple[int, ...] = ()
    more: tuple[tuple[str, ExtraTable], ...] = ()

    def require(self, dataset):
        from sfumato.kinds.table.dataset import attributes_of
        from sfumato.kinds.table.methods._base.requirement import Requirement

        return Requirement.of(self.build_guarantee(dataset), attributes_of(dataset, "sensitive"))

    def partition(self, attributes, requirement, run):
        return np.array(self.groups, np.int64)

    def further_tables(self, attributes, rows, classes):
        return dict(self.more)


def publish(data: sf.Dataset, groups: list[int], k: int = 2, **parameters: object) -> Result:
    """Publish every given class as the cells that hold it, whether or not it keeps what is claimed."""
    method = Given(k=k, groups=tuple(groups), **parameters)  # type: ignore[arg-type]
    return method.publish(data, method.attributes(data), np.array(groups, np.int64), Run(SECRET))
