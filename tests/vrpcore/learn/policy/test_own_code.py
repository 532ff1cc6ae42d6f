"""Classes from outside the package: trained, resumed, evaluated, exported, never by chance."""

import json
import sys

import pytest
import torch

from tests.cli.runs import one_line, vrp
from tests.vrpcore.learn.train.runs import check_same_policy, metrics
from tests.vrpcore.solve.doubles import problems
from vrpcore.api import Solver, load_policy
from vrpcore.arrays.batch import make_batch
from vrpcore.cost.tour_routes import tour_to_routes
from vrpcore.errors import ConfigError, ModelError
from vrpcore.export import parity
from vrpcore.formats.write import write_instances
from vrpcore.learn.decode.fixed_shape import construct_once
from vrpcore.learn.decode.likelihood import choice_logits
from vrpcore.learn.env.inputs import to_device
from vrpcore.learn.policy.checkpoint import load_checkpoint, policy_from_checkpoint
from vrpcore.learn.policy.decoder import Decoder
from vrpcore.learn.policy.encoder import Encoder
from vrpcore.learn.policy.own_code import own_class

CODE = '''
import numpy as np
import torch
from torch import nn

from vrpcore.cost.tour_routes import tour_to_routes
from vrpcore.learn.env.capacity import Capacity
from vrpcore.learn.policy.decoder import Cache, Decoder
from vrpcore.learn.policy.encoder import Encoder
from vrpcore.learn.train.data import Objective


class Louder(Encoder):
    def __init__(self, embed_dim, num_heads, num_layers, feedforward_dim, features):
        super().__init__(embed_dim, num_heads, num_layers, feedforward_dim, features)
        self.loudness = nn.Parameter(torch.ones([]))

    def mix(self, nodes: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            nodes = layer(nodes, bias)
        return nodes * self.loudness


class Deep(Decoder):
    def __init__(self, embed_dim, num_heads, features):
        super().__init__(embed_dim, num_heads, features)
        self.hidden = nn.Linear(embed_dim, embed_dim)

    def cache(self, nodes: torch.Tensor, distance: torch.Tensor):
        return super().cache(nodes + torch.tanh(self.hidden(nodes)), distance)


class Scores(Decoder):
    def forward(
        self, cache: Cache, last: torch.Tensor, room_share: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        here = (last + cache.row).reshape(-1)
        near = cache.distance.index_select(0, here).view(mask.shape)
        room = (room_share @ self.room).sum(2, keepdim=True)
        return torch.where(mask, room - near, self.logit_mask)


class Bold(Decoder):
    """Its logits are bounded by 3, not by 10."""

    def __init__(self, embed_dim, num_heads, features):
        super().__init__(embed_dim, num_heads, features)
        self.logit_bound = 3.0


class Noisy(Encoder):
    """Drops some of each node, and normalizes over the batch."""

    def __init__(self, embed_dim, num_heads, num_layers, feedforward_dim, features):
        super().__init__(embed_dim, num_heads, num_layers, feedforward_dim, features)
        self.norm = nn.BatchNorm1d(embed_dim)

    def mix(self, nodes, bias):
        nodes = super().mix(torch.dropout(nodes, 0.1, self.training), bias)
        return self.norm(nodes.flatten(0, 1)).view(nodes.shape)


class Sized(Encoder):
    def mix(self, nodes, bias):
        return super().mix(nodes * 2 if nodes.shape[1] > 110 else nodes, bias)


class Split(Capacity):
    """States of given tours that its steps do not have."""

    def outlook(self, fixed, state):
        found = super().outlook(fixed, state)
        mask = found.mask.clone()
        mask[:, :, 0] = mask[:, :, 0] & ~mask[:, :, 1:].any(2)
        return found._replace(mask=mask)


class Full(Capacity):
    """A vehicle drives home only when nothing fits any more."""

    def outlook(self, fixed, state):
        return self.never_early(super().outlook(fixed, state))

    def never_early(self, found):
        mask = found.mask.clone()
        mask[:, :, 0] = mask[:, :, 0] & ~mask[:, :, 1:].any(2)
        return found._replace(mask=mask)

    def forced(self, inputs, tours):
        found = super().forced(inputs, tours)
        return found._replace(outlook=self.never_early(found.outlook))


class Counting(Full):
    def __init__(self, *args, **keys):
        super().__init__(*args, **keys)
        self.register_buffer("longest", torch.ones([]))


class Keeping(Capacity):
    """What its steps read is none of what `prepare` returns."""

    def prepare(self, inputs):
        self.even = inputs.coords[:, :, 0] > 0.5
        return super().prepare(inputs)

    def outlook(self, fixed, state):
        found = super().outlook(fixed, state)
        alone = found.mask & self.even.unsqueeze(1)
        return found._replace(mask=alone | found.mask & ~alone.any(2, keepdim=True))

    def forced(self, inputs, tours):
        self.prepare(inputs)
        found = super().forced(inputs, tours)
        mask = found.outlook.mask
        alone = mask & self.even.unsqueeze(1)
        mask = alone | mask & ~alone.any(2, keepdim=True)
        return found._replace(outlook=found.outlook._replace(mask=mask))


class LongestRoute(Objective):
    def costs(self, batch, tours):
        found = np.zeros(tours.shape[:2])
        for row, start in np.ndindex(*tours.shape[:2]):
            points = batch.coords[row].numpy()
            for route in tour_to_routes(tours[row, start]):
                legs = np.diff(points[[0, *route, 0]], axis=0)
                found[row, start] = max(found[row, start], np.linalg.norm(legs, axis=1).sum())
        return found


class Negative(Objective):
    def costs(self, batch, tours):
        return np.full(tours.shape[:2], -1.0)


class Wrong(Objective):
    def costs(self, batch, tours):
        return np.zeros(3)
'''
SETTINGS = [
    "problem.num_customers=8", "problem.capacity=20", "policy.embed_dim=16", "policy.num_heads=2",
    "policy.num_layers=1", "policy.feedforward_dim=32", "train.batch_size=6", "train.log_every=1",
    "train.validate_every=2", "train.validation_size=4", "train.ema_decay=0",
    "train.anneal=0",
]  # fmt: skip


