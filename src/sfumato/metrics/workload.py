"""COUNT queries: how many records contain these places in this order, these items, or these values of attributes?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError, SchemaError

__all__ = ["Workload", "find_errors"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_BUDGET = 2_000_000
_MAX_FRUITLESS = 1000
_ESCAPED = {"\n": "\\n", "\r": "\\r", "\\": "\\\\", ">": "\\>"}
_ESCAPES = {"n": "\n", "r": "\r"}
_SPECIAL_FIRST = ("=", "+", "-", "@", "\t", "\ufeff")


@dataclasses.dataclass(frozen=True)
class Workload:
    r"""Queries that an analyst would ask, each a tuple of labels in order (gaps allowed).

    As text a query is one line, its labels separated by ``>``. A backslash escapes: ``\>`` and ``\\``
    stand for themselves, ``\n`` and ``\r`` for line ends, ``\e`` for the empty label. Spaces around a
    label do not count unless escaped; empty lines are skipped. Where records have attributes, a label such as
    ``age=20..29`` or ``sex=f|m`` is a condition on one of them.

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

        Frequent subtrajectories are therefore drawn more often than rare ones. Drawing
        ends early when a thousand draws in a row bring nothing new.

        Examples
        --------
        >>> data = Dataset.of("trajectories", [["a", "b"], ["b", "c"]])
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
        queries: dict[tuple[str, ...], None] = {}
        fruitless = 0
        while possible and len(queries) < count and fruitless < _MAX_FRUITLESS:
            size = possible[generator.integers(len(possible))]
            rows = long_enough[size]
            row = rows[generator.integers(len(rows))]
            places = np.sort(generator.choice(lengths[row], size, replace=False)) + history.offsets[row]
            query = tuple(history.labels[code] for code in history.codes[places])
            fruitless = fruitless + 1 if query in queries else 0
            queries[query] = None
        return cls(tuple(queries))

    def to_csv(self) -> str:
        """Spell the queries, one per line."""
        return "".join(" > ".join(map(_escape_label, query)) + "\n" for query in self.queries)

    @classmethod
    def from_csv(cls, text: str) -> Workload:
        """Read what :meth:`to_csv` wrote, or what somebody typed.

        Examples
        --------
        >>> Workload.from_csv("home>work>>shop")
        Traceback (most recent call last):
            ...
        sfumato.exceptions.SchemaError: workload: line 1 has nothing before or after a '>'. Write labels
        separated by '>', and \\e for an empty label.
        """
        lines = text.removeprefix("\ufeff").split("\n")
        queries = tuple(_read(line, number) for number, line in enumerate(lines, start=1) if line.strip())
        if not queries:
            raise SchemaError("workload: there are no queries. Write one per line, labels separated by '>'.")
        return cls(queries)

    def count(self, histories: ListColumn, members: ListColumn | None = None, chances: Floats | None = None) -> Floats:
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
        >>> records = ListColumn.from_lists([["{a|b}", "c"], ["{a|b}", "{a|b}"]])
        >>> members = ListColumn(np.array([0, 2, 3]), np.array([0, 1, 2], np.int32), ("a", "b", "c"))
        >>> Workload((("a",), ("a", "c"), ("a", "b"))).count(records, members).tolist()
        [1.25, 0.5, 0.25]
        """
        if members is None:
            values = np.arange(len(histories.labels), dtype=np.int32)
            members = ListColumn(np.arange(len(values) + 1), values, histories.labels)
        if chances is None:
            chances = 1.0 / np.maximum(members.lengths, 1)
        holders = _find_holders(members, {label for query in self.queries for label in query})
        # Queries whose places are in the same values have the same answer.
        questions = [tuple(holders[label] for label in query) for query in self.queries]
        answers: dict[_Question, float] = dict.fromkeys(questions, 0.0)
        for size in {len(question) for question in answers}:
            answerable = [question for question in answers if len(question) == size and all(question)]
            for part, entries in _in_portions(answerable, histories, chances):
                answers.update(zip(part, _expect(len(part), *entries).tolist(), strict=True))
        return np.array([answers[question] for question in questions], dtype=np.float64)


# The values that may stand for each place of a query.
_Question = tuple[tuple[int, ...], ...]
# Query, row and chance to be each place of the query, of entries in order of queries and rows.
_Entries = tuple[Ints, Ints, Floats]


def _find_holders(members: ListColumn, labels: set[str]) -> dict[str, tuple[int, ...]]:
    """Return the values that each label is a member of."""
    by_member = np.argsort(members.codes, kind="stable")
    bounds = np.searchsorted(members.codes[by_member], np.arange(len(members.labels) + 1))
    value_of = members.row_of_token[by_member]
    holders: dict[str, tuple[int, ...]] = dict.fromkeys(labels, ())
    for code, label in enumerate(members.labels):
        if label in labels:
            holders[label] = tuple(value_of[bounds[code] : bounds[code + 1]].tolist())
    return holders


def _in_portions(
    questions: list[_Question], histories: ListColumn, chances: Floats
) -> Iterator[tuple[list[_Question], _Entries]]:
    """Gather the entries that matter to several questions, as many as memory allows."""
    rows = histories.row_of_token
    part: list[_Question] = []
    entries_of_part: list[tuple[Ints, Floats]] = []
    for question in questions:
        chance = np.zeros((len(question), len(chances)))
        for place, values in enumerate(question):
            chance[place, values] = chances[list(values)]
        entries = np.flatnonzero((chance.max(axis=0) > 0)[histories.codes])
        part.append(question)
        entries_of_part.append((rows[entries], chance[:, histories.codes[entries]]))
        if sum(chance.size for _, chance in entries_of_part) > _BUDGET:
            yield part, _join(entries_of_part)
            part, entries_of_part = [], []
    if part:
        yield part, _join(entries_of_part)


def _join(entries_of_part: list[tuple[Ints, Floats]]) -> _Entries:
    queries = np.repeat(np.arange(len(entries_of_part)), [len(rows) for rows, _ in entries_of_part])
    return (
        queries,
        np.concatenate([rows for rows, _ in entries_of_part]),
        np.concatenate([c for _, c in entries_of_part], axis=1),
    )


def _expect(count: int, queries: Ints, rows: Ints, chances: Floats) -> Floats:
    """Return for each query the sum, over the rows, of the chance that the row contains it.

    All (query, row) pairs take their first entry together, then their second, and so on; the pairs with
    most entries come first, so that those still at work are a prefix.
    """
    size, entries = chances.shape
    begins = np.flatnonzero(np.diff(queries, prepend=-1) | np.diff(rows, prepend=-1))
    lengths = np.diff(begins, append=entries)
    order = np.argsort(-lengths, kind="stable")
    begins = begins[order]
    at_work = np.cumsum(np.bincount(lengths, minlength=1)[::-1])[::-1]
    reached = np.zeros((size + 1, len(begins)))
    reached[0] = 1.0
    for step, active in enumerate(at_work[1:]):
        chance = chances[:, begins[:active] + step]
        for place in range(size - 1, -1, -1):
            advanced = reached[place, :active] * chance[place]
            reached[place + 1, :active] += advanced
            reached[place, :active] -= advanced
    return np.asarray(np.bincount(queries[begins], reached[size], minlength=count), dtype=np.float64)


def _escape_label(label: str) -> str:
    if not label:
        return "\\e"
    text = "".join(_ESCAPED.get(letter, letter) for letter in label)
    if text[-1].isspace():
        text = text[:-1] + "\\" + text[-1]
    # A leading backslash keeps spaces and byte order marks, and keeps spreadsheets from running the label.
    return "\\" + text if text[0].isspace() or text.startswith(_SPECIAL_FIRST) else text


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
    start = next((i for i, (letter, is_escaped) in enumerate(letters) if is_escaped or not letter.isspace()), 0)
    letters = letters[start:]
    if not letters:
        raise SchemaError(
            f"workload: line {number} has nothing before or after a '>'. "
            "Write labels separated by '>', and \\e for an empty label."
        )
    if letters == [("e", True)]:
        return ""
    return "".join(_ESCAPES.get(letter, letter) if is_escaped else letter for letter, is_escaped in letters)


def find_errors(
    truth: npt.NDArray[np.float64], estimate: npt.NDArray[np.float64], bound: float
) -> npt.NDArray[np.float64]:
    """Return the relative errors of answers, small ones divided by a sanity bound so that they do not dominate.

    Examples
    --------
    >>> find_errors(np.array([100.0, 1.0]), np.array([90.0, 3.0]), 10.0).tolist()
    [0.1, 0.2]
    """
    scale = np.maximum(truth, bound)
    # Nothing to divide by only when the bound is switched off; a wrong answer then is off by itself.
    return np.asarray(np.abs(estimate - truth) / np.where(scale > 0, scale, 1.0))
