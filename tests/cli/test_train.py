import re

import pytest
import torch
import yaml

from tests.cli.runs import one_line, settings, vrp
from tests.export.models import save_small
from vrpcore.learn.policy.checkpoint import load_checkpoint

SMALL = ["policy.embed_dim=16", "policy.num_heads=2", "policy.num_layers=2"]
SMALL += ["policy.feedforward_dim=32", "problem.num_customers=5", "train.validate_every=0"]
SMALL += ["train.steps=2", "train.batch_size=4", "train.log_every=1", "train.learning_rate=1.0e-30"]


def train(folder, *words, code=0, changes=SMALL):
    fixed = ["train", "--device", "cpu", "--out", folder, *settings(*changes)]
    return vrp(*fixed, *words, code=code)


def test_a_run_says_what_it_did_and_is_not_overwritten(tmp_path):
    said = one_line(train(tmp_path / "a[b]", "--name", "mine", "--seed", 7).stderr)
    assert "finished after 2 steps, 8 instances, " in said
    assert said.endswith(f"; run folder {tmp_path / 'a[b]'}")
    config = yaml.safe_load((tmp_path / "a[b]" / "config.yaml").read_text())
    assert (config["train"]["seed"], config["train"]["steps"]) == (7, 2)
    before = (tmp_path / "a[b]" / "last.pt").read_bytes()
    assert load_checkpoint(tmp_path / "a[b]" / "last.pt")["name"] == "mine"
    again = one_line(train(tmp_path / "a[b]", code=8).stderr)
    assert "a[b]: already contains a run; use --resume" in again
    assert (tmp_path / "a[b]" / "last.pt").read_bytes() == before


def test_a_restarted_process_resumes_its_own_run_and_no_other(tmp_path, monkeypatch):
    train(tmp_path / "run", "--seed", 7)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert "finished after 2 steps" in train(tmp_path / "run", "--seed", 7).stderr
    other = one_line(train(tmp_path / "run", "--seed", 8, code=8).stderr)
    assert "already contains a run; use --resume" in other


def test_quiet_prints_nothing_and_weights_are_taken_over(tmp_path):
    start = save_small(tmp_path / "m.pt")
    assert train(tmp_path / "run", "--init", start, "-q").stderr == ""
    known = load_checkpoint(start)["policy"]
    found = load_checkpoint(tmp_path / "run" / "last.pt")["policy"]
    assert all(torch.allclose(found[name], known[name], atol=1e-6) for name in known)


def test_weights_of_another_shape_are_refused(tmp_path):
    start = save_small(tmp_path / "m.pt")
    wider = [*SMALL, "policy.embed_dim=32"]
    said = train(tmp_path / "run", "--init", start, code=5, changes=wider).stderr
    assert "m.pt" in one_line(said)
    assert not (tmp_path / "run").exists()


def test_the_best_validation_has_a_unit(tmp_path):
    changes = [*SMALL, "train.validate_every=1", "train.validation_size=4"]
    assert ", best mean cost " in one_line(train(tmp_path / "a", changes=changes).stderr)
    changes += ["data.holdout=2", "problem.num_customers=10"]
    labels = tmp_path / "labels.npz"
    vrp("generate", "--n", "10", "--count", "8", "--label-seconds", "0.01", "-o", labels)
    said = one_line(train(tmp_path / "b", "--data", labels, changes=changes).stderr)
    assert re.search(r", best gap \d+\.\d\d%;", said)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--seed", "0"], "--seed"),
        (["--data", "a"], "--data"),
        (["--init", "a", "--out", "b"], "--init and --out"),
        (["--name", "policy", "--config", "train"], "--config and --name"),
    ],
)
def test_a_resumed_run_keeps_what_it_began_with(tmp_path, words, names):
    said = vrp("train", "--resume", tmp_path, *words, code=2).stderr
    assert f"--resume goes on with a run as it is; drop {names}, which" in one_line(said)


@pytest.mark.parametrize("by", ["option", "setting"])
def test_a_run_with_data_goes_on_in_another_folder(tmp_path, monkeypatch, by):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    files = ["one.npz", "two.npz"]
    for file in files:
        vrp("generate", "--n", "5", "--count", "8", "-o", file)
    words = ["--data", files[0], "--data", files[1]]
    if by == "setting":
        words = ["--set", f"data.file=[{files[0]},{files[1]}]"]
    train("run", *words)
    monkeypatch.chdir(tmp_path / "elsewhere")
    vrp("train", "--resume", "../run", "--set", "train.steps=5")
    config = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())
    assert config["data"]["file"] == [str(tmp_path / file) for file in files]


def test_a_resumed_run_goes_on_with_other_settings(tmp_path):
    train(tmp_path / "run")
    more = ["--resume", tmp_path / "run", "--set", "train.steps=5"]
    assert "finished after 5 steps, 20 instances" in one_line(vrp("train", *more).stderr)
    config = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())
    assert (config["train"]["steps"], config["policy"]["embed_dim"]) == (5, 16)
    wider = vrp("train", "--resume", tmp_path / "run", "--set", "policy.embed_dim=32", code=5)
    assert (
        "policy.embed_dim is 16 there and 32 here; train with --set policy.embed_dim=16"
        in one_line(wider.stderr)
    )
    wrong = vrp("train", "--resume", tmp_path / "run", "--set", "train.stepz=5", code=3)
    assert "--set: train.stepz: unknown key; did you mean 'steps'?" in one_line(wrong.stderr)


def test_init_from_a_policy_of_other_sizes_says_what_to_set(tmp_path):
    said = one_line(train(tmp_path / "run", "--init", "small", code=5).stderr)
    assert "small.pt: policy.embed_dim is 128 there and 16 here" in said
    assert "train with --set policy.embed_dim=128 --set policy.num_heads=" in said


def test_all_settings_are_shown_and_nothing_is_trained(tmp_path):
    shown = train(tmp_path / "run", "--show", "--seed", 3).stdout
    config = yaml.safe_load(shown)
    assert (config["train"]["seed"], config["train"]["weight_decay"]) == (3, 0.0)
    assert not (tmp_path / "run").exists()


def test_a_log_gets_lines(tmp_path, monkeypatch):
    monkeypatch.setattr("vrpcore.cli.train.LINE_EVERY_S", -1.0)
    said = train(tmp_path / "run").stderr
    assert "50%  step 1  cost " in said
    assert "100%  step 2  cost " in said


def test_the_largest_seed_trains_and_the_next_is_refused(tmp_path):
    train(tmp_path / "run", "--seed", 2**31 - 1, "-q")
    said = one_line(train(tmp_path / "next", "--seed", 2**31, code=2).stderr)
    assert "'--seed': Input should be less than or equal to 2147483647" in said
    changes = [*SMALL, f"train.seed={2**31}"]
    said = one_line(train(tmp_path / "next", changes=changes, code=3).stderr)
    assert "seed: must be below 2^31" in said
    assert not (tmp_path / "next").exists()
