"""Missing records, and impossible records."""
import glob, gzip, json, os, random, re, shutil, sqlite3, zipfile

from nsys_export import Export, MS, S, US
from suite import advice, case, expect, expect_equal, expect_near, expect_not_said, expect_said, \
    generate, report, run, shared, shared_case
from xspace import Computation, Job, module
import xspace


def steady(steps=40, period=100 * US, busy=80 * US):
    """An export of one kernel per step."""
    export = Export()
    for i in range(steps):
        at = MS + i * period
        export.launch("gemm", at - 20 * US, at, at + busy)
    return export


@case
def whole_export():
    """Nothing is missing: busy 80 of 100 µs over 40 steps, and no fault is found."""
    found = report(steady().write("whole.sqlite"))
    expect_near("busy", found["gpu.busy_fraction"], 40 * 80 / (39 * 100 + 80), 1e-9)
    expect_equal("launches without a kernel", found.check("no-kernels")["value"], 0)


@case
def whole_trace():
    """Twelve steps of 1 ms with a product of 800 µs each: the step time is 1 ms."""
    job, main = Job(), Computation()
    main.dot(4096, 4096, 4096, name="dot.1")
    job.program(7, "jit_step", module("jit_step", 7, main))
    for i in range(12):
        job.execute(0, 7, "jit_step", (1 + i) * xspace.MS, [("dot.1", "nvjet", 0, 800 * xspace.US)])
    found = report(job.write("whole.xplane.pb"))
    expect_near("step", found["step.period_ms"], 1, 1e-9)


# --- records that are missing


def lossy(lost, steps=200, period=MS, busy=800 * US):
    """An export of one kernel per step, but the steps in `lost` have no record."""
    export = Export()
    for i in range(steps):
        at = 10 * MS + i * period
        if i in lost:
            export.call("cuLaunchKernel", at - 20 * US, at - 18 * US)
        else:
            export.launch("gemm", at - 20 * US, at, at + busy)
    return export


def expect_lost(found, count, of):
    finding = found.finding("lost-kernels")
    expect(finding, "no finding about lost kernels")
    expect_said("title", finding["title"], f"^{count} of {of} kernel launches ha(s|ve) no kernel")
    expect_equal("lost kernels", found.check("lost-kernels")["value"], count)
    expect_said("headline", found["verdict"], rf"in doubt: {count} of {of} kernel launches")
    expect_equal("idle time that lost kernels explain", found.finding("unexplained-idle"), None)


@case
def lost_in_the_middle():
    """99 of 200 launches have no record: the host causes the 100 gaps of 200 µs before and after."""
    found = report(lossy(range(61, 160)).write("lost.sqlite"))
    expect_lost(found, 99, 200)
    causes = {c["cause"]: c["sum_ms"] for c in found["gaps.causes"]}
    expect_near("idle time by the host", causes["host-bound"], 99 * .2)
    expect_near("idle time of unknown cause", causes["unknown"], 99 + .2)
    expect_equal("place of Data quality", found.text.find("Data quality") <
                 found.text.find("Opportunities"), True)


@case
def lost_everywhere():
    """Every second record is missing: nothing is known of the host."""
    found = report(lossy(range(1, 199, 2)).write("lost.sqlite"))
    expect_lost(found, 99, 200)
    expect_equal("finding about the host", found.finding("host-bound"), None)


@case
def lost_by_process():
    """The kernels of one of 4 processes are recorded."""
    export = Export(gpus=4)
    for rank in range(4):
        for i in range(100):
            at = 10 * MS + i * MS
            if rank == 0:
                export.launch("gemm", at - 20 * US, at, at + 800 * US, pid=1000)
            else:
                export.call("cuLaunchKernel", at - 20 * US, at - 18 * US, pid=1000 + rank)
    found = report(export.write("ranks.sqlite"))
    expect_lost(found, 300, 400)
    expect_said("detail", advice(found.finding("lost-kernels")),
                "No kernel was recorded for 3 of 4 processes")
    expect_equal("finding about the host", found.finding("host-bound"), None)


