#!/usr/bin/env python3
"""The layer law, checked by linked symbols, because #include lines do not show calls: the layers that an object
may call, and no cycles of files or rooms. Code in a header belongs to the file of the same name. Folders stay small
enough to read through.

usage: BUILD=dir rooms.py [ROOT]    BUILD: where objects were made; a ROOT without them has folders alone
"""
import collections
import glob
import os
import re
import subprocess
import sys

MOST_FILES = 40
MOST_KEPT = 150  # lines of one kept output: nobody reads more when it differs
# A profile contains HLO modules in the reader's form; these functions look things up in one.
LOOKED_UP = re.compile(r"jr_hlo_|jr_shape_")
CODE_IN_HEADER = re.compile(r"^(?:static inline [^;{(]*?|#define )(jr_\w+)\(", re.M)


def allowed():
    """Return {layer: layers that it may call}, from the table of layers.sh."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.sh"), encoding="utf-8") as f:
        return {layer: set(others.split()) for layer, others in re.findall(r'allow\("(\w+)", "([\w ]*)"\)', f.read())}


def symbols(build):
    """Return {file: (defined, used)} of all objects of src and render."""
    objects = sorted(glob.glob(f"{build}/obj/src/**/*.o", recursive=True) + glob.glob(f"{build}/obj/render/*.o"))
    found = {}
    text = subprocess.run(["nm", "-A", "-g", *objects], capture_output=True, text=True, check=True).stdout if objects else ""
    for line in text.splitlines():
        path, _, row = line.partition(":")
        source = os.path.relpath(path, f"{build}/obj")[:-2] + ".c"
        if not os.path.exists(source) or source.startswith("src/tools/"):
            continue
        kind, name = row.split()[-2:]
        if kind in "TDRBCU":
            found.setdefault(source, (set(), set()))[kind == "U"].add(name)
    return found


def headers(of):
    """Yield (file, other, name): calls of functions and macros that are defined in the header of another file."""
    texts = {}
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True) + glob.glob("render/*.[ch]")):
        with open(path, encoding="utf-8") as f:
            texts[path] = f.read()
    inside = {name: path[:-1] + "c" for path, text in texts.items() if path[:-1] + "c" in of and path.endswith(".h")
              for name in CODE_IN_HEADER.findall(text)}
    for path, text in texts.items():
        for name in sorted(set(re.findall(r"\bjr_\w+(?=\()", text)) & inside.keys()):
            if path[:-1] + "c" in of and inside[name] != path[:-1] + "c":
                yield path[:-1] + "c", inside[name], name


def circles(calls):
    """Yield sets of several files, or rooms, that call each other (Tarjan)."""
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


def room_of(path):
    """Return the room: the folder; in a layer with rooms, each file outside of them is a room."""
    folder = os.path.dirname(path)
    return path if any(os.path.isdir(f"{folder}/{name}") for name in os.listdir(folder)) else folder


def mapped():
    """Rooms in the table of src/README.md: "layer/room"; a name without a layer takes the previous layer."""
    with open("src/README.md", encoding="utf-8") as f:
        rows = re.search(r"^\| room \|.*\n\|---.*\n((?:\|.*\n)*)", f.read(), re.M)
    found = set()
    for row in rows[1].splitlines() if rows else []:
        layer = ""
        for name in re.findall(r"`([a-z_/]+)`", row.split("|")[1]):
            layer = name.split("/")[0] if "/" in name else layer
            found.add(f"{layer}/{name.split('/')[-1]}")
    return found


def main():
    build = os.path.abspath(os.environ.get("BUILD", "build"))
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    bad = []
    for folder, _, files in sorted(os.walk("src")):
        n = sum(name.endswith((".c", ".h", ".def")) for name in files)
        if n > MOST_FILES:
            bad.append(f"{folder}:1: {n} files in one folder, more than {MOST_FILES}")
    for path in sorted(glob.glob("tests/golden/cases/*/**", recursive=True)):
        if os.path.isfile(path):
            with open(path, "rb") as f:
                n = f.read().count(b"\n")
            if n > MOST_KEPT:
                bad.append(f"{path}:1: {n} lines kept in one file, more than {MOST_KEPT}")
    if len(sys.argv) == 1 or os.path.exists("src/README.md"):
        there = {os.path.relpath(path, "src").rstrip("/") for path in glob.glob("src/*/*/")
                 if glob.glob(f"{path}*.[ch]")}
        bad += [f"src/README.md:1: the table of rooms lacks {room}" for room in sorted(there - mapped())]
        bad += [f"src/README.md:1: there is no room {room}" for room in sorted(mapped() - there)]
    may, of = allowed(), symbols(build)
    if len(sys.argv) == 1 and not of:
        bad.append(f"{build}:1: no objects of this tree: make all first")
    defined = {name: path for path, (names, _) in of.items() for name in names}
    calls = collections.defaultdict(set)
    for path, (_, used) in sorted(of.items()):
        calls[path] = {defined[name] for name in used if defined.get(name, path) != path}
        for name in sorted(used):
            other = layer_of(defined.get(name, path))
            if other != layer_of(path) and other not in may[layer_of(path)] and not (
                    other == "formats" and LOOKED_UP.match(name)):
                bad.append(f"{path}:1: calls {name} of {defined[name]}")
    ties = {path: set(others) for path, others in calls.items()}
    for path, other, _ in headers(of):
        ties[path].add(other)
    for circle in circles(ties):
        bad += [f"{path}:1: in a circle: calls {other}" for path in sorted(circle)
                for other in sorted(ties[path] & circle)]
    rooms = collections.defaultdict(set)
    for path in calls:
        rooms[room_of(path)] |= {room_of(other) for other in calls[path]} - {room_of(path)}
    for circle in circles(rooms):
        bad += [f"{path}:1: rooms in a circle: calls {other}" for path in sorted(calls) if room_of(path) in circle
                for other in sorted(calls[path]) if room_of(other) in circle - {room_of(path)}]
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
