"""Measurements: time, memory and accuracy of plboost and its peers. No part of the package."""
