"""Learners with a weight for each feature, a file for each family."""
