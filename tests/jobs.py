"""What suites share: checks and their counts; generated jobs: make one, report on it, compare two, run many cases.

BUILD: the folder of the build, from the environment."""
import concurrent.futures
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
EVERY = int(os.environ.get("EVERY") or 1)
PART = int(os.environ.get("PART") or 0) % EVERY
# A suite is called by its own name, or is the program "run" of its folder.
SUITE = os.path.basename(os.path.abspath(sys.argv[0]).removesuffix("/run"))
counts = [0, 0]  # failed, passed


def say(holds, what, detail=""):
    """Count a check, and print it if it fails."""
    counts[bool(holds)] += 1
    if not holds:
        print(f"{SUITE}: {what}: {str(detail)[:600]}", flush=True)


def end():
    """Print the suite's last line; return True if a check failed."""
    print(f"{SUITE}: {counts[True]} passed, {counts[False]} failed")
    return counts[False] > 0


def sample(cases):
    """Return each n-th case, from PART on (EVERY=n)."""
    return cases[PART::EVERY]


def jaxreport(*arguments, **options):
    return subprocess.run([f"{BUILD}/jaxreport", *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False, **options)


def run(*command, check=True, **options):
    """Run a command: words, or one text of words without blanks. With check, it must succeed."""
    words = command[0].split() if len(command) == 1 else [os.fspath(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.returncode}: {done.stderr[:500]}")
    return done


def generate(folder, options, name="a"):
    """Write a job into its own folder; return the paths of its profiles, one per process."""
    ending = "sqlite" if "--format sqlite" in options else "zip"
    folder.mkdir()
    run(f"{BUILD}/jr-generate {options} -o {folder}/{name}.{ending}")
    return sorted(folder.glob(f"{name}*.{ending}"))


def generate_xspace(folder, options):
    """Write a job as jax.profiler does; return its XSpace files."""
    folder.mkdir()
    run(f"{BUILD}/jr-generate {options} --format xspace -o {folder}/a")
    return sorted(folder.glob("a/plugins/profile/*/*.xplane.pb"))


def listed(paths):
    """Combine several profiles into one input."""
    if len(paths) == 1:
        return str(paths[0])
    path = paths[0].parent / "profiles.txt"
    path.write_text("".join(f"{p}\n" for p in paths))
    return f"@{path}"


def compare(folder, base, new, *options):
    """Return report.json of a comparison, or None; and how the command ended."""
    out = f"{folder}/diff"
    done = jaxreport("compare", base, new, "-q", "-f", "-o", out, "--format", "json,text", *options)
    if not os.path.exists(f"{out}/report.json"):
        return None, done
    with open(f"{out}/report.json", encoding="utf-8") as f:
        return json.load(f), done


def do_not_add_up(diff):
    """Check that contributions add up to the change of the step, and each side to the step, in ns; parts too."""
    def ns(ms):
        return round((ms or 0) * 1e6)

    if not diff.get("contributions"):
        yield "there are no contributions"
        return
    rows, step = diff["contributions"], diff["step"]
    for key in "base_ms", "new_ms", "change_ms":
        parts = sum(ns(r[key]) for r in rows)
        if parts != ns(step[key]):
            yield f"contributions: {key} sums to {parts} ns, not to {ns(step[key])}"
    parts = sum(ns(p["change_ms"]) for p in diff["step_parts"][:-1])
    if parts != ns(step["change_ms"]):
        yield f"step_parts: changes sum to {parts} ns, not to {ns(step['change_ms'])}"


def hold_all(suite, cases):
    """Run a sample of cases (name, function, arguments) concurrently, each in its own folder, which is its
    first argument. Print the problems that each returns, and the suite's last line; return True if none fails."""
    failed, cases = 0, sample(cases)
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def hold(number):
            _, function, arguments = cases[number]
            folder = pathlib.Path(scratch) / str(number)
            folder.mkdir()
            problems = function(folder, *arguments)
            subprocess.run(["rm", "-rf", str(folder)], check=True)
            return problems
        for (name, _, _), problems in zip(cases, pool.map(hold, range(len(cases)))):
            for problem in problems:
                print(f"{suite}: {name}: {problem}")
            failed += bool(problems)
    print(f"{suite}: {len(cases) - failed} passed, {failed} failed")
    return not failed


# --- one job in two forms --------------------------------------------------------------------------

# Schemas of exports; of a sample, one of them.
SCHEMAS = ("3.24", "3.13", "2.9")
if EVERY > 1:
    SCHEMAS = (SCHEMAS[int(os.environ.get("PART") or 0) % 3],)

# Sections of exports for which tables of archives have no column.
ONLY_EXPORTS = {"capture", "cuda_api", "gaps", "gpu", "kernels", "launch", "nccl_overlap", "nvtx",
                "copies", "copy_sizes", "profiler_overhead", "diagnostics"}
# Advice that an export rules out: it records copies, and these jobs copy no batches to the GPU.
LOADER = " Put the next batch on the device before it is needed: call jax.device_put one step ahead, or use a " \
    "prefetching loader such as Grain."


def report_of(out, *arguments):
    run(f"{BUILD}/jaxreport", *arguments, "-q", "-f", "-o", out, "--format", "json,sqlite")
    with open(f"{out}/report.json", encoding="utf-8") as f:
        return json.load(f)


def of_any_form(report):
    """Return a report without the parts that depend on the form of its input."""
    r = {k: v for k, v in report.items() if k not in ONLY_EXPORTS | {"inputs", "guesses"}}
    r["unavailable"] = [u for u in r["unavailable"] if u["section"] not in ONLY_EXPORTS]
    r["provenance"] = {k: v for k, v in r["provenance"].items() if k != "nsys"}
    r["findings"] = [{**f, "action": f["action"] and f["action"].replace(LOADER, "")} for f in r["findings"]]
    return r


def difference(a, b, path="", same=lambda a, b: a == b):
    """Return the first place where two values differ, or None."""
    if type(a) is not type(b):
        return f"{path}: {a!r} against {b!r}"
    if isinstance(a, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                return f"{path}.{key}: only in one"
            found = difference(a[key], b[key], f"{path}.{key}", same)
            if found:
                return found
        return None
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} against {len(b)} entries"
        for i, (x, y) in enumerate(zip(a, b)):
            found = difference(x, y, f"{path}[{i}]", same)
            if found:
                return found
        return None
    return None if same(a, b) else f"{path}: {a!r} against {b!r}"


def frame(out, table):
    """Rows of a frame; ranges are numbered by position."""
    with sqlite3.connect(f"{out}/profile.sqlite") as db:
        columns = [r[1] for r in db.execute(f"pragma table_info({table})")]
        rows = db.execute(f"select * from {table}").fetchall()
    if table != "compile":
        return columns, rows
    at, of, ids = columns.index("range_id"), columns.index("profile"), {}
    for row in rows:
        ids.setdefault((row[of], row[at]), len(ids))
    keep = [i for i, c in enumerate(columns) if i != of]
    ranges = {i for i, c in enumerate(columns) if c in ("range_id", "parent_id", "parent")}
    return columns, [tuple(ids.get((row[of], row[i]), row[i]) if i in ranges else row[i]
                           for i in keep) for row in rows]
