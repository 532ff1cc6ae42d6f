"""Options for reading instances: what files do not say, and the matrices that they lack."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from vrpcore.cli.flags import ROUND_HELP
from vrpcore.config.option import Option
from vrpcore.formats.options import Reading, Rounding, SheetOptions
from vrpcore.roads.road_options import RoadOptions, Say, silent

if TYPE_CHECKING:
    from vrpcore.roads.road_matrices import Roads


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options for reading instances."""

    roads: RoadOptions
    sheet: SheetOptions
    rounding: Annotated[Rounding, Option(ROUND_HELP, flags=("--round",))] = "auto"

    def opened(self, say: Say = silent) -> tuple[Reading, "Roads | None"]:
        """Return how to read files, and the source of matrices, None without `--matrix`.

        A speed belongs to great circles where `--matrix` asks for them, else to spreadsheets.

        Args:
            say: Called with a message before a map is prepared, which may take long, and once if
                replies cannot be kept.

        Raises:
            ConfigError: The speed is missing, or means nothing.
            MissingExtraError: A routing service or a map needs the extra `roads`.
            OutputError: The cache cannot be created, or the map not be read.
            RoadsError: The map cannot be used.
        """
        if self.roads.matrix is None:
            return Reading(rounding=self.rounding, sheet=self.sheet), None
        from vrpcore.roads.road_matrices import Roads

        roads = Roads(self.roads, self.sheet.speed, say=say)
        sheet = replace(self.sheet, speed=None)
        return Reading(rounding=self.rounding, roads=True, sheet=sheet), roads
