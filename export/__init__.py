"""Policies as self-contained files of ONNX and PyTorch, and as a repository for Triton."""
