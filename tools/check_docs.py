# SPDX-License-Identifier: MIT
"""Checks that the documentation is complete and its links lead somewhere.

- Every function, type, struct member and constant in include/takt/ has a comment with three slashes:
  above it, or behind it. One above several lines without a blank line between them serves all of these.
  The constants of an enum may share that of the enum.
- Every option of the program, every setting of a project and every status code is in docs/reference/,
  every option of CMake in CONTRIBUTING.md, docs/ or README.md.
- Every layer of the table in ARCHITECTURE.md that lies in src/ has docs/internals/<layer>.md.
- Every decision in docs/decisions/ has question, answer, reasons and what was turned down, a number of
  its own, and a line in docs/decisions/README.md.
- CHANGELOG.md begins with what is unreleased and has the version of CMakeLists.txt.
- Paths in code spans of ARCHITECTURE.md and CONTRIBUTING.md that begin with a folder of the tree exist.
- Every relative link in a .md file leads to a file, and to a heading of it if it names one.
"""
import os
import re

from checks import expect, files, line_of, main, plant, read, without_comments

DECISION_PARTS = ("question", "answer", "reasons", "turned down")


# ---- public headers ------------------------------------------------------------------------------

def statements(text):
    """Splits a header into its lines of code without preprocessor lines. Yields line number, code
    without comments, whether a /// comment stands above (perhaps above a neighbour), and whether one
    stands behind it."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*",
                  lambda match: "\n" * match.group().count("\n"), without_comments(text), flags=re.MULTILINE)
    is_above = False
    for number, (line, bare) in enumerate(zip(text.split("\n"), code.split("\n")), 1):
        stripped = line.strip()
        if stripped.startswith("///"):
            is_above = True
        elif not stripped:
            is_above = False
        elif bare.strip():
            yield number, bare.strip(), is_above, "///<" in line
            if bare.rstrip().endswith("{"):
                is_above = False


def undocumented(text):
    """Yields line and what lacks a comment."""
    inside = None  # "struct" or "enum" while between its braces
    is_enum_documented = False
    started = None  # first line of a declaration that takes several: (line, documented)
    for number, code, above, behind in statements(text):
        if re.match(r'extern "|\}\s*$|[A-Z_]+\([A-Z_]+\)$', code):
            if inside == "function" and code.startswith("}"):
                inside = None
            continue  # neither the braces of extern "C" nor a list of constants
        opening = re.match(r"(?:typedef )?(struct|enum|union)\b.*\{$", code)
        if opening:
            inside, is_enum_documented = opening.group(1), above or behind
            if not above and not behind:
                yield number, code.rstrip(" {")
        elif inside == "function" or (code == "{" and started):  # the body of an inline function
            if not inside and not started[2]:
                yield started[0], started[1]
            inside, started = None if code.startswith("}") else "function", None
        elif inside and code.startswith("}"):
            inside = None
        elif inside == "enum":
            if not (is_enum_documented or above or behind):
                yield number, code.rstrip(",")
        elif inside:
            if not above and not behind:
                yield number, code.rstrip(";")
        else:
            started = started or (number, code, above)
            if code.endswith((";", "}")):
                if not started[2] and not behind:
                    yield started[0], started[1].rstrip(";")
                started = None


def check_headers(root):
    return [f"{path}:{line}: '{what}' has no /// comment"
            for path in files(root, ".h", under="include/takt/")
            for line, what in undocumented(read(root, path) or "")]


# ---- reference -----------------------------------------------------------------------------------

# Where names come from: files, pattern of a name, how the documentation shows it, where.
SOURCES = (
    (r"src/project/settings\.c", r'\{\{"([a-z-]+)",', "--{}", "docs/reference/"),
    (r"apps/takt/\w+\.c", r'''\{"([a-z-]+)",\s*(?:0|'\w'),\s*CLI_''', "--{}", "docs/reference/"),
    (r"include/takt/status\.h", r"X\((TAKT_\w+),", "{}", "docs/reference/"),
    (r"CMakeLists\.txt", r"^(?:option|set)\((TAKT_\w+) [^)]*(?:CACHE|ON|OFF)", "{}",
     ("docs/", "CONTRIBUTING.md", "README.md")),
)


def check_reference(root):
    findings = []
    all_files = files(root)
    for source, pattern, form, places in SOURCES:
        docs = "\n".join(read(root, path) or "" for path in all_files
                         if path.endswith(".md") and path.startswith(places))
        for path in all_files:
            if not re.fullmatch(source, path):
                continue
            text = read(root, path) or ""
            for match in re.finditer(pattern, text, re.MULTILINE):
                name = form.format(match.group(1))
                if not re.search(re.escape(name) + r"(?![\w-])", docs):
                    where = places if isinstance(places, str) else " or ".join(places)
                    findings.append(f"{path}:{line_of(text, match.start(1))}: {name} is not in {where}")
    return findings


# ---- chapters ------------------------------------------------------------------------------------

def check_layers(root):
    table = re.search(r"^```layers\n(.*?)^```", read(root, "ARCHITECTURE.md") or "", re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^([\w-]+)[ \t]*:", table.group(1), re.MULTILINE) if table else []
    return [f"docs/internals/{row}.md:1: is missing; src/{row} needs a page"
            for row in rows if os.path.isdir(os.path.join(root, "src", row))
            and not os.path.exists(os.path.join(root, "docs", "internals", row + ".md"))]


def check_decisions(root):
    findings = []
    listed = read(root, "docs/decisions/README.md") or ""
    seen = {}
    for path in files(root, ".md", under="docs/decisions/"):
        name = os.path.basename(path)
        if not re.match(r"\d{4}-", name):
            continue
        if name[:4] in seen:
            findings.append(f"{path}:1: {seen[name[:4]]} has the number {name[:4]} already")
        seen[name[:4]] = name
        if f"({name})" not in listed:
            findings.append(f"{path}:1: is not listed in docs/decisions/README.md")
        headings = [heading.strip().lower() for heading in
                    re.findall(r"^##+ (.*)$", read(root, path) or "", re.MULTILINE)]
        findings += [f"{path}:1: the part '{part}' is missing" for part in DECISION_PARTS
                     if not any(part in heading for heading in headings)]
    return findings


def check_changes(root):
    text = read(root, "CHANGELOG.md") or ""
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    version = re.search(r"^project\(\w+ VERSION ([\d.]+)", read(root, "CMakeLists.txt") or "", re.MULTILINE)
    findings = []
    if sections[:1] != ["Unreleased"]:
        findings.append("CHANGELOG.md:1: the first section must be '## Unreleased'")
    if version and version.group(1) not in sections:
        findings.append(f"CHANGELOG.md:1: there is no section '## {version.group(1)}'")
    return findings


def check_paths(root):
    """Words in capitals and <...> stand for names, * for anything; build/ and ui/dist are not in the tree."""
    tops = {path.split("/")[0] for path in files(root) if "/" in path}
    findings = []
    for document in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
        text = read(root, document) or ""
        for match in re.finditer(r"`([\w.-]+)/([\w./*-]*)`", text):
            path = f"{match.group(1)}/{match.group(2)}"
            if match.group(1) not in tops or path.startswith("ui/dist") or re.search(r"[*]|[A-Z]{2}", path):
                continue
            if not os.path.exists(os.path.join(root, path)):
                findings.append(f"{document}:{line_of(text, match.start())}: there is no {path}")
    return findings


# ---- links ---------------------------------------------------------------------------------------

def without_code(text):
    """Markdown with the content of code blocks and code spans turned into blanks."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r"^```.*?^```", blank, text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", blank, text)


