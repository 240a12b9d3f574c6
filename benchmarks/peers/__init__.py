"""plboost and its peers side by side: every run a process of its own, alternated, medians."""
