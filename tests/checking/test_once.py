"""What is made once for an object is made again for others, and forgotten with the object."""

import gc
import weakref

import pytest

from sfumato.checking.once import once


class Thing:
    def __init__(self, value):
        self.value = value


class Made:
    pass


def test_it_is_made_once_for_every_object_and_equals_are_others():
    asked = []

    @once
    def double(thing):
        asked.append(thing.value)
        return 2 * thing.value

    one, other = Thing(3), Thing(3)
    assert [double(one), double(one), double(other)] == [6, 6, 6]
    assert asked == [3, 3]


def test_what_was_made_goes_with_its_object():
    make = once(lambda _: Made())
    thing = Thing(1)
    made = weakref.ref(make(thing))
    assert made() is not None
    del thing
    gc.collect()
    assert made() is None


def test_an_error_is_raised_every_time():
    @once
    def fail(_):
        raise ZeroDivisionError

    thing = Thing(1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fail(thing)
