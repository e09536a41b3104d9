"""What is made once for an object is made again for others, and forgotten with the object."""

import dataclasses
import gc
import weakref

import pytest

import sfumato as sf
from sfumato.checks.cache import cached
from sfumato.checks.classes import Classes
from sfumato.kinds.activity.decode import PublishedClasses
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.sequences.decode import TimedRecords
from sfumato.kinds.snapshots.decode import PublishedSnapshots
from sfumato.kinds.table.knowledge import Fitting
from sfumato.release.decode import decode


class Thing:
    def __init__(self, value):
        self.value = value


class Made:
    pass


def test_it_is_made_once_for_every_object_and_equals_are_others():
    asked = []

    @cached
    def double(thing):
        asked.append(thing.value)
        return 2 * thing.value

    one, other = Thing(3), Thing(3)
    assert [double(one), double(one), double(other)] == [6, 6, 6]
    assert asked == [3, 3]


def test_what_was_made_goes_with_its_object():
    make = cached(lambda _: Made())
    thing = Thing(1)
    made = weakref.ref(make(thing))
    assert made() is not None
    del thing
    gc.collect()
    assert made() is None


def test_an_error_is_raised_every_time():
    @cached
    def fail(_):
        raise ZeroDivisionError

    thing = Thing(1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fail(thing)


def test_several_objects_are_what_it_is_made_for():
    asked = []

    @cached
    def join(left, right):
        asked.append((left.value, right.value))
        return [left.value, right.value]

    one, other = Thing(1), Thing(2)
    assert join(one, other) is join(one, other)
    assert join(other, one) == [2, 1]
    assert join(one, Thing(2)) == [1, 2]
    assert asked == [(1, 2), (2, 1), (1, 2)]


@pytest.mark.parametrize("leaving", [0, 1])
def test_what_was_made_of_two_goes_with_either(leaving):
    make = cached(lambda *_: Made())
    things = [Thing(1), Thing(2)]
    made = weakref.ref(make(*things))
    del things[leaving]
    gc.collect()
    assert made() is None


def test_classes_make_their_own():
    class Read:
        @classmethod
        @cached
        def of(cls, thing):
            return cls()

    class Narrow(Read):
        pass

    thing = Thing(1)
    assert Read.of(thing) is Read.of(thing)
    assert isinstance(Narrow.of(thing), Narrow)
    assert Read.of(thing) is not Read.of(Thing(1))


RELEASES = {
    "activity": (sf.Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]]), sf.methods.Mc(k=2)),
    "rt": (
        sf.Dataset.of("rt", [(20,), (20,)], ("age",), [["a"], ["a"]]),
        sf.methods.RFirst(k=2, m=1, transaction="coat"),
    ),
    "sequences": (
        sf.Dataset.of("sequences", [[("mail", 1), ("mail", 9)], [("mail", 3)]], monitored=("mail",)),
        sf.methods.Hi(k=2),
    ),
    "snapshots": (
        sf.Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill"),
        sf.methods.Anatomy(l=2),
    ),
    "table": (sf.Dataset.of("table", [(20,), (29,)], ("age",)), sf.methods.Mondrian(k=2)),
}


READ = {
    "activity": lambda release: PublishedClasses.of(release).share,
    "rt": lambda release: PublishedRecords.of(release).values,
    "sequences": lambda release: TimedRecords.of(release).entries,
    "snapshots": lambda release: PublishedSnapshots.of(release).times,
    "table": lambda release: Classes.of(decode(release)).sizes,
}


@pytest.mark.parametrize("kind", READ)
def test_a_release_is_read_once(kind):
    read, release = READ[kind], sf.anonymize(*RELEASES[kind], secret=bytes(32)).release
    assert read(release) is read(release)
    assert read(release) is not read(dataclasses.replace(release))


@pytest.mark.parametrize("kind", READ)
def test_a_release_that_was_read_is_forgotten(kind):
    """Nothing that is made of it refers to it."""
    release = sf.anonymize(*RELEASES[kind], secret=bytes(32)).release
    READ[kind](release)
    left = weakref.ref(release)
    del release
    gc.collect()
    assert left() is None


def test_people_who_were_looked_for_are_forgotten_with_the_release_or_the_original():
    for leaving in (0, 1):
        result = sf.anonymize(*RELEASES["table"], secret=bytes(32))
        things = [result.release, dataclasses.replace(RELEASES["table"][0])]
        fitting = weakref.ref(Fitting.of(Classes.of(decode(things[0])), things[1]))
        assert fitting() is Fitting.of(Classes.of(decode(things[0])), things[1])
        del result, things[leaving]
        gc.collect()
        assert fitting() is None


def test_sequences_that_are_read_once_know_the_labels_of_whoever_asks():
    release = sf.anonymize(*RELEASES["sequences"], secret=bytes(32)).release
    assert TimedRecords.of(release, ("chat", "mail")).holds.tolist() == [1]
    assert TimedRecords.of(release, ["mail"]).holds.tolist() == [0]
    assert TimedRecords.of(release).labels == ()
