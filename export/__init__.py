"""Policies as self-contained files of ONNX and PyTorch."""
