"""From instances to solutions: backends and the scheduler."""
