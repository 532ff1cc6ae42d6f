"""VROOM's problems in, its answers in and out."""
