"""Exports of which tables, columns or cells are absent: what they would state is unknown, not 0 or lost."""
import sqlite3
from nsys_export import Export, MS, US
from suite import case, expect, expect_equal, expect_near, expect_not_said, expect_said, report, run
from xspace import Job, MS as TRACE_MS


def job(path, *statements):
    """40 kernels of 0.9 ms, each followed by a copy of 0.3 ms and 0.8 ms in which the host waits; then SQL."""
    export = Export()
    for i in range(40):
        at = 10 * MS + i * 2 * MS
        export.launch("void gemm<float>(int)", at, at + 100 * US, at + MS)
        export.copy(at + MS, at + 1300 * US, 1 << 20, export.call("cudaMemcpyAsync", at + 20 * US, at + 25 * US))
        export.call("cudaStreamSynchronize", at + 30 * US, at + 1400 * US)
    export.write(path)
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


def without(table, column):
    return f"ALTER TABLE CUPTI_ACTIVITY_KIND_{table} DROP COLUMN {column}"


LOST = ("lost-kernels", "lost-launches", "lost-copies")


@case
def nothing_is_absent():
    """The job as it is: 0.8 ms of idle time per kernel follow a wait, and no record is lost."""
    found = report(job("whole.sqlite"))
    expect_near("idle", found.finding("host-bound")["recoverable_ms"], 31.2, 1e-9)
    for rule in LOST:
        expect_equal(rule, found.check(rule)["value"], 0)


@case
def copies_without_their_table():
    """40 copies are called and no copy is recorded: the GPU may copy while it seems idle. The same for a
    memset beside copies; calls that add copies to a graph, or that a capture records, are no copies."""
    found = report(job("copies.sqlite", "DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY"))
    expect_equal("calls", found.check("lost-copies")["value"], 40)
    expect_said("headline", found["verdict"], "in doubt: 40 of 40 calls that copy or set memory")
    expect_equal("idle time", found.finding("host-bound"), None)
    for calls, lost in ((["cudaMemsetAsync"], 10), (["cudaGraphAddMemcpyNode"], 0), (["cuMemcpyHtoDAsync_v2"], 0),
                        (["cudaStreamBeginCapture_v10000", "cudaMemsetAsync", "cudaStreamEndCapture"], 0)):
        export = Export()
        for i in range(20):
            at = i * MS
            export.launch("k", at, at + 100 * US, at + 900 * US)
            export.copy(at + 900 * US, at + 950 * US, 4096, export.call("cudaMemcpyAsync", at + 20 * US, at + 25 * US))
            for k, name in enumerate(calls if i < 10 else []):
                export.call(name, at + (30 + 2 * k) * US, at + (31 + 2 * k) * US)
        expect_equal(calls, report(export.write("calls.sqlite")).check("lost-copies")["value"], lost)


@case
def operations_without_ids():
    """Kernels, calls or both without correlationId, calls without a thread or a name: it is unknown which
    call launched what, and no record of a kernel or a launch is lost."""
    for table, column, unlinkable in (("KERNEL", "correlationId", 40), ("RUNTIME", "correlationId", 120),
                                      ("RUNTIME", "globalTid", 120), ("RUNTIME", "nameId", 0),
                                      ("MEMCPY", "correlationId", 40), ("KERNEL", "globalPid", 0)):
        found = report(job(f"no-{table}-{column}.sqlite", without(table, column)))
        for rule in LOST:
            expect_equal(f"{table}.{column}: {rule}", found.finding(rule), None)
        expect_equal(f"{table}.{column}: records", found.guess("unlinkable-records"), unlinkable)
        expect_equal(f"{table}.{column}: not launched", found.guess("unlinked-operations"), 0)
        expect_near(f"{table}.{column}: idle", found["gpu.ledger.0.idle_ms"], 31.2, 1e-9)
    found = report(job("calls.sqlite", "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME"))
    expect_equal("operations", found.guess("unlinked-operations"), 80)
    note = next(g["detail"] for g in found["guesses"] if g["id"] == "unlinked-operations")
    expect_said("note", note, "^the calls that launched GPU operations are not in the input")


@case
def a_single_cell_without_an_id():
    """One kernel of 40 has no id, and the records of ten others are lost: these are found."""
    found = report(job("one.sqlite", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = NULL WHERE rowid = 5",
                       "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid BETWEEN 11 AND 20"))
    expect_equal("lost", found.check("lost-kernels")["value"], 11)


