#!/usr/bin/env python3
"""The columns that a comparison copies are columns of report.json, as src/report/README.md lists them
(its list is generated from the passes), or of the history's lines.

A column of earlier reports has OLD in its name.

usage: keys.py [ROOT]
"""
import glob
import os
import re
import sys

RUN = "src/compare/run/run.h"


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    if not os.path.exists(RUN):
        if len(sys.argv) > 1:
            return 0  # a tree of the self-test
        print(f"{RUN}:1: is not there")
        return 1
    with open(RUN, encoding="utf-8") as f:
        run = f.read()
    with open("src/report/README.md", encoding="utf-8") as f:
        have = set(re.findall(r"^\| `([^`]+)` \|", f.read(), re.M))
    history = "".join(open(path, encoding="utf-8").read() for path in glob.glob("src/compare/history/*.c"))
    history = set(re.findall(r'\\"(\w+)\\":', history))
    found, n = [], 0
    for table, path in re.findall(r'JR_RUN_TABLE\((\w+), "([^"]*)"\)', run):
        columns = re.search(rf"#define JR_RUN_{table}_COLUMNS((?:.*\\\n)*.*\n)", run)
        if not columns:
            found.append(f"{RUN}:1: {table} has no columns")
            continue
        for match in re.finditer(r'JR_RUN_COLUMN\((\w+), "([^"]*)"', columns[1]):
            name, key = match.groups()
            n += 1
            if key and "_OLD_" not in name and f"{path}[].{key}" not in have and key not in history:
                line = run.count("\n", 0, columns.start(1) + match.start()) + 1
                found.append(f"{RUN}:{line}: no report has {path}[].{key}")
    if not n:
        found.append(f"{RUN}:1: no column was found in it")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
