"""What the steps of a run share."""

import pytest
import torch

from vrpcore.train.workspace import pytorch_on_one_thread


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_few_rows_run_on_one_thread(two_threads):
    with pytorch_on_one_thread(640):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2


def test_many_rows_keep_all_threads(two_threads):
    with pytorch_on_one_thread(64 * 101):
        assert torch.get_num_threads() == 2


def test_threads_return_after_an_error(two_threads):
    with pytest.raises(ValueError, match="broken"), pytorch_on_one_thread():
        raise ValueError("broken")
    assert torch.get_num_threads() == 2
