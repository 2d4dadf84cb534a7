# SPDX-License-Identifier: MIT
"""What the checks of this folder share: finding files, reading C without its comments, reporting.

A check is a function that gets the root of a tree and returns findings, texts "file:line: what". Its
self-test gets an empty folder, plants errors in it, and asserts that they are found.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Files that are what they are: inputs of tests, among them broken ones.
DATA_FOLDERS = ("tests/data/", "tests/fuzz/corpus/")


def files(root, *suffixes, under=""):
    """Paths relative to root of all files that git knows or would add; without git, of all files."""
    try:
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names]
        listed = [path for path in listed if not re.match(r"build|\.git/", path)]
    return sorted(path for path in set(listed)
                  if path.startswith(under) and not path.startswith(DATA_FOLDERS)
                  and (not suffixes or path.endswith(suffixes))
                  and os.path.isfile(os.path.join(root, path)))


def read(root, path):
    """The text of a file; None for one that is not UTF-8 text."""
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


_C_TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def without_comments(text, keep_strings=False):
    """C text of the same shape with comments (and the content of strings) turned into blanks."""
    def blank(match):
        token = match.group()
        if token[0] in "\"'":
            return token if keep_strings else token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)
    return _C_TOKEN.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def plant(root, content):
    """Writes files, given as {path: text}, for a self-test."""
    for path, text in content.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", newline="") as file:
            file.write(text)


def expect(findings, *expected):
    """Asserts that exactly these were found; each expected text is the start of a finding."""
    left = list(findings)
    for start in expected:
        hits = [finding for finding in left if finding.startswith(start)]
        assert hits, f"not found: {start!r} among {findings!r}"
        left.remove(hits[0])
    assert not left, f"found without reason: {left!r}"


def main(description, check, self_test, arguments=()):
    """Runs a check from the command line; exit code 1 with findings. `arguments` are names of
    further arguments, which are handed to the check."""
    parser = argparse.ArgumentParser(description=description.strip().splitlines()[0])
    parser.add_argument("--root", default=ROOT, help="the tree to check (default: this one)")
    parser.add_argument("--self-test", action="store_true", help="prove that planted errors are found")
    for name, text in arguments:
        parser.add_argument(name, nargs="?", help=text)
    given = vars(parser.parse_args())
    if given["self_test"]:
        with tempfile.TemporaryDirectory() as folder:
            self_test(folder)
        print("self-test ok")
        return
    findings = check(given["root"], *(given[name] for name, _ in arguments))
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
