"""XLA's texts in exports: damaged, hostile, or not XLA's at all."""
import pathlib, random, shutil, sqlite3

from suite import case, expect, expect_equal, generate, report, run

SECRET = "HOME=/home/user"  # the generator's environment of the job, in one string with NULs


def strings(path, *options):
    generate(path, "transformer_fsdp4", "--steps", "3", "--format", "sqlite", "--hlo-strings", *options)


def texts(db, like):
    return db.execute("SELECT id, value FROM StringIds WHERE value LIKE ? ORDER BY id", (like,)).fetchall()


@case
def foreign_strings():
    """The environment of the job is among the strings, and in no output."""
    strings("job.sqlite")
    with sqlite3.connect("job.sqlite") as db:
        expect(any(SECRET in str(v) for _, v in texts(db, "%HOME=%")), "the test is blind")
    run("job.sqlite", "-o", "out", "--format", "html,md,text,json,csv,svg,sqlite,mail,sarif,metrics", "-q")
    found = [path for path in pathlib.Path("out").rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    expect_equal("files with it", found, [])
    expect(len(list(pathlib.Path("out").rglob("*"))) > 20, "the test is blind")


CHANGES = {
    "cut": lambda r, s: s[:r.randrange(len(s) + 1)],
    "operand": lambda r, s: s.replace("(", "(missing." + str(r.randrange(3)) + ", ", 1),
    "cycle": lambda r, s: s.split(", metadata")[0] + ", calls=" + s.split(" ")[0] + "_of_itself",
    "shape": lambda r, s: s.replace("[", "[99999999999999999999,", 1),
    "deep": lambda r, s: s.replace(" = ", " = " + "(" * r.randrange(5000), 1),
    "braces": lambda r, s: s + ", x=" + "{" * r.randrange(5000),
    "name": lambda r, s: "same = " + s.partition(" = ")[2],
    "bytes": lambda r, s: "".join(chr(r.randrange(1, 256)) if r.random() < 0.1 else c for c in s),
}


@case
def damaged_strings():
    """Whatever the texts are, the report is made, with the times of the executions."""
    strings("whole.sqlite")
    whole = report("whole.sqlite")
    for seed, (name, change) in enumerate(CHANGES.items()):
        r = random.Random(seed)
        shutil.copy("whole.sqlite", "job.sqlite")
        with sqlite3.connect("job.sqlite") as db:
            for row, value in texts(db, "% = %(%"):
                if r.random() < 0.5:
                    db.execute("UPDATE StringIds SET value = ? WHERE id = ?", (change(r, value), row))
        found = report("job.sqlite")
        expect_equal(f"{name}: step", found["step.period_ms"], whole["step.period_ms"])
        expect(found.guess("unreadable-hlo") + found.guess("ambiguous-hlo") + found.guess("ops-not-in-hlo") > 0
               or name in ("operand", "cycle", "shape"), f"{name}: nothing is told")


@case
def many_strings_of_one_name():
    """The time is linear in the texts: each of 100,000 has the name and the operand of all others."""
    strings("job.sqlite")
    with sqlite3.connect("job.sqlite") as db:
        first = db.execute("SELECT min(id) FROM StringIds WHERE value LIKE 'XlaModule%'").fetchone()[0]
        last = db.execute("SELECT max(id) FROM StringIds").fetchone()[0]
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", (
            (last + 1 + i, f"same = f32[8]{{0}} add(same, same), metadata={{source_line={i}}}")
            for i in range(100_000)))
        db.execute("INSERT INTO StringIds VALUES (?, ?)", (last + 200_000, "XlaModule:#hlo_module=m,program_id=99#"))
        db.execute("INSERT INTO StringIds VALUES (?, ?)", (last + 200_001, "other = f32[8]{0} negate(same)"))
        expect(first < last, "the test is blind")
    found = report("job.sqlite")
    expect(found.guess("hlo-in-strings") > 0, "the strings are not used")
