"""The groups of PyVRP's dialect of `.vrp`: clients of whom exactly one is served."""

from vrpcore.errors import show
from vrpcore.formats.text.vrptables import check_number_of
from vrpcore.formats.text.vrptext import Section, VrpText
from vrpcore.instance.constraints import Int64
from vrpcore.instance.relations import MAX_GROUPS, Group

GROUPS = "MUTUALLY_EXCLUSIVE_GROUP_SECTION"


def read_groups(parts: VrpText, size: int, clients: Int64) -> tuple[Group, ...]:
    """Groups of clients, each of two or more: one client is served whatever a group says.

    Args:
        parts: The file.
        size: Number of nodes.
        clients: [N] int64, their nodes 1..`size`, in the order of the stops.

    Raises:
        InstanceError: A row names what is no client, or one that is in another row, too, or has
            a prize, or there are too many rows.
    """
    if GROUPS not in parts.sections:
        return ()
    section = parts.sections[GROUPS]
    stops = {node: stop for stop, node in enumerate(clients.tolist(), start=1)}
    prizes = _prizes(parts)
    numbers: set[int] = set()
    known: dict[int, int] = {}
    members = []
    for line, row in section.rows:
        number = check_number_of(
            section, line, float(row[0]), len(section.rows), "group", "the number of rows"
        )
        if number in numbers:
            raise section.fault(f"duplicate group id {number}", "DUPLICATE_ID", line)
        numbers.add(number)
        nodes = [check_number_of(section, line, each, size, "node") for each in row[1:].tolist()]
        for node in nodes:
            _check_member(section, line, node, stops, known)
            known[node] = line
        if len(nodes) < 2:
            continue
        for node in nodes:
            if prizes.get(node, 0.0) > 0:
                message = f"node {node} has a prize of {show(prizes[node])}, expected none"
                raise section.fault(f"{message} of clients in groups", "CONFLICTING_KEYS", line)
        members.append(tuple(stops[node] for node in nodes))
    if len(members) > MAX_GROUPS:
        message = f"{len(members)} groups, the limit is {MAX_GROUPS}"
        raise section.fault(message, "SHAPE")
    return tuple(Group(f"group-{index}", each) for index, each in enumerate(members))


def _check_member(
    section: Section, line: int, node: int, stops: dict[int, int], known: dict[int, int]
) -> None:
    if node not in stops:
        raise section.fault(f"node {node} is a depot, expected clients", "OUT_OF_RANGE", line)
    if node in known:
        message = f"node {node} is in a group already, on line {known[node]}"
        raise section.fault(message, "DUPLICATE_ID", line)


def _prizes(parts: VrpText) -> dict[float, float]:
    """The prize of each node; rows that are not of that form are refused elsewhere."""
    if "PRIZE_SECTION" not in parts.sections:
        return {}
    rows = (row.tolist() for _, row in parts.sections["PRIZE_SECTION"].rows)
    return {row[0]: row[1] for row in rows if len(row) == 2}