@pytest.fixture
def mine(tmp_path, monkeypatch, undrawn):
    """A module that nothing has imported yet; its name is that of the test's own."""
    (tmp_path / "mine_own.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(parity, "_SIZES", (10,))  # on which exports are proved
    monkeypatch.delitem(sys.modules, "mine_own", raising=False)
    yield "mine_own"
    sys.modules.pop("mine_own", None)


def sets(*settings):
    return [word for each in settings for word in ("--set", each)]


def owns(*names):
    return [word for each in names for word in ("--own", f"mine_own:{each}")]


NAMED = {"encoder": "Louder", "decoder": "Deep"}


def train(out, *settings, steps=2):
    every = (*SETTINGS, f"train.steps={steps}", *settings)
    return vrp("train", "--device", "cpu", "--out", out, *sets(*every))


def refused(*words):
    """What a command says that does nothing."""
    found = vrp(*words, code=None)
    assert found.exit_code != 0
    return one_line(found.stderr)


def refused_training(out, *settings):
    return refused("train", "--device", "cpu", "--out", out, *sets(*SETTINGS, *settings))


def check_exported(folder, name, form="onnx"):
    """The best policy of a run is exported, and found to be itself."""
    best, target = folder / "run" / "best.pt", folder / f"m.{form}"
    made = vrp("export", best, f"--{form}", *owns(name), "-o", target)
    assert "MiB, 100.00% of " in one_line(made.stderr)


def test_an_encoder_and_a_decoder_train_resume_are_evaluated_and_exported(mine, tmp_path):
    named = [f"policy.{key}={mine}:{name}" for key, name in NAMED.items()]
    train(tmp_path / "whole", *named, steps=4)
    train(tmp_path / "run", *named)
    assert (
        "mine_own:Louder and mine_own:Deep: PyTorch's path" in metrics(tmp_path / "run")[0]["note"]
    )
    sys.modules.pop(mine)

    resume = ("train", "--device", "cpu", "--resume", tmp_path / "run", *sets("train.steps=4"))
    said = refused(*resume)
    assert f"policy.encoder is {mine}:Louder, code of your own, which is imported only" in said
    assert f"--set policy.encoder={mine}:Louder" in said
    assert mine not in sys.modules
    vrp(*resume, *sets(*named))
    found = check_same_policy(tmp_path / "whole", tmp_path / "run")
    assert {"encoder.loudness", "decoder.hidden.weight"} <= set(found)
    sys.modules.pop(mine)

    own = owns(*NAMED.values())
    best = tmp_path / "run" / "best.pt"
    evaluate = ("eval", best, "uniform8", "--count", "3", "--device", "cpu")
    assert "imported only where" in refused(*evaluate, *own[:2])
    assert mine not in sys.modules
    table = vrp(*evaluate, *own).stdout
    assert "uniform8" in table
    assert "imported only where" in refused("export", best, "--onnx")
    vrp("export", best, "--onnx", *own, "-o", tmp_path / "mine.onnx")
    exported = vrp("eval", tmp_path / "mine.onnx", *evaluate[2:]).stdout
    assert [line.split("|")[5] for line in exported.splitlines() if "uniform8" in line] == [
        line.split("|")[5] for line in table.splitlines() if "uniform8" in line
    ]


def test_a_decoder_of_ones_own_starts_from_the_weights_of_the_other(mine, tmp_path):
    train(tmp_path / "plain")
    start = ("--init", tmp_path / "plain" / "last.pt")
    named = sets(
        *SETTINGS, f"policy.decoder={mine}:Deep", "train.steps=1", "train.learning_rate=1e-30"
    )
    vrp("train", "--device", "cpu", "--out", tmp_path / "deep", *start, *named)
    note = metrics(tmp_path / "deep")[0]["note"]
    assert "; decoder.hidden.weight, decoder.hidden.bias begin anew: " in note
    before, after = (
        load_checkpoint(tmp_path / name / "last.pt")["policy"] for name in ("plain", "deep")
    )
    assert {*after} - {*before} == {"decoder.hidden.weight", "decoder.hidden.bias"}
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())


