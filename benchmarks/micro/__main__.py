"""Kernels of every instruction set, one core: ``python -m benchmarks.micro --help``.

- histogram update: ns per (row, feature), beside the same additions to as many bins at known
  addresses: scattered as codes are, which is the limit, and bin after bin, which lets some
  processors write two neighbours at once;
- partition: bytes moved per second, beside memcpy; and the paper's way, bit extraction (PEXT) of
  one-byte codes, eight rows at a time, where the instruction set has it;
- split scan: ns per candidate cut.

Codes are uniform. Each figure is the smallest of several, since a disturbance only ever adds time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.contestants import contestant
from benchmarks.machine import busiest_processes, foreign_load
from benchmarks.peers.report import head
from benchmarks.processes import LARGEST_FOREIGN_LOAD
from plboost._core import micro

RESULTS = Path(__file__).resolve().parents[1] / "results"
FEATURES_PER_WORD = 4
LANES = 8
# As the engine does it: statistics of so many rows are expanded at once and stay in the cache.
BLOCK_ROWS = 1024
# From one row's bin to the next one's: odd, so that the limit loop comes to all of them.
SCATTERED = 37
BIN_AFTER_BIN = 1


Measure = Callable[[int], float]
"""Takes how many calls to make at once, returns the seconds of one."""
TURNS = 20


def best(measure: Measure, seconds: float) -> float:
    """Return the smallest time of a call."""
    return best_in_turn([measure], seconds)[0]


def best_in_turn(measures: Sequence[Measure], seconds: float) -> list[float]:
    """Return the smallest time of a call of each; they take turns, for speed changes with time."""
    n_calls = [max(1, int(seconds / TURNS / max(measure(1), 1e-9))) for measure in measures]
    turns = [
        [measure(n) for measure, n in zip(measures, n_calls, strict=True)] for _ in range(TURNS)
    ]
    return [min(times) for times in zip(*turns, strict=True)]


def histogram_rows(n_rows: int, n_bins: int, seconds: float) -> list[str]:
    """One line per instruction set: ns per (row, feature) of the kernel and of the limits."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_bins, size=(n_rows, FEATURES_PER_WORD), dtype=np.uint8)
    words = codes.view(np.uint32).ravel()
    statistics = rng.normal(size=BLOCK_ROWS * LANES).astype(np.float32)
    updates = n_rows * FEATURES_PER_WORD
    lines = []
    for table in micro.table_names():
        # Bound at once: a lambda that outlives the loop's turn would see the last table.
        kernel, *limits = best_in_turn(
            [
                lambda n, t=table: micro.time_histogram(t, words, statistics, n),
                *(
                    lambda n, t=table, s=step: micro.time_histogram_limit(
                        t, n_rows, n_bins, s, statistics, n
                    )
                    for step in (SCATTERED, BIN_AFTER_BIN)
                ),
            ],
            seconds,
        )
        cells = [f"{1e9 * limit / updates:.3f} | {kernel / limit:.2f}" for limit in limits]
        lines.append(
            f"| {table} | {n_rows} | {n_bins} | {1e9 * kernel / updates:.3f} "
            f"| {' | '.join(cells)} |"
        )
    return lines