def anchors(text):
    """The names that headings get, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE),
                              re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        n = 0
        while name + (f"-{n}" if n else "") in found:
            n += 1
        found.add(name + (f"-{n}" if n else ""))
    return found


def check_links(root):
    findings = []
    for path in files(root, ".md"):
        text = without_code(read(root, path) or "")
        for match in re.finditer(r"\]\(([^()\s]*(?:\([^()\s]*\))?)(?: \"[^\"]*\")?\)", text):
            target, _, anchor = match.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            full = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            where = f"{path}:{line_of(text, match.start())}"
            if not os.path.exists(os.path.join(root, full)):
                findings.append(f"{where}: the link {match.group(1)} leads nowhere")
            elif anchor and full.endswith(".md") and anchor not in anchors(read(root, full) or ""):
                findings.append(f"{where}: {full} has no heading #{anchor}")
    return findings


def check(root):
    return (check_headers(root) + check_reference(root) + check_layers(root) + check_decisions(root)
            + check_changes(root) + check_paths(root) + check_links(root))


def self_test(root):
    plant(root, {
        "include/takt/a.h": '#ifdef __cplusplus\nextern "C" {\n#endif\n'
                            "/// Good.\ntypedef struct takt_a takt_a;\ntypedef struct takt_b takt_b;\n\n"
                            "typedef struct takt_c takt_c;\n\n"
                            "/// Good, too.\nTAKT_API int takt_f(int a,\n           int b);\n"
                            "TAKT_API int takt_g(void); // shares it\n\n"
                            "// not enough\nTAKT_API int takt_h(int a,\n                    int b);\n\n"
                            "/// Options.\ntypedef struct takt_o {\n    int x; ///< good\n    int y;\n} takt_o;\n\n"
                            "/// Shared.\ntypedef enum takt_e { TAKT_E } takt_e;\n\n"
                            "typedef enum takt_k {\n    TAKT_K, ///< good\n    TAKT_L,\n} takt_k;\n\n"
                            "/// Inline.\nstatic inline int takt_i(void)\n{\n    return 1;\n}\n\n"
                            "static inline int takt_m(void)\n{\n    return 1;\n}\n\n"
                            "#define LIST(X) \\\n    X(TAKT_Z, 1)\n"
                            "#ifdef __cplusplus\n}\n#endif\n",
        "include/takt/status.h": '#define L(X) \\\n    X(TAKT_OK, 0, "") \\\n    X(TAKT_ERR_NEW, 1, "")\n',
        "src/project/settings.c": '{{"step-size", "H"}, 1},\n{{"step", "H"}, 1},\n',
        "src/base/a.c": "", "src/run/a.c": "",
        "apps/takt/main.c": "{\"quiet\", 'q', CLI_FLAG, 0},\n{\"loud\", 0,\n CLI_FLAG, 0},\n",
        "CHANGELOG.md": "# Changes\n## 0.1.0\n",
        "CMakeLists.txt": 'project(takt VERSION 0.2.0 X)\noption(TAKT_FUZZ "x" OFF)\nset(TAKT_X "" CACHE STRING "y")\n',
        "CONTRIBUTING.md": "TAKT_FUZZ\n",
        "ARCHITECTURE.md": "```layers\nbase :\nrun : base\nnum : base\napps/ : base\n```\n`src/run/a.c` `src/run/gone.c` "
                           "`apps/takt/` `src/run/NAME.c` `build/x`\n",
        "docs/internals/run.md": "[b](../reference/b.md#two-words) [c](../c.md) [u](https://a.b/c) `[d](d.md)`\n",
        "docs/reference/b.md": "# Two words\n`--step-size` --quiet TAKT_OK [x](#three) [y](#two-words)\n",
        "docs/decisions/0001-a.md": "## Question\n## Answer\n## Reasons\n",
        "docs/decisions/0001-b.md": "## Question\n## Answer\n## Reasons\n## Turned down\n",
        "docs/decisions/README.md": "[a](0001-a.md)\n",
    })
    expect(check(root),
           "include/takt/a.h:8: 'typedef struct takt_c takt_c'",
           "include/takt/a.h:16: 'TAKT_API int takt_h(int a,'",
           "include/takt/a.h:22: 'int y'",
           "include/takt/a.h:28: 'typedef enum takt_k'",
           "include/takt/a.h:30: 'TAKT_L'",
           "include/takt/a.h:39: 'static inline int takt_m(void)'",
           "include/takt/status.h:3: TAKT_ERR_NEW is not in docs/reference/",
           "src/project/settings.c:2: --step is not in docs/reference/",
           "apps/takt/main.c:2: --loud is not in docs/reference/",
           "CMakeLists.txt:3: TAKT_X is not in docs/",
           "docs/internals/base.md:1: is missing",
           "docs/decisions/0001-a.md:1: the part 'turned down' is missing",
           "docs/decisions/0001-b.md:1: 0001-a.md has the number 0001 already",
           "docs/decisions/0001-b.md:1: is not listed in docs/decisions/README.md",
           "CHANGELOG.md:1: the first section must be '## Unreleased'",
           "CHANGELOG.md:1: there is no section '## 0.2.0'",
           "ARCHITECTURE.md:7: there is no src/run/gone.c",
           "docs/internals/run.md:1: the link ../c.md leads nowhere",
           "docs/reference/b.md:2: docs/reference/b.md has no heading #three")


if __name__ == "__main__":
    main(__doc__, check, self_test)
