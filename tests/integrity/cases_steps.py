"""The definition of a step: numbered steps, programs in several variants, and programs that are compiled again."""
import json

from nsys_export import Export, MS as MS_NS, US as US_NS
from suite import case, expect, expect_equal, expect_near, expect_not_said, expect_said, \
    report, run, shared, shared_case
from xspace import Computation, Job, MS, US, module


def program(name, number, size=4096):
    main = Computation()
    main.dot(size, size, size, name="dot.1")
    return number, name, module(name, number, main)


def accumulating(host="host0", steps=6, micro=8, first=0, annotate="step", skip=(), period=43 * MS):
    """Steps of `micro` executions of jit_grad (5 ms apart) and one of jit_apply."""
    job = Job(host)
    job.program(*program("jit_grad", 10))
    job.program(*program("jit_apply", 11, 2048))
    for step in range(steps):
        at = 10 * MS + step * period
        if annotate == "step":
            job.event("python", "train", at - 100 * US, 42500 * US,
                      dict(_r=1, step_num=first + step))
        for i in range(micro):
            if annotate == "micro":
                job.event("python", "train", at + i * 5 * MS - 100 * US, 4900 * US,
                          dict(_r=1, step_num=step * micro + i))
            if step not in skip:
                job.execute(0, 10, "jit_grad", at + i * 5 * MS, [("dot.1", "nvjet", 0, 4900 * US)])
        if step not in skip:
            job.execute(0, 11, "jit_apply", at + 40 * MS, [("dot.1", "nvjet", 0, 2 * MS)])
    return job


# --- numbered steps


@case
def accumulation():
    """Six numbered steps of 43 ms, each of 8 executions of jit_grad and one of jit_apply."""
    found = report(*shared_case("accumulation"))
    expect_near("step", found["step.period_ms"], 43, 1e-9)
    expect_near("compute", found["step_ledger.0.compute_ms"], 8 * 4.9 + 2, 1e-9)
    expect_said("verdict", found["verdict"], r"^43\.00 ms per step\.",
                "range “train” of the program, in which jit_grad runs 8 times and jit_apply once")
    expect_near("replayed step", found["critical_path.0.period_ms"], 43, 1e-9)


@case
def accumulation_of_other_counts():
    """Five steps of three executions, numbered from 100: the step time is 20 ms."""
    found = report(accumulating(steps=5, micro=3, first=100, period=60 * MS).write("a.xplane.pb"))
    expect_near("step", found["step.period_ms"], 60, 1e-9)
    expect_equal("numbers", [row["program_execution"] for row in found["step_periods"]],
                 [101, 102, 103, 104])


@case
def pipeline_of_numbered_steps():
    """Four hosts, five numbered steps of 60 ms with eight executions of each stage."""
    found = report(*shared_case("pipeline"))
    expect_near("step", found["step.period_ms"], 60, 1e-9)
    expect_said("verdict", found["verdict"], r"^60\.00 ms per step\.", "jit_bwd runs 8 times")


@case
def numbered_step_without_records():
    """The fourth of eight steps has no records: the others still take 43 ms, and a note says so."""
    found = report(accumulating(steps=8, skip=(3,)).write("a.xplane.pb"))
    expect_near("step", found["step.period_ms"], 43, 1e-9)
    expect_near("compute", found["step_ledger_median.0.compute_ms"], 8 * 4.9 + 2, 1e-9)
    expect_equal("steps without work", found.guess("steps-without-work"), 1)
    expect_said("note", found.text, r"[Ff]or some numbered steps no GPU operation is recorded .*\(train 3\)")


@case
def steps_that_are_over_before_their_launches():
    """Ten steps of 2 ms on the host, whose launches come much later: none is used, and a note says so."""
    job = Job()
    job.program(*program("jit_grad", 10))
    for step in range(10):
        job.event("python", "train", 10 * MS + step * 2 * MS, 1900 * US,
                  dict(_r=1, step_num=step))
        for i in range(4):
            job.execute(0, 10, "jit_grad", 10 * MS + (step * 4 + i) * 10 * MS,
                        [("dot.1", "nvjet", 0, 9 * MS)])
    found = report(job.write("a.xplane.pb"))
    expect_near("period", found["step.period_ms"], 10, 1e-9)
    expect_equal("steps apart", found.guess("steps-apart"), 10)


