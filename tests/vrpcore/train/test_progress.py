import math

from vrpcore.train.progress import Progress


def test_words():
    progress = Progress(step=20, share=0.5, cost=6.12345, gap=0.0123, rate=1234.5)
    assert progress.words() == "step 20  cost 6.1235  gap 1.23%  1,234 instances/s"
    unknown = progress._replace(gap=math.nan)
    assert unknown.words() == "step 20  cost 6.1235  1,234 instances/s"
