# SPDX-License-Identifier: MIT
"""Makes every allocation and every system call of Takt's commands fail once and judges what comes of it.

    tools/torture.py BUILD [--sample N] [--only NAME] [--kind memory|calls] [--jobs N] [--write]

Each scenario below is a command over the examples. It runs once undisturbed: that is the reference. Then it runs again
and again, each time with another fault: one allocation fails (in Takt or in any library, by a preloaded library), all
allocations from one on fail, or one system call fails or does only half of its work (by tracing). Good outcomes are:

    same    exit code, output and files are those of the reference
    error   a message on standard error and a documented exit code; for exhausted memory the message says so. Files are
            absent, as they were before, or for `run` complete up to some row. Nothing is left behind.

Everything else is a finding: crash, hang, wrong (success with another result), silent (failure without a message),
blame (exhausted memory reported as something else), code, incomplete, leftover. With --sample N, N faults of each kind
and scenario are drawn evenly. --write puts the table into docs/reliability.md, with --only the rows of these scenarios.
Exit code 1 with findings.
"""
import argparse
import atexit
import collections
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 20  # of a case; undisturbed they take milliseconds
SKIPPED = 77  # CTest's word for a test that cannot run here
DOCUMENTED = {1, 2, 3, 4, 5, 6}

# Where faults concern removing itself, what should have been removed stays.
REMOVING = {"unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2"}

Scenario = collections.namedtuple("Scenario", "name words cold old")
Outcome = collections.namedtuple("Outcome", "code out err files")
Case = collections.namedtuple("Case", "scenario kind at variant what")


def scenario(name, words, cold=False, old=()):
    """`cold`: the cache of FMUs is empty. `old`: files that are there before."""
    return Scenario(name, words.split(), cold, old)


SCENARIOS = [
    scenario("run-ssd", "run {ex}/math003/math003.ssd --stop-time 1 -o r.csv"),
    scenario("run-cold", "run {ex}/math003/math003.ssd --stop-time 0.3 -o r.csv", cold=True),
    scenario("run-package", "run {in}/plant.ssp --stop-time 1 -o r.csv", cold=True),
    scenario("run-fmu", "run {fmus}/Gain_fmi3.fmu --stop-time 1 --step-size 0.1 -o r.csv --describe-results"),
    scenario("run-fmi1", "run {fmus}/Lag_fmi1.fmu --stop-time 1 --step-size 0.1 -o r.mat"),
    scenario("run-me", "run {fmus}/Ball.fmu --interface me --stop-time 1 -o r.csv"),
    scenario("run-central", "run {ex}/model_exchange/model_exchange.ssd --me central --stop-time 0.1 -o r.csv"),
    scenario("run-table", "run {ex}/formats/table.ssd --stop-time 10 -o r.csv --stats s.json --trace t.json"),
    scenario("run-msim", "run {ex}/formats/math003.msim --stop-time 1 -o r.csv --step-log steps.tsv"),
    scenario("run-eas", "run {ex}/formats/lotka_volterra.eas --stop-time 1 -o r.csv --log-file log.txt --log-level debug"),
    scenario("run-osp", "run {ex}/formats/OspSystemStructure.xml --stop-time 1 -o r.csv"),
    scenario("run-jobs", "run {ex}/coupling/14_extended_circuit/system.ssd --stop-time 0.1 --jobs 2 -o r.csv",
             old=("r.csv",)),
    scenario("run-newton", "run {ex}/coupling/03_math003/system.ssd --algorithm newton --stop-time 0.5 -o r.csv"),
    scenario("run-solver", "run {fmus}/Rod.fmu --stop-time 0.2 --step-size 0.1 -o r.csv"),
    scenario("run-stiff", "run {fmus}/Rectifier.fmu --stop-time 0.02 -o r.csv"),
    scenario("run-save", "run {ex}/math003/math003.ssd --stop-time 1 -o r.csv --checkpoint a.ckpt --checkpoint-interval 0.5",
             old=("a.ckpt",)),
    scenario("run-resume", "run {ex}/math003/math003.ssd --stop-time 2 -o r.csv --resume {in}/a.ckpt --checkpoint a.ckpt"),
    scenario("run-stdout", "run {ex}/math003/math003.ssd --stop-time 1 -o -"),
    scenario("check", "check {ex}/math003/math003.ssd {ex}/formats/math003.msim {fmus}/Ball_fmi3.fmu"),
    scenario("info", "info {ex}/math003/math003.ssd"),
    scenario("info-json", "info {fmus}/Arrays_fmi3.fmu --json"),
    scenario("graph", "graph {ex}/coupling/14_extended_circuit/system.ssd"),
    scenario("graph-json", "graph {ex}/math003/math003.ssd --format json"),
    scenario("convert-ssp", "convert {ex}/formats/math003.msim o.ssp", old=("o.ssp",)),
    scenario("convert-package", "convert {in}/plant.ssp o.ssp --step-size 0.01", cold=True),
    scenario("convert-folder", "convert {in}/plant.ssp o/"),
    scenario("convert-ssd", "convert {ex}/formats/lotka_volterra.eas o.ssd"),
    scenario("convert-mat", "convert {in}/result.csv o.mat"),
    scenario("convert-csv", "convert {in}/result.mat o.csv", old=("o.csv",)),
    scenario("plot", "plot {in}/result.csv -o p.svg", old=("p.svg",)),
    scenario("compare", "compare {in}/result.csv {in}/result.mat"),
    scenario("compare-differs", "compare {in}/result.csv {in}/other.csv"),
    scenario("advise", "advise {ex}/coupling/19_linear_equation/system.ssd"),
]


