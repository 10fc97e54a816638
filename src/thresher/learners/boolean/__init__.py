"""Learners of boolean concepts."""
