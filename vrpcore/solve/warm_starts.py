"""Earlier solutions that instances begin with: by name, else by position."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from vrpcore.errors import describe
from vrpcore.instance.solution import Solution

_UNNAMED = re.compile(r"(instance-\d+)?")  # its author gave none


class WarmStarts:
    """Earlier solutions, each for one instance.

    An instance gets the one of its name, where only one is called so. Any other gets the one at its
    position, unless an instance before has had that by its name.

    Args:
        solutions: In the order of their file.
        say: Called with what the user should know: a name that does not fit.
    """

    def __init__(self, solutions: Sequence[Solution], say: Callable[[str], None]) -> None:
        self._solutions, self._say = solutions, say
        counts = Counter(solution.name for solution in solutions)
        self._places = {
            solution.name: place
            for place, solution in enumerate(solutions)
            if counts[solution.name] == 1
        }
        self._taken: set[int] = set()

    def __len__(self) -> int:
        return len(self._solutions)

    def take(self, name: str, position: int) -> Solution | None:
        """The warm start of an instance; None: there is none.

        Args:
            name: Of the instance.
            position: Its position in all that is read.
        """
        if (place := self._places.pop(name, None)) is not None:
            self._taken.add(place)
            return self._solutions[place]
        if position >= len(self._solutions) or position in self._taken:
            return None
        found = self._solutions[position]
        if found.name != name and not any(map(_UNNAMED.fullmatch, (found.name, name))):
            called = f"its warm start, found by position, is called {describe(found.name)}"
            self._say(f"{name}: {called}; make sure that it is the right one")
        return found
