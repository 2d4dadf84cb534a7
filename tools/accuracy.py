#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what --tolerance means: runs the examples with several tolerances and prints, as a table in Markdown,
the largest error divided by the tolerance, and the calls of doStep of the busiest component.

An error is that of one output at one time, divided by the largest magnitude of that output. Times are 200 points of
the interval; those that are nearer to a jump of any output than tolerance * interval are left out, and so are
outputs that are zero but for errors. The solution is known exactly, or is that of a run with a tolerance of 1e-9.
An exclamation mark says that the run warned of doubtful steps, "no solution" that a run for comparison failed."""
import argparse
import bisect
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

TOLERANCES = ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7"]
REFERENCE, FOR_JUMPS = "1e-9", "1e-6"
N_TIMES = 200
SECONDS = 60  # that a run may take
# Of the largest output: smaller ones are zero but for errors.
ZERO = 1e-6

ROOT = pathlib.Path(__file__).resolve().parent.parent


def math003(column, t):
    """The exact solution; see examples/math003/README.md."""
    events = {
        "Part1.x1": [(1, 1), (2, 0), (5, 1)],
        "Part1.x2": [(3, 1), (4, 0), (6, 1)],
        "Part2.x3": [(1, 3), (1 + 2.5 / 6, 0), (3, -3), (3 + 5 / 6, 0), (5, 3), (5 + 5 / 6, 0)],
    }
    if column in events:
        return next((value for time, value in reversed(events[column]) if t >= time), 0)
    rise, fall, again = [min(max(t - begin, 0), end) for begin, end in ((1, 2.5 / 6), (3, 5 / 6), (5, 5 / 6))]
    return 6 * (rise - fall + again)


def large_step(column, t):
    """See examples/coupling/06_large_step/README.md."""
    u, x = math.sin(2 * math.pi * t), -math.cos(2 * math.pi * t) / (2 * math.pi)
    return {"F1": u, "F2": x, "F3": 0}[column.split(".")[0]]


def delay(column, t):
    """See examples/coupling/17_delay/README.md."""
    def x(time):
        return (math.sin(time) + math.cos(time) - math.exp(-time)) / 2 if time > 0 else 0
    return {"F1.x": x(t), "F2.y": x(t - 0.5), "F2.q": x(t - 0.5) ** 2}[column]


def resistor_and_capacitor(resistance):
    """x' = u - x with steps of u; see the examples 22 and 23 in examples/coupling."""
    def solution(column, t):
        x, u = 2.0, 0.0
        for begin, end, level in ((0, 2, 0.0), (2, 4, 4.0), (4, math.inf, 2.0)):
            if t >= begin:
                x, u = level + (x - level) * math.exp(begin - min(t, end)), level
        return {"x": x, "i": x - u, "y": u + (1 - resistance) * (x - u)}[column.split(".")[1]]
    return solution


EXACT = {"math003": math003, "03_math003": math003, "06_large_step": large_step, "17_delay": delay,
         "23_nearly_higher_index": resistor_and_capacitor(0.001),
         "23b_larger_resistance": resistor_and_capacitor(0.495), "23s_small_step": resistor_and_capacitor(0.001)}


def read(path):
    """Times, and the columns by name."""
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    numbers = [[float(cell) for cell in row] for row in rows]
    return [row[0] for row in numbers], {name: [row[i] for row in numbers] for i, name in enumerate(names) if i > 0}


