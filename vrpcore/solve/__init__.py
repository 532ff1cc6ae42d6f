"""From instances to solutions: backends and pipeline."""
