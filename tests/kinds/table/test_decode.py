"""What is published is decoded once, whoever asks, and an original is a table of single values."""

import dataclasses
from unittest.mock import patch

import numpy as np

import sfumato as sf
from sfumato.kinds.table import knowledge
from sfumato.kinds.table.attacks import attributes, homogeneity, more_known
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.decode import exact
from sfumato.kinds.table.verify import k_anonymity
from sfumato.kinds.table.verify.faithful import verify_faithful
from sfumato.metrics.comparison import Comparison
from sfumato.release import decode

PEOPLE = [(20 + at % 7, "fm"[at % 2], "abc"[at % 3]) for at in range(30)]


def test_what_is_published_is_read_once_and_people_are_looked_for_once():
    """By all verifiers, attackers and measures together, however many ask."""
    data = sf.Dataset.of("table", PEOPLE, ("age", "sex", "ill"), sensitive=("ill",))
    result = sf.anonymize(data, sf.methods.Mondrian(k=3), secret=bytes(32))
    release, rows = result.release, result.owner_record.rows
    with (
        patch.object(decode, "number_cells", wraps=decode.number_cells) as read,
        patch.object(knowledge, "LabelIndex", wraps=knowledge.LabelIndex) as index,
    ):
        assert k_anonymity.verify(release).holds
        assert k_anonymity.verify_against(release, data, rows).holds
        assert verify_faithful(release, data, rows).holds
        for attacker in (attributes, homogeneity, more_known):
            attacker.attack(release, data, rows)
        Comparison(data, release, rows).view(TableComparison).average(np.zeros(30))
        assert (read.call_count, index.of.call_count) == (3, 1)
        k_anonymity.verify_against(release, sf.Dataset.of("table", PEOPLE, ("age", "sex", "ill")), rows)
        k_anonymity.verify(dataclasses.replace(release))
        assert (read.call_count, index.of.call_count) == (6, 2)


def test_an_original_is_a_table_of_single_values():
    data = sf.Dataset.of("table", [*PEOPLE, (None, None, "a")], ("age", "sex", "ill"), sensitive=("ill",))
    table = exact(data)
    assert table.records == 31
    for column, cells in zip(table.columns, zip(*PEOPLE, (None, None, "a"), strict=True), strict=True):
        shown = [column.values.labels_of(entry) for entry in column.codes.tolist()]
        assert shown == [("",) if cell is None else (str(cell),) for cell in cells]
        assert column.values.missing[column.codes].tolist() == [cell is None for cell in cells]
