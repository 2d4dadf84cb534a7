#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmarks; writes BUILD_FOLDER/bench.json and the table in docs/performance.md.

Every benchmark is a function that adds figures to the report, each beside a reference measured in the same
run. Names after the folder choose among them; then the page is left alone.

usage: tools/bench.py BUILD_FOLDER [NAME...]
"""
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile

import bench_measure as measure
import bench_projects as projects
import bench_ranks
from bench_report import Report

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Why a goal is not met, by the name of the figure.
WRITER = ("the thread that writes is the limit: a step of these FMUs is over before one core has turned the new "
          "numbers of a row into their shortest decimal form, about 40 ns each; with FMUs that take 1 us it is met")
REASONS = {
    "recording: 2 FMUs of about 50 ns per step, 11 columns, wall time": WRITER,
    "recording: 1,000 FMUs of about 50 ns per step, 5,001 columns, wall time": WRITER,
}


class Bench:
    """Where things are, and the report."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.takt = os.path.join(self.build, "takt")
        self.step = os.path.join(self.build, "bench", "bench_step")
        self.folder = os.path.join(self.build, "bench", "work")
        self.environment = dict(os.environ, TAKT_CACHE_DIR=os.path.join(self.build, "bench", "cache"))
        self.report = Report(self.build, REASONS)
        os.makedirs(self.folder, exist_ok=True)

    def fmu(self, name):
        return os.path.join(self.build, "fmus", name + ".fmu")

    def file(self, name):
        return os.path.join(self.folder, name)

    def least(self, commands, n_rounds):
        return measure.least(commands, self.environment, n_rounds)

    def run(self, project, *options):
        """The command that simulates a project without telling anything."""
        return [self.takt, "run", project, "--quiet", "--log-level", "error", *options]

    def per_step(self, mode, n_fmus, source, few=64, many=64 * 65):
        """Instructions of bench_step per step and FMU; the difference leaves out the start. Takt times the first
        steps and then one out of 64, so both numbers should be multiples of that."""
        counts = [measure.instructions([self.step, mode, str(n), str(n_fmus), source], self.environment)
                  for n in (few, many)]
        return (counts[1] - counts[0]) / ((many - few) * n_fmus)

    def own_per_step(self, project, until, *options):
        """Instructions of Takt itself, without FMUs and libraries, per doStep; the difference between two stop times leaves
        out the start. The least of two runs counts: a thread that watches works by the clock, and so do calls that are timed."""
        own, n_steps = [], []
        for stop in until:
            run = [*self.run(project, "--no-output", "--jobs", "1", *options), "--stop-time", stop]
            statistics = self.file("statistics.json")
            subprocess.run([*run, "--stats", statistics], env=self.environment, check=True)
            with open(statistics, encoding="utf-8") as file:
                n_steps.append(json.load(file)["do_step_total"])
            own.append(min(measure.own_instructions(run, self.environment, self.file("callgrind.out")) for _ in range(2)))
        return (own[1] - own[0]) / (n_steps[1] - n_steps[0])


# ---- the benchmarks --------------------------------------------------------------------------------

def steps(b):
    """The master's own cost of a step."""
    if not measure.has_callgrind():
        return b.report.skip("cost of a step", "valgrind is not there")
    for version, mode, suffix, goal in (("2.0", "bare", "", 120), ("3.0", "bare3", "_fmi3", 150)):
        unit = "instructions per step and FMU"
        bare = b.per_step(mode, 4, os.path.join(b.build, "fmus.unpacked", "Gain" + suffix))
        chain, ring = (b.per_step(kind, 4, b.fmu("Gain" + suffix)) for kind in ("takt", "ring"))
        b.report.add(f"step: FMI {version}, bare loop of set, step, get", bare, unit)
        b.report.add(f"step: FMI {version}, chain of 4, above the bare loop", chain - bare, unit, goal)
        # A chain has an input and an output that nobody needs; a ring makes the same calls as the bare loop.
        b.report.add(f"step: FMI {version}, ring of 4, above the bare loop", ring - bare, unit, goal)
        b.report.add(f"step: FMI {version}, ring of 4", ring / bare, "x bare loop")
    return None


