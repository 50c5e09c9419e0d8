#!/usr/bin/env python3
"""The layer law read from linked symbols, where no #include line shows a call: which layers' functions an
object calls, and no circle of files. Folders stay small enough to look through.

usage: BUILD=dir symbols.py [ROOT]    BUILD: where objects were made; a ROOT without them has folders alone
"""
import collections
import glob
import os
import re
import subprocess
import sys

MOST_FILES = 40
# The cost of what calls other computations is the cost of those.
RECURSES = {"cost_calls.c", "cost_fusion.c", "cost_rules.c", "cost_work.c"}
# A profile holds HLO modules as the reader has them: functions that look things up in one.
LOOKED_UP = re.compile(r"jr_hlo_|jr_shape_")


def allowed():
    """{layer: layers that it may call}, from the table of layers.sh."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.sh"), encoding="utf-8") as f:
        return {layer: set(others.split()) for layer, others in re.findall(r'allow\("(\w+)", "([\w ]*)"\)', f.read())}


def symbols(build):
    """{file: (defined, used)} of all objects of src and render."""
    objects = sorted(glob.glob(f"{build}/obj/src/**/*.o", recursive=True) + glob.glob(f"{build}/obj/render/*.o"))
    found = {}
    for path in objects:
        source = os.path.relpath(path, f"{build}/obj")[:-2] + ".c"
        if not os.path.exists(source) or source.startswith("src/tools/"):
            continue
        text = subprocess.run(["nm", "-g", path], capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in text.splitlines()]
        found[source] = ({r[-1] for r in rows if r[-2] in "TDRBC"}, {r[-1] for r in rows if r[-2] == "U"})
    return found


def circles(calls):
    """Sets of more than one file that call each other (Tarjan)."""
    index, low, stack, on, out = {}, {}, [], set(), []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on.add(v)
        for w in calls[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            circle = set()
            while v not in circle:
                circle.add(stack.pop())
            on.difference_update(circle)
            if len(circle) > 1:
                out.append(circle)

    sys.setrecursionlimit(10000)
    for v in sorted(calls):
        if v not in index:
            visit(v)
    return out


def layer_of(path):
    return path.split("/")[1] if path.startswith("src/") else path.split("/")[0]


def main():
    build = os.path.abspath(os.environ.get("BUILD", "build"))
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    bad = []
    for folder, _, files in sorted(os.walk("src")):
        n = sum(name.endswith((".c", ".h", ".def")) for name in files)
        if n > MOST_FILES:
            bad.append(f"{folder}:1: {n} files in one folder, more than {MOST_FILES}")
    may, of = allowed(), symbols(build)
    defined = {name: path for path, (names, _) in of.items() for name in names}
    calls = collections.defaultdict(set)
    for path, (_, used) in sorted(of.items()):
        calls[path] = {defined[name] for name in used if defined.get(name, path) != path}
        for name in sorted(used):
            other = layer_of(defined.get(name, path))
            if other != layer_of(path) and other not in may[layer_of(path)] and not (
                    other == "formats" and LOOKED_UP.match(name)):
                bad.append(f"{path}:1: calls {name} of {defined[name]}")
    for circle in circles(calls):
        if {os.path.basename(path) for path in circle} != RECURSES:
            bad += [f"{path}:1: in a circle: calls {other}" for path in sorted(circle)
                    for other in sorted(calls[path] & circle)]
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
