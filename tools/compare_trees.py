# SPDX-License-Identifier: MIT
"""Runs all examples with two builds of Takt and compares what they do, byte for byte.

    tools/compare_trees.py BUILD_A BUILD_B

Every project below examples/ runs with every algorithm and every step control, with some further options,
and every FMU of build/fmus on its own; both programs get the same files, those of the tree of this script
(`make` must have built its FMUs). Compared are result files, statistics without times, exit codes and
messages. Where a change is meant, --ignore KEY leaves out a key of the statistics (`--ignore rejected`),
and --ignore-messages the words on standard error. `--second OPTION` gives an option to the second program only:
with the same build twice, `--second=--isolate` compares FMUs in processes of their own with FMUs in the process.
Exit code 1 with differences.
"""
import argparse
import collections
import concurrent.futures
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

ALGORITHMS = [None, "jacobi", "seidel", "fixed-point", "newton", "quasi-newton", "anderson"]
CONTROLS = [None, "fixed", "convergence", "richardson"]

# Each with every algorithm.
VARIATIONS = [
    ["--me", "central"],
    ["--jobs", "2"],
    ["--output-interval", "0.3"],
    ["--output-interval", "0.3", "--output-grid", "next", "--step-control", "richardson"],
    ["--time-grid", "accumulated"],
    ["--input-derivatives", "estimate"],
    ["--input-derivatives", "off", "--step-control", "richardson"],
    ["--call-order", "listed"],
    ["--overstep-end", "--step-control", "convergence"],
    ["--error-estimate", "slope", "--step-control", "richardson"],
    ["--algorithm-at", "1:newton"],
    ["--step-log", "steps.csv"],
    ["--step-log", "steps.csv", "--step-control", "richardson"],
    ["--record", "*"],
    ["--damping", "0.5", "--iterations", "5", "--strict"],
]

# Of single FMUs, which have no loops.
OF_FMUS = [[], ["--interface", "me"], ["--step-control", "richardson"],
           ["--interface", "me", "--solver", "rk4", "--output-interval", "0.25"]]

# FMUs that sleep, fill the memory, end the process, write what depends on the machine, or need very small steps.
NOT_RUN = ("Misbehave", "Busy", "Resources", "ResultsFolder")

# The step control makes very small steps in these: shorter ways are as good (s).
SHORTER = {"01_chain": 0.5, "02_linear_dominant": 0.5, "05_time_dependent_matrix": 3, "07_precision": 2,
           "09_nonlinear_equation": 0.3, "10_varying_resistors": 2, "11_voltage_from_part1": 0.6,
           "12_states_exchanged": 2, "13_voltage_from_part2": 0.5, "14_extended_circuit": 0.3,
           "15_jumping_sources": 2, "16_roessler": 1, "18_other_time_dependent_matrix": 0.7, "22_rc_circuit": 2,
           "23b_larger_resistance": 3, "model_exchange": 0.2}

TIMES = {"takt", "wall", "output", "master", "error_test", "time"}  # keys of the statistics
LIMIT = 20  # s; a run that takes longer is ended, and counted as not compared

Case = collections.namedtuple("Case", "path options")
Outcome = collections.namedtuple("Outcome", "code messages files statistics")


def projects(root):
    found = []
    for ending in ("ssd", "ssp", "msim", "eas", "xml"):
        found += glob.glob(os.path.join(root, "examples", "**", "*." + ending), recursive=True)
    return sorted(path for path in found if os.sep + "fmus" + os.sep not in path)


def shorter(case):
    is_adaptive = {"convergence", "richardson"} & set(case.options)
    for name, stop_time in SHORTER.items():
        if is_adaptive and name in case.path:
            return Case(case.path, case.options + ["--stop-time", str(stop_time)])
    return case


def cases(root):
    """All runs of both programs; each case once."""
    all_cases = []
    for path in projects(root):
        for algorithm, control in itertools.product(ALGORITHMS, CONTROLS):
            options = ["--algorithm", algorithm] if algorithm else []
            all_cases.append(Case(path, options + (["--step-control", control] if control else [])))
        for algorithm, variation in itertools.product(ALGORITHMS, VARIATIONS):
            all_cases.append(Case(path, variation + (["--algorithm", algorithm] if algorithm else [])))
    for path in sorted(glob.glob(os.path.join(root, "build", "fmus", "*.fmu"))):
        if not os.path.basename(path).startswith(NOT_RUN):
            for options in OF_FMUS:
                all_cases.append(Case(path, ["--stop-time", "2", "--step-size", "0.1"] + options))
    return [shorter(case) for case in all_cases]


def without(value, keys):
    """JSON without some keys, at any depth."""
    if isinstance(value, dict):
        return {key: without(item, keys) for key, item in value.items() if key not in keys}
    if isinstance(value, list):
        return [without(item, keys) for item in value]
    return value


def run(program, case, more, cache):
    """What a program does with a case; None: it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", case.path, "--quiet", "-o", "results.csv", "--stats", "stats.json"]
        try:
            done = subprocess.run(command + case.options + more, cwd=folder, capture_output=True, timeout=LIMIT,
                                  env=dict(os.environ, TAKT_CACHE_DIR=cache), check=False)
        except subprocess.TimeoutExpired:
            return None
        statistics, results = {}, {"standard output": done.stdout}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
            if name == "stats.json":
                statistics = json.loads(content)
            else:
                results[name] = content
        return Outcome(done.returncode, done.stderr.decode(errors="replace"), results, statistics)


def first_line_that_differs(a, b):
    for number, (x, y) in enumerate(itertools.zip_longest(a.splitlines(), b.splitlines()), 1):
        if x != y:
            return f"line {number}: {str(x)[:150]} | {str(y)[:150]}"
    return "only in how lines end"


def keys_that_differ(a, b, path=""):
    """Yields "instances/A/do_step/count: 3 | 4"."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            yield from keys_that_differ(a.get(key), b.get(key), f"{path}/{key}" if path else key)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from keys_that_differ(x, y, f"{path}/{i}")
    elif a != b:
        yield f"{path}: {a} | {b}"


