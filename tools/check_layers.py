# SPDX-License-Identifier: MIT
"""Checks who includes whom against the table of layers in ARCHITECTURE.md.

A row of the table names a layer and what it may include, all of which must stand in rows above it, so
that cycles are impossible. A name that ends with '/' is a folder at the root, any other one a folder
in src/. <takt>, <fmi> and <fmukit> stand for public headers; '*' for all rows above.

Inside a folder, units (x.h with x.c or x.cpp) must not include each other in a circle either.
"""
import os
import re

from checks import expect, files, line_of, main, plant, read, without_comments

PUBLIC = {"<takt>": "include/takt/", "<fmi>": "include/fmi/", "<fmukit>": "kit/include/fmukit/"}
# Where a header may be looked for, from the folder named in an #include.
SEARCHED = ("src/", "include/", "kit/include/", "kit/src/", "tests/")
CHECKED = ("src/", "apps/", "kit/", "examples/", "include/", "tests/system/")
CIRCLES_CHECKED = ("src/", "apps/", "kit/")
# Folders whose units still include each other in circles. Remove a line when its folder is in order.
CIRCLES_ALLOWED = ()
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">\n]+)[">]', re.MULTILINE)


def read_table(root, findings):
    """The table as {folder: set of folders it may include}, in order."""
    text = read(root, "ARCHITECTURE.md") or ""
    block = re.search(r"^```layers\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    if not block:
        findings.append("ARCHITECTURE.md:1: there is no table of layers (```layers)")
        return {}
    table = {}
    for match in re.finditer(r"^(\S+)[ \t]*:[ \t]*(.*)$", block.group(1), re.MULTILINE):
        line = line_of(text, block.start(1) + match.start())
        name, allowed = match.group(1), match.group(2).split()
        folder = name if name.endswith("/") else f"src/{name}/"
        may = set() if name.endswith("/") else {PUBLIC["<takt>"]}
        for word in allowed:
            target = PUBLIC.get(word, word if word.endswith("/") else f"src/{word}/")
            if word == "*":
                may |= set(table) | set(PUBLIC.values())
            elif word in PUBLIC or target in table:
                may.add(target)
            else:
                findings.append(f"ARCHITECTURE.md:{line}: '{name}' names '{word}', which is not a row above it")
        table[folder] = may
    return table


def row_of(table, path):
    """The row that a file belongs to: the longest one that its path starts with."""
    rows = [folder for folder in table if path.startswith(folder)]
    return max(rows, key=len, default=None)


def find_header(known, path, name):
    """The path of an included header of ours and whether it was named without its folder."""
    folder = os.path.dirname(path)
    for place in SEARCHED:
        if "/" in name and place + name in known:
            return place + name, False
    beside = os.path.normpath(os.path.join(folder, name))
    if beside in known:
        return beside, "/" not in name
    return None, False


def check_file(root, table, known, path):
    row = row_of(table, path)
    if row is None:
        return [f"{path}:1: its folder has no row in the table of layers"]
    findings = []
    text = without_comments(read(root, path) or "", keep_strings=True)
    for match in INCLUDE.finditer(text):
        where, name = f"{path}:{line_of(text, match.start(1))}", match.group(2)
        if match.group(1) == "<" and "/" not in name:
            continue  # of the system, even if we have a header of that name
        if name.endswith(".inc"):
            continue  # text that the build makes
        header, is_bare = find_header(known, path, name)
        if header is None:
            if match.group(1) == '"':
                findings.append(f'{where}: "{name}" is no header of ours')
        elif path.startswith("src/") and is_bare:
            findings.append(f'{where}: "{name}" must carry its folder')
        elif path.startswith("src/") and not header.startswith(("src/", "include/")):
            findings.append(f"{where}: src/ must not include {header}")
        elif not (header.startswith(row) or row_of(dict.fromkeys(table[row]), header)
                  or (row.startswith("tests/") and header.startswith("tests/"))):
            findings.append(f"{where}: {row} must not include {header}")
    return findings


def unit_of(path):
    return os.path.splitext(path)[0]


def includes_inside(root, known, paths):
    """{unit: {unit of the same folder that it includes: "file:line"}}"""
    graph = {}
    for path in paths:
        text = without_comments(read(root, path) or "", keep_strings=True)
        edges = graph.setdefault(unit_of(path), {})
        for match in INCLUDE.finditer(text):
            header, _ = find_header(known, path, match.group(2)) if match.group(1) == '"' else (None, False)
            if header and os.path.dirname(header) == os.path.dirname(path) and unit_of(header) != unit_of(path):
                edges.setdefault(unit_of(header), f"{path}:{line_of(text, match.start(1))}")
    return graph


def way_back(graph, start):
    """The shortest circle of units through one of them, or None."""
    ways, seen = [[start]], set()
    for way in ways:
        for unit in sorted(graph.get(way[-1], ())):
            if unit == start:
                return way + [start]
            if unit not in seen:
                seen.add(unit)
                ways.append(way + [unit])
    return None


def check_circles(root, known, paths):
    """One finding per circle, at the first of its units in the order of names."""
    graph = includes_inside(root, known, paths)
    findings, told = [], set()
    for unit in sorted(graph):
        circle = None if unit in told else way_back(graph, unit)
        if circle:
            told |= set(circle)
            names = " -> ".join(os.path.basename(name) for name in circle)
            findings.append(f"{graph[unit][circle[1]]}: units of {os.path.dirname(unit)}/ include each other in a "
                            f"circle: {names}")
    return findings


def check(root, circles_allowed=CIRCLES_ALLOWED):
    findings = []
    table = read_table(root, findings)
    sources = files(root, ".c", ".h", ".cpp")
    known = set(sources)
    findings += check_circles(root, known, [path for path in sources if path.startswith(CIRCLES_CHECKED)
                                            and not path.startswith(circles_allowed)])
    for path in sources if table else []:
        if path.startswith(CHECKED):
            findings += check_file(root, table, known, path)
    return findings


def self_test(root):
    plant(root, {
        "ARCHITECTURE.md": "```layers\ninclude/takt/ : <takt>\nbase :\nnum : base run\nrun : base num\n"
                           "api : *\napps/ : base <takt>\ntests/system/ : <takt>\n```\n",
        "include/takt/takt.h": "#include <stdio.h>\n",
        "src/base/text.h": '#include "takt/takt.h"\n#include "run/run.h"\n',
        "src/base/text.c": '#include "text.h"\n// #include "run/run.h"\n#include <text.h>\n',
        "src/run/run.h": '#include "base/text.h"\n#include "base/gone.h"\n',
        "src/api/api.c": '#include "run/run.h"\n',
        "src/lost/lost.c": "",
        "src/api/a.h": '#include "api/b.h"\n',
        "src/api/b.h": "",
        "src/api/b.c": '#include "api/b.h"\n#include "api/c.h"\n',
        "src/api/c.cpp": '#include "api/c.h"\n#include "api/a.h"\n',
        "src/api/c.h": "",
        "src/run/old.h": '#include "run/run.h"\n',
        "src/run/run.c": '#include "run/old.h"\n',
        "apps/takt/main.c": '#include "options.h"\n#include "run/run.h"\n',
        "apps/takt/options.h": '#include "base/text.h"\n#include "takt/takt.h"\n',
        "tests/support/test.h": "",
        "tests/system/test_a.c": '#include "support/test.h"\n#include "base/text.h"\n',
    })
    expect(check(root, ("src/run/",)),
           "src/api/a.h:1: units of src/api/ include each other in a circle: a -> b -> c -> a",
           "ARCHITECTURE.md:4: 'num' names 'run', which is not a row above it",
           "src/base/text.h:2: src/base/ must not include src/run/run.h",
           'src/base/text.c:1: "text.h" must carry its folder',
           'src/run/run.h:2: "base/gone.h" is no header of ours',
           "src/lost/lost.c:1: its folder has no row",
           "apps/takt/main.c:2: apps/ must not include src/run/run.h",
           "tests/system/test_a.c:2: tests/system/ must not include src/base/text.h")


if __name__ == "__main__":
    main(__doc__, check, self_test)
