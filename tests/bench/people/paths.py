"""What five people do who have read the help and the pages that are written for them."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.bench.people.day import fleet, stops, workbook
from tests.vrpcore.vroom_problems import vroom_problem

EXAMPLES = Path(__file__).parents[3] / "examples"
HOST = "http://127.0.0.1:8000"
CURL = "curl -sf"
READY = f"curl -s -o /dev/null -w '%{{http_code}}' {HOST}/v2/health/ready"
FEATURES = ("windows", "capacities", "skills", "breaks", "shipments")
TRAINED_S = 8

MODEL = """\
from vrpcore.api import Model, SheetOptions, Solver, read_instances
---
model = Model()
depot = model.add_depot(x=0, y=0, window=(0, 480))
model.add_vehicle(count=8, capacity=15, start=depot)
for i in range(40): model.add_customer(x=7*i % 41, y=11*i % 37, demand=1 + i % 3, service=3)
---
solution = model.solve(time_limit=2)
solution
---
solution.plot("day.png")
---
solution.to_frame().groupby("route").customer.count().to_dict()
---
import pandas
stops = pandas.read_csv("stops.csv")
options = SheetOptions(depot=(52.52, 13.38), capacity=(40,), speed=30)
(day,) = Solver().solve(read_instances(stops, sheet=options), time_limit=1)
day
"""
POLICY = """\
from vrpcore.api import load_policy, read_instances
policy = load_policy("runs/mine/best.pt")
policy
---
instances = read_instances("vrp20.npz")
tours = policy.solve(instances)
tours.nodes.shape, float(tours.costs.min(1).mean())
---
import torch
tours = policy.solve(instances, temperature=1.0, seed=3)
advantage = torch.from_numpy(tours.costs.mean(1, keepdims=True) - tours.costs)
loss = -(advantage * policy.log_likelihood(instances, tours.nodes)).mean()
loss.backward()
float(loss)
"""


def first_line(text):
    """The first line of a text, blanks for tabs."""
    return text.strip().splitlines()[0].replace("\t", " ")


def as_code(text):
    """A short text as code."""
    return f"`{text.strip()}`"


def of_vroom(text):
    """VROOM's answer in a line."""
    answer = json.loads(text)
    found = {key: answer["summary"][key] for key in ("cost", "routes", "unassigned")}
    return f"code {answer['code']}, " + ", ".join(f"{key} {found[key]}" for key in found)


def of_solutions(text):
    """A document of answers in a line."""
    found = json.loads(text)["summary"]
    return f"{found['solved']} of {found['instances']} solved, cost {found['cost']:.2f}"


def dispatcher(walk):
    """Has the day in a spreadsheet, and wants it back as routes."""
    (walk.folder / "stops.xlsx").write_bytes(workbook(stops(60, seed=0)))
    (walk.folder / "vans.xlsx").write_bytes(workbook(fleet()))
    vans = "--fleet vans.xlsx"
    walk.types(f"vrp solve stops.xlsx {vans} -o plan.xlsx", walk.wrote("plan.xlsx"))
    walk.types(f"vrp check stops.xlsx plan.xlsx {vans}", first_line)
    walk.types(f"vrp plot stops.xlsx plan.xlsx {vans} -o day.png", walk.wrote("day.png"))
    again = f"vrp solve stops.xlsx {vans} --warm-start plan.xlsx --freeze 9:40 -o rest.xlsx"
    walk.types(again, walk.wrote("rest.xlsx"))


def from_vroom(walk):
    """Has a program that writes VROOM's problems and reads its answers."""
    problem = vroom_problem(0, 40, FEATURES, chance=1)
    (walk.folder / "problem.json").write_text(json.dumps(problem))
    del problem["vehicles"][0]["id"]
    (walk.folder / "faulty.json").write_text(json.dumps(problem))
    walk.types("vrp solve - < problem.json | tee answer.json", of_vroom)
    walk.types("vrp check problem.json answer.json", first_line)
    walk.serves("vrp serve")
    walk.types(f"{CURL} --data-binary @problem.json {HOST}/", of_vroom)
    walk.types(f"curl -s --data-binary @faulty.json {HOST}/", as_code)
    walk.ends()


def from_pyvrp(walk):
    """Writes Python, and knows PyVRP's `Model`."""
    with (walk.folder / "stops.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(stops(40, seed=1))
    walk.runs(MODEL)


def from_rl4co(walk):
    """Learns policies, and has instances as arrays."""
    draw = np.random.default_rng(1)
    arrays = {
        "locs": draw.random((64, 20, 2), np.float32),
        "depot": draw.random((64, 2), np.float32),
        "demand": draw.integers(1, 10, (64, 20)).astype(np.float32),
        "capacity": np.full(64, 30, np.float32),
    }
    np.savez(walk.folder / "vrp20.npz", **arrays)
    walk.types("vrp solve vrp20.npz --quiet", of_solutions)
    limit = f"--set train.time_limit_s={TRAINED_S}"
    walk.types(f"vrp train --config quick {limit} --out runs/mine")
    walk.types("vrp eval runs/mine/best.pt vrp20.npz --against base", of_table)
    walk.runs(POLICY)


def of_table(text):
    """The last column but one of the lines of a table, with the models' names."""
    cells = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| vrp20")]
    return "; ".join(f"{row[1].split()[0]} {row[4].strip()}" for row in cells)


def operator(walk):
    """Runs servers, and has this one among them."""
    (walk.folder / "day.json").write_bytes((EXAMPLES / "instances.json").read_bytes())
    walk.serves("vrp serve --jobs jobs.sqlite --drain 3")
    walk.types(f"curl -s -o /dev/null -w '%{{http_code}}' {HOST}/v2/health/live")
    walk.types(READY)
    walk.types(f"{CURL} --data-binary @day.json '{HOST}/v1/solve?time_limit=1'", of_solutions)
    job = json.loads(walk.types(f"{CURL} --data-binary @day.json {HOST}/v1/jobs", job_of))["id"]
    ask = f"until {CURL} {HOST}/v1/jobs/{job} | grep -o '\"done\"'; do sleep 0.1; done"
    walk.types(ask, as_code, shown=ask.replace(job, "$JOB"))
    walk.types(f"{CURL} {HOST}/metrics | grep -c '^vrp_'", lambda text: f"{text.strip()} numbers")
    walk.ends(meanwhile=READY)


def job_of(text):
    """A job's state in a line."""
    return f"status {json.loads(text)['status']}"


class Way(NamedTuple):
    """Who somebody is, and what that person does with a `Walk`."""

    who: str
    walk: Callable


PATHS = {
    "dispatcher": Way("plans days in a spreadsheet", dispatcher),
    "vroom": Way("replaces VROOM", from_vroom),
    "pyvrp": Way("knows PyVRP", from_pyvrp),
    "rl4co": Way("knows RL4CO", from_rl4co),
    "operator": Way("runs servers", operator),
}