def differences(a, b, given):
    """Pairs of kind and text."""
    found = []
    if a.code != b.code:
        found.append(("exit code", f"{a.code} | {b.code}"))
    if not given.ignore_messages and a.messages != b.messages:
        found.append(("messages", first_line_that_differs(a.messages, b.messages)))
    for name in sorted(set(a.files) | set(b.files)):
        x, y = a.files.get(name), b.files.get(name)
        if x is None or y is None:
            found.append(("files", f"{name} is written by {'B' if x is None else 'A'} only"))
        elif x != y:
            found.append(("results", f"{name} {first_line_that_differs(x, y)}"))
    ignored = TIMES | set(given.ignore)
    keys = list(keys_that_differ(without(a.statistics, ignored), without(b.statistics, ignored)))
    if keys:
        found.append(("statistics", "; ".join(keys[:4]) + (f"; {len(keys) - 4} more" if keys[4:] else "")))
    return found


def compare(case, given, cache):
    a, b = (run(program, case, more, cache) for program, more in zip(given.programs, ([], given.second)))
    if a is None and b is None:
        return "too long", []
    if a is None or b is None:
        return "compared", [("time", f"{'A' if a is None else 'B'} takes more than {LIMIT} s")]
    return "compared", differences(a, b, given)


def compare_all(all_cases, given, show=print):
    """Prints differences; returns how many cases differ."""
    counts, kinds, ends = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as cache, \
            concurrent.futures.ThreadPoolExecutor(max_workers=given.jobs) as pool:
        for case, (state, found) in zip(all_cases, pool.map(lambda c: compare(c, given, cache), all_cases)):
            counts[state] += 1
            if found:
                counts["different"] += 1
            for kind, text in found:
                kinds[kind] += 1
                if kinds[kind] <= given.show:
                    show(f"{os.path.relpath(case.path, ROOT)} {' '.join(case.options)}: {kind}: {text}")
            ends["too long" if state != "compared" else "same" if not found else "different"] += 1
    listed = ", ".join(f"{kind} {n}" for kind, n in kinds.most_common())
    show(f"{counts['compared']} runs compared, {counts['different']} differ" + (f" ({listed})" if listed else "") +
         (f"; {counts['too long']} took more than {LIMIT} s with both" if counts["too long"] else ""))
    return counts["different"]


# ---- self-test -------------------------------------------------------------------------------------

FAKE = """#!/usr/bin/env python3
import sys
open("results.csv", "w").write("time,y\\n0,{value}\\n")
open("stats.json", "w").write('{{"wall": {wall}, "steps": {steps}, "instances": {{"A": {{"count": 1}}}}}}')
sys.stderr.write("takt: warning: {word}\\n")
sys.exit({code})
"""


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        def program(name, value="1", wall=1, steps=5, word="stiff", code=0):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(FAKE.format(value=value, wall=wall, steps=steps, word=word, code=code))
            os.chmod(path, 0o755)
            return path

        def findings(other, **options):
            given = argparse.Namespace(programs=[program("a"), other], ignore=[], ignore_messages=False, jobs=1,
                                       show=10, second=[])
            vars(given).update(options)
            shown = []
            n = compare_all([Case("x.ssd", [])], given, shown.append)
            assert n == (1 if len(shown) > 1 else 0), shown
            return [line.split(": ", 1)[1] for line in shown[:-1]]

        assert findings(program("same", wall=2)) == []
        assert findings(program("b", value="1.0000000000000002")) == [
            "results: results.csv line 2: b'0,1' | b'0,1.0000000000000002'"]
        assert findings(program("b", steps=6)) == ["statistics: steps: 5 | 6"]
        assert findings(program("b", steps=6), ignore=["steps"]) == []
        assert findings(program("b", word="rigid")) == [
            "messages: line 1: takt: warning: stiff | takt: warning: rigid"]
        assert findings(program("b", word="rigid"), ignore_messages=True) == []
        assert findings(program("b", code=3)) == ["exit code: 0 | 3"]
    assert len(cases(ROOT)) > 500
    print("self-test ok")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="*", metavar="BUILD", help="two folders with the program takt")
    parser.add_argument("--ignore", action="append", default=[], metavar="KEY",
                        help="a key of the statistics that may differ")
    parser.add_argument("--ignore-messages", action="store_true", help="words on standard error may differ")
    parser.add_argument("--second", action="append", default=[], metavar="OPTION",
                        help="an option that only the second program gets")
    parser.add_argument("--only", default="", metavar="TEXT", help="only runs whose path and options have this text")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="only every N-th run")
    parser.add_argument("--show", type=int, default=20, help="how many differences of a kind are shown")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--self-test", action="store_true", help="prove that planted differences are found")
    given = parser.parse_args()
    if given.self_test:
        return self_test()
    if len(given.builds) != 2:
        parser.error("two builds are needed")
    given.programs = [os.path.join(os.path.abspath(build), "takt") for build in given.builds]
    for program in given.programs:
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not there; run make")
    chosen = [case for case in cases(ROOT) if given.only in case.path + " " + " ".join(case.options)]
    return sys.exit(1 if compare_all(chosen[::given.sample], given) else 0)


if __name__ == "__main__":
    main()
