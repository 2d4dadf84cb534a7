# SPDX-License-Identifier: MIT
"""Takt couples simulators (FMUs) and steps them through time together.

    import takt
    result = takt.simulate("plant.ssp", stop_time=10, set={"Tank.level": 0.2})
    result["Tank.level"], result.time

    system = takt.System()
    system.add("Tank", "tank.fmu").add("Control", "pid.fmu")
    system.connect("Tank.level", "Control.u").connect("Control.y", "Tank.valve")
    with system.run() as run:
        while run.step():
            print(run.time, run["Tank.level"])
"""
from ._native import (CrashError, FmuTimeoutError, InputError, OutputError, SimulationError, TaktError, TaktWarning,
                      UsageError)
from ._native import version as _version
from ._run import Result, Run, Snapshot, View
from ._system import Block, Connection, Problem, Setting, System, Variable, settings, simulate

__version__ = _version().decode()
__all__ = ["Block", "Connection", "CrashError", "FmuTimeoutError", "InputError", "OutputError", "Problem", "Result", "Run",
           "Setting", "SimulationError", "Snapshot", "System", "TaktError", "TaktWarning", "UsageError", "Variable", "View",
           "settings", "simulate"]