@case
def in_flight():
    """The last five launches had not run when the capture ended: nothing is missing."""
    export = lossy(())
    for i in range(5):
        export.call("cuLaunchKernel", 209 * MS + i * 20 * US, 209 * MS + i * 20 * US + 2 * US)
    found = report(export.write("flight.sqlite"))
    expect_equal("lost kernels", found.check("lost-kernels")["value"], 0)


@case
def captured_into_a_graph():
    """Kernels that are captured into a graph do not run when they are launched."""
    export = steady()
    export.call("cudaStreamBeginCapture_v10000", 2 * MS, 2 * MS + US)
    for i in range(9):
        export.call("cudaLaunchKernel_v7000", 2 * MS + (2 + i) * US, 2 * MS + (2 + i) * US + 500)
    export.call("cudaStreamEndCapture_v10000", 2 * MS + 15 * US, 2 * MS + 16 * US)
    found = report(export.write("captured.sqlite"))
    expect_equal("lost kernels", found.check("lost-kernels")["value"], 0)


def graphs(lost):
    """50 launches of a graph of 20 kernels, and 50 of one of 8; of some kernels are missing."""
    export = Export()
    for i in range(100):
        at, size = 10 * MS + i * MS, 8 if i % 2 else 20
        call = export.call("cuGraphLaunch", at - 20 * US, at - 10 * US)
        for k in range(size):
            if (i, k) not in lost:
                export.kernel(f"k{k}", at + k * 40 * US, at + (k * 40 + 39) * US, call,
                              graphNodeId=(1 + i % 2 << 32) + k)
    return export


@case
def nodes_of_graphs():
    """Two of 100 replays lack kernels; the resulting gap of 320 µs has no known cause."""
    found = report(graphs({(30, k) for k in range(5, 13)} | {(41, 3)}).write("graphs.sqlite"))
    expect_equal("lost nodes", found.check("lost-nodes")["value"], 2)
    expect_said("headline", found["verdict"], "in doubt: 2 of 99 graph replays have fewer")
    causes = {c["cause"]: c["sum_ms"] for c in found["gaps.causes"]}
    expect("unknown" in causes, f"no idle time of unknown cause: {causes}")
    found = report(graphs(()).write("whole.sqlite"))
    expect_equal("lost nodes", found.check("lost-nodes")["value"], 0)


def graphs_of_a_trace(lost):
    """40 launches of a graph of 10 kernels, as jax.profiler records them."""
    job, us = Job(), xspace.US
    for i in range(40):
        at = (10000 + 1000 * i) * us
        job.event("main", "cuGraphLaunch", at - 20 * us, 10 * us,
                  dict(device_id=0, correlation_id=i + 1))
        for k in range(10):
            if (i, k) not in lost:
                job.streams[0].setdefault(7, []).append((f"k{k}", at + 40 * k * us, 39 * us, dict(
                    correlation_id=i + 1, kernel_details=job.DETAILS,
                    cuda_graph_node_id=(3 << 32) + k)))
    return job


@case
def nodes_of_graphs_of_a_trace():
    """Two of 40 replays lack kernels."""
    for name, lost, true in (("whole", set(), 0), ("short", {(7, 2), (7, 3), (30, 9)}, 2)):
        job = graphs_of_a_trace(lost)
        job.write(f"{name}.xplane.pb")
        found = report(f"{name}.xplane.pb")
        expect_equal(f"lost nodes of {name}", found.check("lost-nodes")["value"], true)


@case
def told_by_nsys():
    """nsys says that it dropped 123456 events: the report draws no conclusion from idle time."""
    export = lossy(())
    export.message("Not all CUDA events might have been collected.", 11 * MS)
    export.message("Buffered CUDA events dropped: 123456", 11 * MS)
    found = report(export.write("told.sqlite"))
    expect_equal("dropped", found.check("reported-drops")["value"], 123456)
    expect_said("headline", found["verdict"], "in doubt: the profiler dropped 123,456 events")
    expect_equal("finding about the host", found.finding("host-bound"), None)
    expect_said("reason", found.check("host-bound")["reason"], "the profiler dropped")


