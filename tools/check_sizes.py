# SPDX-License-Identifier: MIT
"""Checks the sizes of functions and files.

Functions of more than 60 lines between their braces fail, and so do files of more than 800 lines, unless they
are excepted below with a reason; and a median of all functions of more than 12 lines. Functions are found by
their braces in the first column, where clang-format puts them.
"""
import re
import statistics

from checks import expect, files, main, plant, read, without_comments

FUNCTION_LIMIT, MEDIAN_LIMIT, FILE_LIMIT = 60, 12, 800

# ("path", "function") or ("path", None) for a whole file: reason
EXCEPTIONS = {}


def functions(text):
    """Yields name, line of the opening brace, and number of lines between the braces."""
    lines = without_comments(text).split("\n")
    start, name = None, None
    for number, line in enumerate(lines, 1):
        if line.startswith("{") and start is None:
            # The signature may take several lines; its name is the word before the first bracket.
            first = number - 1
            while first > 1 and lines[first - 2].strip() and lines[first - 2][0] not in "}#{":
                first -= 1
            signature = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", " ".join(lines[first - 1:number - 1]))
            words = re.findall(r"(\w+)\s*\(", signature)
            start, name = (number, words[0]) if words else (None, None)
        elif line.startswith("}") and start is not None:
            yield name, start, number - start - 1
            start = None


def check(root, exceptions=None):
    exceptions = EXCEPTIONS if exceptions is None else exceptions
    findings, used, sizes = [], set(), []

    def judge(key, is_too_large, finding):
        if not is_too_large:
            return
        if key in exceptions:
            used.add(key)
        else:
            findings.append(finding)

    for path in files(root, ".c", ".h", ".cpp"):
        text = read(root, path) or ""
        n_lines = text.count("\n")
        judge((path, None), n_lines > FILE_LIMIT, f"{path}:1: the file has {n_lines} lines, more than {FILE_LIMIT}")
        for name, line, n in functions(text):
            sizes.append(n)
            judge((path, name), n > FUNCTION_LIMIT,
                  f"{path}:{line}: {name} has {n} lines, more than {FUNCTION_LIMIT}")
    median = statistics.median(sizes) if sizes else 0
    if median > MEDIAN_LIMIT:
        findings.append(f"tools/check_sizes.py:1: half of the functions have {median:g} lines or more; "
                        f"{MEDIAN_LIMIT} is the most")
    for path, name in sorted(set(exceptions) - used, key=str):
        findings.append(f"tools/check_sizes.py:1: the exception for {name or 'the file'} in {path} is not needed")
    return findings


def function_of(n, signature="static int f(void)"):
    return signature + "\n{\n" + "    x();\n" * n + "}\n"


def self_test(root):
    small = "".join(function_of(2) + "\n" for _ in range(4))
    plant(root, {
        "src/base/a.c": small + function_of(60) + "\n"
        + function_of(61, "takt_status h(void (*fn)(int), // {\n              int b)"),
        "src/base/b.c": "struct s {\n    int a;\n};\nstatic const int t[] = {\n    1,\n};\n" + "// x\n" * 795,
        "src/base/c.c": function_of(150, "int long_but_known(void)"),
    })
    exceptions = {("src/base/c.c", "long_but_known"): "a table", ("src/base/c.c", "gone"): "old"}
    expect(check(root, exceptions),
           "src/base/a.c:91: h has 61 lines, more than 60",
           "src/base/b.c:1: the file has 801 lines, more than 800",
           "tools/check_sizes.py:1: the exception for gone in src/base/c.c is not needed")
    plant(root, {"src/base/d.c": (function_of(40) + "\n") * 5})
    expect([finding for finding in check(root, exceptions) if "half" in finding],
           "tools/check_sizes.py:1: half of the functions have 40 lines or more; 12 is the most")


if __name__ == "__main__":
    main(__doc__, check, self_test)
