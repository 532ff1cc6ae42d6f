"""Reinforcement and imitation through one trainer."""
