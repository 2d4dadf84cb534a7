# SPDX-License-Identifier: MIT
"""What the Python package costs above the C library, in the same run; of many rounds the fastest counts.

    python3 bench_python.py FOLDER     with the FMUs
"""
import json
import sys
from time import thread_time

import takt

ROUNDS, REPEATS = 40, 1000
fmus = sys.argv[1]


def least(work):
    """Seconds of processor time of one of REPEATS."""
    times = []
    for _ in range(ROUNDS):
        begin = thread_time()
        work()
        times.append((thread_time() - begin) / REPEATS)
    return min(times)


def step_above_c():
    system = takt.System().add("Prey", f"{fmus}/LotkaVolterraPrey.fmu").add("Predator", f"{fmus}/LotkaVolterraPredator.fmu")
    system.connect("Prey.x", "Predator.x").connect("Predator.y", "Prey.y")
    with system.run(record=False, stop_time=1e6, step_size=0.001, algorithm="seidel") as run:
        def from_python():
            for _ in range(REPEATS):
                run.step()

        def from_c():
            run.to(run.time + 0.001 * REPEATS)

        return least(from_python) - least(from_c)


def read_1000():
    system = takt.System()
    for i in range(25):
        system.add(f"W{i}", f"{fmus}/Wide.fmu")
    names = [f"W{i}.{variable.name}" for i in range(25) for variable in system.variables("W0")][:1000]
    with system.run(record=False, stop_time=10, step_size=1) as run:
        view = run.view(*names)
        run.step()

        def read():
            for _ in range(REPEATS):
                view.read()

        return least(read)


print(json.dumps({"step": step_above_c(), "read": read_1000()}))