def sizes(b):
    """Does the cost per instance grow with their number?"""
    if not measure.has_callgrind():
        return b.report.skip("cost of a step in large systems", "valgrind is not there")
    small = b.per_step("ring", 10, b.fmu("Gain"))
    for n in (1000, 10000):
        large = b.per_step("ring", n, b.fmu("Gain"), 64, 128)
        b.report.add(f"size: ring of {n:,}, per step and instance", large / small, "x ring of 10", 1.1)
    return None


def prediction(b):
    """What the default, steps by prediction, costs the master beside fixed steps of one pass."""
    if not measure.has_callgrind():
        return b.report.skip("cost of steps by prediction", "valgrind is not there")
    for name, is_ring in (("chain", False), ("ring", True)):
        project = projects.write_lags(b.file(f"lags_{name}.ssd"), b.fmu("Lag"), 1000, is_ring)
        seidel = b.own_per_step(project, ("6.4", "12.8"), "--algorithm", "seidel", "--step-size", "0.1")
        b.report.add(f"prediction: {name} of 1,000, seidel with fixed steps", seidel, "instructions per doStep")
        for what, until, options in (("fixed steps", ("6.4", "12.8"), ("--step-size", "0.1")),
                                     ("to 1e-4", ("10", "30"), ("--tolerance", "1e-4"))):
            own = b.own_per_step(project, until, *options)
            b.report.add(f"prediction: {name} of 1,000, {what}", own / seidel, "x seidel", 10)
    return None


def parallel(b):
    """Two instances side by side: long steps, and steps that are not worth a thread."""
    if os.cpu_count() < 2:
        return b.report.skip("parallel stepping", "there is no second core")
    project = projects.write_ring(b.file("busy.ssd"), [b.fmu("Busy")] * 2)
    n_steps = 5000

    def commands(turns, n_steps):
        options = ("--algorithm", "jacobi", "--step-size", "0.001", "--stop-time", str(n_steps / 1000), "--no-output",
                   "--set", f"c0.turns={turns}", "--set", f"c1.turns={turns}")
        return [b.run(project, *options, "--jobs", jobs) for jobs in ("1", "2")]

    one, = b.least([commands(10000, 1000)[0]], 3)
    turns = int(10000 * 100e-6 / (one.wall / 2000))  # 100 us per step and instance
    serial, threads = b.least(commands(turns, n_steps), 7)
    b.report.add("parallel: two instances of 100 us per step, serial", 1e6 * serial.wall / (2 * n_steps), "us per step")
    b.report.add("parallel: speed-up with two threads", serial.wall / threads.wall, "x serial", 1.85, False)
    serial, threads = b.least(commands(16, 300000), 7)
    b.report.add("parallel: two instances of about 50 ns per step, --jobs 2", threads.wall / serial.wall, "x serial", 1.05)
    return None


def isolation(b):
    """FMUs in processes of their own: a cheap step, long steps side by side, and many instances."""
    few, many = 10000, 110000
    n = many - few

    def one(steps, *options):
        return b.run(b.fmu("Gain"), "--step-size", "0.001", "--stop-time", str(steps / 1000), "--no-output", "--log-level", "error", *options)

    def partners(kind, steps):
        return [b.step, kind, str(steps), "1", "-"]

    used = b.least([one(few), one(many), one(few, "--isolate"), one(many, "--isolate"), partners("futex", few), partners("futex", many),
                    partners("spin", few), partners("spin", many)], 15)
    plain, isolated, bare, awake = (1e6 * (used[i + 1].wall - used[i].wall) / n for i in (0, 2, 4, 6))
    own, busy, bare_busy = ((used[i + 1].cpu - used[i].cpu) / n for i in (0, 2, 4))
    b.report.add("isolation: two processes wake each other once, bare", bare, "us")
    b.report.add("isolation: the same without sleep", awake, "us")
    b.report.add("isolation: step of a cheap FMU, beyond the same in the process", isolated - plain, "us", 8)
    b.report.add("isolation: the same", (isolated - plain) / bare, "x bare", 1.3)
    # What others do on the machine counts less in this one.
    b.report.add("isolation: the same in processor time", (busy - own) / bare_busy, "x bare", 1.3)
    many_isolated(b)
    if os.cpu_count() < 2:
        return b.report.skip("isolated FMUs side by side", "there is no second core")
    long_isolated(b, "jacobi", projects.write_ring(b.file("busy.ssd"), [b.fmu("Busy")] * 2), "--algorithm", "jacobi")
    return long_isolated(b, "by prediction", projects.write_project(b.file("busy2.ssd"), [b.fmu("Busy")] * 2, []))