@pytest.mark.parametrize("form", ["onnx", pytest.param("pt2", marks=pytest.mark.slow)])
def test_scores_of_ones_own_are_constructed_with_and_exported(mine, tmp_path, form):
    train(tmp_path / "run", f"policy.decoder={mine}:Scores")
    best = tmp_path / "run" / "best.pt"
    assert "uniform8" in vrp("eval", best, "uniform8", "--count", "3", *owns("Scores")).stdout
    check_exported(tmp_path, "Scores", form)


def test_an_environment_of_ones_own_decides_where_a_vehicle_may_go(mine, tmp_path):
    train(tmp_path / "run", f"problem.environment={mine}:Full")
    best, own = tmp_path / "run" / "best.pt", [f"{mine}:Full"]
    assert "uniform8" in vrp("eval", best, "uniform8", "--count", "3", *owns("Full")).stdout
    (instance,) = problems([30])
    cost = Solver(best, "cpu", own=own).solve([instance], improve="none")[0].cost
    write_instances(tmp_path / "one.json", [instance])
    solve = ("solve", tmp_path / "one.json", "--improve", "none", "--model", best, *owns("Full"))
    assert json.loads(vrp(*solve, "--device", "cpu").stdout)["solutions"][0]["cost"] == cost
    check_exported(tmp_path, "Full")
    exported = Solver(tmp_path / "m.onnx", "cpu").solve([instance], improve="none")
    assert exported[0].cost == pytest.approx(cost)
    said = refused("export", best, "--torchscript", *owns("Full"), "-o", tmp_path / "m.ts")
    assert "does not compile code of your own: " in said
    assert "export to ONNX" in said
    nodes = load_policy(str(best), "cpu", own=own).solve([instance], temperature=2.0).nodes[0]
    for tour in nodes:
        routes = tour_to_routes(tour)
        for number, route in enumerate(routes[:-1]):
            room = instance.capacity - instance.demand[route].sum()
            assert all(
                instance.demand[node] > room for later in routes[number + 1 :] for node in later
            )


def test_an_export_that_would_construct_other_tours_is_refused(mine, tmp_path):
    train(tmp_path / "run", f"problem.environment={mine}:Keeping")
    wanted = ("export", tmp_path / "run" / "best.pt", "--onnx", *owns("Keeping"))
    said = refused(*wanted, "-o", tmp_path / "m.onnx")
    assert "m.onnx: policy: ONNX Runtime:" in said
    assert "docs/adding.md says what an export asks of code of your own" in said
    assert not (tmp_path / "m.onnx").exists()


def test_scores_with_another_bound_are_those_of_the_decoder(mine, tmp_path):
    train(tmp_path / "run", f"policy.decoder={mine}:Bold")
    policy = load_policy(str(tmp_path / "run" / "best.pt"), "cpu", own=[f"{mine}:Bold"]).network
    inputs = to_device(make_batch(problems([20, 20])), torch.device("cpu"))
    starts, seed = torch.arange(1, 21).repeat(2, 1), torch.zeros(2, dtype=torch.int64)
    tours = construct_once(policy, inputs, starts, 0.0, seed)
    with torch.no_grad():
        logits, choice, active = choice_logits(policy, policy.encode(inputs), inputs, tours)
    is_first = torch.arange(choice.shape[2]) == 0  # given, not chosen
    assert ((logits.argmax(3) == choice) | ~active | is_first).all()


