#!/usr/bin/env python3
"""A rename of a column's key, of a compared table's path, or of a rule breaks the build.

- Each key of a list of keys.h is read by its symbol somewhere; no other table of analyses has keys as plain text.
- The id of a rule is its name with dashes.
- Three renames, chosen by SEED (1), break the compilation of each file with the old name.

usage: [CC=gcc CPPFLAGS='-Isrc ...' SEED=n] keys.py [ROOT]
"""
import glob
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

KEYS, RULES = "src/analysis/core/keys.h", "src/analysis/findings/findings.def"
LIST = re.compile(r"#define (\w+)\(X, T\) *\\\n((?:.*\\\n)*.*\n)")
KEY = re.compile(r"X\(T, (\w+)|X##_IN\(T, (\w+), (\w+)")
PLAIN = re.compile(r"struct jr_column_spec (\w+)\[\w*\] = \{(?!\w+\(JR_KEY_SPEC)")
READ = re.compile(r"\b(?:JR_KEY(?:_IN)?\(|JR_RUN_COLUMN(?:_IN)?\(\w+, )(\w+(?:, \w+)+)\)|\b(JR_AT)(?:_IN)?\((\w+(?:, \w+)*)\)|(\w+)")
# Keys with an index from another enumeration, or without one.
MAY_BE_PLAIN = re.compile(r"src/(.*/keys\.h|.*/roofline_device\.c:device_|report/.*:(warning|profile_name)_)")
RUN = "src/compare/run/run.c"
N_USERS = 3


def symbols(text):
    """Return all symbols that a file reads: TABLE_KEY, JR_AT_PATH, names of rules; not those that lists define."""
    return {(keys or (f"{at}_{path}" if at else word)).replace(", ", "_")
            for keys, at, path, word in READ.findall(LIST.sub("", text))}


def find(texts, found):
    """Return [(symbol, file, end of its name)] of all that can be renamed, by kind."""
    keys, paths, rules = [], [], []
    for path, text in texts.items():
        found += [f"{path}:1: {name} has keys that are no symbols: use a list of {KEYS}" for name in PLAIN.findall(text)
                  if not MAY_BE_PLAIN.match(f"{path}:{name}")]
        lists = {a_list[1]: a_list for a_list in LIST.finditer(text)} if path != KEYS else {}

        def tables(name):
            """Return the tables with the columns of a list, also those of lists that contain it."""
            direct = re.findall(
                rf"JR_(?:KEYS\w*\(|(?:COLUMNS|TABLE)\(\w+, |COMPARE_COLUMNS\()(?:(\w+), )?({name})[),]", text)
            return [table or itself for table, itself in direct] + [
                table for other in lists if f"\t{name}(X, T)" in lists[other][2] for table in tables(other)]

        for name, a_list in lists.items():
            if not tables(name):
                found.append(f"{path}:1: no table has the columns of {name}")
            for match in KEY.finditer(a_list[2]):
                key = "_".join(k for k in match.groups() if k)
                # the first table stands for all: one reader of a shared column stops the build
                keys += [(f"{table}_{key}", path, a_list.start(2) + match.end()) for table in tables(name)[:1]]
        paths += [(match[1], path, match.end(1)) for match in re.finditer(r"^\t(JR_AT_\w+),$", text, re.M)]
    for match in re.finditer(r'^JR_RULE\(\w+, (\w+), "([^"]+)"', texts.get(RULES, ""), re.M):
        name, name_id = match.groups()
        if name_id != name.replace("_", "-"):
            found.append(f"{RULES}:1: rule {name} has the id {name_id}")
        rules.append((f"jr_rule_{name}", RULES, match.end(1)))
    return keys, paths, rules


def users(reads, path, name):
    """Return files that read it; for a private name only its file. Users of run.h count as one, because it is long."""
    names = [path] if path.endswith(".c") else [p for p in reads if p.endswith(".c")]
    own = [p for p in names if name in reads[p]][:N_USERS]
    return own + [RUN] * (path.endswith(".h") and name in reads.get(RUN.replace(".c", ".h"), ()) and RUN not in own)


def compiles(path, over):
    command = [os.environ.get("CC") or "gcc", "-iquote", f"{over}/src",
               *shlex.split(os.environ.get("CPPFLAGS") or "-D_GNU_SOURCE -Isrc -I. -Ibuild/gen"),
               "-std=c17", "-Wmissing-prototypes", "-Werror", "-fsyntax-only"]
    own = f"{over}/{path}"
    # ccache does not notice a new header that is found before the one it knows.
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    return subprocess.run([*shlex.split(command[0]), *command[1:], own if os.path.exists(own) else path],
                          env=environment, capture_output=True, check=False).returncode == 0


def rename(texts, reads, name, path, end):
    """Return the problem of a rename; None if it breaks all users of the old name."""
    readers = users(reads, path, name)
    with tempfile.TemporaryDirectory() as over:
        for path_of in readers:
            if not compiles(path_of, over):
                return f"{path_of}:1: does not compile as it is"
        os.makedirs(os.path.dirname(f"{over}/{path}"))
        with open(f"{over}/{path}", "w", encoding="utf-8") as f:
            f.write(texts[path][:end] + "_x" + texts[path][end:])
        for path_of in readers:
            if compiles(path_of, over):
                return f"{path_of}:1: compiles although {name} has another name"
    return None


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    texts = {}
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True) + glob.glob(RULES)):
        with open(path, encoding="utf-8") as f:
            texts[path] = f.read()
    found = []
    sorts = find(texts, found)
    reads = {path: symbols(text) for path, text in texts.items()}
    # A section of a comparison fills most of its columns from its list, which has each key once.
    sorts[0][:] = [key for key in sorts[0] if not key[1].startswith("src/compare/sections/") or users(reads, *key[1::-1])]
    found += [f"{path}:1: nobody reads {name}: no rename of it stops the build"
              for name, path, _ in sum(sorts, []) if not users(reads, path, name)]
    seed = int(os.environ.get("SEED") or 1)
    pick = random.Random(seed)
    renamed = []
    for sort, called in zip(sorts, ("key of a column", "path of a table", "rule")):
        if not sort:
            found.append(f"{KEYS}:1: no {called} was found to rename")
        elif not found:
            renamed.append(pick.choice(sort))
            wrong = rename(texts, reads, *renamed[-1])
            found += [wrong] if wrong else []
    print("\n".join(found or [f"keys.py: SEED={seed} renamed {', '.join(name for name, *_ in renamed)}"]))
    return 1 if found else 0


sys.exit(main())
