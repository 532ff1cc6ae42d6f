"""Instances that get the matrices which they lack."""

from dataclasses import replace

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.instance.constraints import NamedMatrices
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.roads.matrices import Report, Roads

Item = Instance | InvalidInstance
_SHEET_UNITS = ("min", "km")  # as its author sees them; its instance counts metres


def with_matrices(item: Item, roads: Roads, report: Report | None = None) -> Item:
    """An instance with all matrices that its vehicles need.

    What the instance gives stays: its own `distances` and `durations`, and those of `matrices`.
    Vehicle types that name other matrices get those of the profile so named; the others get
    the options' profile. A spreadsheet has units of its own, in which its instance gets them.

    Args:
        item: An instance; an invalid one is returned as it is.
        roads: Where matrices come from.
        report: Told after each request how many are done for one profile, and of how many.

    Returns:
        The instance, or an invalid one in its place if roads between its places cannot be had.

    Raises:
        RoadsError: The service cannot be reached, or answers something else.
        OutputError: The cache cannot be written.
    """
    if isinstance(item, InvalidInstance) or not (wanted := lacking(item)):
        return item
    try:
        return _filled(item, wanted, roads, report)
    except InstanceError as error:
        return InvalidInstance(name=item.name, code=error.code, error=str(error))


def lacking(instance: Instance) -> list[str | None]:
    """The matrices that an instance needs and does not give, by name; None: its own."""
    rules = instance.constraints
    if rules is None:
        return [] if instance.distances is not None else [None]
    named = dict.fromkeys(vehicle.matrix for vehicle in rules.vehicles)
    given = set[str | None](rules.matrices)
    if instance.distances is not None or rules.durations is not None:
        given.add(None)
    return [name for name in named if name not in given]


def _filled(
    instance: Instance, wanted: list[str | None], roads: Roads, report: Report | None
) -> Instance:
    if instance.coords is None:
        message = "no coordinates; roads need the longitude and latitude of every place"
        raise InstanceError(message, code="MISSING_KEY")
    names, roads = _names(instance), _measured(instance, roads)
    found = {name: roads.matrices(instance.coords, name, names, report) for name in wanted}
    rules = instance.constraints
    own = found.pop(None, None)
    distances = own.distances if own else instance.distances
    if rules is not None:
        named = {
            name: NamedMatrices(each.distances, each.durations)
            for name, each in found.items()
            if name is not None
        }
        rules = replace(
            rules,
            durations=own.durations if own else rules.durations,
            matrices={**rules.matrices, **named},
        )
    metric = "haversine" if own else instance.metric
    return replace(instance, metric=metric, distances=distances, constraints=rules)


def _measured(instance: Instance, roads: Roads) -> Roads:
    """Roads in the units of the instance: the options', or those of its spreadsheet."""
    from vrpcore.formats.sheets.sheet import SheetInstance  # most inputs are none

    if not isinstance(instance, SheetInstance):
        return roads
    table = instance.sheet.table
    if not instance.sheet.geographic:
        message = "x and y, but roads need columns lat and lon"
        raise fault(table.head_place, message, "NO_PLACES")
    asked = (roads.options.matrix_time, roads.options.matrix_distance)
    for flag, given, own in zip(("time", "distance"), asked, _SHEET_UNITS, strict=True):
        if given not in (None, own):
            message = f"{given}, but a spreadsheet with lat and lon has {own}; leave it out"
            raise fault(table.label, f"--matrix-{flag} {message}", "CONFLICTING_OPTIONS")
    return roads.measured("min", "m")


def _names(instance: Instance) -> list[str]:
    """What messages call the depots and stops."""
    rules = instance.constraints
    depots = ["the depot"]
    if rules is not None and rules.num_depots > 1:
        depots = [f"depot {describe(depot.id)}" for depot in rules.depots]
    return depots + [f"stop {describe(identifier)}" for identifier in instance.ids]
