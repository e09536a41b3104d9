"""Inference as it is written down: every rule, one step at a time, until nothing new follows."""

from __future__ import annotations

TYPE = "type"


def infer(triples, subclass=(), subproperty=(), equivalent=(), restrictions=()):
    """Return what follows from triples and is not among them.

    `subclass`, `subproperty` and `equivalent` are pairs; a restriction is (class, of, property, some).
    """
    below = [*subclass, *equivalent, *((b, a) for a, b in equivalent)]
    known = set(triples)
    while True:
        new = set()
        for s, p, o in known:
            new |= {(s, high, o) for low, high in subproperty if low == p}
            new |= {(s, TYPE, high) for low, high in below if p == TYPE and low == o}
            for makes, of, by, some in restrictions:
                if p == by and (s, TYPE, of) in known and (o, TYPE, some) in known:
                    new.add((s, TYPE, makes))
        if new <= known:
            return known - set(triples)
        known |= new


def compete(triples, preys, competes):
    """Return who competes with whom: two that prey on the same."""
    hunts = [(s, o) for s, p, o in triples if p == preys]
    return {(x, competes, y) for x, z in hunts for y, other in hunts if z == other and x != y}
