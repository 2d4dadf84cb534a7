# SPDX-License-Identifier: MIT
"""What the benchmarks tell: lines on the terminal, build/bench.json, and the table in docs/performance.md."""
import json
import os
import platform
import re
import subprocess

BEGIN, END = "<!-- begin: written by make bench -->\n", "<!-- end: written by make bench -->\n"


def machine(build):
    """What the figures depend on; nothing that names the machine or its owner."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        compiler = re.search(r"CMAKE_C_COMPILER:\w+=(.*)", file.read()).group(1)
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    return {"cpu": model.group(1) if model else platform.machine(), "cores": os.cpu_count(),
            "compiler": version.splitlines()[0].replace(compiler, os.path.basename(compiler)),
            "system": f"{platform.system()} {platform.release().split('-')[0]}"}


class Report:
    """Collects figures. `goal` is the most (or least) a figure may be; None: it has no goal."""

    def __init__(self, build, reasons):
        self.build = build
        self.reasons = reasons  # name of a figure -> why its goal is not met
        self.figures = []
        self.load = os.getloadavg()[0]  # processes that want to run, before we begin

    def add(self, name, value, unit, goal=None, lower_is_better=True):
        self.figures.append({"name": name, "value": float(f"{value:.4g}"), "unit": unit, "goal": goal,
                             "lower_is_better": lower_is_better})
        print(f"{name:<66} {value:10.2f} {unit}{'' if self.is_met(self.figures[-1]) else '   NOT MET'}", flush=True)

    def skip(self, name, why):
        print(f"{name:<66} left out: {why}", flush=True)

    @staticmethod
    def is_met(figure):
        """Also true for a figure without a goal."""
        goal = figure["goal"]
        return goal is None or (figure["value"] <= goal if figure["lower_is_better"] else figure["value"] >= goal)

    def write_json(self):
        with open(os.path.join(self.build, "bench.json"), "w", encoding="utf-8") as file:
            json.dump(self.figures, file, indent=2)
            file.write("\n")

    def warn(self):
        """Others on the machine make times longer, above all where two threads work."""
        if self.load < 0.5:
            return []
        return [f"The machine was busy with other work (load average {self.load:.1f}): times are upper limits, "
                "counts of instructions are not affected.", ""]

    def reason(self, figure):
        """Why a goal is missed. Only counts of instructions can be judged on a busy machine."""
        is_count = figure["unit"].startswith("instructions")
        unknown = "no verdict, as the machine was busy" if self.warn() and not is_count else "the reason is not known yet"
        return self.reasons.get(figure["name"], unknown)

    def table(self):
        about = machine(self.build)
        lines = [f"Measured on: {about['cpu']}, {about['cores']} cores, {about['system']}, {about['compiler']}.", "",
                 *self.warn(), "| what | measured | unit | goal |", "|---|---|---|---|"]
        for figure in self.figures:
            goal = ""
            if figure["goal"] is not None:
                goal = f"{'at most' if figure['lower_is_better'] else 'at least'} {figure['goal']:g}"
                goal += "" if self.is_met(figure) else ", **not met**"
            lines.append(f"| {figure['name']} | {figure['value']:g} | {figure['unit']} | {goal} |")
        missed = [figure for figure in self.figures if not self.is_met(figure)]
        if missed:
            lines += ["", "Not met:", ""]
        lines += [f"- **{figure['name']}**: {self.reason(figure)}" for figure in missed]
        return "\n".join(lines) + "\n"

    def write_page(self, path):
        """Replaces the part of the page between the marks."""
        with open(path, encoding="utf-8") as file:
            page = file.read()
        before, rest = page.split(BEGIN)
        after = rest.split(END)[1]
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + self.table() + END + after)
