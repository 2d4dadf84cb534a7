#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares examples/building, coupled, with the same equations in one piece, integrated at 1e-10: every hour and every
variable that both have. Prints, for each tolerance, the variables that differ most, relative to their largest
magnitude; the exit code is 1 if one differs by more than 10 times the tolerance. Doubts of the runs are warnings on the terminal.

The one piece takes long, so it is kept, with a checkpoint: what is interrupted goes on the next time."""
import argparse
import csv
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "building"
# The one piece has the plant and the controller within the house.
NAMES = {"Plant.energy": "House.plant.energy", "Controller.level": "House.level"}
# What the solver has lost of the energy; not a solution of the equations. Of `House.stored`, which is never larger than this:
IMBALANCE, OF, SHARE = "House.imbalance", "House.stored", 1e-6
ALLOWED = 10  # times the tolerance


class Columns:
    """A result in memory, by name."""

    def __init__(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            names = next(rows)
            values = zip(*([float(cell) for cell in row] for row in rows))
            self.values = dict(zip(names, values))
        self.times = self.values.pop("time")

    def size(self, name):
        return max(map(abs, self.values[name]))


def run(takt, project, stop, *options):
    """Returns the exit code."""
    command = [takt, "run", str(EXAMPLE / project), "--quiet", "--stop-time", stop, *options]
    return subprocess.run(command, check=False).returncode


def solve_in_one_piece(takt, folder, stop):
    result, checkpoint = str(folder / "one_piece.csv"), str(folder / "one_piece.ckpt")
    save = ("--checkpoint", checkpoint, "--checkpoint-interval", "1d")
    begun = os.path.exists(checkpoint) and run(takt, "one_piece.ssd", stop, "-o", result, *save, "--resume", checkpoint) == 0
    if not begun and run(takt, "one_piece.ssd", stop, "-o", result, *save):
        sys.exit("the one piece could not be solved")
    return Columns(result)


def differences(coupled, piece):
    """Variables of both, the largest difference first, of the largest magnitude of each."""
    if coupled.times != piece.times:
        sys.exit("the results have different times")
    found = []
    for name in coupled.values:
        other = NAMES.get(name, name)
        size = piece.size(other) if other in piece.values and name != IMBALANCE else 0
        if size == 0:
            continue
        pairs = zip(piece.times, coupled.values[name], piece.values[other])
        largest, time = max((abs(a - b), t) for t, a, b in pairs)
        found.append((largest / size, name, time))
    return sorted(found, reverse=True)


def judge(tolerance, coupled, piece, n_shown):
    """Prints a table; returns whether all is within the bound."""
    found = differences(coupled, piece)
    lost = coupled.size(IMBALANCE) / coupled.size(OF)
    print(f"\ntolerance {tolerance}: {len(found)} variables at {len(piece.times)} times; energy lost {lost:.1e}")
    print("| variable | largest difference | tolerances | at, h |\n|---|---|---|---|")
    for difference, name, time in found[:n_shown]:
        print(f"| {name} | {difference:.1e} | {difference / float(tolerance):.2f} | {time / 3600:g} |")
    return found[0][0] <= ALLOWED * float(tolerance) and lost <= SHARE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="folder with takt")
    parser.add_argument("--stop-time", default="365d")
    parser.add_argument("--tolerance", nargs="+", default=["1e-3", "1e-4"])
    parser.add_argument("--rows", type=int, default=5, help="variables that are printed per tolerance")
    arguments = parser.parse_args()
    takt, folder = str(arguments.build / "takt"), arguments.build / f"building-{arguments.stop_time}"
    folder.mkdir(exist_ok=True)
    piece, is_well = solve_in_one_piece(takt, folder, arguments.stop_time), True
    for tolerance in arguments.tolerance:
        result = str(folder / f"coupled-{tolerance}.csv")
        code = run(takt, "building.ssd", arguments.stop_time, "-o", result, "--tolerance", tolerance)
        if code:
            sys.exit(f"the coupled run ends with code {code}")
        is_well = judge(tolerance, Columns(result), piece, arguments.rows) and is_well
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
