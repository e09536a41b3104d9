"""Windows begin at any slot: who does something throughout one is counted in each."""

from tests.kinds.activity.examples import TABLE_1

import sfumato as sf
from sfumato.kinds.activity.dataset import Slots
from sfumato.kinds.activity.knowledge.windows import count_in_windows


def test_windows_are_all_runs_of_delta_slots():
    days = Slots.of(sf.Dataset.of("activity", TABLE_1))
    found = count_in_windows(days.codes, days.labels.index("V"), -1, 72)
    for start in range(168 - 72 + 1):
        away = [all(hour == "V" for hour in row[start : start + 72]) for row in TABLE_1]
        assert (found.may[start], found.seen[start]) == (sum(away), 4)
