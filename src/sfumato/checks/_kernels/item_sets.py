"""How many records of classes have sets of items, counted for everybody who may be in the class.

Examples
--------
>>> classes = np.array([0, 2]), np.array([0, 1]), np.array([0, 2]), np.array([0, 1])
>>> values, members = (np.array([0, 2, 3]), np.array([0, 1, 0])), (np.array([0, 1, 2]), np.array([0, 1]))
>>> known = np.array([0, 1, 2]), np.array([0, 1]), np.array([[0, -1], [0, 1]])
>>> counts, having = count_records(*classes, *values, *members, *known, np.array([[True, False]]))
>>> counts.tolist(), having.tolist()
([2, 1], [[1, 1]])
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["count_records"]

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def count_records(
    record_begin: Ints,
    records: Ints,
    person_begin: Ints,
    people: Ints,
    value_begin: Ints,
    values: Ints,
    member_begin: Ints,
    members: Ints,
    question_begin: Ints,
    question_sets: Ints,
    sets: Ints,
    secret: NDArray[np.bool_],
) -> tuple[Ints, Ints]:
    """Count, for every question of everybody, the records that may have all of its items, class by class.

    Parameters
    ----------
    record_begin, records, person_begin, people
        Records of every class, and the people who may be in it.
    value_begin, values, member_begin, members
        Values of every record, and the items that every value stands for.
    question_begin, question_sets, sets
        Questions of every person, the set of items that each asks for, and the items of every set: -1 is none.
    secret
        Which records have what: one row for each thing. How many of the records counted have it is returned, too.
    """
    counts = np.zeros(question_sets.size, np.int64)
    having = np.zeros((secret.shape[0], question_sets.size), np.int64)
    width = sets.shape[1]
    place = np.full(members.max() + 1 if members.size else 0, -1, np.int64)
    last_class, set_count = np.full(len(sets), -1, np.int64), np.zeros(len(sets), np.int64)
    set_having = np.zeros((secret.shape[0], len(sets)), np.int64)
    for group in range(record_begin.size - 1):
        if person_begin[group] == person_begin[group + 1]:
            continue
        own = records[record_begin[group] : record_begin[group + 1]]
        # Items of the class are numbered as they come; a row of flags says which records may have each.
        most = 0
        for record in own:
            for at in range(value_begin[record], value_begin[record + 1]):
                most += member_begin[values[at] + 1] - member_begin[values[at]]
        listed = np.empty(min(most, place.size), np.int64)
        items = 0
        for record in own:
            for at in range(value_begin[record], value_begin[record + 1]):
                for item in members[member_begin[values[at]] : member_begin[values[at] + 1]]:
                    if place[item] < 0:
                        place[item], listed[items] = items, item
                        items += 1
        may_have = np.zeros((items, own.size), np.bool_)
        for row in range(own.size):
            for at in range(value_begin[own[row]], value_begin[own[row] + 1]):
                for item in members[member_begin[values[at]] : member_begin[values[at] + 1]]:
                    may_have[place[item], row] = True
        for person in people[person_begin[group] : person_begin[group + 1]]:
            for question in range(question_begin[person], question_begin[person + 1]):
                wanted = question_sets[question]
                if last_class[wanted] != group:
                    last_class[wanted], set_count[wanted] = group, 0
                    set_having[:, wanted] = 0
                    possible = True
                    for at in range(width):
                        item = sets[wanted, at]
                        if item >= 0 and (item >= place.size or place[item] < 0):
                            possible = False
                    if possible:
                        for row in range(own.size):
                            has_all = True
                            for at in range(width):
                                item = sets[wanted, at]
                                if item >= 0 and not may_have[place[item], row]:
                                    has_all = False
                                    break
                            if has_all:
                                set_count[wanted] += 1
                                for thing in range(secret.shape[0]):
                                    set_having[thing, wanted] += secret[thing, own[row]]
                counts[question] += set_count[wanted]
                for thing in range(secret.shape[0]):
                    having[thing, question] += set_having[thing, wanted]
        for item in listed[:items]:
            place[item] = -1
    return counts, having
