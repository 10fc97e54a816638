"""Perceptrons in the feature space of a kernel: mistakes are kept instead of weights."""
