"""plboost and LightGBM on the tasks beyond squared error: test metrics, times, and costs."""