@case
def steps_of_different_lengths():
    """Steps of 3, 5, 3, 7, ... executions with a pause of 60 ms for other work after the fifth."""
    job, at, starts = Job(), 10 * MS, []
    job.program(*program("jit_grad", 10))
    job.program(*program("jit_eval", 11))
    for step, micro in enumerate((3, 5, 3, 7, 3, 5, 4, 6)):
        starts.append(at)
        job.event("python", "train", at - 100 * US, micro * 5 * MS, dict(_r=1, step_num=step))
        for i in range(micro):
            job.execute(0, 10, "jit_grad", at + i * 5 * MS, [("dot.1", "nvjet", 0, 4 * MS)])
        at += micro * 5 * MS + MS
        if step == 4:
            job.execute(0, 11, "jit_eval", at, [("dot.1", "nvjet", 0, 50 * MS)])
            at += 60 * MS
    found = report(job.write("a.xplane.pb"))
    periods = [(b - a) / MS for a, b in zip(starts, starts[1:])]
    expect_equal("periods", [round(row["period_ms"], 6) for row in found["step_periods"]], periods)
    expect_near("median", found["step.period_median_ms"], sorted(periods)[3], 1e-6)


@case
def ranks_that_number_differently():
    """One rank numbers steps, the other their eighths: they do not agree, and neither is used."""
    for host, annotate in (("host0", "step"), ("host1", "micro")):
        accumulating(host, annotate=annotate).write(f"{host}.xplane.pb")
    found = report("host0.xplane.pb", "host1.xplane.pb")
    expect_not_said("verdict", found["verdict"], "range “train”")


@case
def one_execution_per_step():
    """If a numbered step is one execution of the program, the report equals the one without numbers."""
    numbers = []
    for annotate in ("step", None):
        job = Job()
        job.program(*program("jit_step", 7))
        for step in range(8):
            at = (1 + step) * MS
            if annotate:
                job.event("python", "train", at - 100 * US, 900 * US, dict(_r=1, step_num=step))
            job.execute(0, 7, "jit_step", at, [("dot.1", "nvjet", 0, 800 * US)])
        found = report(job.write("a.xplane.pb"))
        numbers.append([found[key] for key in ("step", "step_ledger", "step_periods", "verdict")])
    expect_equal("report", numbers[0], numbers[1])


