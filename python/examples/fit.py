# SPDX-License-Identifier: MIT
"""Fits a parameter by going back instead of starting again: how many foxes are there, if 8 of 10 hares are left after two days?

Needs SciPy. The argument is the folder with the FMUs.
"""
import sys

import takt

try:
    from scipy.optimize import brentq
except ImportError:
    sys.exit(77)

fmus = sys.argv[1] if len(sys.argv) > 1 else "build/fmus"
system = takt.System(name="hares").add("Prey", f"{fmus}/LotkaVolterraPrey.fmu").set_options(stop_time=2, tolerance=1e-7)

with system.run(record=False) as run:
    run["Prey.y"] = 5  # foxes; an input that nothing drives
    begin = run.save()

    def hares_missing(foxes):
        run.restore(begin)
        run["Prey.y"] = foxes
        run.to(2)
        return run["Prey.x"] - 8

    foxes = brentq(hares_missing, 0, 100, xtol=1e-6)
    print(f"With {foxes:.4f} foxes there are 8 hares after two days.")
    assert abs(foxes - 10.5786) < 1e-3  # (a - b y) * 2 = ln(8/10)
