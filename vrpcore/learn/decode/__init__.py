"""Turning the policy's logits into whole tours."""