def long_isolated(b, name, project, *options):
    """Two FMUs of 100 us per step, beside two processes that only do the same work: what they reach is what the machine has
    to give, however much others use it."""
    steps = 5000

    def busy(turns, n_steps, *more):
        return b.run(project, *options, "--step-size", "0.001", "--stop-time", str(n_steps / 1000), "--no-output",
                     "--jobs", "1", "--set", f"c0.turns={turns}", "--set", f"c1.turns={turns}", *more)

    one_run, = b.least([busy(10000, 1000)], 3)
    turns = int(10000 * 100e-6 / (one_run.wall / 2000))  # 100 us per step and instance
    serial, apart, bare = b.least([busy(turns, steps), busy(turns, steps, "--isolate"),
                                   [b.step, "pair", str(steps), str(turns), "-"]], 7)
    what = f"isolation: two FMUs of 100 us per step, {name}"
    b.report.add(f"{what}, bare processes", serial.wall / bare.wall, "x serial in the process")
    b.report.add(f"{what}, speed-up", serial.wall / apart.wall, "x serial in the process", 1.8, False)
    b.report.add(f"{what}, beyond bare processes", apart.wall / bare.wall, "x bare")


def many_isolated(b):
    """A thousand workers, from the start of the program to its end, and the memory that each has to itself."""
    chain = projects.write_project(b.file("isolated.ssd"), [b.fmu("Gain")] * 1000,
                                   [(i, "y", i + 1, "u") for i in range(999)])
    options = ("--algorithm", "jacobi", "--step-size", "0.001", "--no-output")
    used, = b.least([b.run(chain, *options, "--stop-time", "0.1", "--isolate")], 3)
    b.report.add("isolation: 1,000 FMUs, 100 steps, whole run", used.wall, "s", 10)
    memory = measure.private_memory(b.run(chain, *options, "--stop-time", "1000", "--isolate"), b.environment, 1000)
    b.report.add("isolation: 1,000 FMUs, private memory of a worker", memory, "MB", 4)


def windows(b):
    """FMUs for Windows, through Wine: a cheap step against the same FMU for Linux in a process of its own, and starts."""
    if not any(name.startswith("binaries/win64/") for name in zipfile.ZipFile(b.fmu("Gain")).namelist()):
        return b.report.skip("FMUs for Windows", "the FMUs of this build are not for Windows (-DTAKT_WINDOWS_FMUS=ON, Wine, mingw-w64)")
    few, many = 10000, 110000

    def one(steps, *options):
        return b.run(b.fmu("Gain"), "--step-size", "0.001", "--stop-time", str(steps / 1000), "--no-output", "--isolate", *options)

    def several(n, *options):
        project = projects.write_project(b.file(f"windows{n}.ssd"), [b.fmu("Gain")] * n, [])
        return b.run(project, "--step-size", "0.001", "--stop-time", "0.001", "--no-output", "--binary", "wine", *options)

    def start(*options):  # the last processes of Wine take seconds to end, unless each FMU has its own
        time.sleep(0 if options else 5)
        return b.least([several(1, *options)], 1)[0].wall

    linux, wine = (), ("--binary", "wine")
    subprocess.run(one(1, *wine), env=b.environment, check=True)  # makes the prefix
    times = [used.wall for used in b.least([one(few, *linux), one(many, *linux), one(few, *wine), one(many, *wine)], 9)]
    native, foreign = (1e6 * (times[i + 1] - times[i]) / (many - few) for i in (0, 2))
    b.report.add("windows: step of a cheap FMU", foreign, "us")
    b.report.add("windows: the same", foreign / native, "x the same for Linux, isolated", 1.2)
    b.report.add("windows: first FMU of a run, whole run", min(start() for _ in range(3)), "s", 1.5)
    b.report.add("windows: the same in the sandbox", min(start("--isolate") for _ in range(3)), "s", 1.5)
    for name, options in (("each further FMU", ()), ("each further FMU in the sandbox", ("--isolate",))):
        first, all_of_them = b.least([several(1, *options), several(9, *options)], 3)
        b.report.add(f"windows: {name}", (all_of_them.wall - first.wall) / 8, "s", 0.2)
    return None


