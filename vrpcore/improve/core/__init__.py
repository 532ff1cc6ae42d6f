"""The compiled search: its C++ sources and how they become a library."""
