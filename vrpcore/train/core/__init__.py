"""The compiled training step: its C++ sources and where its libraries lie."""
