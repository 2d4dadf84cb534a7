# SPDX-License-Identifier: MIT
"""The benchmarks of takt-mpi and of sweeps; see bench.py.

What a step costs on n ranks is also predicted, by following its messages (predict()): the predictions are compared with what is measured
here, and tell what more ranks would bring.
"""
import json
import os
import shutil
import subprocess
import time

import bench_projects as projects

def can_run(b):
    return shutil.which("mpirun") is not None and os.path.exists(b.takt + "-mpi")


def seconds_per_step(b, n_ranks, project, few, many, *options, rounds=5, step=0.001):
    """The wall time of a step; the difference between two runs leaves out the start, the least of several counts."""
    statistics, best = b.file("ranks.json"), [1e9, 1e9]
    for _ in range(rounds):
        for i, n_steps in enumerate((few, many)):
            command = [*mpirun(n_ranks), b.takt + "-mpi", "run", project, "--algorithm", "jacobi", "--step-size", str(step), "--stop-time",
                       str(n_steps * step), "--no-output", "--quiet", "--log-level", "error", "--jobs", "1", "--stats", statistics, *options]
            subprocess.run(command, env=b.environment, check=True)
            with open(statistics, encoding="utf-8") as file:
                best[i] = min(best[i], json.load(file)["wall"])
    return (best[1] - best[0]) / (many - few)


def mpirun(n_ranks):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(n_ranks)]


def ping(b, there, back):
    """Seconds of a bare ping-pong of so many bytes; the least of several runs."""
    program = os.path.join(b.build, "bench", "bench_ping")
    return min(float(subprocess.run([*mpirun(2), program, str(there), str(back)], capture_output=True, text=True, check=True).stdout)
               for _ in range(5))


def quickest_step(b, n_ranks, n_fmus, n_here):
    """Seconds of a step by jacobi of a ring of cheap FMUs, so many of them on rank 0; the quickest of many short batches, the least of several runs."""
    program = os.path.join(b.build, "bench", "bench_rank_step")
    command = [*mpirun(n_ranks), program, str(n_fmus), str(n_here), "jacobi", b.fmu("Lag")]
    return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(5))


def predict(costs, latency, overhead):
    """Seconds of a step by jacobi. `costs` has for each rank those of its FMUs, `latency` is that of a message, `overhead` what rank 0
    and the other rank each need for a message and its answer. Rank 0 sends all messages, runs its own FMUs, takes the answers."""
    now, answers = 0.0, []
    arrivals = []
    for rank, own in enumerate(costs):
        for cost in own if rank else ():
            now += overhead / 2
            arrivals.append((rank, now + latency, cost))
    idle = {}  # per rank, when it has time again
    for rank, arrival, cost in arrivals:
        idle[rank] = max(idle.get(rank, 0.0), arrival) + overhead + cost
        answers.append(idle[rank] + latency)
    now += sum(costs[0])
    for answer in answers:
        now = max(now, answer) + overhead / 2
    return now


