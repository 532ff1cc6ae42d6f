import pytest

from vrpcore.config.reader import config_from_tree, config_names, config_tree, load_config
from vrpcore.config.sections import Config, SizeRange
from vrpcore.errors import ConfigError, OutputError


def test_packaged_configs_load():
    assert {"train", "quick", "tiny", "imitate", "finetune"} <= set(config_names())
    for name in config_names():
        assert isinstance(load_config(name), Config)


def test_order_is_default_file_override(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("train: {steps: 7, batch_size: 3}\n")
    config = load_config(
        str(file), ["train.batch_size=5", "problem.num_customers={min: 3, max: 9}"]
    )
    assert (config.train.steps, config.train.batch_size, config.train.clip_norm) == (7, 5, 1.0)
    assert config.problem.num_customers == SizeRange(min=3, max=9)


def test_exponents_need_no_point():
    assert load_config("train", ["train.learning_rate=1e-4"]).train.learning_rate == 1e-4


def test_there_and_back():
    config = load_config("finetune", ["data.file=[a.npz, b.npz]"])
    assert config_from_tree(config_tree(config), "x") == config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("train: {batchsize: 3}", r"train\.batchsize: unknown key; did you mean 'batch_size'\?"),
        ("train: {learning_rate: '0.1'}", r"expected float, found str '0\.1'"),
        ("train: {steps: 1e3}", r"expected int, found str '1e3'"),
        ("train: {steps: true}", r"train\.steps: expected int, found bool True"),
        ("train: {steps: 0}", r"train\.steps: must be at least 1"),
        ("train: {baseline: nothing}", r"expected multistart . rollout . ema, found str 'nothing'"),
        ("problem: {num_customers: {min: 9}}", r"needs max"),
        ("problem: {num_customers: [5, x]}", r"num_customers\[1\]: expected int"),
        ("[1, 2]", r"expected a mapping, found list"),
        ("train: 3", r"train: expected a mapping"),
        ("a: [", r"not YAML"),
        ("train: {steps: 2001-13-45}", r"not YAML: month must be in 1\.\.12"),
    ],
)
def test_errors_name_the_file_and_the_key(tmp_path, text, message):
    file = tmp_path / "my.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(str(file))
    assert str(caught.value).startswith(f"{file}: ")


def test_bad_overrides():
    with pytest.raises(ConfigError, match=r"expected a\.b=value"):
        load_config("train", ["steps"])
    with pytest.raises(ConfigError, match=r"train\.yaml with --set: train\.stepz: unknown key"):
        load_config("train", ["train.stepz=4"])


@pytest.mark.parametrize(
    "value",
    [
        "2001-13-45", "0x_", "!!int abc", "!!int ''", "!!float x",
        "!!bool perhaps", "!!timestamp soon", "[", "1" * 5000, f"1{300 * ':1'}.5",
    ],
)  # fmt: skip
def test_values_that_yaml_cannot_read(value):
    with pytest.raises(ConfigError, match=r"^--set .train\.steps=.*: the value is not YAML$"):
        load_config("train", [f"train.steps={value}"])


def test_missing_file_and_name():
    with pytest.raises(OutputError, match="cannot be read"):
        load_config("./nowhere.yaml")
    with pytest.raises(ConfigError, match="to use a file, give its path"):
        load_config("nowhere")
