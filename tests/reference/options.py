"""The options of a tree, named as in docs/algorithm.md."""

from __future__ import annotations

from dataclasses import dataclass

ALLOWED = {
    "fitting": ("half_additive", "additive", "fully_corrective"),
    "regressors": ("path", "all"),
    "repeated": ("redundant", "refit"),
    "penalty": ("centred", "paper"),
    "extrapolation": ("clamp", "linear"),
}


@dataclass(frozen=True)
class Options:
    """Options of one tree; min_gain is in the units of the tree's g and h."""

    max_leaves: int = 31
    max_depth: int | None = None
    min_samples_leaf: float = 20.0
    min_hessian: float = 1e-3
    min_gain: float = 0.0
    min_samples_category: float = 10.0
    category_smoothing: float = 10.0
    l2: float = 0.1
    l2_slopes: float = 0.1
    max_regressors: int = 5
    fitting: str = "half_additive"
    regressors: str = "path"
    repeated: str = "redundant"
    penalty: str = "centred"
    refit_leaves: bool = True
    slope_shrinkage: float = 0.1
    mean_shrinkage: float = 3.0
    extrapolation: str = "clamp"
    # By feature; empty: nothing is asked.
    monotonic_cst: tuple[int, ...] = ()
    nonnegative_slopes: tuple[int, ...] = ()
    split_features: tuple[int, ...] = ()
    regressor_features: tuple[int, ...] = ()
    interaction_cst: tuple[tuple[int, ...], ...] = ()

    @property
    def has_signs(self) -> bool:
        return any(self.monotonic_cst) or any(self.nonnegative_slopes)

    def __post_init__(self) -> None:
        for name, allowed in ALLOWED.items():
            value = getattr(self, name)
            if value not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {value!r}.")
        if self.regressors == "all" and self.fitting != "fully_corrective":
            raise ValueError(
                "regressors='all' needs fitting='fully_corrective', "
                f"got fitting={self.fitting!r}: choose that fitting, or regressors='path'."
            )
