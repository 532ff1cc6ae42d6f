"""Which breaks of a vehicle type come before others."""

from collections.abc import Sequence

from vrpcore.instance.vehicle_types import Break, are_in_order


def in_order(breaks: Sequence[Break]) -> list[int]:
    """The breaks in the order in which their last windows end."""
    return sorted(range(len(breaks)), key=lambda index: breaks[index].windows[-1][1])


def breaks_before(breaks: Sequence[Break], index: int, slack: float) -> int:
    """The breaks that come before one: they are listed before it with equal windows, or over.

    Where they `are_in_order`, all whose last windows end sooner, or at the same time and are
    listed before it.

    Args:
        breaks: Of a vehicle type.
        index: Of the one.
        slack: How much too late counts as in time.

    Returns:
        A bit for each of them.
    """
    if are_in_order(breaks):
        order = in_order(breaks)
        return sum(1 << other for other in order[: order.index(index)])
    own, found = breaks[index], 0
    for other, each in enumerate(breaks):
        equal = other < index and each.windows == own.windows
        if equal or (other != index and each.windows[-1][1] + slack < own.windows[0][0]):
            found |= 1 << other
    return found