def dealt(n_fmus, n_ranks, cost):
    """The same number of FMUs for each rank."""
    return [[cost] * (n_fmus // n_ranks) for _ in range(n_ranks)]


# Bytes of the message and the answer of a step of an FMU with one input and one output.
MESSAGE, ANSWER = 108, 164


def ranks(b):
    """One system over several ranks: what a step costs beyond its FMUs, what two ranks gain, and what is predicted for more."""
    if not can_run(b):
        return b.report.skip("ranks", "takt-mpi is not built")
    here, apart = quickest_step(b, 1, 2, 2), quickest_step(b, 2, 2, 1)
    bare = ping(b, MESSAGE, ANSWER)
    b.report.add("ranks: bare ping-pong of two ranks", 1e6 * bare, "us")
    b.report.add("ranks: a step of two cheap FMUs on two ranks, beyond one rank", 1e6 * (apart - here), "us")
    b.report.add("ranks: the same", (apart - here) / bare, "x bare", 1.3)
    overhead = (quickest_step(b, 2, 65, 1) - quickest_step(b, 1, 65, 65)) / 64
    b.report.add("ranks: each further FMU on another rank, beyond one rank", 1e6 * overhead, "us")
    b.report.add("ranks: 1,000 cheap FMUs, half of them on another rank", quickest_step(b, 2, 1000, 500) / quickest_step(b, 1, 1000, 1000),
                 "x one rank")
    if os.cpu_count() > 1:
        heavy(b)
    waiting(b, bare / 2, overhead)
    return None


def heavy(b):
    """64 FMUs of 200 us on one rank and on two."""
    project = projects.write_ring(b.file("heavy.ssd"), [b.fmu("Busy")] * 64)

    def turns(n):
        return [word for i in range(64) for word in ("--set", f"c{i}.turns={n}")]

    one = seconds_per_step(b, 1, project, 5, 25, *turns(20000), rounds=2) / 64
    n_turns = int(20000 * 200e-6 / one)
    alone = seconds_per_step(b, 1, project, 5, 55, *turns(n_turns), rounds=3)
    two = seconds_per_step(b, 2, project, 5, 55, *turns(n_turns), rounds=3)
    b.report.add("ranks: 64 FMUs of 200 us, two ranks", alone / two, "x one rank", 1.85, False)


def waiting(b, latency, overhead):
    """FMUs that wait 10 ms in each step and so need no processor of their own: one for each rank."""
    for n_ranks in (1, 8):
        project = projects.write_ring(b.file("waiting.ssd"), [b.fmu("Waits")] * n_ranks)
        options = [word for i in range(n_ranks) for word in ("--set", f"c{i}.wait=0.01", "--place", f"c{i}={i}")]
        measured = seconds_per_step(b, n_ranks, project, 20, 100, *options, rounds=3)
        if n_ranks == 1:
            cost = measured
            continue
        predicted = predict(dealt(n_ranks, n_ranks, cost), latency, overhead)
        b.report.add("ranks: weak scaling, 8 ranks with an FMU of 10 ms each, step", 1e3 * measured, "ms")
        b.report.add("ranks: the same, measured against predicted", measured / predicted, "x", 1.2)
    network = predict(dealt(1000, 1000, cost), 2e-6, overhead)
    b.report.add("ranks: the same with 1,000 ranks and a network of 2 us, predicted", 1e3 * network, "ms")


# ---- sweeps ------------------------------------------------------------------------------------------


def sweep_seconds(b, n_variants, jobs):
    folder = b.file("sweep")
    shutil.rmtree(folder, ignore_errors=True)
    project = os.path.join(b.folder, "lotka_volterra.ssd")
    command = [b.takt, "sweep", project, "--vary", f"Prey.x0=5:20:{n_variants}", "--jobs", str(jobs), "-o", folder, "--quiet",
               "--log-level", "error"]
    begin = time.monotonic()
    process = subprocess.Popen(command, env=b.environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.monotonic() - begin, used.ru_maxrss / 1024


def sweeps(b):
    """Variants of Lotka-Volterra: what two workers gain, what a variant costs beside its run, and the memory."""
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "lotka_volterra", "lotka_volterra.ssd")
    with open(source, encoding="utf-8") as file:
        text = file.read().replace("../../build/fmus", os.path.join(b.build, "fmus"))
    with open(b.file("lotka_volterra.ssd"), "w", encoding="utf-8") as file:
        file.write(text)
    n = 10000
    _, few_memory = sweep_seconds(b, n // 10, 2)
    two, memory = sweep_seconds(b, n, 2)
    one, _ = sweep_seconds(b, n, 1)
    run, = b.least([b.run(b.file("lotka_volterra.ssd"), "--no-output", "--stats", b.file("s.json"))], 5)
    with open(b.file("s.json"), encoding="utf-8") as file:
        wall = json.load(file)["wall"]
    b.report.add("sweep: 10,000 Lotka-Volterra variants, one worker", one, "s")
    b.report.add("sweep: a variant, beside its run", 1e3 * (one / n - wall), "ms", 1)
    if os.cpu_count() > 1:
        b.report.add("sweep: two workers", one / two, "x one worker", 1.8, False)
    b.report.add("sweep: memory of 10,000 variants", memory / few_memory, "x 1,000 variants", 1.1)
    b.report.add("sweep: a run of its own process, for comparison", 1e3 * run.wall, "ms")
