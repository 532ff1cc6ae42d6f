"""Policies as self-contained ONNX and TorchScript files."""