# --- impossible times


@case
def no_times():
    """Two of 42 records have 0 for their times, one 0 for its begin: 39 of 40 µs are right."""
    export = Export()
    for i in range(40):
        at = 20 * S + i * 100 * US
        export.launch("gemm", at - 20 * US, at, at + 80 * US)
    for start, end in ((0, 0), (0, 0), (0, 20 * S + 50 * US)):
        export.launch("gemm", 20 * S + 5 * MS, start, end)
    found = report(export.write("zero.sqlite"))
    expect_near("busy", found["gpu.busy_fraction"], 3200 / 3980, 1e-9)
    expect_equal("records without times", found.check("no-times")["value"], 3)
    expect_said("headline", found["verdict"], "in doubt: 3 of 43 GPU records have no times")


@case
def no_length():
    """Each kernel ends when it begins: none has a duration, and the report says nothing about the GPU."""
    export = Export()
    for i in range(40):
        at = 10 * MS + i * 100 * US
        export.launch("gemm", at - 20 * US, at, at)
    found = report(export.write("nolength.sqlite"))
    expect_said("headline", found["verdict"], "what the GPU did is unknown",
                "in doubt: 40 of 40 GPU records have no times")


@case
def far_away():
    """One of 41 kernels is a year later, another one three hours, and one ends a year later: each is left out."""
    for away in (365 * 86400 * S, 3 * 3600 * S):
        export = steady()
        export.launch("gemm", 5 * MS, away, away + 80 * US)
        found = report(export.write("stray.sqlite"))
        expect_near("busy", found["gpu.busy_fraction"], 3200 / 3980, 1e-9)
        expect_equal("far records", found.check("far-records")["value"], 1)
        expect_said("headline", found["verdict"], "in doubt: 1 of 82 records lies more than")
    export = steady()
    export.launch("gemm", 5 * MS, 5 * MS, 365 * 86400 * S)
    found = report(export.write("endless.sqlite"))
    expect_equal("endless records", found.check("far-records")["value"], 1)
    expect_said("headline", found["verdict"], "1 of 82 records lies more than 364 days from all others")


@case
def far_away_on_a_tpu():
    """One of 13 executions of a TPU is 60 days later: the step time is 1 ms."""
    later = 60 * 86400 * 10**12
    device, host = xspace.Plane("/device:TPU:0", 2), xspace.Plane("/host:CPU", 3)
    device.line("XLA Modules", [("jit_f(5)", (1 + i) * xspace.MS, 900 * xspace.US)
                                for i in range(12)] + [("jit_f(5)", later, 900 * xspace.US)])
    device.line("XLA Ops", [("%fusion.1 = f32[8]{0} fusion(...)", (1 + i) * xspace.MS,
                             800 * xspace.US) for i in range(12)], 2)
    host.line("python", [("x", xspace.MS, 5 * xspace.US)])
    with open("tpu.xplane.pb", "wb") as file:
        file.write(xspace.space([device, host]))
    found = report("tpu.xplane.pb")
    expect_near("step", found["step.period_ms"], 1)
    expect_said("headline", found["verdict"], "in doubt: 1 of 26 records lies more than 59 days")


@case
def an_hour_of_nothing():
    """A program that waits for two hours, and works before and after, is not at fault."""
    export = steady()
    at = 2 * 3600 * S
    export.launch("gemm", at - 20 * US, at, at + 80 * US)
    found = report(export.write("pause.sqlite"))
    expect_equal("far records", found.check("far-records")["value"], 0)
    expect_equal("operations", found["gpu.ledger.0.operations"], 41)


