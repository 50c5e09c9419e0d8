#!/usr/bin/env python3
"""Flags of XLA, JAX, NCCL and CUDA in texts are in src/analysis/flags.def.

- No text of an analysis names a flag itself: flags.c does, which checks the job's settings.
- Texts of other layers name no flag that is not in the table, or that was removed.
- Each row of the table has a day, a release or "?", and its source.

usage: flags.py [ROOT]
"""
import glob
import os
import re
import sys

TABLE = "src/analysis/core/flags.def"
ROW = re.compile(r"JR_FLAG\((\w+),\s*\"(\w+)\",\s*(XLA|ENVIRONMENT),\s*(?:ALL|GPUS|NVIDIA),\s*\"([^\"]*)\",\s*\"([^\"]*)\",\s*"
                 r"(NULL|\"[^\"]*\"),\s*(?:OF_\w+\()?\"([^\"]+)\"\)?\)")
NAMED = re.compile(r"\b(?:xla_(?!dump)\w+_\w+|(?:XLA|JAX|NCCL|CUDA|CUPTI)_[A-Z][A-Z_]*[A-Z])\b(?!\()")
SINCE = re.compile(r"(?:20\d\d-[01]\d-[0-3]\d|CUDA \d+\.\d+|\?)\Z")
SOURCE = re.compile(r"(?:[0-9a-f]{40}|https://\S+)\Z")
LITERALS = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])*\'|"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', re.S)
# Variables that contain flags, names in inputs and formats, and options of this program.
OTHERS = {"XLA_FLAGS", "CUDA_VISIBLE_DEVICES"}
# Files in which names are those of tables and columns of inputs, or variables set by launchers.
INPUTS = re.compile(r"src/(formats/|model/archive/metadata\.c|model/export/|record/ranks\.c)")


def literals(text):
    """Yield (line, text) of each literal; adjacent ones are joined."""
    for match in LITERALS.finditer(text):
        if match.group(0)[0] == '"':
            parts = re.findall(r'"((?:\\.|[^"\\\n])*)"', match.group(0))
            yield text.count("\n", 0, match.start()) + 1, "".join(parts)


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    found, rows = [], {}
    table = open(TABLE, encoding="utf-8").read() if os.path.exists(TABLE) else ""
    table = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), table, flags=re.S)
    for match in ROW.finditer(table):
        _, name, of, since, until, _, source = match.groups()
        line = table.count("\n", 0, match.start()) + 1
        wrong = ("twice" if name in rows
                 else "no day, release or ?" if not SINCE.match(since) or (until and not SINCE.match(until))
                 else "no source" if not SOURCE.match(source)
                 else "not of that sort" if (of == "XLA") != name.startswith("xla_")
                 else None)
        if wrong:
            found.append(f"{TABLE}:{line}: {name}: {wrong}")
        rows[name] = until
    if len(rows) != len(re.findall(r"^JR_FLAG\(", table, re.M)):
        found.append(f"{TABLE}:1: a row that cannot be read")
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
        if INPUTS.match(path):
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for line, literal in literals(text):
            for name in NAMED.findall(literal):
                if name in OTHERS:
                    continue
                if name not in rows:
                    found.append(f"{path}:{line}: {name} is not in {TABLE}")
                elif path.startswith("src/analysis/"):
                    found.append(f"{path}:{line}: {name} goes past jr_flags_advise()")
                elif rows[name]:
                    found.append(f"{path}:{line}: {name} is gone since {rows[name]}")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
