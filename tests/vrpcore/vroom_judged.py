"""Answers of VROOM's as `vrp check` judges them, and what may be wrong with a document."""

import copy
import json

from vrpcore.api import read_instances
from vrpcore.errors import VrpError
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.referee.vroom_check import check_vroom

_TYPES = ("job", "pickup", "delivery", "break", "start", "end")
_KEPT = ("code", "computing_times", "location", "start", "end")  # numbers that nobody checks


def judged(problem, answer):
    """What is wrong with an answer; both are documents."""
    (instance,) = read_instances(problem)
    try:
        (solution,) = read_solutions(json.dumps(answer).encode())
    except VrpError as error:
        return [str(error)]
    return check_vroom(instance, with_own_ids(instance, solution))


def damaged(document, draw):
    """A copy with one number, text or list changed at random."""
    changed = copy.deepcopy(document)
    part, key = draw.choice(list(_places(changed)))
    value = part[key]
    if isinstance(value, list):
        first, second = draw.randrange(len(value)), draw.randrange(len(value))
        if (how := draw.randrange(3)) == 0:
            del value[first]
        elif how == 1:
            value.insert(second, copy.deepcopy(value[first]))
        else:
            value[first], value[second] = value[second], value[first]
    elif isinstance(value, str):
        part[key] = draw.choice(_TYPES)
    else:
        part[key] += draw.choice([-1000, -60, -2, -1, 1, 2, 60, 1000])
    return changed


def _places(part):
    """Each value that may be changed: what holds it, and its key there."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if key in _KEPT:
            continue
        if isinstance(value, dict | list):
            yield from _places(value)
        if isinstance(value, int | float | str) or (isinstance(value, list) and value):
            yield part, key