# A ring of gains of 1 has no unique solution at the start, and is refused.
UNIQUE = ("--set", "c0.k=0.5")
FEW_STEPS = ("--algorithm", "seidel", "--step-size", "0.001", "--stop-time", "0.003", "--output-file", "/dev/null", *UNIQUE)


def loading(b):
    """Systems of many instances, from the start of the program to its end, with three steps."""
    bare = [b.step, "bare", "3", "10000", os.path.join(b.build, "fmus.unpacked", "Gain")]
    for name in ("Gain", "Gain_fmi3", "Gain_fmi1"):
        ring = projects.write_ring(b.file(f"ring_{name}.ssd"), [b.fmu(name)] * 10000)
        alone, whole, check = b.least([bare, b.run(ring, *FEW_STEPS), [b.takt, "check", ring]], 3)
        label = {"Gain": "FMI 2.0", "Gain_fmi3": "FMI 3.0", "Gain_fmi1": "FMI 1.0"}[name]
        b.report.add(f"loading: ring of 10,000 ({label}), whole run", whole.wall, "s", 3)
        b.report.add(f"loading: ring of 10,000 ({label}), memory", whole.memory, "MB", 200)
        b.report.add(f"loading: ring of 10,000 ({label}), takt check", check.wall, "s", 3)
        if name == "Gain":
            b.report.add("loading: ring of 10,000, whole run", whole.cpu / max(alone.cpu, 1e-3), "x bare loop")


def many_fmus(b):
    """A thousand different FMUs, unpacked before and not."""
    fmus = projects.copy_fmu(b.fmu("Gain"), b.file("copies"), 1000)
    ring = b.run(projects.write_ring(b.file("copies.ssd"), fmus), *FEW_STEPS)
    shutil.rmtree(b.environment["TAKT_CACHE_DIR"], ignore_errors=True)
    first, = b.least([ring], 1)
    again, = b.least([ring], 3)
    b.report.add("loading: 1,000 different FMUs, whole run, first time", first.wall, "s")
    b.report.add("loading: 1,000 different FMUs, whole run", again.wall, "s", 3)
    b.report.add("loading: 1,000 different FMUs, memory", again.memory, "MB", 200)


