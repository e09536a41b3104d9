"""Road networks: built from a seed or read from files, scaled to one square map, with fastest routes."""

import gzip
import lzma
import math
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, parameter

__all__ = [
    "MAP_SIDE",
    "Network",
    "Routes",
    "build_network",
    "count_starts_per_batch",
    "find_routes",
    "read_network",
]

MAP_SIDE = 1000.0
"""Side of the square to which every network is scaled."""

_OWNER = "generate trajectories"
_MAX_PAIRS = 4_000_000  # pairs of start and junction held in memory
_MINOR, _SECONDARY, _MAIN = 1.0, 1.5, 2.0

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Network(NamedTuple):
    """A connected road network on a square map, with two-way roads.

    Examples
    --------
    >>> import numpy as np
    >>> network = build_network(np.random.default_rng(1), junctions=100)
    >>> bool(network.x.min() == 0.0), bool(network.x.max() == MAP_SIDE)
    (True, True)
    """

    x: Floats
    """Coordinate of each junction, from 0 to MAP_SIDE."""
    y: Floats
    tail: Ints
    """Junction where each road begins."""
    head: Ints
    """Junction where each road ends."""
    length: Floats
    """Length of each road in map units."""
    speed: Floats
    """Speed on each road, relative to a minor road: the road class."""


class Routes(NamedTuple):
    """Fastest routes from some junctions to all others: one row per start."""

    duration: Floats
    """Length divided by speed, summed along the route."""
    previous: npt.NDArray[np.int32]
    """The junction before each one on its route; negative at the start."""


def build_network(rng: np.random.Generator, junctions: int) -> Network:
    """Make up a town: a bent grid, denser in the middle, with avenues, two diagonals and missing streets.

    Examples
    --------
    >>> network = build_network(np.random.default_rng(1), junctions=400)
    >>> bool(np.isfinite(find_routes(network, np.array([0])).duration).all())
    True
    """
    side = max(3, round(math.sqrt(junctions)))
    at = np.arange(side * side).reshape(side, side)
    avenue = np.arange(side) % 8 == 4
    along = np.where(avenue, _MAIN, _MINOR)
    diagonal = np.concatenate((at.diagonal(), at[:, ::-1].diagonal()))
    bends = np.delete(np.arange(diagonal.size - 1), side - 1)
    tail = np.concatenate((at[:, :-1].ravel(), at[:-1, :].ravel(), diagonal[bends]))
    head = np.concatenate((at[:, 1:].ravel(), at[1:, :].ravel(), diagonal[bends + 1]))
    speed = np.concatenate((np.repeat(along, side - 1), np.tile(along, side - 1), np.full(bends.size, _SECONDARY)))
    retained = (speed > _MINOR) | (rng.random(speed.size) >= 0.2)

    row, column = np.divmod(np.arange(side * side), side)
    across, up = (np.stack((column, row)) + 0.3 * (2 * rng.random((2, side * side)) - 1)) / (side - 1)
    x, y = (place + 0.08 * np.sin(2 * np.pi * place) for place in (across, up))
    tail, head, speed = tail[retained], head[retained], speed[retained]
    length = np.hypot(x[tail] - x[head], y[tail] - y[head])
    return _fit_to_map(Network(x, y, tail, head, length, speed))


def read_network(nodes: Path, edges: Path) -> Network:
    """Read a network from two files: lines `id x y`, and lines `id from to length`.

    Fields are separated by blanks; files ending in .xz or .gz are decompressed. Such files do not say which
    roads are the main ones, so the roads that most of the shortest routes use become main roads.
    """
    points: dict[str, tuple[float, float]] = {}
    for line, (name, x, y) in _read_fields(nodes, "nodes", "id x y"):
        if name in points:
            raise ParameterError(
                Message(
                    _OWNER, ": ", parameter("nodes"), f" must have distinct ids; line {line} of the file repeats one."
                ),
                rows=(line,),
            )
        points[name] = (_number(x, "nodes", line), _number(y, "nodes", line))
    number = {name: index for index, name in enumerate(points)}
    roads: list[tuple[int, int, float]] = []
    for line, (_, begin, end, length) in _read_fields(edges, "edges", "id from to length"):
        if begin not in number or end not in number:
            raise ParameterError(
                Message(_OWNER, ": ", parameter("edges"), f" must join known nodes; line {line} of the file does not."),
                rows=(line,),
            )
        metres = _number(length, "edges", line)
        if metres < 0:
            raise ParameterError(
                Message(
                    _OWNER,
                    ": ",
                    parameter("edges"),
                    f" must have lengths of 0 or more; line {line} of the file does not.",
                ),
                rows=(line,),
            )
        if begin != end:
            roads.append((number[begin], number[end], metres))
    if not roads:
        raise ParameterError(
            Message(_OWNER, ": ", parameter("edges"), " must have a road between two nodes; the file has none.")
        )
    x, y = np.array(list(points.values())).T
    ends = np.array([road[:2] for road in roads], dtype=np.int64)
    metres_all = np.array([road[2] for road in roads])
    plain = _fit_to_map(Network(x, y, ends[:, 0], ends[:, 1], metres_all, np.full(len(roads), _MINOR)))
    return plain._replace(speed=_estimate_speeds(plain))


