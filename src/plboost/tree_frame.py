"""Trees as a pandas frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from plboost.extras import require
from plboost.tree import Leaf, Tree

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame_of_nodes"]

_COLUMNS = [
    "tree",
    "output",
    "node",
    "depth",
    "kind",
    "feature",
    "threshold",
    "categories",
    "missing",
    "left",
    "right",
    "gain",
    "weight",
    "leaf",
    "intercept",
    "slopes",
    "low",
    "high",
]


def frame_of_nodes(trees: Iterable[Tree]) -> pd.DataFrame:
    """Return a frame with one row for each node.

    Parameters
    ----------
    trees : iterable of Tree
        Readable trees.

    Returns
    -------
    pandas.DataFrame
        What a node does not have is missing.
    """
    pandas = require("pandas", purpose="Booster.to_frame()", install="plboost[pandas]")
    rows = [
        {
            "tree": tree.index,
            "output": tree.output,
            "kind": "leaf" if isinstance(node, Leaf) else "split",
            **asdict(node),
        }
        for tree in trees
        for node in tree.nodes
    ]
    frame: pd.DataFrame = pandas.DataFrame(rows, columns=_COLUMNS)
    # Node numbers stay whole numbers where leaves have none; a forest without splits has no left.
    return frame.astype(dict.fromkeys(("left", "right", "leaf"), "Int64"))