class Example:
    def __init__(self, takt, project, folder):
        self.takt, self.project, self.folder = takt, project, folder
        self.name = project.parent.name
        info = json.loads(subprocess.run([takt, "info", project, "--json"], capture_output=True, check=True).stdout)
        settings = info["settings"]
        self.start, self.stop = float(settings["start-time"]), float(settings["stop-time"])
        self.length = self.stop - self.start

    def run(self, tolerance, interval):
        """Results and statistics; None if the run failed, or took too long."""
        results, statistics = self.folder / "results.csv", self.folder / "statistics.json"
        command = [self.takt, "run", self.project, "--tolerance", tolerance, "--output-interval", str(interval), "-q",
                   "-o", results, "--stats", statistics, "--log-level", "error"]
        try:
            if subprocess.run(command, capture_output=True, timeout=SECONDS).returncode != 0:
                return None
        except subprocess.TimeoutExpired:
            return None
        return read(results), json.loads(statistics.read_text())

    def find_jumps(self, times):
        """Times of jumps: they have rows besides those of the grid."""
        on_grid = {round((t - self.start) / self.length * N_TIMES, 9) for t in self.times}
        jumps, before = [], None
        for t in times:
            if round((t - self.start) / self.length * N_TIMES, 9) not in on_grid or t == before:
                jumps.append(t)
            before = t
        return jumps

    def find_solution(self):
        """By column: values at the times that are looked at. False: there are none."""
        self.times = [self.start + self.length * i / N_TIMES for i in range(N_TIMES + 1)]
        exact, stored = EXACT.get(self.name), self.project.parent / "reference.csv"
        is_known = exact or stored.exists()
        run = self.run(FOR_JUMPS if is_known else REFERENCE, self.length / N_TIMES)
        if not run:
            return False
        self.jumps = self.find_jumps(self.run(FOR_JUMPS, self.length / N_TIMES)[0][0])
        if exact:
            self.solution = {name: [exact(name, t) for t in self.times] for name in run[0][1]}
        else:
            self.solution = self.at_times(read(stored) if stored.exists() else run[0])
        return True

    def at_times(self, results):
        """Of rows with the same time the last one counts."""
        times, columns = results
        rows = [bisect.bisect_right(times, t + 1e-9 * self.length) - 1 for t in self.times]
        return {name: [values[i] for i in rows] for name, values in columns.items()}

    def measure(self, tolerance):
        """Error divided by the tolerance, and calls; None if the run failed."""
        run = self.run(tolerance, self.length / N_TIMES)
        if not run:
            return None
        found, margin, worst = self.at_times(run[0]), float(tolerance) * self.length, 0
        sizes = {name: max(map(abs, exact)) for name, exact in self.solution.items()}
        # Within a jump as this run has enclosed it, a value may be that of either side. One that is found elsewhere is excused nowhere else.
        jumps = self.jumps + self.find_jumps(run[0][0])
        for name, exact in self.solution.items():
            size = sizes[name]
            for i, t in enumerate(self.times if size > ZERO * max(sizes.values()) else []):
                if all(abs(t - jump) > margin for jump in jumps):
                    worst = max(worst, abs(found[name][i] - exact[i]) / size)
        calls = max(item["do_step"]["count"] for item in run[1]["instances"].values())
        doubts = sum(run[1]["doubtful_steps"].values())
        return worst / float(tolerance), calls, doubts


def describe(measured):
    if not measured:
        return "fails"
    error, calls, doubts = measured
    return f"{error:.2g} / {calls}" + (" !" if doubts else "")


def list_projects(wanted):
    folder = ROOT / "examples"
    projects = [folder / name / f"{name}.ssd" for name in ("math003", "lotka_volterra", "model_exchange")]
    projects += sorted((folder / "coupling").glob("*/system.ssd"))
    return [project for project in projects if not wanted or project.parent.name in wanted]


def measure_examples(takt, wanted):
    """Prints a table, row by row, and returns it."""
    rows = ["| example | " + " | ".join(TOLERANCES) + " |", "|---" * (1 + len(TOLERANCES)) + "|"]
    print("\n".join(rows), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for project in list_projects(wanted):
            example = Example(takt, project, pathlib.Path(folder))
            cells = ["no solution"] + [""] * (len(TOLERANCES) - 1)
            if example.find_solution():
                cells = [describe(example.measure(tolerance)) for tolerance in TOLERANCES]
            rows.append(f"| {example.name} | " + " | ".join(cells) + " |")
            print(rows[-1], flush=True)
    return "\n".join(rows)


def measure_problems(build):
    """The tables of the target `measure`."""
    run = subprocess.Popen([build / "tests" / "measure_problems"], stdout=subprocess.PIPE, text=True)
    lines = [line.rstrip("\n") for line in run.stdout if not print(line, end="", flush=True)]
    if run.wait() != 0:
        sys.exit("measure_problems failed")
    return "\n".join(lines).strip()


def write(name, table):
    """Replaces a table of docs/accuracy.md."""
    path = ROOT / "docs" / "accuracy.md"
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    text = re.sub(f"{begin}.*?{end}", lambda _: f"{begin}{table}\n{end}", path.read_text(), flags=re.DOTALL)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="folder of the build")
    parser.add_argument("example", nargs="*", help="folders of examples; default: all")
    parser.add_argument("--problems", action="store_true", help="measure the problems of `measure` instead")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if arguments.write and arguments.example:
        parser.error("--write needs all examples")
    if arguments.problems:
        table = measure_problems(build)
    else:
        table = measure_examples(build / "takt", arguments.example)
    if arguments.write:
        write("problems" if arguments.problems else "examples", table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