@case
def before_their_launch():
    """Clocks are 5 ms apart: launch latency and causes of idle time are unknown."""
    export = Export()
    for i in range(40):
        at = 10 * MS + i * 100 * US
        export.launch("gemm", at, at - 5 * MS, at - 5 * MS + 80 * US)
    found = report(export.write("before.sqlite"))
    expect_equal("early", found.check("before-launch")["value"], 40)
    expect_equal("latencies", found["launch.latency"], None)
    expect_equal("causes", [c["cause"] for c in found["gaps.causes"]], ["unknown"])
    expect_said("headline", found["verdict"], "40 of 40 GPU operations start before their launch")


def steps_of_four(long=None):
    """12 steps of 1 ms of four kernels of 200 µs each; `long`: µs that one of them claims."""
    job, main = Job(), Computation()
    for k in range(4):
        main.dot(4096, 4096, 4096, name=f"dot.{k}")
    job.program(7, "jit_step", module("jit_step", 7, main))
    for i in range(12):
        kernels = [(f"dot.{k}", f"nvjet_{k}", k * 210 * xspace.US,
                    (long if long and (i, k) == (5, 1) else 200) * xspace.US) for k in range(4)]
        job.execute(0, 7, "jit_step", (1 + i) * xspace.MS, kernels)
    return job.write("steps.xplane.pb")


@case
def one_record_covers_others():
    """One record of 20 ms overlaps the kernels after it: the step time is still 1 ms."""
    found = report(steps_of_four(20000))
    expect_near("step", found["step.period_ms"], 1)
    expect_equal("covering", found.check("overlapping-records")["value"], 1)
    for rule in ("uneven-steps", "idle-between-modules", "idle-inside-modules"):
        expect_equal(rule, found.finding(rule), None)
        expect_said(rule, found.check(rule)["reason"], "GPU records overlaps the next record")
    expect_said("headline", found["verdict"], "^1.000 ms .*in doubt: 1 of 48 GPU records")


@case
def a_chain_of_overlaps():
    """Each of 40 kernels ends 25 µs after the second later one began: each counts until the next one begins."""
    export = Export()
    for i in range(40):
        at = MS + i * 75 * US
        export.launch("gemm", at - 20 * US, at, at + 175 * US)
    found = report(export.write("chain.sqlite"))
    expect_equal("covering", found.check("overlapping-records")["value"], 38)
    expect_near("kernel time", sum(k["sum_ms"] for k in found["kernels"]), (38 * 75 + 2 * 175) / 1000)


@case
def legal_overlap():
    """Kernels that begin 5 µs before the last one ends (dependent launch) are right."""
    export = Export()
    for i in range(40):
        at = MS + i * 75 * US
        export.launch("gemm", at - 20 * US, at, at + 80 * US)
    found = report(export.write("dependent.sqlite"))
    expect_equal("covering", found.check("overlapping-records")["value"], 0)
    expect_near("busy", found["gpu.busy_fraction"], 1)
    found = report(steps_of_four(215))
    expect_equal("covering", found.check("overlapping-records")["value"], 0)


@case
def launches_that_are_missing():
    """20 of 200 calls are missing in the middle; the kernels of the first 10 µs began before."""
    export = Export()
    for i in range(200):
        at = 10 * MS + i * MS
        if 100 <= i < 120:
            export.kernel("gemm", at, at + 800 * US, correlation=100000 + i)
        else:
            export.launch("gemm", at - 20 * US, at, at + 800 * US)
    export.kernel("gemm", 9990 * US, 9995 * US, correlation=200000)
    found = report(export.write("calls.sqlite"))
    expect_equal("lost launches", found.check("lost-launches")["value"], 20)
    expect_said("headline", found["verdict"], "in doubt: 20 of 201 kernels have no record of a la")


# --- CUDA was traced without results


def without_cuda():
    export = Export()
    export.setting("PROCESS_0:COLLECT_CUDA_TRACE", "true")
    export.message("Installed CUDA driver version (13.1) is not supported by this build.")
    export.message("ActivityFlushAll returned 2: CUPTI_ERROR_INVALID_DEVICE", severity=3)
    return export


