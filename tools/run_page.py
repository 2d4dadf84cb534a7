#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of a page of the documentation, in their order, in an empty folder.

    tools/run_page.py docs/tutorial.md --build build [--fmus build/fmus] [--pictures docs/pictures]

A block ```sh is run by bash and must succeed; `# exit 6` at the end of its last line names another exit code. A block ```text behind it
shows what it prints: each line must be found there, in this order; "..." stands for any lines. Blocks ```python are run as
scripts. FMUs that the page names as fmus/NAME.fmu are there, `takt` is that of the build. With --pictures the
pictures that the page shows are copied there, else each must be made by the page.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines_of(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def missing_line(shown, printed):
    """The first line of `shown` that is not in `printed`, in this order."""
    at, rest = 0, lines_of(printed)
    for line in lines_of(shown):
        if line == "...":
            continue
        if line not in rest[at:]:
            return line
        at = rest.index(line, at) + 1
    return None


class Page:
    def __init__(self, path, build, fmus):
        self.path, self.fmus = path, fmus
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        self.environment = {**os.environ, "PATH": os.path.abspath(build) + os.pathsep + os.environ["PATH"],
                            "PYTHONPATH": os.path.join(root, "python"),
                            "TAKT_LIBRARY": os.path.join(os.path.abspath(build), "libtakt.so")}
        self.problems = []

    def prepare(self, folder):
        os.mkdir(os.path.join(folder, "fmus"))
        for name in sorted(set(re.findall(r"fmus/(\w+\.fmu)", self.text))):
            shutil.copy(os.path.join(self.fmus, name), os.path.join(folder, "fmus", name))

    def run(self, folder):
        printed = ""
        for block in FENCE.finditer(self.text):
            kind, text = block.groups()
            line = self.text[:block.start()].count("\n") + 1
            if kind == "text":
                missing = missing_line(text, printed)
                if missing:
                    self.report(line, f"'{missing}' was not printed, but:\n{printed}")
            elif kind in ("sh", "python"):
                printed = self.run_block(folder, kind, text, line)

    def run_block(self, folder, kind, text, line):
        wanted = re.search(r"# exit (\d+)\s*$", text)
        words = ["bash", "-e", "-c", text] if kind == "sh" else [sys.executable, "-c", text]
        done = subprocess.run(words, cwd=folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=120)
        if done.returncode != (int(wanted.group(1)) if wanted else 0):
            self.report(line, f"exit code {done.returncode}:\n{text}{done.stdout}")
        return done.stdout

    def report(self, line, text):
        self.problems.append(f"{self.path}:{line}: {text}")

    def check_pictures(self, folder, target):
        for name in sorted(set(re.findall(r"!\[[^\]]*\]\((?:\.\./)*pictures/([^)]+)\)", self.text))):
            made = os.path.join(folder, name)
            if not os.path.exists(made):
                self.report(1, f"the picture {name} is not made")
            elif target:
                shutil.copy(made, os.path.join(target, name))


PLANTED = """
```sh
takt --version
```
```text
no such line
```
```sh
false
```
```sh
exit 3 # exit 4
```
```python
raise SystemExit(5)
```
![nothing](pictures/nothing.svg)
"""


def self_test(build):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PLANTED)
        found = try_page(Page(path, build, folder), None)
    return 0 if len(found) == 5 else 1


def try_page(page, pictures):
    with tempfile.TemporaryDirectory(prefix="page ") as folder:
        page.prepare(folder)
        page.run(folder)
        page.check_pictures(folder, pictures)
    return page.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", nargs="?")
    parser.add_argument("--self-test", action="store_true", help="prove that planted errors are found")
    parser.add_argument("--build", default="build", help="folder of the build")
    parser.add_argument("--fmus", help="folder with the FMUs (default: fmus/ of the build)")
    parser.add_argument("--pictures", help="folder that the pictures are copied to")
    options = parser.parse_args()
    if not options.page and not options.self_test:
        parser.error("a page is needed")
    if options.self_test:
        return self_test(options.build)
    page = Page(options.page, options.build, options.fmus or os.path.join(options.build, "fmus"))
    problems = try_page(page, options.pictures)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
