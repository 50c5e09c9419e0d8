"""Hundreds of ranks, some of which are not readable or not of the job."""
import json, os
from suite import case, expect_equal, expect_said, generate, run

RANKS = 24


def job(name="job", *options):
    """Return the archives of a job of one GPU per process, in order of ranks."""
    generate(f"{name}.zip", "transformer_fsdp4", "--processes", str(RANKS), "--devices", "1", "--steps", "2", *options)
    return [f"{name}-proc{rank}.zip" for rank in range(RANKS)]


def listed(paths, name="list"):
    with open(name, "w", encoding="utf-8") as file:
        file.writelines(f"{path}\n" for path in paths)
    return f"@{name}"


def read(*arguments, folder="out"):
    """Return exit status, lines on stderr and report.json, or None."""
    code, _, said = run("report", *arguments, "-f", "-o", folder, "--format", "json")
    path = f"{folder}/report.json"
    return code, said.splitlines(), json.load(open(path, encoding="utf-8")) if os.path.exists(path) else None


def said_of(lines, words):
    found = [line for line in lines if words in line]
    expect_equal(f"lines that say {words!r} of {lines}", len(found), 1)
    return found[0]


@case
def unreadable_ranks():
    """A rank that is cut, is no profile, does not exist or is an empty folder: a line each, and the report of all
    others, which is the same as without those names."""
    paths = job()
    _, _, whole = read(*paths[2:])
    with open(paths[0], "r+b") as file:
        file.truncate(os.path.getsize(paths[0]) // 2)
    with open(paths[1], "w", encoding="utf-8") as file:
        file.write("no profile\n")
    os.mkdir("folder")
    code, lines, found = read(listed(["absent.zip", *paths, "folder"]))
    expect_equal("exit status", code, 1)
    expect_equal(f"lines of {lines}", len(lines), 4)
    for name in ("absent.zip", paths[0], paths[1], "folder"):
        expect_said("its line", said_of(lines, f"{name}"), "; the report does not include it$")
    for key in ("devices", "stragglers", "thunks", "step"):
        expect_equal(key, found.get(key), whole.get(key))
    code, lines, found = read("absent.zip", *paths[:2], "folder")
    expect_equal("exit status without any rank", code, 1)
    expect_equal(f"lines without any rank: {lines}", len(lines), 1)
    code, lines, found = read(listed(["absent.zip", *paths]), "--strict", folder="strict")
    expect_equal("exit status with --strict", (code, found), (1, None))


@case
def ranks_twice():
    """One rank twice, and five ranks twice: each is read once, with one line and the number of the others."""
    paths = job()
    _, _, once = read(*paths, folder="once")
    code, lines, found = read(*paths, paths[3])
    expect_equal("exit status", code, 0)
    expect_said("stderr", "\n".join(lines),
                "^jaxreport: warning: 'job-proc3.zip' and 'job-proc3.zip' contain the same trace\\. It is read once[^\n]*$")
    for table in ("devices", "ledger", "stragglers", "thunks", "step"):
        expect_equal(f"rows of {table}", found.get(table), once.get(table))
    code, lines, found = read(*paths, *paths[:5])
    expect_equal(f"lines of {lines}", len(lines), 1)
    expect_said("stderr", lines[0], r"'job-proc0.zip' contain the same trace \(and 4 more like it\)\. It is read once")
    expect_said("report", " ".join(found["warnings"]), r"the same trace \(and 4 more like it\)")


@case
def ranks_of_other_jobs():
    """Ranks of another job of the same program, or of another program on another GPU: a line per kind of difference,
    on stderr as in the report, and as combine says it."""
    paths = job()
    other = job("other", "--seed", "7")
    code, lines, found = read(*paths, *other[:3])
    expect_equal("exit status", code, 0)
    expect_equal(f"lines of {lines}", len(lines), 1)
    expect_said("stderr", lines[0],
                r"'job-proc0.zip' and 'other-proc0.zip' both come from process 0 \(and 2 more like it\)\. Check")
    expect_equal("warnings", [f"jaxreport: warning: {text}" for text in found["warnings"]], lines)
    generate("vae.zip", "mnist_vae", "--steps", "2")
    generate("pipe.zip", "pipeline4", "--steps", "2")
    code, lines, found = read(*paths[:2], "vae.zip", "pipe.zip")
    said_of(lines, "'job-proc0.zip' and 'vae.zip' both come from process 0 (and 1 more like it)")
    said_of(lines, "'job-proc0.zip' mostly runs 'jit_train_step', 'pipe.zip' mostly runs ")
    gpus = said_of(lines, "ran on ")
    expect_said("GPUs", gpus, "'job-proc0.zip' ran on 'NVIDIA H100 80GB HBM3', 'vae.zip' on 'NVIDIA A100-SXM4-40GB'")
    _, _, combined = run("combine", *paths[:2], "vae.zip", "pipe.zip", "-o", "all.zip")
    for words in ("both come from process 0 (and 1 more", "mostly runs", gpus):
        said_of(combined.splitlines(), words)
    _, lines, _ = read(*paths)
    expect_equal("lines of one job", lines, [])


@case
def a_thousand_names():
    """A thousand names, on the command line as in a list, of 24 ranks."""
    paths = job()
    for i in range(1000 - RANKS):
        os.link(paths[i % RANKS], f"rank{i}.zip")
    names = paths + [f"rank{i}.zip" for i in range(1000 - RANKS)]
    code, lines, by_names = read(*names, folder="names")
    expect_equal("exit status", code, 0)
    expect_equal(f"lines of {lines}", len(lines), 1)
    expect_said("stderr", lines[0], r"contain the same trace \(and 975 more like it\)")
    expect_equal("inputs", len(by_names["inputs"]), 1000)
    _, _, by_list = read(listed(names), folder="list-out")
    expect_equal("the report of a list", by_list, by_names)