def partition_rows(n_items: int, seconds: float) -> list[str]:
    """One line per instruction set: bytes per second of the kernels and of memcpy."""
    rng = np.random.default_rng(0)
    n_lanes = 8  # code words of 16 features, and what else a row has
    # An odd number of cache lines each, as the rows of a tree.
    n_items = (n_items // n_lanes // 16 | 1) * 16 * n_lanes
    items = rng.integers(0, 2**32, size=n_items, dtype=np.uint32)
    # As many bytes both ways: four features of a row in a word, or one feature of four rows.
    codes = items.view(np.uint8)
    goes_left = rng.integers(0, 2**64, size=-(-codes.size // 64), dtype=np.uint64)
    copy = best(lambda n: micro.time_copy(items, n), seconds)
    lines = []
    for table in micro.table_names():
        kernel = best(
            lambda n, t=table: micro.time_partition(t, items, n_lanes, goes_left, n), seconds
        )
        extraction = "none"
        if micro.time_partition_codes(table, codes, goes_left, 1) is not None:
            pext = best(
                lambda n, t=table: micro.time_partition_codes(t, codes, goes_left, n), seconds
            )
            extraction = f"{1e-9 * codes.nbytes / pext:.2f}"
        lines.append(
            f"| {table} | {n_items} | {1e-9 * items.nbytes / kernel:.2f} | {extraction} "
            f"| {1e-9 * items.nbytes / copy:.2f} | {kernel / copy:.2f} |"
        )
    return lines


def scan_rows(n_bins: int, seconds: float) -> list[str]:
    """One line per instruction set and model: ns per candidate."""
    rng = np.random.default_rng(0)
    values = np.append(np.sort(rng.normal(size=n_bins)), 0.0).astype(np.float32)
    bins = _statistics_of_bins(rng, n_bins)
    lines = []
    for table in micro.table_names():
        times = []
        for with_z, with_x in ((False, False), (True, False), (False, True), (True, True)):
            call = best(
                lambda n, t=table, z=with_z, x=with_x: micro.time_scan(t, bins, values, z, x, n),
                seconds,
            )
            times.append(f"{1e9 * call / (n_bins - 1):.2f}")
        lines.append(f"| {table} | {n_bins} | {' | '.join(times)} |")
    return lines


def _statistics_of_bins(rng: np.random.Generator, n_bins: int, rows: int = 100) -> np.ndarray:
    """Sums of g, h, gz, hz, hzz, w and 1 over rows; the last bin, of missing values, is empty."""
    g, z = rng.normal(size=(2, n_bins, rows))
    h = np.ones_like(g)
    lanes = [g, h, g * z, h * z, h * z * z, h, h]
    bins = np.zeros((n_bins + 1, LANES), np.float32)
    bins[:-1, : len(lanes)] = np.stack([lane.sum(axis=1) for lane in lanes], axis=1)
    return bins.ravel()


def report(given: argparse.Namespace, notes: list[str]) -> list[str]:
    version = {f"plboost {contestant('plboost').version()}"}
    lines = ["# Kernels", "", *head("python -m benchmarks.micro", version, notes)]
    lines += ["## Histogram update", ""]
    limits = "limit loop | ratio | limit loop, bin after bin | ratio"
    lines += [f"| kernels | rows | bins | ns per (row, feature) | {limits} |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    for n_rows in (BLOCK_ROWS, given.rows):
        for n_bins in (63, 255):
            lines += histogram_rows(n_rows, n_bins, given.seconds)
    lines += ["", "## Partition", ""]
    lines += ["| kernels | items | GB/s | PEXT GB/s | memcpy GB/s | time / memcpy |"]
    lines += ["|---|---|---|---|---|---|"]
    for n_items in (1 << 14, given.rows):
        lines += partition_rows(n_items, given.seconds)
    lines += ["", "## Split scan, ns per candidate", ""]
    lines += ["| kernels | bins | constant | z | x | z and x |", "|---|---|---|---|---|---|"]
    for n_bins in (63, 254):
        lines += scan_rows(n_bins, given.seconds)
    return [*lines, ""]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.micro",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows beyond the caches (1M)")
    parser.add_argument("--seconds", type=float, default=1.0, help="spent on each figure (1)")
    parser.add_argument("--force", action="store_true", help="measure on a busy machine too")
    given = parser.parse_args()
    load = foreign_load()
    if load > LARGEST_FOREIGN_LOAD and not given.force:
        print(
            f"no report: other processes keep {load:.2f} processors busy; the busiest: "
            f"{', '.join(busiest_processes())}. Stop them, or use --force.",
            file=sys.stderr,
        )
        return 1
    notes = [f"one core; the smallest of {TURNS}, kernel and limit in turn"]
    if load > LARGEST_FOREIGN_LOAD:
        notes.append("**other processes were busy: these figures mean nothing**")
    lines = report(given, notes)
    folder = RESULTS / "micro"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text("\n".join(lines))
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
