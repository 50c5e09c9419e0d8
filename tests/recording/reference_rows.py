#!/usr/bin/python3
"""Frames of NVIDIA's loader compared with tables of profile.sqlite, row by row.

usage: reference_rows.py reference_load.py FOLDER profile.sqlite

Rows are identified by name, device and start, because its programs are numbered by fingerprints and equal
code is one program. Its durations of thunks exclude time that compute overlaps, which is a separate
column. That column is not compared, because it adds up concurrent compute, while profile.sqlite has the
union. Both drop the last execution of a module if it ran less than those before, each by its own rules;
no other row may be in only one of them.
"""
import pathlib
import sqlite3
import sys

script, folder, database = sys.argv[1:]
# Run all of it except its main part, which prints first rows; it reads Parquet without pyarrow.
text = pathlib.Path(script).read_text(encoding="utf-8").split("prefix = pathlib", 1)[0]
exec(compile(text, script, "exec"), {"__file__": str(pathlib.Path(script).resolve())})
import nsys_jax  # noqa: E402, what that put on the path

prefix = pathlib.Path(folder)
nsys_jax.ensure_compiled_protos_are_importable(prefix=prefix)
data = nsys_jax.remove_autotuning_detail(nsys_jax.load_profiler_data(prefix))
db = sqlite3.connect(database)


def ns(value):
    return round(value * 1e6)


def theirs(frame):
    for row in getattr(data, frame).reset_index().to_dict("records"):
        hidden = row.get("ProjDurHiddenMs", 0)
        key = row["Name"], int(row["Device"]), ns(row["ProjStartMs"])
        value = [ns(row["ProjDurMs"] + hidden)]
        if frame == "thunk":
            value += [int(row["Communication"])]
        if frame == "communication":
            value += [row["Collective"], int(row["MessageSize"])]
        yield key, tuple(value)


COLUMNS = {"module": "dur_ns", "thunk": "dur_ns, communication",
           "communication": "dur_ns, collective, message_bytes"}
# Last executions of each program on each device, as (program, execution, device), and when they ended.
last = {tuple(r) for r in db.execute(
    "SELECT program_id, max(program_execution), device FROM module GROUP BY program_id, device")}
ended = dict(db.execute("SELECT device, max(start_ns + dur_ns) FROM module GROUP BY device"))
bad = 0
for frame, columns in COLUMNS.items():
    own, where = {}, {}
    for program, execution, name, device, start, *value in db.execute(
            f"SELECT program_id, program_execution, name, device, start_ns, {columns} FROM {frame}"):
        own[name, device, start] = tuple(value)
        where[name, device, start] = (program, execution, device)
    seen = dict(theirs(frame))
    wrong = [(k, v, own.get(k)) for k, v in seen.items()
             if own.get(k) != v and not (k not in own and k[2] >= ended[k[1]])]
    missing = [k for k in own if k not in seen and where[k] not in last]
    same = sum(own.get(k) == v for k, v in seen.items())
    print(f"rows of {frame}: {same} the same, {len(seen) - same} more there, {len(own) - same} more here")
    if wrong or missing or own and same < len(own) / 2:
        bad += 1
        print(f"{frame}: {len(wrong)} differ {wrong[:2]}, {len(missing)} missing {missing[:2]}")
sys.exit(bad != 0)