def preloadable(library):
    """A path of the library that the loader takes for one: blanks and colons separate the names of LD_PRELOAD."""
    if not re.search(r"[\s:]", library):
        return library
    folder = tempfile.mkdtemp(prefix="torture", dir="/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return shutil.copy(library, folder)


class Bench:
    """Where the faults are tried: a build, its tools, and folders for inputs and cases."""

    def __init__(self, build, folder):
        self.build = os.path.abspath(build)
        self.takt = os.path.join(self.build, "takt")
        self.library = preloadable(os.path.join(self.build, "tests", "torture_allocations.so"))
        self.tracer = os.path.join(self.build, "tests", "torture_calls")
        self.folder = folder
        self.inputs = os.path.join(folder, "in")
        self.n_cases = 0
        self.words = {"ex": os.path.join(ROOT, "examples"), "fmus": os.path.join(self.build, "fmus"), "in": self.inputs}

    def prepare(self):
        os.makedirs(self.inputs)
        ex, inside = self.words["ex"], self.inputs
        self.plainly("convert", f"{ex}/math003/math003.ssd", f"{inside}/plant.ssp")
        self.plainly("run", f"{ex}/math003/math003.ssd", "--stop-time", "2", "-q", "-o", f"{inside}/result.csv")
        self.plainly("convert", f"{inside}/result.csv", f"{inside}/result.mat")
        self.plainly("run", f"{ex}/math003/math003.ssd", "--stop-time", "1", "-q", "-o", f"{inside}/first.csv",
                     "--checkpoint", f"{inside}/a.ckpt")
        with open(f"{inside}/result.csv") as file:
            lines = file.read().splitlines()
        with open(f"{inside}/other.csv", "w") as file:
            file.write("\n".join(lines[:-1] + [re.sub(r"[^,]+$", "7", lines[-1])]) + "\n")

    def plainly(self, *words):
        subprocess.run([self.takt, *words], check=True, capture_output=True,
                       env=dict(os.environ, TAKT_CACHE_DIR=os.path.join(self.folder, "cache")))

    def place(self, s):
        """A new folder for a case, with what is there before."""
        self.n_cases += 1
        work = os.path.join(self.folder, f"case{self.n_cases}")
        os.makedirs(os.path.join(work, "tmp"))
        for name in s.old:
            with open(os.path.join(work, name), "w") as file:
                file.write("old\n")
        return work

    def run(self, s, prefix=(), **variables):
        """Runs a scenario; variables are those of the environment."""
        work = self.place(s)
        cache = os.path.join(work if s.cold else self.folder, "cache")
        environment = dict(os.environ, TAKT_CACHE_DIR=cache, TMPDIR=os.path.join(work, "tmp"), LC_ALL="C", **variables)
        words = [word.format(**self.words) for word in s.words]
        try:
            done = subprocess.run([*prefix, self.takt, *words], cwd=work, env=environment, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS + 10)
            return Outcome(done.returncode, done.stdout, done.stderr, files_in(work))
        except subprocess.TimeoutExpired as late:
            return Outcome(124, late.stdout or b"", late.stderr or b"", {})
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def count_allocations(self, s):
        report = os.path.join(self.folder, "count-" + s.name)
        outcome = self.run(s, LD_PRELOAD=self.library, TORTURE_REPORT=report)
        with open(report) as file:
            return outcome, int(file.read())

    def list_calls(self, s):
        report = os.path.join(self.folder, "calls-" + s.name)
        self.run(s, (self.tracer, self.library, report, "0", "0", str(SECONDS)))
        with open(report) as file:
            return [line.split() for line in file]

    def attempt(self, case):
        """Runs a scenario with a fault; returns what came of it and the call that was changed."""
        if case.kind != "calls":
            variables = {"LD_PRELOAD": self.library, "TORTURE_AT": str(case.at)}
            if case.kind == "all":
                variables["TORTURE_ALL"] = "1"
            return self.run(case.scenario, **variables), None
        report = os.path.join(self.folder, f"report-{case.scenario.name}-{case.at}-{case.variant}")
        outcome = self.run(case.scenario, (self.tracer, self.library, report, str(case.at), str(case.variant),
                                           str(SECONDS)))
        with open(report) as file:
            changed = file.read().split()
        os.remove(report)
        return outcome, changed or None


def files_in(work):
    """Contents of all files of a folder by their relative paths; of large ones the fingerprint."""
    found = {}
    for folder, folders, names in os.walk(work):
        for name in folders:
            found[os.path.relpath(os.path.join(folder, name), work) + "/"] = b""
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = file.read()
            found[os.path.relpath(path, work)] = data if len(data) < 1 << 20 else hashlib.sha256(data).digest()
    return found


# ---- judging ---------------------------------------------------------------------------------------

TIMES = re.compile(rb"\d+(?:\.\d+)?(?:e[-+]?\d+)?(?: +(?:ns|us|ms|s|min|h)\b)?")


def plain(name, data):
    """Contents without what differs from run to run: times that were measured, names of temporary files. A checkpoint has
    such times, too; it must be whole."""
    if name.endswith(".ckpt"):
        return b"whole" if hashlib.sha256(data[:-64]).hexdigest().encode() == data[-64:] else data
    if name == "out" or name.endswith((".json", ".txt")):
        return TIMES.sub(b"#", re.sub(rb"  +", b" ", data)) if name != "t.json" else b""
    return data


def is_in_cache(name):
    return name.startswith("cache/")


def is_unfinished(name):
    """What processes leave in the cache or among temporary files when they are killed."""
    return name.startswith("tmp/") and name != "tmp/" or name.startswith(("cache/.new-", "cache/.part"))


def is_beginning(data, whole):
    """Is a table of results complete up to some row?"""
    return whole.startswith(data) and (not data or data.endswith(b"\n"))


def cache_findings(outcome, reference):
    """An entry of the cache that looks finished must be the right one."""
    entries = {name.split("/")[1] for name in outcome.files if re.match(r"cache/[^./][^/]*/manifest$", name)}
    return ["wrong: a damaged entry of the cache"
            for name, data in outcome.files.items()
            if is_in_cache(name) and name.split("/")[1] in entries and reference.files.get(name) != data][:1]


def is_told(name, err):
    """Is there a note that a file which only accompanies the results is missing?"""
    return name.endswith((".csv.json", ".mat.json")) and b"plots will not know units" in err


def file_findings(s, outcome, reference, is_success):
    findings = []
    for name, data in outcome.files.items():
        if is_in_cache(name) or name == "tmp/":
            continue
        whole = reference.files.get(name)
        if whole is None:
            findings.append(f"leftover: {name}")
        elif plain(name, data) == plain(name, whole) or (name in s.old and data == b"old\n"):
            continue
        elif is_success and not (name == "log.txt" and outcome.err):  # which has further messages then
            findings.append(f"wrong: {name} differs")
        elif not is_success and not (s.words[0] == "run" and (name.endswith((".csv", ".tsv")) and is_beginning(data, whole)
                                           or name.endswith((".json", ".txt", ".mat")))):
            findings.append(f"incomplete: {name}")
    missing = [name for name in reference.files if name not in outcome.files and not is_in_cache(name)
               and not is_told(name, outcome.err)]
    if is_success and missing:
        findings.append(f"wrong: {missing[0]} is missing")
    return findings


def judge(case, outcome, reference, changed=None):
    """The findings about a case; none: it is good."""
    s, code, err = case.scenario, outcome.code, outcome.err
    if code == 124:
        return ["hang"]
    if code < 0 or code >= 128:
        return [f"crash: signal {-code if code < 0 else code - 128}"]
    is_success = code == reference.code
    findings = file_findings(s, outcome, reference, is_success) + cache_findings(outcome, reference)
    removes = changed and changed[0] in REMOVING
    findings += [f"leftover: {name}" for name in outcome.files if is_unfinished(name) and not removes][:1]
    if removes:
        findings = [finding for finding in findings if not finding.startswith("leftover")]
    loses_words = changed and changed[0] in ("write", "writev") and changed[2] in ("1", "2")
    if is_success:
        if s.words[0] == "advise" and (b"error: " in err or re.search(rb"problem: failure|not-measured|trial failed", outcome.out)):
            return findings  # that a trial fails is what it has to tell
        if s.words[0] == "check" and case.kind == "calls" and re.search(rb"warning: component |terminals are left out", err):
            return findings  # a library that cannot be read now is what it has to tell
        if plain("out", outcome.out) != plain("out", reference.out) and not (loses_words and changed[2] == "2"):
            findings.append("wrong: output differs")
        return findings
    if code not in DOCUMENTED:
        findings.append(f"code: {code}")
    if not re.search(rb"(error: |takt: ).{4}", err) and not loses_words:
        findings.append("silent")
    elif case.kind != "calls" and b"memory" not in err and b"returned no instance" not in err:  # an FMU's own
        findings.append("blame: " + err.decode(errors="replace").strip().splitlines()[0][-150:])
    elif case.kind != "calls" and code != 1:
        findings.append(f"code: {code} for exhausted memory: "
                        + err.decode(errors="replace").strip().splitlines()[0][-150:])
    return findings


# ---- everything ------------------------------------------------------------------------------------

def drawn(cases, n):
    """n of them, evenly; 0: all."""
    if not n or len(cases) <= n:
        return cases
    return [cases[int((i + 0.5) * len(cases) / n)] for i in range(n)]


def cases_of(s, n_allocations, calls, kinds, sample):
    cases = []
    if "memory" in kinds:
        cases += drawn([Case(s, "memory", at, 0, "") for at in range(1, n_allocations + 1)], sample)
        points = sorted({1 + n_allocations * i // 40 for i in range(40)})
        cases += drawn([Case(s, "all", at, 0, "") for at in points], sample and max(2, sample // 8))
    if "calls" in kinds:
        cases += drawn([Case(s, "calls", at, variant, call[0]) for at, call in enumerate(calls, 1)
                        for variant in range(int(call[1]))], sample)
    return cases


class Tally:
    def __init__(self):
        self.rows = []
        self.findings = []

    def add(self, s, n_allocations, n_calls, results):
        n_same = sum(1 for _, outcome, reference, found in results if not found and outcome.code == reference.code)
        bad = [(case, found) for case, _, _, found in results if found]
        self.rows.append((s.name, n_allocations, n_calls, len(results), n_same, len(results) - n_same - len(bad), len(bad)))
        self.findings += bad
        print("{:16} {:>9} {:>7} {:>7} {:>7} {:>7} {:>9}".format(*self.rows[-1]), flush=True)
        kinds = collections.Counter(finding for _, found in bad for finding in found)
        for finding, n in kinds.most_common(12):
            example = next(case for case, found in bad if finding in found)
            print(f"    {n} x {finding}    e.g. {example.kind} {example.at} {example.variant} {example.what}", flush=True)


def try_scenario(bench, s, arguments, tally):
    for _ in range(2):  # fills the cache
        reference, n_allocations = bench.count_allocations(s)
    if not n_allocations:
        sys.exit(f"{bench.library}: counts nothing")
    if reference.code not in (0, 6):
        sys.exit(f"{s.name}: exit code {reference.code} without a fault: {reference.err.decode(errors='replace')}")
    calls = bench.list_calls(s) if "calls" in arguments.kind else []
    cases = cases_of(s, n_allocations, calls, arguments.kind, arguments.sample)

    def attempt(case):
        outcome, changed = bench.attempt(case)
        findings = judge(case, outcome, reference, changed)
        if findings == ["hang"]:  # or a disk that others kept busy: one that is real comes again
            outcome, changed = bench.attempt(case)
            findings = judge(case, outcome, reference, changed)
        return case, outcome._replace(out=b"", err=b"", files={}), reference, findings  # there are many
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(attempt, cases))
    tally.add(s, n_allocations, len(calls), results)


def can_trace(bench):
    report = os.path.join(bench.folder, "trace")
    done = subprocess.run([bench.tracer, bench.library, report, "0", "0", str(SECONDS), bench.takt, "--version"],
                          capture_output=True)
    return done.returncode == 0 and os.path.getsize(report) > 0


MARKS = ("<!-- torture: begin -->", "<!-- torture: end -->")


def merged(text, rows):
    """Rows of the table as it stands, with new ones in their place; in the order of the scenarios."""
    known = {row[0]: row for row in re.findall(r"^\| `([\w-]+)` \|" + r" (\d+) \|" * 6 + "$", text, re.M)}
    known.update({row[0]: row for row in rows})
    return [tuple(known[s.name]) for s in SCENARIOS if s.name in known]


def write_table(rows, sample):
    path = os.path.join(ROOT, "docs", "reliability.md")
    with open(path) as file:
        text = file.read()
    begin, end = (text.index(mark) for mark in MARKS)
    rows = merged(text[begin:end], rows)
    lines = ["| command | allocations | system calls | faults tried | same result | clear error | findings |",
             "|---|---|---|---|---|---|---|"]
    lines += ["| `{}` | {} | {} | {} | {} | {} | {} |".format(*row) for row in rows]
    lines += ["| **all** | " + " | ".join(str(sum(int(row[i]) for row in rows)) for i in range(1, 7)) + " |"]
    lines += ["", f"{sample} of each kind, drawn evenly."] if sample else []
    text = text[:begin + len(MARKS[0])] + "\n" + "\n".join(lines) + "\n" + text[end:]
    with open(path, "w") as file:
        file.write(text)


def self_test():
    """The judge finds planted faults."""
    s = scenario("t", "run x -o r.csv", cold=True)
    reference = Outcome(0, b"done in 1.5 ms\n", b"", {"r.csv": b"time\n0\n1\n", "tmp/": b"", "cache/a/manifest": b"m"})
    memory, call = Case(s, "memory", 1, 0, ""), Case(s, "calls", 1, 0, "")

    def found(case=memory, code=1, out=b"", err=b"takt: error: out of memory\n", files=None, changed=None):
        outcome = Outcome(code, out, err, reference.files if files is None else files)
        return [finding.split(":")[0] for finding in judge(case, outcome, reference, changed)]
    assert found() == []
    assert found(code=0, out=b"done in 22 us\n", err=b"") == []
    assert found(code=-11) == ["crash"] and found(code=139) == ["crash"] and found(code=124) == ["hang"]
    assert found(code=0, out=b"else\n") == ["wrong"]
    assert found(code=0, out=reference.out, files={"tmp/": b""}) == ["wrong"]
    assert found(err=b"") == ["silent"]
    assert found(err=b"x.ssd:1: error: bad file\n") == ["blame"] and found(call, err=b"x.ssd:1: error: bad file\n") == []
    assert found(code=3) == ["code"] and found(call, code=3) == [] and found(call, code=9) == ["code"]
    assert found(files={"r.csv": b"time\n0\n", "tmp/": b""}) == []
    assert found(files={"r.csv": b"time\n0", "tmp/": b""}) == ["incomplete"]
    assert found(files={"r.csv.part": b""}) == ["leftover"] and found(files={"tmp/a": b""}) == ["leftover", "leftover"]
    assert found(call, files={"r.csv.part": b""}, changed=["unlink", "5", "-1"]) == []
    assert found(files={"cache/a/manifest": b"x"}) == ["wrong"] and found(files={"cache/.new-1/": b""}) == ["leftover"]
    assert plain("a.ckpt", b"x" + hashlib.sha256(b"x").hexdigest().encode()) == b"whole" and plain("a.ckpt", b"y" * 70) == b"y" * 70
    table = "| `check` | 1 | 2 | 3 | 4 | 5 | 6 |\n| `gone` | 1 | 2 | 3 | 4 | 5 | 6 |\n| `plot` | 1 | 2 | 3 | 4 | 5 | 6 |\n"
    assert merged(table, [("plot", 9, 9, 9, 9, 9, 9), ("run-ssd", 8, 8, 8, 8, 8, 8)]) == [
        ("run-ssd", 8, 8, 8, 8, 8, 8), ("check", "1", "2", "3", "4", "5", "6"), ("plot", 9, 9, 9, 9, 9, 9)]
    assert len(drawn(list(range(100)), 7)) == 7 and drawn([1, 2], 7) == [1, 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default="build")
    parser.add_argument("--sample", type=int, default=0, help="faults of each kind and scenario; 0: all")
    parser.add_argument("--only", action="append", help="the scenarios with this in their names")
    parser.add_argument("--kind", choices=["memory", "calls"], action="append")
    parser.add_argument("--jobs", type=int, default=2, help="faults that are tried at the same time")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reliability.md; with --only, its rows")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    arguments.kind = arguments.kind or ["memory", "calls"]
    started, tally = time.monotonic(), Tally()
    with tempfile.TemporaryDirectory(prefix="torture") as folder:
        bench = Bench(arguments.build, folder)
        if "calls" in arguments.kind and not can_trace(bench):
            print("system calls cannot be traced here")
            return SKIPPED
        bench.prepare()
        print("{:16} {:>9} {:>7} {:>7} {:>7} {:>7} {:>9}".format("scenario", "allocs", "calls", "faults", "same", "error",
                                                              "findings"))
        for s in SCENARIOS:
            if not arguments.only or any(word in s.name for word in arguments.only):
                try_scenario(bench, s, arguments, tally)
    seconds = time.monotonic() - started
    print(f"{sum(row[3] for row in tally.rows)} faults, {len(tally.findings)} findings, {seconds:.0f} s")
    if arguments.write:
        write_table(tally.rows, arguments.sample)
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
