"""Which of the text formats a file has, recognized by how it begins."""

import re
from collections.abc import Callable

from vrpcore.formats.text.cordeau import CORDEAU_START, read_cordeau
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.darp import DARP_START, read_darp
from vrpcore.formats.text.hvrp import HVRP_START, read_hvrp
from vrpcore.formats.text.lilim import LILIM_START, read_lilim
from vrpcore.formats.text.sdvrp import SDVRP_START, read_sdvrp
from vrpcore.formats.text.solomon import SOLOMON_START, read_solomon
from vrpcore.instance.instance import Instance

_VRP_START = (
    rb"\s*(?:#[^\n]*\n\s*)*"
    rb"(NAME|COMMENT|TYPE|DIMENSION|CAPACITY|VEHICLES|DISTANCE|SERVICE_TIME|EOF"
    rb"|[A-Z_]+_(SECTION|TYPE|FORMAT|DISTANCE|DURATION|RELOADS))\s*(:|\s|$)"
)
_HEADER = re.compile(rb"\s*(?:#[^\n]*\n\s*)*[A-Z_]+[ \t]*:[^:,;\n]*(?:\n|$)")
_READERS: tuple[tuple[bytes, Callable[[str, str], Instance]], ...] = (
    (SOLOMON_START, read_solomon),  # before .vrp: its first line is a name, whatever it says
    (_VRP_START, read_vrp),
    (LILIM_START, read_lilim),
    (CORDEAU_START, read_cordeau),
    (HVRP_START, read_hvrp),
    (DARP_START, read_darp),
    (SDVRP_START, read_sdvrp),
)


def begins_with_header(head: bytes) -> bool:
    """Return whether a file begins with a header such as `NAME : x`, as only a `.vrp` does."""
    return bool(_HEADER.match(head) and re.match(_VRP_START, head))


def find_reader(head: bytes) -> Callable[[str, str], Instance] | None:
    """The reader of a text format: text, and a name for what has none -> instance.

    Args:
        head: How the file begins, 4096 bytes of it.

    Returns:
        The reader, which raises `InstanceError`; None where the format is not known.
    """
    return next((read for start, read in _READERS if re.match(start, head)), None)
