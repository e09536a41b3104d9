"""Random times with the rhythm of days and weeks."""

from datetime import date

import numpy as np
import numpy.typing as npt

__all__ = ["DAY", "spread_over_days", "weekday_and_hour"]

DAY = 86_400
"""Seconds in a day."""

_HOUR = 3_600

# Relative activity in each hour of the day, from midnight on: two rush hours and a lunch break on working
# days, a late start and a long evening at the weekend.
_WORKING_DAY = (2, 1, 1, 1, 1, 3, 9, 18, 22, 16, 12, 14, 20, 16, 12, 13, 16, 24, 26, 22, 16, 11, 7, 4)
_WEEKEND_DAY = (6, 4, 2, 1, 1, 1, 2, 4, 8, 13, 18, 21, 22, 21, 20, 19, 19, 20, 22, 23, 21, 17, 13, 9)


def spread_over_days(uniform: npt.NDArray[np.float64], start: date, days: int) -> npt.NDArray[np.int64]:
    """Turn uniform numbers into seconds since the midnight that begins `start`, busy hours more often.

    Examples
    --------
    >>> import numpy as np
    >>> seconds = spread_over_days(np.linspace(0, 0.999, 1000), date(2024, 1, 1), days=1)
    >>> evening, night = ((seconds // 3600 == hour).sum() for hour in (18, 3))
    >>> bool(evening > 10 * night)
    True
    """
    weekdays = (start.weekday() + np.arange(days)) % 7
    by_day = np.where((weekdays < 5)[:, None], _WORKING_DAY, _WEEKEND_DAY)
    share = np.concatenate(([0], np.cumsum(by_day.ravel())))
    moments = np.interp(uniform * share[-1], share, np.arange(share.size) * float(_HOUR))
    seconds: npt.NDArray[np.int64] = np.minimum(moments.astype(np.int64), days * DAY - 1)
    return seconds


def weekday_and_hour(
    seconds: npt.NDArray[np.int64], start: date
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the day of the week (Monday is 0) and the hour of the day of each time.

    Examples
    --------
    >>> weekday, hour = weekday_and_hour(np.array([3 * 86_400 + 7_200]), date(2024, 1, 1))
    >>> int(weekday[0]), int(hour[0])
    (3, 2)
    """
    return (start.weekday() + seconds // DAY) % 7, seconds % DAY // _HOUR