@case
def no_event_at_all():
    """The profiler failed: the error quotes it, and does not ask to trace CUDA."""
    code, _, said = run("report", without_cuda().write("failed.sqlite"), "-o", "out")
    expect_equal("exit status", code, 1)
    expect_said("error", said, "although CUDA was traced", "CUPTI_ERROR_INVALID_DEVICE",
                r"driver version \(13.1\) is not supported")
    expect_not_said("error", said, "-t cuda")


@case
def no_event_of_cuda():
    """The same with ranges of NVTX: the headline is about CUDA."""
    export = without_cuda()
    for i in range(9):
        export.range("step", i * MS, i * MS + 900 * US)
    found = report(export.write("ranges.sqlite"))
    expect_said("headline", found["verdict"], "^CUDA was traced, but no CUDA event was recorded")
    expect_said("evidence", found.finding("no-kernels")["evidence"], "CUPTI_ERROR_INVALID_DEVICE")


@case
def calls_alone():
    """Nine calls that launch nothing, and no operation of a GPU."""
    export = Export()
    for i in range(9):
        export.call("cudaMalloc_v3020", i * MS, i * MS + 50 * US)
    found = report(export.write("calls.sqlite"))
    expect_said("headline", found["verdict"], "^9 calls of CUDA and no GPU operation were recorded")


# --- savings


@case
def saving_of_the_slower_device():
    """Two devices take 1,920 and 1,888 ns: a saving is at most the step, 1,904 ns."""
    found = report(shared("data/faults/gpu_neg.xplane.pb"))
    for finding in found["findings"]:
        expect((finding["step_without_ms"] or 0) >= 0, f"{finding['id']}: negative: {finding}")
        expect((finding["step_recoverable_ms"] or 0) <= 0.001904 + 1e-9, f"too large: {finding}")
    expect_not_said("report", found.text, r"-\d+(\.\d+)? ns", "−", "would take 0 ns", "then 0 ns")


# --- cases and files of ../shared


@case
def shared_faults_of_records():
    """The cases of ../shared about records that are missing or impossible."""
    for name, rule, value, busy in (("lost", "lost-kernels", 99, 80.8 / 199.8),
                                    ("lost_ranks", "lost-kernels", 300, 80 / 99.8),
                                    ("lost_told", "reported-drops", 123456, 80 / 99.8),
                                    ("zero", "no-times", 1, 3.2 / 3.98),
                                    ("before", "before-launch", 40, 3.2 / 3.98),
                                    ("stray", "far-records", 1, 3.2 / 3.98)):
        found = report(*shared_case(name))
        expect_equal(f"{name}: {rule}", found.check(rule)["value"], value)
        expect_near(f"{name}: busy", found["gpu.busy_fraction"], busy, 1e-6)
        expect_said(f"{name}: headline", found["verdict"], "in doubt: ")
    found = report(*shared_case("overlap_x"))
    expect_near("overlap_x: step", found["step.period_ms"], 1)
    expect_equal("overlap_x: uneven", found.finding("uneven-steps"), None)


@case
def shared_cupti_failed():
    """../shared/data/faults/cuptifail.sqlite: the error quotes the profiler."""
    code, _, said = run("report", shared("data/faults/cuptifail.sqlite"), "-o", "out")
    expect_equal("exit status", code, 1)
    expect_said("error", said, "CUPTI_ERROR_INVALID_DEVICE")
    expect_not_said("error", said, "-t cuda")


# --- sentences


def sentences(found):
    """Return all text of the report that contains numbers."""
    texts = [found["verdict"]] + [found[f"{key}.{i}.{text}"] for key, names in
             (("findings", ("title", "why", "action", "evidence")), ("unavailable", ("reason",)),
              ("guesses", ("detail",))) for i in range(len(found[key])) for text in names]
    texts += re.findall(r"[A-Z“][^.]*?\d[^.]*(?:\.\d[^.]*)*\.(?= |$)", found.text)
    return [text for text in texts if text]


