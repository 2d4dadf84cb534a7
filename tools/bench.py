#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmarks and writes build/bench.json.

Instructions are counted by valgrind's callgrind, so they do not depend on what else the machine does.
Every such figure compares runs of different length, so that the start of the program is left out. All
have a reference measured in the same run. Results (bench_results) are measured in time.

usage: tools/bench.py BUILD_FOLDER
"""
import json
import os
import re
import subprocess
import sys


def instructions(command, environment):
    """Instructions that a command executes."""
    result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                            env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def per_step(program, mode, n_fmus, source, environment, few=64, many=64 * 65):
    """Instructions per step and FMU. Takt times the first steps and then one out of 64, so both numbers
    should be multiples of that."""
    counts = [instructions([program, mode, str(n), str(n_fmus), source], environment) for n in (few, many)]
    return (counts[1] - counts[0]) / ((many - few) * n_fmus)


def results_figures(program, folder):
    """Figures of reading and writing results: the program prints one JSON object per line."""
    output = subprocess.run([program, folder], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    program = os.path.join(build, "bench", "bench_step")
    folder = os.path.join(build, "fmus.unpacked", "Gain")
    fmu = os.path.join(build, "fmus", "Gain.fmu")
    environment = dict(os.environ, TAKT_CACHE_DIR=os.path.join(build, "cache"))
    for name in ("Gain.fmu", "Gain_fmi3.fmu"):  # fills the cache
        source = os.path.join(build, "fmus", name)
        subprocess.run([program, "takt", "1", "1", source], env=environment, check=True)

    figures = []

    def add(name, value, unit):
        figures.append({"name": name, "value": round(value, 3), "unit": unit, "lower_is_better": True})
        print(f"{name:<60} {value:12.2f} {unit}", flush=True)

    for version, bare_mode, suffix in (("2.0", "bare", ""), ("3.0", "bare3", "_fmi3")):
        own_fmu = os.path.join(build, "fmus", f"Gain{suffix}.fmu")
        bare = per_step(program, bare_mode, 4, folder + suffix, environment)
        chain = per_step(program, "takt", 4, own_fmu, environment)
        ring = per_step(program, "ring", 4, own_fmu, environment)
        add(f"FMI {version}, bare loop: set, step, get", bare, "instructions per step and FMU")
        add(f"FMI {version}, chain of 4: above the bare loop", chain - bare, "instructions per step and FMU")
        # A chain has an input and an output that nobody needs; a ring makes the same calls as the bare loop.
        add(f"FMI {version}, ring of 4: above the bare loop", ring - bare, "instructions per step and FMU")
    small = per_step(program, "ring", 10, fmu, environment)
    large = per_step(program, "ring", 10000, fmu, environment, 64, 128)
    add("ring of 10000 against ring of 10, per instance", large / small, "x ring of 10")

    for figure in results_figures(os.path.join(build, "bench", "bench_results"), build):
        figures.append(figure)
        print(f"{figure['name']:<60} {figure['value']:12.2f} {figure['unit']}", flush=True)

    with open(os.path.join(build, "bench.json"), "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=2)
        file.write("\n")
    print(f"Written: {os.path.relpath(os.path.join(build, 'bench.json'))}")


if __name__ == "__main__":
    main()
