"""The best choice of one level per attribute."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.methods._base.full_domain import Question
from sfumato.kinds.table.methods._base.level_losses import LevelChoosing
from sfumato.release.run import Run

__all__ = ["Optimal"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Optimal(LevelChoosing):
    """Publish every attribute on one level of its hierarchy for all records, so that the least is lost.

    All choices of levels are compared, most of them without counting their classes. Classes that are too small, or not
    diverse enough, are suppressed as long as the limit allows.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> data = Dataset.of("table", [("a", "f"), ("b", "f"), ("a", "m"), ("b", "m")], ("city", "sex"))
    >>> release = Optimal(k=2, weights="sex=2").anonymize(data, Run(bytes(32))).release
    >>> sorted(zip(*release.table.to_pydict().values()), key=str)
    [(None, ['f']), (None, ['f']), (None, ['m']), (None, ['m'])]

    References
    ----------
    Kohlmayer, Prasser, Eckert, Kemper, Kuhn: Flash: efficient, stable and optimal k-anonymity (2012).
    """

    name: ClassVar[str] = "optimal"
    summary: ClassVar[str] = "Full-domain recoding: finds the levels of generalisation with the least loss."
    paper: ClassVar[str] = "Kohlmayer et al., Flash: efficient, stable and optimal k-anonymity (2012)"
    optimises: ClassVar[str] = "the chosen loss: NCP, precision, discernibility, class size or entropy"

    def choose(self, question: Question, run: Run) -> list[Ints]:
        """Return the levels of least loss."""
        from sfumato.kinds.table._kernels.generalisation_lattice import levels_of
        from sfumato.kinds.table._kernels.lattice_search import find_best

        search = self.prepare(question)
        best = find_best(search)
        run.counters["choices of levels"] = search.lattice.nodes
        run.counters["choices examined"] = best.examined
        if best.node < 0:
            raise self.refuse(question, search)
        level = levels_of(search.lattice, best.node)
        return [level_tree.levels[at] for level_tree, at in zip(question.level_trees, level.tolist(), strict=True)]
