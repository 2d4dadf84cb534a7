# SPDX-License-Identifier: MIT
"""Checks that sources contain nothing that must not be there.

In src/: calls of functions that are unsafe, end the process, change its state or depend on the locale;
threads of the system outside of src/base (use base/thread.h).
Everywhere: paths of a developer's machine, TODO without the number of an issue (except in .md files), tabs,
blanks at the end of a line, carriage returns, a missing line break at the end; in C and Python sources a
missing line with the licence.
"""
import re

from checks import expect, files, line_of, main, plant, read, without_comments

BANNED = ("sprintf vsprintf strcpy strcat strtok atoi atof system chdir setlocale exit printf localtime rand "
          "abort gets").split()
ALLOWED = {("src/base/surroundings.c", "setlocale")}  # puts back what an FMU changed
CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
THREADS = re.compile(r"\b(?:pthread_\w+|sem_(?:init|wait|post|destroy|t)\b)|<(?:pthread|semaphore|threads)\.h>")
THREADS_ALLOWED = ("src/base/",)
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:work|home|root)/")
TODO = re.compile(r"\bTODO\b(?!\(#\d+\):)")
LICENCE = "SPDX-License-Identifier: MIT"
TABS_ALLOWED = ("Makefile", ".mk", ".svg")
THIS = "tools/check_banned.py"  # names what it looks for


def check_text(path, text):
    rules = [
        (MACHINE_PATH, "a path of one machine"),
        (re.compile(r"\r"), "a carriage return"),
        (re.compile(r"[ \t]+$", re.MULTILINE), "blanks at the end of the line"),
    ]
    if not path.endswith(".md"):
        rules.append((TODO, "TODO without an issue; write TODO(#57): ..."))
    if not path.endswith(TABS_ALLOWED):
        rules.append((re.compile(r"\t"), "a tab"))
    findings = [f"{path}:{line_of(text, match.start())}: {what}"
                for pattern, what in rules for match in pattern.finditer(text)]
    if text and not text.endswith("\n"):
        findings.append(f"{path}:{line_of(text, len(text))}: the last line does not end")
    if path.endswith((".c", ".h", ".cpp", ".py")) and LICENCE not in "\n".join(text.split("\n", 3)[:3]):
        findings.append(f"{path}:1: the line '{LICENCE}' is missing at the top")
    return findings


def check(root):
    findings = []
    for path in files(root):
        text = read(root, path)
        if text is None or path == THIS:
            continue
        findings += check_text(path, text)
        if path.startswith("src/") and path.endswith((".c", ".h", ".cpp")):
            code = without_comments(text)
            findings += [f"{path}:{line_of(code, match.start())}: {match.group(1)}() is banned in src/"
                         for match in CALL.finditer(code) if (path, match.group(1)) not in ALLOWED]
            if not path.startswith(THREADS_ALLOWED):
                findings += [f"{path}:{line_of(code, match.start())}: {match.group()}: threads are made in src/base only"
                             for match in THREADS.finditer(code)]
    return findings


def self_test(root):
    top = f"// {LICENCE}\n"
    plant(root, {
        "src/base/good.c": top + '// printf("x"), atoi(y)\nint f(void);\nsnprintf(a, 1, "exit(1)");\n'
        "p->system(1);\nint takt_exit(void) __attribute__((format(printf, 1, 2)));\n// TODO(#57): later\n",
        "src/base/bad.c": top + "printf (x);\nint n = atoi(s); /* TODO */\n\tx();\ny(); \n",
        "src/base/thread.c": top + "#include <pthread.h>\npthread_t a;\n",
        "src/record/ring.c": top + "#include <pthread.h>\npthread_mutex_t lock; // pthread_t\n",
        "apps/main.c": "int main(void) { printf(1); }\n",
        "docs/a.md": "TODO: see /home/me/x and https://a.org/home/\r\n",
        "Makefile": "all:\n\tx",
        "tests/data/broken.ssd": "\t \r",
    })
    expect(check(root),
           "src/base/bad.c:2: printf() is banned in src/",
           "src/base/bad.c:3: atoi() is banned in src/",
           "src/base/bad.c:3: TODO without an issue",
           "src/base/bad.c:4: a tab",
           "src/base/bad.c:5: blanks at the end",
           "src/record/ring.c:2: <pthread.h>: threads are made in src/base only",
           "src/record/ring.c:3: pthread_mutex_t: threads",
           "apps/main.c:1: the line 'SPDX",
           "docs/a.md:1: a path of one machine",
           "docs/a.md:1: a carriage return",
           "Makefile:2: the last line does not end")


if __name__ == "__main__":
    main(__doc__, check, self_test)
