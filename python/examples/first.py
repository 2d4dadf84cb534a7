# SPDX-License-Identifier: MIT
"""Two FMUs coupled, simulated, and looked at. The argument is the folder with the FMUs."""
import sys

import takt

fmus = sys.argv[1] if len(sys.argv) > 1 else "build/fmus"
system = takt.System(name="nature")
system.add("Prey", f"{fmus}/LotkaVolterraPrey.fmu").add("Predator", f"{fmus}/LotkaVolterraPredator.fmu")
print("connected by name:", *(" -> ".join(pair) for pair in system.auto_connect()))

result = takt.simulate(system, stop_time=50, set={"Prey.x0": 20})
print(f"{len(result)} rows; at most {max(result['Prey.x']):.2f} prey; {result.statistics['steps']} steps")
assert 20 < max(result["Prey.x"]) < 40