@case
def kernels_without_their_gpu():
    """Kernels do not state their GPU, and copies state 0: with one GPU both ran on it; with two that is unknown."""
    found = report(job("one.sqlite", without("KERNEL", "deviceId")))
    expect_equal("GPUs", (len(found["devices"]), found.guess("gpu-unknown")), (1, 0))
    found = report(job("two.sqlite", without("KERNEL", "deviceId"),
                       "INSERT INTO TARGET_INFO_GPU (id, cuDevice) VALUES (1, 1)"))
    expect_equal("GPUs of two", found.guess("gpu-unknown"), 1)


@case
def copies_without_a_size():
    """Sizes of copies are absent, or half of them: sums and bandwidths are null, or those of the others."""
    found = report(job("none.sqlite", without("MEMCPY", "bytes")))
    row = found["copies.0"]
    expect_equal("row", [row[key] for key in ("count", "bytes", "gbps", "mean_bytes")], [40, None, None, None])
    expect_equal("sizes", found["copy_sizes"], [])
    expect_equal("note", found.guess("sizes-missing"), 40)
    expect_said("copies", found.finding("exposed-copies")["evidence"], "of unknown size")
    expect_not_said("text", found.text, r"\b0 B at|0 GB/s")
    row = report(job("half.sqlite", "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = NULL WHERE rowid % 2"))["copies.0"]
    expect_equal("half", (row["count"], row["bytes"], row["mean_bytes"]), (40, 20 << 20, 1 << 20))
    expect_near("bandwidth", row["gbps"], (1 << 20) / 300e3, 1e-6)
    found = report(job("kind.sqlite", without("MEMCPY", "copyKind")))
    expect_said("copies", found.finding("exposed-copies")["evidence"], "unknown direction: 40 times")


@case
def texts_that_are_a_view():
    """StringIds is a view: times are those of the export, names are unknown, and the exit status is 1."""
    path = job("view.sqlite", "ALTER TABLE StringIds RENAME TO Texts",
               "CREATE VIEW StringIds AS SELECT id, value FROM Texts")
    found = report(path, status=1)
    expect_said("stderr", run("report", path, "-q", "-f", "-o", "again")[2], "table StringIds is a view")
    expect_near("idle", found["gpu.ledger.0.idle_ms"], 31.2, 1e-9)
    expect_equal("names", found.guess("names-missing"), 160)
    for rule in LOST:
        expect_equal(rule, found.finding(rule), None)


def trace(path, *programs):
    """Executions of one program that follow each other on a GPU, in a trace without events of the host. Each
    is a list of kernels of 0.9 ms, one per ms; steps begin 0.2 ms after the last one ended."""
    job, at = Job(), TRACE_MS
    for program in programs:
        job.execute(0, 7, "jit_train_step", at,
                    [(op, op, i * TRACE_MS, TRACE_MS * 9 // 10) for i, op in enumerate(program)])
        at += len(program) * TRACE_MS + TRACE_MS // 10
    job.threads = {}
    return job.write(path)


@case
def executions_without_the_host():
    """A trace with host_tracer_level=0: executions begin where the instructions of the module do again, with a
    loop in them, and where the profile begins or ends in a step. A lost kernel, or another number of trips,
    makes them one execution in doubt."""
    step = ["fusion.1", "loop.2", "loop.2", "dot.3"]
    found = report(trace("steps.xplane.pb", *[step] * 12))
    expect_equal("executions", (found["modules.0.executions"], found["modules.0.mean_ms"]), (12, 3.9))
    expect_equal("period", found["step.period_ms"], 4.1)
    expect_equal("note", found.guess("guessed-executions"), 12)
    expect_equal("cut", report(trace("cut.xplane.pb", step[2:], *[step] * 12))["modules.0.execution_median_ms"], 4.0)
    expect_equal("once", report(trace("once.xplane.pb", ["a", "b", "c"])).check("merged-executions")["value"], 0)
    for name, steps in (("trips", [step] * 6 + [step[:2] + step[1:]] + [step] * 6),
                        ("lost", [step] * 6 + [step[:3]] + [step] * 6)):
        found = report(trace(f"{name}.xplane.pb", *steps))
        expect_equal(f"{name}: executions", found["modules.0.executions"], 1)
        expect_equal(f"{name}: merged", found.check("merged-executions")["value"], 1)
        expect_said(f"{name}: headline", found["verdict"], "in doubt: 1 of 1 executions of modules may be several")
        for finding in found["findings"]:
            expect(finding["recoverable_ms"] is None, f"{name}: {finding['title']}")