def package(b):
    """An SSP of 1,000 components and 10,000 connections; no code of FMUs runs."""
    n, width = 1000, 10
    ssd = projects.write_project(b.file("SystemStructure.ssd"), ["Wide.fmu"] * n, [
        (i // width, f"y[{i % width + 1}]", (i // width + i % width + 1) % n, f"u[{i % width + 1}]")
        for i in range(n * width)])
    ssp = b.file("large.ssp")
    with zipfile.ZipFile(ssp, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(ssd, "SystemStructure.ssd")
        archive.write(b.fmu("Wide"), "Wide.fmu")
    used, = b.least([[b.takt, "check", ssp]], 4)
    b.report.add("loading: SSP of 1,000 components, 10,000 connections, takt check", used.wall, "s", 1)


def conversion(b):
    """Projects become ten times as large: what takes more than in proportion shows here."""
    few, many = (projects.write_msim_ring(b.file(f"ring_{n}.msim"), b.fmu("Gain"), n) for n in (2000, 20000))
    small, large = b.least([[b.takt, "convert", ring, b.file("ring.ssd"), "--quiet"] for ring in (few, many)], 3)
    b.report.add("convert: 20,000 components of .msim to .ssd", large.cpu, "s")
    b.report.add("convert: 20,000 components against 2,000", large.cpu / small.cpu, "x", 15)


def descriptions(b):
    """FMUs with many variables."""
    for major in (2, 3):
        fmu = projects.write_large_fmu(b.file(f"large{major}.fmu"), major, 200000)
        command = [b.takt, "check", fmu, "--log-level", "error"]
        used = b.least([command], 4)[0]
        b.report.add(f"loading: 200,000 variables (FMI {major}.0), takt check", used.wall, "s", 1)
        b.report.add(f"loading: 200,000 variables (FMI {major}.0), memory", used.memory, "MB", 150)


def start_up(b):
    """A small run from the start of the process to its end."""
    project = projects_of_examples(b, "math003/math003.ssd")
    run = b.run(project, "--output-file", b.file("math003.csv"))
    nothing, whole = b.least([["true"], run], 40)
    b.report.add("start: Math003, 3 FMUs, 100 steps, whole process", 1000 * whole.wall, "ms", 15)
    b.report.add("start: Math003, whole process", whole.wall / nothing.wall, "x a process that does nothing")


def projects_of_examples(b, name):
    """The path of an example, with the FMUs of this build."""
    with open(os.path.join(ROOT, "examples", name), encoding="utf-8") as file:
        text = file.read().replace("../../build/fmus", os.path.join(b.build, "fmus"))
    path = b.file(os.path.basename(name))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def recording(b):
    """Every variable of every step as CSV: FMUs of 1 us per step, and the cheapest ones there are."""
    if os.cpu_count() < 2:
        return b.report.skip("recording", "there is no second core")
    busy = projects.write_ring(b.file("busy.ssd"), [b.fmu("Busy")] * 4)
    measure_recording(b, "4 FMUs of about 1 us per step", busy, 100000, 13,
                      [text for i in range(4) for text in ("--set", f"c{i}.turns=360")])
    for n_pairs, n_steps in ((1, 300000), (500, 600)):
        pairs = projects.write_pairs(b.file("pairs.ssd"), b.fmu("LotkaVolterraPrey"),
                                     b.fmu("LotkaVolterraPredator"), n_pairs)
        measure_recording(b, f"{2 * n_pairs:,} FMUs of about 50 ns per step", pairs, n_steps, 10 * n_pairs + 1)
    return None


def measure_recording(b, name, project, n_steps, n_columns, settings=()):
    options = ("--algorithm", "seidel", "--step-size", "0.001", "--stop-time", str(n_steps / 1000), *settings)
    csv = b.file("recorded.csv")
    quiet, recorded = b.least([b.run(project, *options, "--no-output"),
                               b.run(project, *options, "--record", "*", "--output-file", csv)], 15)
    name = f"recording: {name}, {n_columns:,} columns"
    b.report.add(f"{name}, wall time", recorded.wall / quiet.wall, "x not recording", 1.5)
    b.report.add(f"{name}, processor time", 1e9 * (recorded.cpu - quiet.cpu) / (n_columns * n_steps),
                 "ns per value", 120)
    os.remove(csv)


# By the figures of bench_results, which prints one JSON object per line.
RESULTS_GOALS = {"results: write CSV": 120, "results: write CSV, speed": 4, "results: read CSV, speed": 4,
                 "results: write MAT": 15}


def results(b):
    """Reading and writing result files, against the C library."""
    program = os.path.join(b.build, "bench", "bench_results")
    output = subprocess.run([program, b.folder], capture_output=True, text=True, check=True).stdout
    for figure in map(json.loads, output.splitlines()):
        b.report.add(figure["name"], figure["value"], figure["unit"], RESULTS_GOALS.get(figure["name"]),
                     figure["lower_is_better"])


def states(b):
    """Saving and restoring the state of a large FMU, against one copy of its bytes."""
    program = os.path.join(b.build, "bench", "bench_state")
    folder = os.path.join(b.build, "fmus.unpacked", "Building")
    figures = json.loads(subprocess.run([program, folder], capture_output=True, text=True, check=True).stdout)
    b.report.add(f"state: save and restore of {figures['unknowns']:,} unknowns ({figures['bytes']:,} bytes)",
                 figures["save_and_restore"] / figures["copy"], "x memcpy of its bytes", 3)


def library(b):
    """Saving and restoring a run in memory, and what Python costs above C."""
    program = os.path.join(b.build, "bench", "bench_snapshot")
    for n in (2, 100):
        words = [program, b.fmu("Gain"), os.path.join(b.build, "fmus.unpacked", "Gain"), str(n)]
        figures = json.loads(subprocess.run(words, capture_output=True, text=True, check=True, env=b.environment).stdout)
        b.report.add(f"library: save and restore a run of {n} instances, above the FMUs' own calls, per instance",
                     1e6 * (figures["run"] / n - figures["fmu"]), "us", 1)
    script = os.path.join(ROOT, "bench", "bench_python.py")
    environment = dict(b.environment, PYTHONPATH=os.path.join(ROOT, "python"), TAKT_LIBRARY=os.path.join(b.build, "libtakt.so"))
    words = [sys.executable, "-B", script, os.path.join(b.build, "fmus")]
    figures = json.loads(subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout)
    b.report.add("library: a step from Python, above that from C", 1e6 * figures["step"], "us", 3)
    b.report.add("library: 1,000 variables of 25 FMUs read in bulk from Python", 1e6 * figures["read"], "us", 5)


def year(b):
    """The building over a year, and what a checkpoint per month costs."""
    project = os.path.join(ROOT, "examples", "building", "building.ssd")
    save = ("--checkpoint", b.file("year.ckpt"), "--checkpoint-interval", "30d")
    plain = b.run(project, "-o", b.file("year.csv"))
    usages = b.least([plain, [*plain, *save]], 1)
    b.report.add("building: a year of 10 zones, error control, processor time", usages[0].cpu, "s", 60)
    # Of two runs of a minute the difference is noise: the cost of a checkpoint is measured with 100 times as many.
    short = [*plain, "--stop-time", "30d"]
    often = [*short, "--checkpoint", b.file("month.ckpt"), "--checkpoint-interval", "7200"]
    few, many = b.least([short, often], 3)
    per_checkpoint = (many.wall - few.wall) / (30 * 12 + 2)
    b.report.add("building: a checkpoint per month, of the time of the run", 100 * 14 * per_checkpoint / usages[0].wall,
                 "%", 1)


BENCHMARKS = (steps, sizes, prediction, parallel, isolation, windows, loading, many_fmus, package, conversion, descriptions, start_up, recording, results, states, library, year, bench_ranks.ranks,
              bench_ranks.sweeps)


def main():
    known = {function.__name__: function for function in BENCHMARKS}
    names = sys.argv[2:]
    if len(sys.argv) < 2 or any(name not in known for name in names):
        sys.exit(f"{__doc__}\nnames: {', '.join(known)}")
    b = Bench(sys.argv[1])
    try:
        subprocess.run([b.step, "takt", "1", "1", b.fmu("Gain")], env=b.environment, check=True)  # fills the cache
        for name in names or known:
            known[name](b)
    finally:
        shutil.rmtree(b.folder, ignore_errors=True)
        shutil.rmtree(b.environment["TAKT_CACHE_DIR"], ignore_errors=True)
    b.report.write_json()
    print(f"Written: {os.path.relpath(os.path.join(b.build, 'bench.json'))}")
    if not names:
        page = os.path.join(ROOT, "docs", "performance.md")
        b.report.write_page(page)
        print(f"Written: {os.path.relpath(page)}")


if __name__ == "__main__":
    main()
