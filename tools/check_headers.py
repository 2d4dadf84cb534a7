# SPDX-License-Identifier: MIT
"""Checks that every header compiles alone, and twice in a row.

Headers in src/ as C17; public ones (include/, kit/include/) as C99, C17 and C++17. The compilers are
$CC and $CXX, or cc and c++.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess

from checks import expect, files, main, plant

PUBLIC = ("include/", "kit/include/")
LIBRARIES = ("libxml-2.0", "libzip", "jansson", "libcrypto", "libmicrohttpd")


def library_flags():
    """Where the headers of libraries lie; without pkg-config the compiler has to find them."""
    try:
        found = subprocess.run(["pkg-config", "--cflags", *LIBRARIES], capture_output=True, text=True)
        return shlex.split(found.stdout)
    except OSError:
        return []


def jobs(root):
    for path in files(root, ".h"):
        if path.startswith(PUBLIC):
            yield path, "c99"
            yield path, "c17"
            yield path, "c++17"
        elif path.startswith("src/"):
            yield path, "c17"


def compile_alone(root, path, standard, flags):
    is_cpp = standard.startswith("c++")
    compiler = shlex.split(os.environ.get("CXX", "c++") if is_cpp else os.environ.get("CC", "cc"))
    name = re.sub(r"^(src|kit/include|include)/", "", path)
    command = compiler + [f"-std={standard}", "-x", "c++" if is_cpp else "c", "-fsyntax-only", "-Wall", "-Wextra",
                          "-Werror", "-Wno-unused-function", "-D_DEFAULT_SOURCE", "-Iinclude", "-Ikit/include"]
    if path.startswith("src/"):
        command.append("-Isrc")
    source = f'#include "{name}"\n' * 2
    done = subprocess.run(command + flags + ["-"], cwd=root, input=source, text=True, capture_output=True)
    if done.returncode == 0:
        return None
    reason = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
    return f"{path}:1: does not compile alone as {standard}: {reason}"


def check(root):
    flags = library_flags()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = pool.map(lambda job: compile_alone(root, *job, flags), jobs(root))
        return [finding for finding in results if finding]


def self_test(root):
    plant(root, {
        "include/takt/good.h": "#ifndef A\n#define A\n#include <stdint.h>\nint f(int64_t x);\n#endif\n",
        "include/takt/not_cpp.h": "#ifndef B\n#define B\nint g(int class);\n#endif\n",
        "include/takt/not_c99.h": "#ifndef C\n#define C\n_Static_assert(1, \"\"), 2;\n#endif\n",
        "src/base/needs.h": "#ifndef D\n#define D\nsize_t f(void);\n#endif\n",
        "src/base/unguarded.h": "struct s { int a; };\n",
    })
    expect(check(root),
           "include/takt/not_c99.h:1: does not compile alone as c99",
           "include/takt/not_c99.h:1: does not compile alone as c17",
           "include/takt/not_c99.h:1: does not compile alone as c++17",
           "include/takt/not_cpp.h:1: does not compile alone as c++17",
           "src/base/needs.h:1: does not compile alone as c17",
           "src/base/unguarded.h:1: does not compile alone as c17")


if __name__ == "__main__":
    main(__doc__, check, self_test)
