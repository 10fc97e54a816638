"""Runs on several machines: the data in shards, a pure task for each, and their results as one.

An engine that exists (Dask, Spark) places the tasks, moves bytes and tries again. A result depends
on the manifest (paths, byte ranges, sizes), the options and the number of passes: not on workers,
on the order in which they answer, or on how often one of them had to be replaced.
"""
