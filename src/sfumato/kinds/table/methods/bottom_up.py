"""A cut through every hierarchy, found from the bottom."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.methods._base.full_domain import FullDomain, Question
from sfumato.kinds.table.methods._base.tree_cuts import CutSearch, refuse_cuts
from sfumato.release.run import Run

__all__ = ["BottomUp"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class BottomUp(FullDomain):
    """Begin with values as they are and generalise whole subtrees until the guarantee is kept.

    Every time, the subtree is generalised that costs least for each record it helps. In the end, what need not have
    been generalised is taken apart again.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.hierarchies.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths([("Bern", "Europe", "*"), ("Rome", "Europe", "*"), ("Lima", "*")])
    >>> rows = [("Bern",), ("Rome",), ("Lima",), ("Lima",)]
    >>> data = Dataset.of("table", rows, ("city",), hierarchies={"city": tree})
    >>> release = BottomUp(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table.column("city").to_pylist())
    ['Europe', 'Europe', 'Lima', 'Lima']

    References
    ----------
    Wang, Yu, Chakraborty: Bottom-up generalization: a data mining solution to privacy protection (2004). LeFevre et al.
    (2005), full-subtree recoding.
    """

    name: ClassVar[str] = "bottom-up"
    summary: ClassVar[str] = "Full-subtree recoding: generalises step by step until the guarantee holds."
    paper: ClassVar[str] = "Wang et al., Bottom-up generalization (2004)"
    optimises: ClassVar[str] = "NCP per record that gains anonymity, step by step"

    def choose(self, question: Question, run: Run) -> list[Ints]:
        """Return the nodes of the cut."""
        search = CutSearch(question)
        cuts = []
        for count_helped in (search.count_company, search.count_lost):
            cut = search.generalise(search.leaves, count_helped)
            if cut is None:
                raise refuse_cuts(self.message_name, question, search.evaluate_cut(search.highest))
            cuts.append(search.specialise(cut, run))
        return search.read(min(cuts, key=search.weigh))
