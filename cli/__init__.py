"""The `vrp` command line."""
