"""Generated jobs for suites: make one, report on it, compare two, run many cases.

BUILD: the folder of the build, from the environment."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
EVERY = int(os.environ.get("EVERY") or 1)
PART = int(os.environ.get("PART") or 0) % EVERY


def sample(cases):
    """Return each n-th case, from PART on (EVERY=n)."""
    return cases[PART::EVERY]


def jaxreport(*arguments, **options):
    return subprocess.run([f"{BUILD}/jaxreport", *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False, **options)


def run(command):
    """Run a command that must succeed; its arguments have no blanks."""
    done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr[:500]}")


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
