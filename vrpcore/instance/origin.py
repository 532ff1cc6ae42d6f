"""The document that an instance came from, as far as messages and answers depend on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

if TYPE_CHECKING:
    from vrpcore.instance.instance import CustomerId, Instance
    from vrpcore.instance.plan import Plan, Route

InKind = Literal["csv", "vroom"]
EPOCH_S = 1e8  # seconds from here on are counted since 1970, not since midnight


class OwnOptions(Protocol):
    """Options that a document brings for its solve; None: as all others have them.

    Attributes:
        geometry: Its answer tells the ways of its routes.
        explore: How much is searched, 0 to 5.
        threads: Most threads of its search.
        limit_s: Seconds of search.
        given: Its routes are the answer, and only their times are asked for.
    """

    geometry: bool | None
    explore: int | None
    threads: int | None
    limit_s: float | None
    given: bool | None


class Origin:
    """The document of an instance; each format that is answered in kind has a class of its own.

    Attributes:
        kind: What it is answered in; None: JSON of our own.
        words: What messages about roads call it.
        is_typed: Whether people typed its places, who mistype some.
        road_units: Of durations and distances by road, as its author sees them; its instance
            counts metres. None: as the options say.
        has_whole_roads: Whether durations and distances by road are whole numbers.
        unnamed_profile: The profile of vehicles that name none; it stands for the options' one.
        notes: What its author should know, in words.
        vans: Its vehicles, each with an `id`, where it tells apart those of a type.
        read_as: What its columns were read as, a line for each table.
        options: What it asks for besides its problem.
    """

    __slots__ = ()
    kind: ClassVar[InKind | None] = None
    words: ClassVar[str] = ""
    is_typed: ClassVar[bool] = False
    road_units: ClassVar[tuple[Literal["s", "min"], Literal["m", "km"]] | None] = None
    has_whole_roads: ClassVar[bool] = False
    unnamed_profile: ClassVar[str | None] = None
    read_as: Sequence[str] = ()
    options: OwnOptions | None = None
    notes: Sequence[str] = ()
    vans: Sequence[Any] = ()

    @property
    def label(self) -> str:
        """Names its file in messages; empty where it has none of its own."""
        return ""

    @property
    def names(self) -> Mapping[CustomerId, str]:
        """Names of its stops by id, where people use others than the id."""
        return {}

    @property
    def has_ids(self) -> bool:
        """True where its stops have ids, so that a plan means them wherever their rows are."""
        return True

    @property
    def clock(self) -> Literal["s", "min"] | None:
        """The unit of times that are times of day; None: they are numbers."""
        return None

    @property
    def time_text(self) -> Callable[[float], str] | None:
        """Writes times of day, given in minutes, as its author did; None: no way of its own."""
        return None

    def node_in_words(self, instance: Instance, node: int) -> str:
        """Name a depot or a stop, by its row in arrays, in messages to the author."""
        return instance.node_name(node)

    def length_in_words(self, value: float) -> str:
        """A length as answers show it to people."""
        return f"{value:g}"

    def time_in_words(self, value: float) -> str:
        """A length of time as answers show it to people."""
        return f"{value:g}"

    def with_vans(self, routes: Sequence[Route], known: Plan | None = None) -> list[Route]:  # noqa: ARG002
        """Gives each route its vehicle among those of its type, where a format tells these apart.

        Args:
            routes: With vehicle types.
            known: The routes that the vehicles had before.
        """
        return list(routes)

    def rounding(self, latest: float) -> float:  # noqa: ARG002
        """The largest rounding of a time in an answer, up to some time."""
        return 0.0

    def dated_time(self, text: str) -> float | None:  # noqa: ARG002
        """The time that a text means where times have dates; None: they have none.

        Raises:
            InstanceError: It does not say which time that is (code FREEZE).
        """
        return None

    def place_names(self, instance: Instance) -> list[str] | None:  # noqa: ARG002
        """Names of its depots and stops in messages about roads; None: the usual ones."""
        return None

    def check_places(self) -> None:
        """Refuses places that no roads lie between.

        Raises:
            InstanceError: They are no latitudes and longitudes.
        """


OURS = Origin()  # JSON, a text format, or no document at all
