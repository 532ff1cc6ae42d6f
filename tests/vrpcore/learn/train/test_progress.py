import math
from pathlib import Path

from vrpcore.learn.train.progress import Outcome, RunProgress


def test_words():
    progress = RunProgress(step=20, share=0.5, cost=6.12345, gap=0.0123, rate=1234.5)
    assert progress.words() == "step 20  cost 6.1235  gap 1.23%  1,234 instances/s"
    unknown = progress._replace(gap=math.nan)
    assert unknown.words() == "step 20  cost 6.1235  1,234 instances/s"


def test_the_best_figure_has_a_unit():
    outcome = Outcome(finished=True, steps=9, best=0.0123, is_gap=True, folder=Path("run"))
    assert outcome.words() == "best gap 1.23%"
    assert outcome._replace(is_gap=False).words() == "best mean cost 0.0123"
    assert outcome._replace(best=math.inf).words() == ""
