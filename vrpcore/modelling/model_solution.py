"""An answer together with its problem: as a picture, as rows, as what vehicles do and when."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from vrpcore.errors import ConfigError, InstanceError, OutputError, describe, require_extra
from vrpcore.formats.write import solution_to_dict
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from vrpcore.modelling.plan_rows import ActivityRow, StopRow
    from vrpcore.plot.gantt import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSolution(Solution):
    """The answer to an instance, with the instance.

    A class of its own for what only both together can say: pictures, what vehicles do and when,
    rows with coordinates. A plain `Solution` stays free of its instance's arrays.

    Attributes:
        instance: The problem, invalid ones included; neither shown by repr nor compared.
    """

    instance: Instance | InvalidInstance = field(compare=False)

    @classmethod
    def of(cls, instance: Instance | InvalidInstance, solution: Solution) -> ModelSolution:
        """A solution with the instance that it solves.

        Args:
            instance: The problem.
            solution: Its answer, from any source.
        """
        values = {each.name: getattr(solution, each.name) for each in dataclasses.fields(Solution)}
        return cls(**values, instance=instance)

    def __repr__(self) -> str:
        """The name, and what the answer is in short."""
        shown = {
            "cost": self.cost,
            "routes": len(self.routes),
            "gap": self.gap,
            "unserved": len(self.unserved) or None,
            "code": None if self.has_routes else self.code,
        }
        words = [f"{key}={value}" for key, value in shown.items() if value is not None]
        return f"ModelSolution({', '.join([repr(self.name), self.status, *words])})"

    def _repr_html_(self) -> str:
        """The answer in a notebook: a table of the main numbers, and the picture if it has one."""
        from vrpcore.modelling.notebook import solution_html

        return solution_html(self)

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, clock: Clock | None = None
    ) -> Figure:
        """Draws the map, and below it the timeline where the problem has times.

        A notebook shows the figure once, as the value of its cell.

        Args:
            path: A .png, .svg or .pdf file to write; None: none.
            clock: The unit of times after midnight or since 1970, written as times of day then.

        Raises:
            ConfigError: There is no such clock.
            MissingExtraError: matplotlib is not installed.
            InstanceError: There is nothing to draw.
            OutputError: The file cannot be written, or has another ending.
        """
        from vrpcore.plot.figure import ENDINGS, draw, save
        from vrpcore.plot.gantt import Clock

        clocks = get_args(Clock)
        if clock is not None and not (isinstance(clock, str) and clock in clocks):
            raise ConfigError(f"clock: {describe(clock)} is not one of {', '.join(clocks)}")
        if not isinstance(path, str | os.PathLike | None):
            raise OutputError(f"path: {describe(path)}, expected the name of a file")
        if path is not None and Path(path).suffix not in ENDINGS:
            raise OutputError(f"{os.fspath(path)}: expected {', '.join(ENDINGS)}")
        if isinstance(self.instance, InvalidInstance):
            raise InstanceError(f"{self.name}: it is invalid, so there is nothing to draw")
        # What cannot be drawn is not reported: the picture shows it.
        figure = draw([(self.instance, self)], lambda _: None, "plot()", clock)
        if path is not None:
            save(figure, Path(path))
        return figure

    def timeline(self) -> list[ActivityRow]:
        """List each vehicle's activities, by route and time; those without duration are left out.

        Empty where routes state no times: plain instances have none.
        """
        if isinstance(self.instance, InvalidInstance):
            return []
        from vrpcore.modelling.plan_rows import activity_rows

        return list(activity_rows(self.instance, self))

    def document(self) -> dict[str, object]:
        """The answer as JSON has it, which `vrp check` and `vrp plot` take."""
        return solution_to_dict(self)

    def to_rows(self) -> list[StopRow]:
        """The stops in the order of the routes, then those that no route serves.

        A shipment that is not served has a row for its pickup and one for its delivery, a group a
        row for each stop of each of its members.

        Raises:
            InstanceError: The answer has a customer that the problem has not.
        """
        if isinstance(self.instance, InvalidInstance):
            return []
        from vrpcore.modelling.plan_rows import stop_rows

        return list(stop_rows(self.instance, self))

    def to_frame(self) -> DataFrame:
        """`to_rows` as a data frame.

        Raises:
            MissingExtraError: pandas is not installed.
            InstanceError: As for `to_rows`.
        """
        require_extra("frame", "to_frame()", "pandas")
        import pandas  # only here: loading it takes longer than solving

        from vrpcore.modelling.plan_rows import StopRow

        return pandas.DataFrame(self.to_rows(), columns=[*StopRow.__annotations__])
