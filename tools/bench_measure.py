# SPDX-License-Identifier: MIT
"""How the benchmarks measure: instructions by valgrind's callgrind, time and memory of processes.

Instructions do not depend on what else the machine does; of times the least of several runs counts, as
only that is not disturbed by others. What is compared runs in turns.
"""
import os
import re
import shutil
import subprocess
import time


def has_callgrind():
    """Can instructions be counted here?"""
    return shutil.which("valgrind") is not None


def instructions(command, environment):
    """Instructions that a command executes."""
    result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                            env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def own_instructions(command, environment, file):
    """Instructions that a command executes in its own program, and not in libraries: FMUs are some. `file` is overwritten."""
    subprocess.run(["valgrind", "--tool=callgrind", "--compress-strings=no", f"--callgrind-out-file={file}", *command],
                   env=environment, capture_output=True, text=True, check=True)
    total, is_own, is_call = 0, False, False
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("ob="):
                is_own = line[3:].strip() == command[0]
            elif line.startswith("calls="):
                is_call = True  # the next line has what the called function needs
            elif line[0].isdigit() or line[0] in "+-*":
                total += int(line.split()[1]) if is_own and not is_call else 0
                is_call = False
    os.remove(file)
    return total


class Usage:
    """What one run of a command took: wall and processor time in s, most memory in MB."""

    def __init__(self, command, environment):
        begin = time.monotonic()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        self.wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command)
        self.cpu = used.ru_utime + used.ru_stime
        self.memory = used.ru_maxrss / 1024


def least(commands, environment, n_rounds):
    """Runs the commands in turns; returns for each the run of least wall time, with the least processor time."""
    best = [None] * len(commands)
    for _ in range(n_rounds):
        for i, command in enumerate(commands):
            usage = Usage(command, environment)
            cpu = min(usage.cpu, best[i].cpu) if best[i] else usage.cpu
            if not best[i] or usage.wall < best[i].wall:
                best[i] = usage
            best[i].cpu = cpu
    return best


def children(process):
    """The numbers of the processes that a process has made."""
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def private_memory(command, environment, n_workers):
    """The most private memory of a worker in MB, of a run with so many that goes on long enough; it is ended then."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    workers, end = [], time.monotonic() + 60
    while len(workers) < n_workers and time.monotonic() < end and process.poll() is None:
        time.sleep(0.2)
        workers = [worker for nest in children(process.pid) for worker in children(nest)]
    time.sleep(1)  # some steps
    most = 0
    for worker in workers:
        with open(f"/proc/{worker}/smaps_rollup", encoding="ascii") as file:
            private = re.findall(r"Private_(?:Clean|Dirty): *([0-9]+) kB", file.read())
        most = max(most, sum(map(int, private)) / 1024)
    process.terminate()
    process.wait()
    if len(workers) < n_workers:
        raise RuntimeError(f"there are only {len(workers)} workers")
    return most