def expect_possible(what, found):
    """No share above 100 %, no time of 0 and none below it, without a reason next to it."""
    for text in sentences(found):
        for number in re.findall(r"(?<![\d.,])([\d,]+(?:\.\d+)?) %(?! \(above 100 %)", text):
            above = float(number.replace(",", "")) >= 100.5
            expect(not above or "above 100 %, so in doubt" in text, f"{what}: {number} % in: {text}")
    for text in [found["verdict"]] + [f[k] for f in found["findings"] for k in
                                      ("title", "why", "action", "evidence")]:
        expect_not_said(what, text or "", r"(?<![\d.,])0 ns", r"(?<![\d.,\w])[-−]\d[\d.,]* (ns|µs|ms|s)\b")


@case
def above_the_peak():
    """1.1 TFLOP in 2.5 ms on a Tesla T4 (65 TFLOP/s) is 675 % of its peak."""
    job, main = Job(gpu=dict(gpu_device_name="Tesla T4", compute_cap_major=7, compute_cap_minor=5,
                             core_count=40, memory_bandwidth=320 * 10**9, clock_rate=1590000)), \
        Computation()
    main.dot(8192, 8192, 8192, name="dot.1")
    job.program(7, "jit_s", module("jit_s", 7, main))
    for i in range(6):
        job.execute(0, 7, "jit_s", (1 + 20 * i) * xspace.MS, [("dot.1", "nvjet", 0, 2500 * xspace.US)])
    found = report(job.write("above.xplane.pb"))
    expect_said("headline", found["verdict"], "in doubt: matrix throughput is above the peak",
                r"at [\d,]+ % \(above 100 %, so in doubt\) of peak matrix throughput")
    expect_said("finding", found.finding("above-peak")["title"], r"\d+ % \(above 100 %")
    expect_possible("above", found)


@case
def possible_sentences():
    """Reports of all small inputs of ../shared contain nothing impossible without a remark."""
    folder = os.path.dirname(shared("data/faults/gpu_neg.xplane.pb"))
    inputs = sorted(glob.glob(f"{folder}/*.sqlite") + glob.glob(f"{folder}/*.pb"))
    for path in inputs:
        if "cuptifail" not in path:
            expect_possible(os.path.basename(path), report(path))
    for name in ("lost", "lost_ranks", "lost_told", "zero", "overlap_x", "before", "stray", "above",
                 "recompile", "h20", "gb10", "pallas", "tpu_done", "two_hosts", "buckets",
                 "accumulation", "visible", "capture"):
        expect_possible(name, report(*shared_case(name)))


# --- records that are dropped at random


def drop(path, tables, share, seed):
    """Delete that share of the rows of an export's tables; of NVTX of its push/pop ranges."""
    chance = random.Random(seed)
    database = sqlite3.connect(path)
    for table in tables:
        where = " WHERE eventType = 59" if table == "NVTX_EVENTS" else ""
        rows = database.execute(f"SELECT rowid FROM {table}{where}").fetchall()
        database.executemany(f"DELETE FROM {table} WHERE rowid = ?",
                             [row for row in rows if chance.random() < share])
    database.commit()
    database.close()


def dropped_at_random(scenario):
    generate("whole.sqlite", scenario, "--format", "sqlite", "--seed", "3")
    true = report("whole.sqlite")
    expect_not_said(scenario, true["verdict"], "in doubt")
    kernels, calls, ranges = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"
    for tables in ([kernels], [calls], [ranges], [kernels, calls, ranges]):
        for seed, share in enumerate((.01, .1, .5)):
            what = f"{scenario}: {share} of {', '.join(tables)} dropped"
            shutil.copy("whole.sqlite", "dropped.sqlite")
            drop("dropped.sqlite", tables, share, seed)
            found = report("dropped.sqlite")
            step, period = found["step.period_ms"], true["step.period_ms"]
            near = step is not None and abs(step - period) <= .01 * period
            expect(near or "in doubt" in found["verdict"],
                   f"{what}: {step} ms, and {period} ms is true: {found['verdict']}")
            if share >= .1 and tables == [kernels]:
                expect_said(what, found["verdict"], "kernel launches have no kernel record")
                for rule in ("idle-between-modules", "idle-inside-modules", "uneven-steps"):
                    expect_equal(f"{what}: {rule}", found.finding(rule), None)


