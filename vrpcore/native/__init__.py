"""The C++ sources of both searches and of the training step, and how they become libraries."""