def test_layers_that_differ_in_training_solve_resume_and_are_exported(mine, tmp_path):
    named = f"policy.encoder={mine}:Noisy"
    train(tmp_path / "whole", named, "train.ema_decay=0.5", steps=4)
    train(tmp_path / "run", named, "train.ema_decay=0.5")
    vrp("train", "--device", "cpu", "--resume", tmp_path / "run", *sets("train.steps=4", named))
    found = check_same_policy(tmp_path / "whole", tmp_path / "run")
    assert found["encoder.norm.num_batches_tracked"] > 0
    check_exported(tmp_path, "Noisy")


def test_a_branch_on_the_size_is_named_where_a_step_is_traced(mine, tmp_path):
    train(tmp_path / "run", f"policy.encoder={mine}:Sized")
    wanted = ("export", tmp_path / "run" / "best.pt", "--onnx", *owns("Sized"))
    line = CODE[: CODE.index("nodes.shape[1] > 110")].count("\n") + 1
    said = f"mine_own.py line {line}: would stay as it is: "
    assert said in refused(*wanted, "-o", tmp_path / "m.onnx")


def test_an_environment_that_contradicts_itself_is_refused(mine, tmp_path):
    said = refused_training(tmp_path / "run", f"problem.environment={mine}:Split")
    assert "problem.environment: Split.forced says something else of choice " in said
    improved = (f"problem.environment={mine}:Full", "train.objective=prefer", "train.improve=2")
    said = refused_training(tmp_path / "run", *improved)
    assert "the search does not know an environment of your own" in said


def test_an_objective_of_ones_own_is_what_is_learned_and_validated(mine, tmp_path):
    train(tmp_path / "plain", "train.seed=5")
    train(tmp_path / "run", "train.seed=5", f"train.objective={mine}:LongestRoute")
    plain, longest = (metrics(tmp_path / name) for name in ("plain", "run"))
    for key in ("cost", "validation_cost"):  # the same tours, but their longest routes
        first, other = (
            next(line[key] for line in lines if key in line) for lines in (plain, longest)
        )
        assert 0.1 * first < other < 0.9 * first
    content = load_checkpoint(tmp_path / "run" / "best.pt")
    assert policy_from_checkpoint(content, "best.pt")  # an objective has no part in its policy
    sys.modules.pop(mine)
    back = sets("train.objective=reinforce", "train.steps=3")
    vrp("train", "--device", "cpu", "--resume", tmp_path / "run", *back)
    assert mine not in sys.modules
    for name, said in (
        ("Wrong", "Wrong.costs gave an array [3], expected ["),
        ("Negative", "Negative.costs gave -1 and other costs of tours; each is a positive number"),
    ):
        assert said in refused_training(tmp_path / name, f"train.objective={mine}:{name}")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("policy.decoder=deep", "policy.decoder: expected null, or a class of your own as package"),
        ("train.objective=reinfroce", "train.objective: expected prefer | reinforce | imitate, or"),
        ("policy.decoder=mine_gone:Deep", "mine_gone:Deep cannot be imported: No module named"),
        ("policy.decoder=mine_own:Deeper", "mine_own:Deeper cannot be imported: module 'mine_own'"),
        (
            "policy.decoder=mine_own:Louder",
            "mine_own:Louder is no class that inherits from Decoder",
        ),
    ],
)
@pytest.mark.usefixtures("mine")
def test_what_is_no_class_is_refused(tmp_path, setting, said):
    assert said in refused_training(tmp_path / "run", setting)


def test_a_checkpoint_that_names_code_runs_none(mine, tmp_path):
    train(tmp_path / "run", f"policy.decoder={mine}:Deep")
    best = tmp_path / "run" / "best.pt"
    sys.modules.pop(mine)
    for opened in (Solver, load_policy):
        with pytest.raises(ModelError, match=r"code of your own, .* --own mine_own:Deep, or in"):
            opened(str(best), "cpu")
        with pytest.raises(ModelError, match="code of your own"):
            opened(str(best), "cpu", own=["mine_own:Louder"])
    assert mine not in sys.modules
    assert load_policy(str(best), "cpu", own=[f"{mine}:Deep"]).network.decoder.hidden


def test_classes_are_found_by_their_names():
    assert own_class("policy.encoder", "vrpcore.learn.policy.encoder:Encoder", Encoder) is Encoder
    with pytest.raises(ConfigError, match="inherits from Decoder"):
        own_class("policy.decoder", "vrpcore.learn.policy.encoder:Encoder", Decoder)
