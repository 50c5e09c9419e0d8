#!/usr/bin/env python3
"""Words that are not allowed in the C files, and files or functions that are too long.

usage: words.py [ROOT]
"""
import os
import re
import sys

MAX_FILE, MAX_TEST_FILE, MAX_FUNCTION, MAX_COLUMNS, TAB = 600, 1000, 75, 100, 4

# (regular expression over code without comments and literals, why, files where it is allowed)
CODE = [
    (r"\b(strcpy|strcat|strncpy|strncat|sprintf|vsprintf|gets|strtok|strtok_r|alloca|mktemp|tmpnam)\s*\(",
     "unbounded or stateful", r"^$"),
    (r"\b(gmtime|localtime|ctime|asctime|gmtime_r|localtime_r|strftime|setlocale)\s*\(",
     "wall-clock time and locale have no place in a report", r"^$"),
    (r"\b(atoi|atol|atof|strtod|strtol|strtoul|strtoll|strtoull)\s*\(", "use jr_parse_...",
     r"^(src/base/num\.c$|tests/)"),
    (r"\b(clock_gettime|gettimeofday|time|clock)\s*\(", "clocks are read by cli and the pass runner",
     r"^(src/(cli/core/messages|analysis/pass)\.c$|tests/)"),
    (r"\b(printf|vprintf|fprintf|vfprintf|puts|fputs|putchar|perror|dprintf)\s*\(", "only cli prints",
     r"^(src/cli/|src/tools/|tests/)"),
    (r"\b(exit|_exit|abort|system|popen|raise)\s*\(", "a library returns",
     r"^(src/cli/|src/tools/|src/base/error\.c$|tests/)"),
    (r"\b(rand|random|srand|drand48)\s*\(", "the same input gives the same bytes", r"^tests/fault/"),
    (r"\btypedef\s+(struct|union|enum)\b[^(;]*[;{]", "no typedef for structs", r"^$"),
    (r"(?m)^static (?!const\b|inline\b|_Atomic\b)[^()={;]*[=;]", "mutable state of the whole process",
     r"^(src/cli/core/emergency\.c$|src/base/file_map\.c$|src/base/task\.c$|tests/)"),
    (r"\bJR_CHECKED\b", "the Makefile defines it only for .c files that contain it", r"^(src/base/error\.h$|.*\.c$)"),
]
# Over string literals.
FLOAT = re.compile(r"%[-+#0]*(\d+|\*)?(\.(\d+|\*)?)?l?[efgaEFGA]")
# Words of one platform for which analysis/core/terms.h has a mark; hot_lines.c has no profile.
PLATFORM = re.compile(r"\b(GPUs?(?! or TPU| module)|CUDA(?! [0-9]| events)|NCCL|SMs|tensor cores?|"
                      r"streaming multiprocessors?|nvidia-smi|Nsight Compute)\b")
MARKED = re.compile(r"src/(analysis|report/document)/(?!core/(terms\.h|vendor\.c)|hot_lines\.c)")
MARKERS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!X)")
FOUND = []


def say(path, line, text):
    FOUND.append(f"{path}:{line}: {text}")


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def split(text):
    """Code with comments and literals blanked (lines kept), and [(line, literal)]."""
    literals = []

    def blank(match):
        token = match.group(0)
        if token[0] == '"':
            literals.append((text.count("\n", 0, match.start()) + 1, token))
            return '""'
        return "\n" * token.count("\n") or ("' '" if token[0] == "'" else " ")

    return TOKEN.sub(blank, text), literals


def check_words(path, text):
    code, literals = split(text)
    for pattern, why, where in CODE:
        if re.match(where, path):
            continue
        for match in re.finditer(pattern, code):
            line = code.count("\n", 0, match.start()) + 1
            say(path, line, f"'{match.group(0).strip()}': {why}")
    if path != "src/base/num.c" and not path.startswith(("tests/", "src/tools/")):
        for line, literal in literals:
            if FLOAT.search(literal.replace("%%", "")):
                say(path, line, f"{literal}: floating point is printed by base/num.c")
            word = MARKED.match(path) and literal != '"CUDA"' and PLATFORM.search(literal)
            if word:
                say(path, line, f"'{word.group()}': another platform has another word, see terms.h")
    for match in MARKERS.finditer(text):
        say(path, text.count("\n", 0, match.start()) + 1, f"left-over marker '{match.group(0)}'")


def check_layout(path, text):
    lines = text.split("\n")
    most = MAX_TEST_FILE if path.startswith("tests/") else MAX_FILE
    if len(lines) - 1 > most:
        say(path, len(lines) - 1, f"{len(lines) - 1} lines: more than one duty? (at most {most})")
    begun = 0
    for number, line in enumerate(lines, 1):
        if len(line.expandtabs(TAB)) > MAX_COLUMNS:
            say(path, number, f"longer than {MAX_COLUMNS} columns")
        if line != line.rstrip():
            say(path, number, "blanks at the end of the line")
        if line == "{":
            begun = number
        elif line == "}" and begun:
            if number - begun - 1 > MAX_FUNCTION:
                say(path, begun, f"function of {number - begun - 1} lines (at most {MAX_FUNCTION})")
            begun = 0


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else ".")
    for top in ("src", "render", "tests", "examples", "templates", "proto"):
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(f for f in folders if f != "node_modules")
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith((".c", ".h", ".def")):
                    with open(path, encoding="utf-8") as f:
                        text = f.read()
                    check_words(path, text)
                    check_layout(path, text)
    print("\n".join(FOUND), end="\n" if FOUND else "")
    return 1 if FOUND else 0


sys.exit(main())