def find_routes(network: Network, starts: Ints) -> Routes:
    """Find the fastest routes from each start to every junction.

    Examples
    --------
    >>> x, y, tail, head = np.arange(3.0), np.zeros(3), np.array([0, 1]), np.array([1, 2])
    >>> line = Network(x, y, tail, head, length=np.array([1.0, 1.0]), speed=np.array([1.0, 2.0]))
    >>> find_routes(line, np.array([0])).duration.tolist()
    [[0.0, 1.0, 1.5]]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    count = network.x.size
    weight = network.length / network.speed
    graph = csr_array((weight, (network.tail, network.head)), shape=(count, count))
    duration, previous = dijkstra(graph, directed=False, indices=starts, return_predecessors=True)
    return Routes(duration, previous)


def count_starts_per_batch(network: Network) -> int:
    """Say from how many starts the routes may be held in memory together.

    Examples
    --------
    >>> count_starts_per_batch(build_network(np.random.default_rng(1), junctions=400)) >= 10_000
    True
    """
    return max(1, _MAX_PAIRS // network.x.size)


def _fit_to_map(raw: Network) -> Network:
    """Keep the largest connected part, one road per pair of junctions, scaled to the map."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count = raw.x.size
    links = csr_array((np.ones(raw.tail.size), (raw.tail, raw.head)), shape=(count, count))
    part = connected_components(links, directed=False)[1]
    inside = part == np.bincount(part).argmax()
    renumbered = np.cumsum(inside) - 1
    x, y = (_scale(place[inside]) for place in (raw.x, raw.y))

    low, high = np.minimum(raw.tail, raw.head), np.maximum(raw.tail, raw.head)
    roads = np.flatnonzero(inside[low])
    roads = roads[np.lexsort((raw.length[roads], high[roads], low[roads]))]
    repeated = np.zeros(roads.size, dtype=np.bool_)
    repeated[1:] = (np.diff(low[roads]) == 0) & (np.diff(high[roads]) == 0)
    roads = roads[~repeated]
    tail, head = renumbered[low[roads]], renumbered[high[roads]]
    straight = np.hypot(x[tail] - x[head], y[tail] - y[head])
    # Lengths may be in another unit than the coordinates; the sums give the rate of exchange. A road of
    # length 0 would be no road for the sparse matrix.
    total = raw.length[roads].sum()
    length = raw.length[roads] * (straight.sum() / total) if total > 0 else straight
    return Network(x, y, tail, head, np.maximum(length, 1e-6), raw.speed[roads])


def _scale(place: Floats) -> Floats:
    extent = place.max() - place.min()
    return (place - place.min()) * (MAP_SIDE / extent) if extent > 0 else np.full_like(place, MAP_SIDE / 2)


def _estimate_speeds(network: Network) -> Floats:
    """Give the busiest tenth of the roads the speed of main roads, the next fifth that of secondary ones."""
    count = network.x.size
    sample = min(64, count_starts_per_batch(network))
    starts = np.unique(np.linspace(0, count - 1, sample).astype(np.int64))
    routes = find_routes(network, starts)
    rows = np.arange(starts.size)
    load = np.ones((starts.size, count))
    # From the far end back: everybody who passes a junction passes the one before it too.
    for junction in np.argsort(routes.duration, axis=1, kind="stable")[:, :0:-1].T:
        load[rows, routes.previous[rows, junction]] += load[rows, junction]
    below = np.zeros(network.tail.size)
    for begin, end in ((network.tail, network.head), (network.head, network.tail)):
        below += np.where(routes.previous[:, end] == begin, load[:, end], 0.0).sum(axis=0)
    busiest_first = np.argsort(-below, kind="stable")
    speed = np.full(below.size, _MINOR)
    speed[busiest_first[: below.size * 3 // 10]] = _SECONDARY
    speed[busiest_first[: below.size // 10]] = _MAIN
    return speed


def _read_fields(path: Path, option: str, form: str) -> Iterator[tuple[int, list[str]]]:
    openers: dict[str, Callable[..., IO[Any]]] = {".xz": lzma.open, ".gz": gzip.open}
    expected = len(form.split())
    try:
        with openers.get(path.suffix, open)(path, "rt", encoding="utf-8") as lines:
            for line, text in enumerate(lines, start=1):
                fields = text.split()
                if len(fields) == expected:
                    yield line, fields
                elif fields:
                    raise ParameterError(
                        Message(
                            _OWNER,
                            ": ",
                            parameter(option),
                            f" must be a file of lines '{form}'; line {line} has {len(fields)} fields instead of "
                            f"{expected}.",
                        ),
                        rows=(line,),
                    )
    except (OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is damaged or not of this format"
        raise ParameterError(
            Message(_OWNER, ": ", parameter(option), f" must be a readable file, got {path}: {reason}.")
        ) from error


def _number(text: str, option: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(
            Message(_OWNER, ": ", parameter(option), f" must hold finite numbers; line {line} of the file does not."),
            rows=(line,),
        )
    return value
