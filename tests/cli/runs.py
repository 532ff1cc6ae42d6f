"""Commands called in this process, and small inputs for them."""

import json
from pathlib import Path

from typer.testing import CliRunner

from vrpcore.cli.main import app

ONE = {"capacity": 5, "depot": [0, 0], "coords": [[3, 4], [3, 0]], "demands": [2, 3]}
BAD = {**ONE, "capacity": -4, "name": "bad"}
EXAMPLES = Path(__file__).parents[2] / "examples" / "instances.json"
# A policy that is trained in a moment.
TINY = ("policy.embed_dim=16", "policy.num_heads=2", "policy.num_layers=1", "train.batch_size=4")
TINY += ("train.validate_every=0", "problem.num_customers=5")
KOOL = Path(__file__).parents[1] / "data" / "kool_n20.npz"


def vrp(*words, code=0, stdin=None, app=app):
    """Runs a command, which must end with this code; its stdout and stderr."""
    result = CliRunner().invoke(app, [*map(str, words)], input=stdin, env={"COLUMNS": "120"})
    assert code in (None, result.exit_code), (result.exit_code, result.output, result.exception)
    return result


def one_line(text):
    """A message in one line, without the frame that typer may have drawn around it."""
    return " ".join(text.replace("│", " ").split())


def solve(*arguments, code=0, stdin=None):
    """Solves with the policy alone."""
    fixed = ["solve", "--device", "cpu", "--improve", "none"]
    return vrp(*fixed, *arguments, code=code, stdin=stdin)


def settings(*items):
    """The words that make these settings."""
    return [word for item in items for word in ("--set", item)]


def named(count, **more):
    """Instances named i1, i2, ... of three customers each."""
    return [
        {**ONE, "name": f"i{k}", "coords": [[3, k], [k, 1], [2, -k]], "demands": [2, 3, 4], **more}
        for k in range(1, count + 1)
    ]


def lines(instances):
    """JSON Lines."""
    return "".join(f"{json.dumps(item)}\n" for item in instances)


def names(path):
    """What a folder contains, sorted."""
    return sorted(item.name for item in path.iterdir())
