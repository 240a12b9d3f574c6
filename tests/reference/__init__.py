"""The oracle: docs/algorithm.md in plain NumPy, for obviousness and not for speed.

It imports nothing of plboost. Every candidate of every node is tried, and every system is solved
on its own from the rows it is about.
"""
