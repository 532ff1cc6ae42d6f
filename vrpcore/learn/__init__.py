"""Learning: policies, what they construct in, their training; the only part with PyTorch."""
