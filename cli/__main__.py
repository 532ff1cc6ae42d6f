"""`python -m vrpcore.cli` is the same program as `vrp`."""

from vrpcore.cli.main import run

if __name__ == "__main__":
    run()
