"""All minimal choices of one level per attribute, and the best of them."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.notes import Note
from sfumato.kinds.table.methods._base.full_domain import Question
from sfumato.kinds.table.methods._base.level_losses import LevelChoosing
from sfumato.release.run import Run

__all__ = ["Incognito"]

Ints = npt.NDArray[np.int64]

_MOST_NOTED = 50


@dataclasses.dataclass(frozen=True)
class Incognito(LevelChoosing):
    """Find every choice of levels that keeps the guarantee and below which none does, and publish the best of them.

    A choice is minimal if it is feasible and no other feasible one is nowhere higher. How many there are is counted,
    and the first are noted by the levels of all attributes, for someone who wants to choose another one (``at_most``).

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> data = Dataset.of("table", [("a", "f"), ("b", "f"), ("a", "m"), ("b", "m")], ("city", "sex"))
    >>> run = Run(bytes(32))
    >>> release = Incognito(k=2).anonymize(data, run).release
    >>> run.counters["minimal choices"], str(run.notes[0])
    (2, 'Minimal levels of `city` and `sex`: 0 1; 1 0.')

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan: Incognito: efficient full-domain k-anonymity (2005).
    """

    name: ClassVar[str] = "incognito"
    summary: ClassVar[str] = "Full-domain recoding: finds all minimal levels of generalisation and uses the best."
    paper: ClassVar[str] = "LeFevre et al., Incognito: efficient full-domain k-anonymity (2005)"
    optimises: ClassVar[str] = "the chosen loss, among minimal generalisations"

    def choose(self, question: Question, run: Run) -> list[Ints]:
        """Return the minimal levels of least loss, and note all."""
        from sfumato.kinds.table._kernels.generalisation_lattice import levels_of
        from sfumato.kinds.table._kernels.lattice_search import find_minimal

        search = self.prepare(question)
        nodes, cost, suppressed_records, examined = find_minimal(search)
        run.counters["choices of levels"] = search.lattice.nodes
        run.counters["choices examined"] = examined
        run.counters["minimal choices"] = len(nodes)
        if not len(nodes):
            raise self.refuse(question, search)
        levels = [levels_of(search.lattice, node).tolist() for node in nodes.tolist()]
        names = tuple(level_tree.attribute.name for level_tree in question.level_trees)
        listed = "; ".join(" ".join(map(str, level)) for level in levels[:_MOST_NOTED])
        more = f"; and {len(levels) - _MOST_NOTED:,} more" if len(levels) > _MOST_NOTED else ""
        details = {"levels": f"{listed}{more}"}
        run.notes.append(Note("minimal-levels", "Minimal levels of {columns}: {levels}.", {}, names, details))
        # Sums of the same prices in another order differ by less than this.
        near = np.flatnonzero(cost <= cost.min() * (1 + 1e-12))
        best = levels[int(near[np.argmin(suppressed_records[near])])]
        return [level_tree.levels[at] for level_tree, at in zip(question.level_trees, best, strict=True)]
