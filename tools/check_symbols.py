# SPDX-License-Identifier: MIT
"""Checks which symbols the built libraries export: libtakt.so only takt_*, FMUs only fmi2*.

The argument is the build folder. FMUs that carry no library for Linux are passed over.
"""
import glob
import os
import re
import subprocess
import tempfile
import zipfile

from checks import main

ALLOWED_LIBRARY, ALLOWED_FMU = re.compile(r"takt_"), re.compile(r"fmi2[A-Z]")


def exported(library):
    done = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    return [line.split()[-1].split("@")[0] for line in done.stdout.splitlines() if line.strip()]


def foreign(library, allowed, shown):
    names = exported(library)
    findings = [f"{shown}:1: exports {name}" for name in names if not allowed.match(name)]
    return findings if names else [f"{shown}:1: exports nothing"]


def check_fmu(path, shown):
    findings = []
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        for name in archive.namelist():
            if re.fullmatch(r"binaries/linux64/[^/]+\.so", name):
                findings += foreign(archive.extract(name, folder), ALLOWED_FMU, f"{shown}/{name}")
    return findings


def check(root, build):
    build = os.path.join(root, build or "build")
    library = os.path.join(build, "libtakt.so")
    if not os.path.exists(library):
        return [f"{library}:1: is missing; build first"]
    findings = foreign(library, ALLOWED_LIBRARY, "libtakt.so")
    for path in sorted(glob.glob(os.path.join(build, "fmus", "*.fmu"))):
        findings += check_fmu(path, os.path.basename(path))
    return findings


def self_test(root):
    build = os.path.join(root, "build")
    os.makedirs(os.path.join(build, "fmus"))

    def compile_library(name, code):
        path = os.path.join(build, name)
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=code, text=True, check=True)
        return path

    assert "is missing" in check(root, "build")[0]
    compile_library("libtakt.so", "void takt_run(void) {} void helper(void) {} static void own(void) {}")
    fmu = compile_library("a.so", "void fmi2DoStep(void) {} int table[3]; void takt_leak(void) {}")
    with zipfile.ZipFile(os.path.join(build, "fmus", "A.fmu"), "w") as archive:
        archive.write(fmu, "binaries/linux64/A.so")
    assert check(root, "build") == ["libtakt.so:1: exports helper",
                                    "A.fmu/binaries/linux64/A.so:1: exports table",
                                    "A.fmu/binaries/linux64/A.so:1: exports takt_leak"], check(root, "build")


if __name__ == "__main__":
    main(__doc__, check, self_test, [("build", "the build folder (default: build)")])
