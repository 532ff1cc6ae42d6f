"""Progress of a search while it runs, and the means to end it early."""

import ctypes
import math
from typing import NamedTuple

# How far above a target, relative to it, a plan reaches it: the search of plain instances rounds
# lengths.
TARGET_ROUNDING = 1e-6
_MUCH = 2**62
_NO_GAINS = 2  # of `silent`


class WatchFields(ctypes.Structure):
    """Lay out `Watch` of shared/watch.hpp, where its fields are explained."""

    _fields_ = (
        ("stopped", ctypes.c_int64),
        ("silent", ctypes.c_int64),
        ("patience", ctypes.c_double),
        ("target", ctypes.c_double),
        ("end", ctypes.c_double),
        ("iterations", ctypes.c_int64),
        ("gains", ctypes.c_int64),
        ("missing", ctypes.c_int64),
        ("vehicles", ctypes.c_int64),
        ("cost", ctypes.c_double),
        ("gained_at", ctypes.c_double),
        ("busy", ctypes.c_int64),
    )


class Seen(NamedTuple):
    """Progress of a search so far.

    Attributes:
        gains: How often it found a better plan, its first one included.
        iterations: Of annealing; a child counts one for each customer.
        cost: Of the best plan; None: none serves all who must be served, or the search counts
            other costs than the answer, as where known routes are kept.
    """

    gains: int
    iterations: int
    cost: float | None


class Watch:
    """Watches the search of one instance, from any thread, and ends it early.

    The search polls it; until it is ended, it finds what it would find unwatched.

    Args:
        no_improvement: Seconds without a better plan after which it ends; None: no such rule.
            Annealing has to cool within them, since hardly any plan is better while it is hot.
        target_cost: It ends at a plan that costs no more (or a millionth more); None: no such
            rule.

    Attributes:
        patience: The seconds without a better plan; infinite: no such rule.
    """

    def __init__(
        self, no_improvement: float | None = None, target_cost: float | None = None
    ) -> None:
        target = -math.inf
        if target_cost is not None:
            target = target_cost + TARGET_ROUNDING * abs(target_cost)
        self._fields = WatchFields(
            patience=-1.0 if no_improvement is None else no_improvement,
            target=target,
            end=math.inf,
            missing=_MUCH,
            vehicles=_MUCH,
            cost=math.inf,
        )
        self._shown, self._ended = True, False
        self.patience = math.inf if no_improvement is None else no_improvement

    @property
    def address(self) -> int:
        """The address for the compiled searches, valid as long as this object lives."""
        return ctypes.addressof(self._fields)

    @property
    def stopped(self) -> bool:
        """Return whether a caller or a rule has ended the search."""
        return bool(self._fields.stopped)

    def stop(self) -> None:
        """Ends the search soon; it returns the best plan by then."""
        self._ended = True
        self._fields.stopped = 1

    def seek_fewer_vehicles(self, *, until_served: bool) -> None:
        """Lets a search of a plain instance follow, each of whose plans has fewer vehicles.

        One that serves all is better than any before, whatever it costs.

        Args:
            until_served: The search ends at such a plan.
        """
        self._fields.vehicles = 1  # a plan of a plain instance counts none
        self._fields.target = math.inf if until_served else -math.inf
        self.renew()

    def seek_less_cost(self) -> None:
        """Lets a search follow whose plans have as many vehicles as the best one."""
        self._fields.vehicles, self._fields.target = 0, -math.inf
        self.renew()

    def renew(self) -> None:
        """Lets a search begin with all of the patience, even if a rule has ended what was before.

        Building plans needs some of it, and finds nothing that counts as better.
        """
        if self._fields.silent == _NO_GAINS:
            return
        self._fields.stopped, self._fields.gained_at = 0, 0.0
        if self._ended:  # perhaps by another thread meanwhile
            self._fields.stopped = 1

    def seen(self) -> Seen:
        """The progress of the search so far."""
        fields = self._fields
        gains, shown = fields.gains, self._shown and fields.gains > 0 and fields.missing == 0
        return Seen(gains, fields.iterations, fields.cost if shown else None)

    def hide_costs(self) -> None:
        """Shows no costs from now on: those of the search are not those of the answer."""
        self._shown = False

    def follow_parts(self, *, gains: bool = True) -> None:
        """Stop counting the plans of parts; count only those passed to `note`.

        Args:
            gains: A better plan of a part is one of the whole, too, and patience begins anew; else
                it does so only with `note`, whatever search begins.
        """
        self._fields.silent = 1 if gains else _NO_GAINS

    def note(self, cost: float, vehicles: int = 0) -> None:
        """After `follow_parts`: the parts together are a plan of this cost that serves all.

        Args:
            cost: Of the plan.
            vehicles: Its number of vehicles where that comes before cost, else 0.
        """
        fields = self._fields
        if fields.missing == 0 and (vehicles, cost) >= (fields.vehicles, fields.cost):
            return
        fields.missing, fields.vehicles, fields.cost = 0, vehicles, cost
        fields.gains += 1
        fields.gained_at = 0.0  # the search looks at its clock next
        if cost <= fields.target:
            self.stop()
