"""Pictures of models; they need matplotlib, the extra ``plboost[plot]``."""

from __future__ import annotations

from plboost.plotting.history import plot_history
from plboost.plotting.leaf import plot_leaf

__all__ = ["plot_history", "plot_leaf"]