@case
def dropped_of_one_device():
    """A step time is within 1 % of the truth, or the headline says which records are missing."""
    dropped_at_random("mnist_vae")


@case
def dropped_of_a_pipeline():
    """The same of four devices that pass their work on."""
    dropped_at_random("pipeline4")


# --- data that are not read


@case
def members_that_are_not_read():
    """The report gives the size of members that nsys-jax does not pack, but not of those it packs for other tools."""
    generate("a.zip", "mnist_vae", "--steps", "3")
    expect_equal("nothing", report("a.zip").guess("unread-members"), 0)
    with zipfile.ZipFile("a.zip", "a") as z:
        z.writestr("extra/one.bin", b"x" * 1000)
        z.writestr("extra/two.bin", b"x" * 500)
        z.writestr("notes.txt", b"y" * 36)
    found = report("a.zip")
    expect_equal("bytes", found.guess("unread-members"), 1536)
    expect_said("text", found.text, r"not supported: extra/ \(1\.500 kB\), notes\.txt \(36 B\)")


@case
def parts_that_are_not_read():
    """Tables of an export, a plane and lines of a trace that are not read are listed with their size."""
    export = steady()
    for i in range(5):
        export.add("OSRT_API", start=i, end=i + 1)
    for i in range(1234):
        export.add("SCHED_EVENTS", start=i, cpu=0)
    found = report(export.write("tables.sqlite"))
    expect_equal("rows", found.guess("unread-tables"), 1239)
    expect_said("text", found.text, r"not supported: OSRT_API \(5\), SCHED_EVENTS \(1,234\)")
    device, other = xspace.Plane("/device:TPU:0", 2), xspace.Plane("/custom:other", 3)
    device.line("XLA Modules", [("jit_f(5)", i * xspace.MS, 900 * xspace.US) for i in range(8)])
    device.line("XLA Ops", [("%fusion.1 = f32[8]{0} fusion(...)", i * xspace.MS, 900 * xspace.US)
                            for i in range(8)], 2)
    device.line("_counters_", [("busy", i * xspace.MS, 5) for i in range(7)], 3)
    other.line("dcn", [("send", i * xspace.MS, 5) for i in range(3)])
    with open("tpu.xplane.pb", "wb") as file:
        file.write(xspace.space([device, other]))
    found = report("tpu.xplane.pb")
    expect_said("text", found.text, r"not supported: _counters_ \(7\), /custom:other \(3\)")


@case
def cut_short():
    """A trace that ends within its second device: the first is reported on, and the loss is stated."""
    job = Job(gpus=2)
    for device in range(2):
        for i in range(8):
            job.execute(device, 7, "jit_s", (1 + i) * MS,
                        [("dot.1", "gemm", 0, 300 * US), ("dot.2", "gemm", 400 * US, 500 * US)])
    with open(job.write("whole.xplane.pb"), "rb") as file:
        whole = file.read()
    second = whole.index(b"/device:GPU:1")
    for name, data in (("cut.xplane.pb", whole[:second + 400]), ("end.xplane.pb", whole[:-1])):
        with open(name, "wb") as file:
            file.write(data)
        found = report(name, status=1)
        expect_equal(f"{name}: inputs cut short", found.check("cut-inputs")["value"], 1)
        expect_said("headline", found["verdict"], "in doubt: the input is cut short")
        expect_said("notes", found.text, "rest of the trace", "is cut short or damaged: its last")
        for rule in ("host-bound", "bubbles"):
            expect_equal(f"finding {rule}", found.finding(rule), None)
    with open("early.xplane.pb", "wb") as file:
        file.write(whole[:40])
    code, _, said = run("report", "early.xplane.pb", "-o", "out")
    expect_equal("exit status", code, 1)
    expect_said("message", said, "cut short or damaged")


