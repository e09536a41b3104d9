"""COUNT queries on subtrajectories: how many records contain these places in this order?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.ragged import Ragged

__all__ = ["Workload"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_BUDGET = 2_000_000
_ROUNDS = 50
_SPELLED = {"\n": "\\n", "\r": "\\r", "\\": "\\\\", ">": "\\>"}
_SPOKEN = {"n": "\n", "r": "\r"}
_FORMULA = ("=", "+", "-", "@", "\t")


@dataclasses.dataclass(frozen=True)
class Workload:
    r"""Queries that an analyst would ask, each a tuple of labels in order (gaps allowed).

    As text a query is one line, its labels separated by ``>``. A backslash escapes: ``\>`` and ``\\``
    stand for themselves, ``\n`` and ``\r`` for line ends, ``\e`` for the empty label. Spaces around a
    label do not count unless escaped; empty lines are skipped.

    Examples
    --------
    >>> workload = Workload((("home", "work"), ("a>b",)))
    >>> print(workload.to_csv(), end="")
    home > work
    a\>b
    >>> Workload.from_csv(workload.to_csv()) == workload
    True
    """

    queries: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for number, query in enumerate(self.queries, start=1):
            if not query:
                raise ParameterError(f"Workload: query {number} is empty. Give it at least one label.")

    def __len__(self) -> int:
        return len(self.queries)

    @classmethod
    def generate(cls, original: Dataset, count: int = 100, sizes: tuple[int, ...] = (1, 2), seed: int = 0) -> Workload:
        """Draw distinct subtrajectories: a size, a record long enough for it, then places of the record.

        Frequent subtrajectories are therefore drawn more often than rare ones. Data that hold fewer than
        `count` distinct ones give as many as were found.

        Examples
        --------
        >>> data = Dataset.from_trajectories([["a", "b"], ["b", "c"]])
        >>> sorted(Workload.generate(data, count=100, sizes=(2,)).queries)
        [('a', 'b'), ('b', 'c')]
        """
        if count < 1:
            raise ParameterError(f"Workload: count must be at least 1, got {count}.")
        if not sizes or min(sizes) < 1:
            raise ParameterError("Workload: sizes must hold whole numbers of at least 1.")
        history = original.history()
        lengths = history.lengths
        long_enough = {size: np.flatnonzero(lengths >= size) for size in dict.fromkeys(sizes)}
        possible = [size for size, rows in long_enough.items() if len(rows)]
        generator = np.random.default_rng(seed)
        found: dict[tuple[str, ...], None] = {}
        for _ in range(_ROUNDS * count if possible else 0):
            size = possible[generator.integers(len(possible))]
            rows = long_enough[size]
            row = rows[generator.integers(len(rows))]
            places = np.sort(generator.choice(lengths[row], size, replace=False)) + history.offsets[row]
            found[tuple(history.labels[code] for code in history.codes[places])] = None
            if len(found) == count:
                break
        return cls(tuple(found))

    def to_csv(self) -> str:
        """Spell the queries, one per line."""
        return "".join(" > ".join(map(_spell, query)) + "\n" for query in self.queries)

    @classmethod
    def from_csv(cls, text: str) -> Workload:
        """Read what :meth:`to_csv` wrote, or what somebody typed.

        Examples
        --------
        >>> Workload.from_csv("home>work>>shop")
        Traceback (most recent call last):
            ...
        sfumato.core.errors.SchemaError: workload: line 1 has nothing before or after a '>'. Write labels
        separated by '>', and \\e for an empty label.
        """
        lines = text.removeprefix("\ufeff").split("\n")
        queries = tuple(_read(line, number) for number, line in enumerate(lines, start=1) if line.strip())
        if not queries:
            raise SchemaError("workload: there are no queries. Write one per line, labels separated by '>'.")
        return cls(queries)

    def count(self, histories: Ragged, members: Ragged | None = None, chances: Floats | None = None) -> Floats:
        """Return for every query how many histories are expected to contain it.

        Every entry of a history is read on its own: value ``v`` stands for each of ``members``' row ``v``
        with chance ``chances[v]``. Then the chance that a history contains the query is exact: reading
        from left to right, the places found so far are a prefix of the query, and the next one is found
        with its chance. The expected count is the sum over the histories.

        Parameters
        ----------
        histories
            Records; their codes are values.
        members
            Labels each value may stand for; by default every value stands for its own label.
        chances
            Chance of each member of a value, by value; by default each member is equally likely. With all
            ones the answer is the number of histories that may contain the query.

        Examples
        --------
        >>> records = Ragged.from_lists([["{a|b}", "c"], ["{a|b}", "{a|b}"]])
        >>> members = Ragged(np.array([0, 2, 3]), np.array([0, 1, 2], np.int32), ("a", "b", "c"))
        >>> Workload((("a",), ("a", "c"), ("a", "b"))).count(records, members).tolist()
        [1.25, 0.5, 0.25]
        """
        if members is None:
            values = np.arange(len(histories.labels), dtype=np.int32)
            members = Ragged(np.arange(len(values) + 1), values, histories.labels)
        if chances is None:
            chances = 1.0 / np.maximum(members.lengths, 1)
        answers = np.zeros(len(self))
        for size in sorted({len(query) for query in self.queries}):
            chosen = np.array([i for i, query in enumerate(self.queries) if len(query) == size])
            steps = self._steps(chosen, histories, members, chances)
            for part, queries, rows, found in _in_portions(steps, size):
                contained = _chance_to_contain(queries, rows, found)
                answers[chosen[part]] = np.bincount(contained[0], contained[1], minlength=len(chosen))[part]
        return answers

    def _steps(
        self, chosen: Ints, histories: Ragged, members: Ragged, chances: Floats
    ) -> Iterator[tuple[Ints, Floats]]:
        """Yield, query by query, the rows of the entries that matter and their chance to be each place."""
        code_of = {label: code for code, label in enumerate(members.labels)}
        by_member = np.argsort(members.codes, kind="stable")
        bounds = np.searchsorted(members.codes[by_member], np.arange(len(members.labels) + 1))
        value_of = members.row_of_token[by_member]
        rows = histories.row_of_token
        for query in chosen:
            labels = self.queries[query]
            chance = np.zeros((len(labels), len(members)))
            for place, label in enumerate(labels):
                code = code_of.get(label)
                if code is not None:
                    holders = value_of[bounds[code] : bounds[code + 1]]
                    chance[place, holders] = chances[holders]
            matters = chance.max(axis=0) > 0
            entries = np.flatnonzero(matters[histories.codes])
            yield rows[entries], chance[:, histories.codes[entries]]


def _in_portions(steps: Iterator[tuple[Ints, Floats]], size: int) -> Iterator[tuple[Ints, Ints, Ints, Floats]]:
    """Gather entries of several queries, as many as memory allows: (queries, query, row, chances)."""
    part: list[int] = []
    rows: list[Ints] = []
    found: list[Floats] = []
    for query, (row, chance) in enumerate(steps):
        if part and (sum(map(len, rows)) + len(row)) * size > _BUDGET:
            yield _portion(part, rows, found)
            part, rows, found = [], [], []
        part.append(query)
        rows.append(row)
        found.append(chance)
    if part:
        yield _portion(part, rows, found)


def _portion(part: list[int], rows: list[Ints], found: list[Floats]) -> tuple[Ints, Ints, Ints, Floats]:
    queries = np.array(part)
    return (
        queries,
        np.repeat(queries, [len(row) for row in rows]),
        np.concatenate(rows),
        np.concatenate(found, axis=1),
    )


def _chance_to_contain(queries: Ints, rows: Ints, chances: Floats) -> tuple[Ints, Floats]:
    """Return the query of every (query, row) pair and the chance that the row contains the query.

    All pairs take their first entry together, then their second, and so on; the pairs with most entries
    come first, so that those still at work are a prefix.
    """
    size, entries = chances.shape
    begins = np.flatnonzero(np.diff(queries, prepend=-1) | np.diff(rows, prepend=-1))
    lengths = np.diff(begins, append=entries)
    order = np.argsort(-lengths, kind="stable")
    begins, lengths = begins[order], lengths[order]
    at_work = np.cumsum(np.bincount(lengths)[::-1])[::-1] if entries else np.zeros(1, np.int64)
    reached = np.zeros((size + 1, len(begins)))
    reached[0] = 1.0
    for step, active in enumerate(at_work[1:]):
        chance = chances[:, begins[:active] + step]
        for place in range(size - 1, -1, -1):
            advanced = reached[place, :active] * chance[place]
            reached[place + 1, :active] += advanced
            reached[place, :active] -= advanced
    return queries[begins], reached[size]


def _spell(label: str) -> str:
    if not label:
        return "\\e"
    text = "".join(_SPELLED.get(letter, letter) for letter in label)
    if text[-1].isspace():
        text = text[:-1] + "\\" + text[-1]
    # A leading backslash keeps spaces, and keeps a spreadsheet from running the label.
    return "\\" + text if text[0].isspace() or text.startswith(_FORMULA) else text


def _read(line: str, number: int) -> tuple[str, ...]:
    labels: list[str] = []
    letters: list[tuple[str, bool]] = []
    escaped = False
    for letter in line:
        if escaped:
            letters.append((letter, True))
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == ">":
            labels.append(_label(letters, number))
            letters = []
        else:
            letters.append((letter, False))
    if escaped:
        raise SchemaError(f"workload: line {number} ends with a backslash. Write two where a label ends with one.")
    return (*labels, _label(letters, number))


def _label(letters: list[tuple[str, bool]], number: int) -> str:
    while letters and letters[-1][0].isspace() and not letters[-1][1]:
        letters.pop()
    start = next((i for i, (letter, kept) in enumerate(letters) if kept or not letter.isspace()), 0)
    letters = letters[start:]
    if not letters:
        raise SchemaError(
            f"workload: line {number} has nothing before or after a '>'. "
            "Write labels separated by '>', and \\e for an empty label."
        )
    if letters == [("e", True)]:
        return ""
    return "".join(_SPOKEN.get(letter, letter) if kept else letter for letter, kept in letters)
