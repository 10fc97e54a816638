"""Perceptrons in the feature space of a kernel: mistakes are kept in place of weights."""