def named(path, names, period=30 * MS_NS, kernels=3, ranks=1):
    """An export of a program that is not XLA's, with one range per step."""
    export = Export(gpus=ranks)
    for rank in range(ranks):
        pid = 100 + rank
        for i, name in enumerate(names):
            at = 10 * MS_NS + i * period
            export.range(name, at - 90 * US_NS, at + period - 95 * US_NS, pid=pid)
            for k in range(kernels):
                start = at + k * (period // kernels)
                export.launch("gemm", at - (50 - k) * US_NS, start, start + period // 4, pid=pid,
                              device=rank, length=500)
    return export.write(path)


@case
def ranges_called_as_steps():
    """Ranges that number steps in the ways of several frameworks: a step takes 30 ms."""
    for name in ("step {}", "iteration {}", "ProfilerStep#{}", "train_step_{}", "[iter {}]",
                 "epoch 2 step {}", "2:{}", "step {}/12", "train {}", "global_step={}"):
        found = report(named("steps.sqlite", [name.format(i) for i in range(12)]))
        expect_near(f"“{name}”", found["step.period_ms"], 30, 1e-9)
        expect_equal(f"steps of “{name}”", len(found["step_periods"]), 11)
        expect_said(name, found["verdict"], r"^30\.00 ms per step\.")
    for name in ("layer {}", "microstep {}", "epoch {}", "conv{}", "step"):
        found = report(named("steps.sqlite", [name.format(i) for i in range(12)]))
        expect_equal(f"“{name}”", found["step.period_ms"], None)


@case
def ranges_of_several_ranks():
    """Two processes, each with a GPU, number their steps alike: a step takes 30 ms."""
    found = report(named("steps.sqlite", [f"step {i}" for i in range(10)], ranks=2))
    expect_near("step", found["step.period_ms"], 30, 1e-9)


@case
def steps_of_two_threads():
    """Each thread of a process numbers its steps and launches on its own GPU; the second begins later."""
    for late_us in (0, 300, 1900):
        export = Export(gpus=2)
        for thread in range(2):
            for i in range(20):
                at = 10 * MS_NS + i * 2 * MS_NS + thread * late_us * US_NS
                export.range(f"step {i}", at, at + 1990 * US_NS, tid=200 + thread)
                for k in range(3):
                    launch = at + (100 + 300 * k) * US_NS
                    export.launch("gemm", launch, launch + 20 * US_NS, launch + (200 + 50 * thread) * US_NS,
                                  tid=200 + thread, device=thread)
        export.write("threads.sqlite")
        found = report("threads.sqlite")
        expect_said(f"{late_us} us later", found["verdict"], "^2.000 ms per step")
        expect_equal("work of a step", [row["executions"] for row in found["numbered_steps"]], 40 * [3])
        selected = report("threads.sqlite", "--steps", "5..14")
        expect_said("a selection", selected["verdict"], "^2.000 ms per step")
    # Threads that number other things than steps of one job have no steps in common.
    for i in range(20):
        export.range(f"step {1000 + i}", 10 * MS_NS + i * MS_NS, 10 * MS_NS + i * MS_NS + 900 * US_NS, tid=300)
    export.write("threads.sqlite")
    expect_not_said("a thread with other numbers", report("threads.sqlite")["verdict"], "per step")


@case
def epochs_that_number_anew():
    """Three epochs of four steps, numbered from 0 each: eleven periods of 30 ms."""
    found = report(named("steps.sqlite", [f"step {i % 4}" for i in range(12)]))
    expect_near("step", found["step.period_ms"], 30, 1e-9)
    expect_equal("periods", len(found["step_periods"]), 11)


@case
def export_of_xla_with_numbered_steps():
    """NVTX ranges “train N” around four executions of a module: a step takes 40 ms."""
    export = Export()
    export.domain("TSL", 1)
    for step in range(8):
        begin = (10 + 40 * step) * MS_NS
        export.range(f"train {step}", begin - 100 * US_NS, begin + 39 * MS_NS)
        for i in range(4):
            at = begin + i * 8 * MS_NS
            export.range("XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=5#",
                         at - 40 * US_NS, at, domain=1)
            export.range("Thunk:#name=dot,hlo_op=dot.1#", at - 30 * US_NS, at - 10 * US_NS,
                         domain=1)
            export.launch("gemm", at - 20 * US_NS, at, at + 6 * MS_NS)
    found = report(export.write("train.sqlite"))
    expect_near("step", found["step.period_ms"], 40, 1e-9)
    expect_near("compute", found["step_ledger.0.compute_ms"], 24, 1e-9)


@case
def ranges_that_differ_in_a_number():
    """Twelve ranges “step N” of 20 or 30 ms are one row; two layers, and conv2d, keep theirs."""
    export = Export()
    for i in range(12):
        at = 10 * MS_NS + i * 40 * MS_NS
        export.range(f"step {i}", at, at + (20 + i % 2 * 10) * MS_NS)
        export.launch("gemm", at + 5000, at + 10000, at + 10 * MS_NS)
    for i, name in enumerate(("layer 1", "layer 2", "conv1d", "conv2d", "conv3d")):
        export.range(name, (500 + i) * MS_NS, (500 + i) * MS_NS + 1000)
    found = report(export.write("a.sqlite"))
    rows = {row["name"]: row for row in found["nvtx"]}
    expect_equal("names", sorted(rows), ["conv1d", "conv2d", "conv3d", "layer 1", "layer 2",
                                         "step N"])
    steps = rows["step N"]
    expect_equal("count", steps["count"], 12)
    expect_near("mean", steps["host_mean_ms"], 25, 1e-9)
    expect_near("spread", steps["host_std_ms"], (12 * 25 / 11) ** 0.5, 1e-6)


@case
def ranges_that_are_not_whole():
    """One of six ranges stays open and one ends on another thread: the mean is of the other four."""
    export = Export()
    for i in range(6):
        at = (10 + 10 * i) * MS_NS
        row = dict(start=at, end=at + 2 * MS_NS, eventType=60, text="request", rangeId=i,
                   globalTid=1 << 48 | 100 << 24 | 100, endGlobalTid=None, textId=None, domainId=0)
        if i == 2:
            row.update(end=None)
        if i == 4:
            row.update(end=at + 9 * MS_NS, endGlobalTid=1 << 48 | 100 << 24 | 101)
        export.add("NVTX_EVENTS", **row)
        export.launch("gemm", at + 5000, at + 10000, at + MS_NS)
    found = report(export.write("a.sqlite"))
    row = found["nvtx.0"]
    expect_equal("ranges", (row["name"], row["count"], row["not_whole"]), ("request", 6, 2))
    expect_near("mean", row["host_mean_ms"], 2, 1e-9)
    expect_near("sum", row["host_ms"], 8, 1e-9)
    # each launched one kernel; the open one also contains those of the four later ones
    expect_equal("operations", row["operations"], 5 + 4)


@case
def ranges_that_another_thread_ends():
    """Six requests that a server's thread begins, and that one of two workers computes and ends: 3 ms each."""
    export = Export()
    thread = 1 << 48 | 100 << 24
    for i in range(6):
        at, worker = (10 + 10 * i) * MS_NS, 101 + i % 2
        export.add("NVTX_EVENTS", start=at, end=at + 5 * MS_NS, eventType=60, text="request",
                   rangeId=i, globalTid=thread + 100, endGlobalTid=thread + worker, textId=None,
                   domainId=0)
        export.launch("prepare", at + 5 * US_NS, at + 10 * US_NS, at + MS_NS)
        export.launch("compute", at + 1000 * US_NS, at + MS_NS, at + 3 * MS_NS, tid=worker)
        export.launch("other", at + 1500 * US_NS, at + 4 * MS_NS, at + 5 * MS_NS, tid=103)
    row = report(export.write("a.sqlite"))["nvtx.0"]
    expect_equal("ranges", (row["name"], row["count"], row["not_whole"]), ("request", 6, 6))
    expect_equal("operations", row["operations"], 12)
    expect_near("on the GPU", row["gpu_ms"], 6 * (3 - 0.01), 1e-9)


# --- two runs


def compared(base, new):
    status, out, said = run("compare", base, new, "-q", "-f", "-o", "change", "--format", "json")
    expect(status == 0, f"exit status {status}: {said}")
    with open("change/report.json", encoding="utf-8") as file:
        return json.load(file)


@case
def compared_by_named_steps():
    """Steps of 30 and 10 ms in exports without modules: an improvement by two thirds."""
    change = compared(shared("data/faults/steps_a.sqlite"), shared("data/faults/steps_b.sqlite"))
    expect_said("verdict", json.dumps(change["verdict"]), "improvement")
    expect_near("change", change["metrics"][0]["change_percent"], -200 / 3, 1e-6)


@case
def compared_by_numbered_steps():
    """Steps of 43 and 45 ms around the same executions: a regression by 4.7 %."""
    accumulating().write("base.xplane.pb")
    accumulating(period=45 * MS).write("new.xplane.pb")
    change = compared("base.xplane.pb", "new.xplane.pb")
    expect_said("verdict", json.dumps(change["verdict"]), "regression")
    expect_near("change", change["metrics"][0]["change_percent"], 100 * 2 / 43, 1e-6)


@case
def compared_by_different_steps():
    """One run numbers its steps, the other does not: there is no verdict."""
    accumulating().write("base.xplane.pb")
    accumulating(annotate=None).write("new.xplane.pb")
    change = compared("base.xplane.pb", "new.xplane.pb")
    expect_said("verdict", json.dumps(change["verdict"]), "cannot tell")
    expect_said("reason", json.dumps(change, ensure_ascii=False),
                "ranges “train” of the program in the base but executions of a module")


@case
def history_of_named_steps():
    """Five runs of 30 ms steps and one of 10 ms: the last one is an improvement."""
    for length in (30, 30, 30, 30, 30, 10):
        named("run.sqlite", [f"step {i}" for i in range(12)], period=length * MS_NS)
        status, _, said = run("history", "add", "runs.jsonl", "run.sqlite", "-q")
        expect(status == 0, f"exit status {status}: {said}")
    status, out, said = run("history", "show", "runs.jsonl", "-f", "-q", "-o", "trend",
                            "--format", "json")
    expect(status == 0, f"exit status {status}: {said}")
    with open("trend/report.json", encoding="utf-8") as file:
        text = json.dumps(json.load(file), ensure_ascii=False)
    expect_said("trend", text, "improvement")


# --- variants


def calls(sequence, path="a.xplane.pb", compile_us=0, compile_once=0, every=MS):
    """Executions of programs (number, duration in µs) of one name, `every` ps apart."""
    job = Job()
    for number in sorted({number for number, _ in sequence}):
        job.program(*program("jit_f", number, 128 * number))
    if compile_once:
        job.event("python", "backend_compile_and_load", every, compile_once)
    for i, (number, length) in enumerate(sequence):
        at = (1 + i) * every
        if compile_us:
            job.event("python", "backend_compile_and_load", at - (compile_us + 50) * US,
                      compile_us * US)
        job.execute(0, number, "jit_f", at, [("dot.1", "nvjet", 0, length * US)])
    return job.write(path)


@case
def shape_buckets():
    """jit_decode for four batch sizes, called 120 times in random order: no step, no cycle."""
    found = report(*shared_case("buckets"))
    expect_said("verdict", found["verdict"], "^jit_decode ran 120 times in 4 variants",
                "median 60.0 µs, 90 % within 120 µs", "longest 400 µs")
    expect_not_said("text", found.text, "cycle of", "per step[ :,(]")
    expect_equal("period", found["step.period_ms"], None)
    expect_equal("variants", [(row["program_id"], row["executions"], row["max_ms"])
                              for row in found["variants"]],
                 [(None, 120, 0.4), ("20", 61, 0.06), ("23", 7, 0.4), ("21", 37, 0.07),
                  ("22", 15, 0.12)])
    expect_equal("inputs", [row["inputs"] for row in found["variants"]][1], "bf16[1,4096]{1,0}")


@case
def variants_in_turn():
    """Two programs of one name that take turns are one step of 2 ms."""
    found = report(calls([(5, 600), (6, 300)] * 12))
    expect_near("step", found["step.period_ms"], 2, 1e-9)
    expect_said("verdict", found["verdict"], "A step is a cycle of 2 programs jit_f")


@case
def rare_variant():
    """A program that runs 40 times, and another of its name at 2 places: a step takes 1 ms."""
    found = report(calls([(6 if i in (17, 30) else 5, 600) for i in range(42)]))
    expect_near("median step", found["step.period_median_ms"], 1, 1e-9)


# --- recompiled functions


def expect_recompiled(found, name, each, share):
    leading = [f["id"] for f in found.values["findings"] if f["cause"] != "measurement"]
    expect_equal("first finding", leading[:1], ["recompiled-calls"])
    finding = found.finding("recompiled-calls")
    expect_said("title", finding["title"], f"^“{name}” is recompiled at every call: up to")
    expect_said("measured", finding["evidence"], f"^“{name}” is recompiled at every call: {each} each")
    expect_near("share", found.check("recompiled-calls")["value"], share, 1e-6)
    expect_equal("notes about flags", finding["action"].count("does not show which flags"), 1)
    expect_said("verdict", found["verdict"], f"“{name}” is recompiled at every call")


@case
def recompilation():
    """Eight calls of train_step, compiled again for 0.82 s every 0.85 s: 96.5 % of the time."""
    for name in ("recompile", "recompile_nsys"):
        found = report(*shared_case(name))
        expect_recompiled(found, "jit_train_step", "820 ms", 820 / 850)
        expect_not_said("verdict", found["verdict"], "cycle of", "peak", "can save little")


@case
def recompilation_of_two_shapes():
    """Two shapes in turn, compiled before each of 9 calls: the function is recompiled."""
    found = report(calls([(5 + i % 2, 400) for i in range(9)], compile_us=7000, every=8 * MS))
    expect_recompiled(found, "jit_f", "7.00 ms", 7 / 8)


@case
def recompilation_on_four_devices():
    """Six programs of one name on each of four GPUs, compiled for 90 of every 100 ms."""
    job = Job(gpus=4)
    for number in range(6):
        job.program(*program("jit_f", number, 128 * (number + 1)))
        at = (1 + number) * 100 * MS
        job.event("python", "backend_compile_and_load", at - 95 * MS, 90 * MS)
        for device in range(4):
            job.execute(device, number, "jit_f", at, [("dot.1", "nvjet", 0, 400 * US)])
    found = report(job.write("a.xplane.pb"))
    expect_recompiled(found, "jit_f", "90.0 ms", 0.9)
    expect_said("verdict", found["verdict"], "ran 24 times on 4 GPUs together in 6 variants")


@case
def compilation_once():
    """Programs that are compiled before their first call, and then run: none is recompiled."""
    found = report(calls([(5, 400)] * 9))
    expect_equal("finding", found.finding("recompiled-calls"), None)


@case
def compilation_during_many_calls():
    """One compilation lasts for 8 of 9 calls that were launched ahead: nothing is recompiled at each call."""
    found = report(calls([(5, 900)] * 9, compile_once=8 * MS))
    expect_equal("finding", found.finding("recompiled-calls"), None)
    expect_equal("compilations", found.check("recompilation")["value"], 1)


@case
def small_programs_alone():
    """A step of ten programs of 60 us, 200 us apart: together they are the step, and the host causes the gaps."""
    job = Job()
    for number in range(10):
        job.program(*program(f"jit_f{number}", number, 128))
    for i in range(80):
        job.execute(0, i % 10, f"jit_f{i % 10}", MS + i * 200 * US, [("dot.1", "nvjet", 0, 60 * US)])
    found = report(job.write("alone.xplane.pb"))
    expect_equal("small programs", found.check("small-programs")["value"], 0)
    expect_said("headline", found["verdict"], "2.000 ms per step.*waits? for the host between modules")
