"""A cut through every hierarchy, found from the top."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.methods._base.full_domain import FullDomain, Question
from sfumato.kinds.table.methods._base.tree_cuts import CutSearch, refuse_cuts
from sfumato.release.run import Run

__all__ = ["TopDown"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class TopDown(FullDomain):
    """Begin with nothing published and take nodes of the hierarchies apart as long as the guarantee is kept.

    Different parts of a hierarchy may end on different levels, but each value is published alike for everybody.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> data = Dataset.of("table", [("a", "f"), ("b", "f"), ("a", "m"), ("b", "m")], ("city", "sex"))
    >>> release = TopDown(k=2, weights="sex=2").anonymize(data, Run(bytes(32))).release
    >>> sorted(zip(*release.table.to_pydict().values()), key=str)
    [(None, ['f']), (None, ['f']), (None, ['m']), (None, ['m'])]

    References
    ----------
    Fung, Wang, Yu: Top-down specialization for information and privacy preservation (2005).
    """

    name: ClassVar[str] = "top-down"
    summary: ClassVar[str] = "Full-subtree recoding: specialises step by step while the guarantee holds."
    paper: ClassVar[str] = "Fung et al., Top-down specialization for information and privacy preservation (2005)"
    optimises: ClassVar[str] = "NCP gained per anonymity lost, step by step"

    def choose(self, question: Question, run: Run) -> list[Ints]:
        """Return the nodes of the cut."""
        search = CutSearch(question)
        suppressed_records = search.evaluate_cut(search.highest)
        if suppressed_records > question.demand.limit:
            raise refuse_cuts(self.message_name, question, suppressed_records)
        return search.read(search.specialise(search.highest, run))