@case
def cut_short_json():
    """A trace for Chrome that ends within an event: the events before it are reported on."""
    events = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
              {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name",
               "args": {"name": "Stream #13(Compute)"}}]
    for i in range(20):
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 400, "name": "gemm",
                       "args": {"hlo_module": "jit_s", "hlo_op": "dot.1"}})
    text = json.dumps({"traceEvents": events})
    for name, data in (("cut.trace.json", text[:-60].encode()),
                       ("cut.trace.json.gz", gzip.compress(text.encode(), mtime=0)[:-4])):
        with open(name, "wb") as file:
            file.write(data)
        found = report(name, status=1)
        expect_equal(f"{name}: inputs cut short", found.check("cut-inputs")["value"], 1)
        expect_said("headline", found["verdict"], "in doubt: the input is cut short")
        expect_said("notes", found.text, "is cut short: everything after its first (19|20) events")
    with open("timeless.trace.json", "w") as file:
        file.write(text.replace('"ts"', '"tz"'))
    code, _, said = run("report", "timeless.trace.json", "-o", "out")
    expect_equal("exit status", code, 1)
    expect_said("message", said, "contains no event with a time .20 without., so it is damaged")


@case
def lost_executions():
    """Of three executions the range was not recorded: their thunks are in no execution, and the page head says so."""
    generate("whole.sqlite", "mnist_vae", "--format", "sqlite")
    with sqlite3.connect("whole.sqlite") as db:
        db.execute("DELETE FROM NVTX_EVENTS WHERE rowid IN (SELECT n.rowid FROM NVTX_EVENTS n JOIN "
                   "StringIds s ON s.id = n.textId WHERE s.value LIKE 'XlaModule%' ORDER BY start "
                   "LIMIT 3 OFFSET 10)")
    found = report("whole.sqlite")
    expect_equal("thunks in no execution", found.check("lost-modules")["value"], 3 * 16)
    expect_said("headline", found["verdict"], "in doubt: 48 of [0-9]+ thunks are outside any recorded")
    expect_equal("finding about the host", found.finding("host-bound"), None)


@case
def executions_without_any_record():
    """Twenty executions of one module; of three in the middle neither launches nor kernels were
    recorded, and of the last two, which may run after the end."""
    export = Export()
    for i in range(20):
        at = (1 + 3 * i) * MS
        export.range("XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=5#", at,
                     at + 100 * US)
        if i not in (7, 8, 12, 18, 19):
            export.launch("k", at + 10 * US, at + 20 * US, at + 2 * MS)
    export.write("without.sqlite")
    found = report("without.sqlite")
    expect_equal("executions", found.check("lost-executions")["value"], 3)
    expect_said("headline", found["verdict"], "in doubt: 3 of 18 executions that the host started")


@case
def shared_lost_executions():
    """Eight threads begin 80 executions on eight devices, and five of one device were recorded."""
    found = report(shared("data/xplane/tracelens_mi300_conv_legacy.xplane.pb"))
    expect_equal("executions", found.check("lost-executions")["value"], 35)
    expect_equal("finding about the host", found.finding("host-bound"), None)


@case
def path_longer_than_a_step():
    """On a TPU of one core the path is 1.4 % longer than a step: no share exceeds the whole, and without
    collectives the report does not mention overlap of them."""
    found = report(shared("data/xplane/xprof_tpu_inference_2_a.xplane.pb"))
    shares = sum(row["percent"] for row in found["critical_path_thunks"])
    expect(shares <= 100.001, f"shares of the path add up to {shares} %")
    expect_not_said("text", found.text, "compute hides all of it")
