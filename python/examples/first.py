# SPDX-License-Identifier: MIT
"""Two FMUs coupled, simulated, and looked at, cell by cell (`# %%`), as in a notebook. The argument is the folder with the FMUs."""
# %%
import sys

import takt

fmus = sys.argv[1] if len(sys.argv) > 1 else "build/fmus"
# %% The system: built in code, connected by name
system = takt.System(name="nature")
system.add("Prey", f"{fmus}/LotkaVolterraPrey.fmu").add("Predator", f"{fmus}/LotkaVolterraPredator.fmu")
print("connected by name:", *(" -> ".join(pair) for pair in system.auto_connect()))

# %% What it looks like
for block in system.blocks():
    print("a loop of" if block.is_loop else "called alone:", *block.members)
print(*(f"{variable.name} [{variable.unit}]" for variable in system.variables("Prey") if variable.causality == "parameter"))

# %% A simulation
result = takt.simulate(system, stop_time=50, set={"Prey.x0": 20})
print(f"{len(result)} rows; at most {max(result['Prey.x']):.2f} prey; {result.statistics['steps']} steps")
assert 20 < max(result["Prey.x"]) < 40

# %% The same with a smaller tolerance: can it be trusted?
finer = takt.simulate(system, stop_time=50, set={"Prey.x0": 20}, tolerance=1e-7)
difference = max(abs(a - b) for a, b in zip(result["Prey.x"], finer["Prey.x"])) / max(finer["Prey.x"])
print(f"differs by {difference:.1e} of the largest value")
assert difference < 1e-3
