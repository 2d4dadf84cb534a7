# SPDX-License-Identifier: MIT
"""Makes something of a sweep: sensitivities from its manifest, then the best point by a method that needs no derivatives.

How large does the herd of hares get, and which growth rates keep its maximum at 30? Needs SciPy. The arguments are the folder
with the FMUs and the program.
"""
import os
import subprocess
import sys
import tempfile

import takt

try:
    import numpy as np
    from scipy.optimize import minimize
except ImportError:
    sys.exit(77)

fmus = sys.argv[1] if len(sys.argv) > 1 else "build/fmus"
program = sys.argv[2] if len(sys.argv) > 2 else os.path.join(fmus, os.pardir, "takt")
system = takt.System(name="herd").add("Prey", f"{fmus}/LotkaVolterraPrey.fmu").add("Predator", f"{fmus}/LotkaVolterraPredator.fmu")
system.connect("Prey.x", "Predator.x").connect("Predator.y", "Prey.y").set_options(stop_time=60, step_size=0.1, tolerance=1e-6)

with tempfile.TemporaryDirectory() as folder:
    project, out = os.path.join(folder, "herd.ssd"), os.path.join(folder, "out")
    system.save(project)
    subprocess.run([program, "sweep", project, "--vary", "Prey.a=0.05:0.2", "--vary", "Predator.c=0.3:0.5", "--sample", "64",
                    "--keep", "max:Prey.x", "-o", out, "--quiet"], check=True)
    table = np.genfromtxt(os.path.join(out, "manifest.csv"), delimiter=",", names=True, dtype=None, encoding="utf-8",
                          deletechars="")
    table = table[table["status"] == "ok"]

# Sensitivities: slopes of a quadratic surface through all points, in the middle of the ranges, by the width of each range.
a, c, most = ((table[name] - low) / width - 0.5 for name, low, width in (("Prey.a", 0.05, 0.15), ("Predator.c", 0.3, 0.2), ("max:Prey.x", -0.5, 1)))
surface = np.column_stack([np.ones_like(a), a, c, a * a, a * c, c * c])
slopes = np.linalg.lstsq(surface, most, rcond=None)[0]
print(f"Over its range, a changes the maximum by {slopes[1]:.1f} and c by {slopes[2]:.1f} hares.")
assert slopes[2] > 0  # foxes that die earlier leave more hares


def miss(x):
    result = system.run(set={"Prey.a": x[0], "Predator.c": x[1]}).finish()
    return (max(result["Prey.x"]) - 30) ** 2


# From the best variant on; the method only compares values.
best = np.argmin((table["max:Prey.x"] - 30) ** 2)
found = minimize(miss, [table["Prey.a"][best], table["Predator.c"][best]], method="Nelder-Mead",
                 options={"fatol": 1e-6, "xatol": 1e-6, "maxfev": 80})
print(f"With a = {found.x[0]:.4f} and c = {found.x[1]:.4f} there are at most {30 + found.fun ** 0.5:.3f} hares.")
assert found.fun < 1e-3
