"""Accuracy of plboost and its peers over many sets: at their defaults, and after equal tuning."""
