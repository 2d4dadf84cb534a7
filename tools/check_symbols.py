# SPDX-License-Identifier: MIT
"""Checks which symbols the built libraries export: libtakt.so only takt_*, FMUs only fmi2*, fmi3* or <name>_fmi*.

The argument is the build folder. FMUs that carry no library for Linux are passed over.
"""
import glob
import os
import re
import subprocess
import tempfile
import zipfile

from checks import main

ALLOWED_LIBRARY = re.compile(r"takt_")
FMU_LIBRARY = re.compile(r"binaries/(?:linux64|x86_64-linux)/([^/]+)\.so")


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
            library = FMU_LIBRARY.fullmatch(name)
            if not library:
                continue
            # FMI 1.0 puts the name of the library before those of its functions.
            allowed = re.compile(rf"(fmi[23]|{re.escape(library[1])}_fmi)[A-Z]")
            findings += foreign(archive.extract(name, folder), allowed, f"{shown}/{name}")
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
    fmu = compile_library("a.so", "void fmi2DoStep(void) {} void A_fmiDoStep(void) {} int table[3];"
                          "void takt_leak(void) {}")
    fmu3 = compile_library("b.so", "void fmi3DoStep(void) {} void A_fmiDoStep(void) {}")
    with zipfile.ZipFile(os.path.join(build, "fmus", "A.fmu"), "w") as archive:
        archive.write(fmu, "binaries/linux64/A.so")
        archive.write(fmu3, "binaries/x86_64-linux/B.so")
    assert check(root, "build") == ["libtakt.so:1: exports helper",
                                    "A.fmu/binaries/linux64/A.so:1: exports table",
                                    "A.fmu/binaries/linux64/A.so:1: exports takt_leak",
                                    "A.fmu/binaries/x86_64-linux/B.so:1: exports A_fmiDoStep"], check(root, "build")


if __name__ == "__main__":
    main(__doc__, check, self_test, [("build", "the build folder (default: build)")])
