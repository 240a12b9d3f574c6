"""What may watch and steer a training between its rounds."""

from __future__ import annotations

from plboost.callbacks.callback import Callback
from plboost.callbacks.checkpoint import Checkpoint
from plboost.callbacks.early_stopping import EarlyStopping
from plboost.callbacks.learning_rate_schedule import LearningRateSchedule
from plboost.callbacks.optuna_pruning import OptunaPruning
from plboost.callbacks.round_log import RoundLog
from plboost.callbacks.time_budget import TimeBudget
from plboost.callbacks.training_state import Curve, TrainingState

__all__ = [
    "Callback",
    "Checkpoint",
    "Curve",
    "EarlyStopping",
    "LearningRateSchedule",
    "OptunaPruning",
    "RoundLog",
    "TimeBudget",
    "TrainingState",
]
