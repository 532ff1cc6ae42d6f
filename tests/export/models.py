"""A small policy, its checkpoint and its exported files."""

from contextlib import contextmanager

from tests.vrpcore import variants
from tests.vrpcore.learn.decode.cases import SMALL
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config, ProblemConfig
from vrpcore.export.manifest import read_source
from vrpcore.export.onnx import export_onnx
from vrpcore.export.program import export_program
from vrpcore.export.torchscript import export_torchscript
from vrpcore.learn.policy.checkpoint import save_checkpoint
from vrpcore.learn.policy.policy import build_policy


def small_policy(seed=4):
    return build_policy(SMALL, seed).eval()


def save_small(path, **more):
    """Writes the checkpoint of a small policy, trained on 10 to 50 customers."""
    content = {
        "name": "small",
        "version": "0",
        "config": config_tree(Config(policy=SMALL)),
        "train_sizes": [10, 50],
        "policy": small_policy().state_dict(),
    }
    save_checkpoint(path, {**content, **more})
    return path


def save_variants(path, **more):
    """Writes the checkpoint of a small policy of the variants."""
    config = Config(problem=ProblemConfig(variants="all"), policy=variants.SMALL)
    weights = variants.random_policy(4).state_dict()
    return save_small(path, **{"config": config_tree(config), "policy": weights, **more})


WRITERS = {"onnx": export_onnx, "ts": export_torchscript, "pt2": export_program}


class Forms:
    """The source of exports, and its files by their endings, written when first asked for."""

    def __init__(self, folder, save):
        self.folder = folder
        self.source = read_source(save(folder / "small.pt"))

    def __getitem__(self, ending):
        path = self.folder / f"small.{ending}"
        if not path.exists():
            WRITERS[ending](self.source, path)
        return path


class Told:
    """Notes the stages that it is told of, as they end."""

    def __init__(self):
        self.names = []

    @contextmanager
    def __call__(self, name):
        yield
        self.names.append(name)
