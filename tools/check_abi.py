# SPDX-License-Identifier: MIT
"""Checks that what the library offers is still there as it was: functions, structs, enumerations of include/takt.

The record is tools/abi.txt, one line for each. A line that has no equal in the headers any more is a finding: programs that use it
would break. Structs that begin with their size may grow at the end, enumerations, too; the few others are named here. `--write` records the headers as they are: for new
things any time, for changed ones together with another soname (SOVERSION in CMakeLists.txt) and a Migration line in CHANGELOG.md.
"""
import os
import re
import subprocess
import sys

from checks import main

RECORD = os.path.join("tools", "abi.txt")

# Structs without a size: what they are says all that they will ever hold. They are items of the caller's arrays, or lie in other structs.
NEVER_CHANGE = {"takt_assignment", "takt_call_statistics", "takt_component_rank", "takt_error", "takt_new_variable", "takt_piece"}


def statements(text):
    """Those at the top, without the braces of extern "C"."""
    depth, begin = 0, 0
    for i, c in enumerate(text):
        if c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0 and "(" in text[begin:i].split("{")[0]:  # the body of an inline function
                begin = i + 1
        elif c == ";" and depth == 0:
            yield " ".join(text[begin:i].split())
            begin = i + 1


def entries(root):
    header = os.path.join(root, "include", "takt", "takt.h")
    done = subprocess.run(["cc", "-E", "-P", "-I", os.path.join(root, "include"), "-DTAKT_API=takt_api", header], capture_output=True,
                          text=True, check=True)
    found = {}
    for text in statements(done.stdout):
        match = re.match(r"takt_api (.*?\b(takt_\w+)\(.*)$", text)
        if match:
            found["function " + match[2]] = match[1]
        match = re.match(r"typedef (struct|enum) takt_\w+ \{(.*)\} (takt_\w+)$", text)
        if match:
            separator = ";" if match[1] == "struct" else ","
            items = [item.strip() for item in match[2].split(separator) if item.strip()]
            found[f"{match[1]} {match[3]}"] = f"{separator} ".join(items)
        match = re.match(r"typedef (.*\(\*(takt_\w+)\).*)$", text)
        if match:
            found["callback " + match[2]] = match[1]
    return found


def may_grow(name, text):
    return name.startswith("enum ") or text.startswith("size_t size;")


def is_kept(name, old, new):
    return new == old or (may_grow(name, old) and new.startswith(old + ("," if name.startswith("enum ") else ";")))


def read(path):
    with open(path) as file:
        lines = file.read().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def check(root):
    new, findings = entries(root), []
    path = os.path.join(root, RECORD)
    with open(path) as file:
        numbers = {line.split(": ", 1)[0]: i for i, line in enumerate(file, 1)}
    for name, old in read(path).items():
        if name not in new:
            findings.append(f"{RECORD}:{numbers[name]}: {name} has disappeared")
        elif not is_kept(name, old, new[name]):
            findings.append(f"{RECORD}:{numbers[name]}: {name} has changed: it was '{old}', is '{new[name]}'")
    structs = {name[7:] for name in new if name.startswith("struct ")}
    for name, text in new.items():
        if name.startswith("function ") and text.split(" takt_", 1)[0] in structs:
            findings.append(f"include/takt: {name[9:]} returns a struct, which could not grow: fill one of the caller's")
        if name.startswith("struct ") and not may_grow(name, text) and name[7:] not in NEVER_CHANGE:
            findings.append(f"include/takt: {name} does not begin with 'size_t size;'")
    return findings


def write(root):
    with open(os.path.join(root, RECORD), "w") as file:
        file.write("# What the library offers, recorded by tools/check_abi.py --write.\n")
        for name, text in sorted(entries(root).items()):
            file.write(f"{name}: {text}\n")


def self_test(root):
    folder = os.path.join(root, "include", "takt")
    os.makedirs(folder)
    os.makedirs(os.path.join(root, "tools"))

    def put(text):
        with open(os.path.join(folder, "takt.h"), "w") as file:
            file.write(text)

    before = ("typedef struct takt_a { size_t size; int x; } takt_a;\ntypedef struct takt_piece { int y; } takt_piece;\n"
              "typedef enum takt_c { TAKT_ONE, TAKT_TWO } takt_c;\nTAKT_API int takt_f(int a);\nTAKT_API void takt_g(void);\n"
              "typedef void (*takt_h)(int);\n")
    put(before)
    write(root)
    assert check(root) == [], check(root)
    put(before.replace("int x;", "int x; int z;").replace("TAKT_TWO", "TAKT_TWO, TAKT_THREE") + "TAKT_API int takt_new(void);")
    assert check(root) == [], check(root)
    put(before + "typedef struct takt_d { int z; } takt_d;")
    assert check(root) == ["include/takt: struct takt_d does not begin with 'size_t size;'"], check(root)
    put(before + "TAKT_API takt_a takt_b(void);\nstatic inline int takt_i(int x) { return x; }\nTAKT_API int takt_j(void);\n")
    assert check(root) == ["include/takt: takt_b returns a struct, which could not grow: fill one of the caller's"], check(root)
    assert "function takt_j" in entries(root) and "function takt_i" not in entries(root), entries(root)
    put(before.replace("int y;", "int y; int z;").replace("int a", "long a").replace("TAKT_API void takt_g(void);", "")
        .replace("TAKT_ONE", "TAKT_ZERO, TAKT_ONE").replace("int x;", "long x;").replace("(*takt_h)(int)", "(*takt_h)(long)"))
    found = [re.search(r": (\w+ takt_\w)", finding)[1] for finding in check(root)]
    assert found == ["callback takt_h", "enum takt_c", "function takt_f", "function takt_g", "struct takt_a", "struct takt_p"], found


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    else:
        main(__doc__, check, self_test)
