"""Which points lie in a region, ring by ring."""


def is_inside(polygons, x, y):
    """Cast a ray to the east, ring by ring."""
    crossings = 0
    for ring in (ring for polygon in polygons for ring in polygon):
        for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
            if (y1 > y) != (y2 > y):
                if y1 > y2:
                    x1, y1, x2, y2 = x2, y2, x1, y1
                crossings += x < x1 + (y - y1) * (x2 - x1) / (y2 - y1)
    return crossings % 2 == 1
