# SPDX-License-Identifier: MIT
"""Writes the calls of tests/support/arguments.h: one C function for every function of include/takt, which takes each argument from
the pool of its type ("const takt_run *" -> in_const_takt_run_p, N_const_takt_run_p values). What there is no pool for does not
compile, so that no function can be forgotten.

    api_calls.py OUT.h
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
import check_abi  # noqa: E402

# Arguments that are no free values of their type, by function and name, or by name alone.
POOLS = {"takt_number_read.begin": "begin", "takt_number_read.end": "end", "takt_problem_list_add.list": "problem_list_as_context",
         "takt_free.data": "freed", "takt_guard_describe_call.text": "room", "takt_number_write.out": "room", "n": "count", "n_results": "count", "context": "context",
         "takt_plot_results.results": "two_results", "takt_checkpoint_deserialize.data": "checkpoint_data",
         "takt_checkpoint_deserialize.size": "checkpoint_size"}

# Functions that are called before the initialization.
EARLY = ("allow_checkpoints", "collect", "continue_record", "initialize", "log_steps", "observe", "record", "resume", "trace_to")
POOLS.update({f"takt_run_{name}.run": "early_run" for name in EARLY})

# Results that are not the caller's.
RESULTS = {"takt_problem_list_log": "const void *"}


def parameters(text):
    """(type, name) of each."""
    depth, begin, items = 0, 0, []
    for i, c in enumerate(text + ","):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            items.append(text[begin:i].strip())
            begin = i + 1
    for item in items:
        match = re.match(r".*\(\*(\w+)\)\(.*\)$", item)
        if match:
            yield match[1], match[1]
        elif item != "void":
            match = re.match(r"(.*?)(\w+)(\[\w+\])?$", item)
            yield match[1].strip() + (" *" if match[3] else ""), match[2]


def identifier(text):
    return re.sub(r"\W+", "_", text.replace("*", " p ")).strip("_")


def pool(function, type_, name):
    """The pool is of the object, whether the function may change it or not."""
    type_ = re.sub(r"^const (takt_\w+ \*)$", r"\1", type_)
    return POOLS.get(f"{function}.{name}") or POOLS.get(name) or identifier(type_)


def argument(function, p, i, name):
    """Texts differ by what they are for."""
    return f'in_{p}(w, c[{i}]' + (f', "{function}.{name}")' if p == "const_char_p" else ")")


def write(out):
    entries = []
    for key, text in sorted(check_abi.entries(ROOT).items()):
        match = re.match(r"(.*?)\b(takt_\w+)\((.*)\)$", text)
        if not key.startswith("function ") or not match:
            continue
        result, name = match[1].strip(), match[2]
        pools = [pool(name, type_, shown) for type_, shown in parameters(match[3])]
        names = [shown for _, shown in parameters(match[3])]
        arguments = ", ".join(argument(name, p, i, names[i]) for i, p in enumerate(pools))
        out.write(f"// {text}\nstatic void call_{name}(world *w, const int *c)\n{{\n    (void)w, (void)c;\n")
        out.write(f"    GOT_{identifier(RESULTS.get(name, result))}({name}({arguments}));\n}}\n\n")
        counts = ", ".join(f"N_{p}" for p in pools)
        shown = ", ".join(f'"{one}"' for one in names)
        is_pointer = ", ".join(str("*" in type_ or type_.endswith("_fn") or "candidate" == type_).lower() for type_, _ in parameters(match[3]))
        is_status = "true" if result == "takt_status" else "false"
        is_end = "true" if re.search(r"_(destroy|close)$", name) else "false"
        entries.append(f'    {{"{name}", call_{name}, {len(pools)}, {{{counts or 0}}}, {{{shown or 0}}}, {{{is_pointer or 0}}}, {is_status}, {is_end}}},\n')
    out.write(f"enum {{ N_API_CALLS = {len(entries)} }};\n")
    out.write("static const api_call api_calls[] = {\n" + "".join(entries) + "};\n")


if __name__ == "__main__":
    with open(sys.argv[1], "w") as file:
        write(file)
