"""Entries one after the other, pair by pair: the plain twin of bounds for events that follow each other.

A chain is certain where every entry of it certainly is what was asked for and is over before the next one begins. It is
possible where intervals leave room for it; what a later step may use of an interval is what the steps before leave.
"""


def has_certain_chain(entries, steps):
    """Tell whether entries that certainly are what was asked for follow each other."""
    found = [entry for entry in entries if _must(entry, steps[0])]
    for step in steps[1:]:
        found = [
            entry
            for entry in entries
            if _must(entry, step) and any(other.hi < entry.lo and entry.hi - other.lo <= step.within for other in found)
        ]
    return bool(found)


def has_possible_chain(entries, steps):
    """Tell whether intervals of entries that may be what was asked for leave room for one after the other."""
    rooms = _find_rooms(entries, steps[0])
    for step in steps[1:]:
        left = []
        for lo, hi in _find_rooms(entries, step):
            before = [room for room in rooms if room[0] < hi]
            if not before or lo - max(end for _, end in before) > step.within:
                continue
            first, latest = min(begin for begin, _ in rooms), max(end for _, end in before)
            left.append((max(lo, first + 1), min(hi, latest + step.within)))
        rooms = left
    return bool(rooms)


def _must(entry, step):
    return entry.least > 0 and set(entry.members) <= step.wanted and entry.lo >= step.first and entry.hi <= step.last


def _find_rooms(entries, step):
    rooms = [(max(e.lo, step.first), min(e.hi, step.last)) for e in entries if set(e.members) & step.wanted]
    return [(lo, hi) for lo, hi in rooms if lo <= hi]
