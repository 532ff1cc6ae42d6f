"""Adds good routes to past days: python label.py history.jsonl labelled.jsonl."""

import json
import sys
from pathlib import Path

from vrpcore.api import Solver, read_instances

source, target = map(Path, sys.argv[1:])
days = [json.loads(line) for line in source.read_text().splitlines()]
answers = Solver().solve(read_instances(days), improve="deep")
with target.open("w") as file:
    for day, answer in zip(days, answers, strict=True):
        routes = [route.customers for route in answer.routes]
        print(json.dumps({**day, "routes": routes}), file=file)
