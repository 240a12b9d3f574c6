"""A problem of many categories, and models of it with means."""

from __future__ import annotations

import numpy as np
import pandas as pd

from plboost import Dataset, PLBoostRegressor, train

N_CITIES = 40
SMALL = {"n_estimators": 4, "max_leaves": 6}


def problem(n=500, seed=0):
    rng = np.random.default_rng(seed)
    city = rng.integers(N_CITIES, size=n)
    x = rng.uniform(1, 2, size=n)
    y = np.random.default_rng(9).normal(10, 3, size=N_CITIES)[city] * x
    return frame(city, x), y


def frame(city, x):
    return pd.DataFrame({"city": pd.Categorical([f"c{i}" for i in city]), "x": x})


def model(**params):
    params = SMALL | {"category_means": "target", "random_state": 0} | params
    table, y = problem()
    return PLBoostRegressor(**params).fit(table, y)


def trained(table, y, *, params=None, **arguments):
    data = Dataset(table, y, **({"category_means": "target"} | arguments))
    return train(SMALL | (params or {}), data)
