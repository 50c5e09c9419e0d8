"""The GPU, process and session of a record."""
import json, os, shutil, sqlite3
import xspace
from nsys_export import Export, GPU, MS, US
from suite import (case, expect, expect_equal, expect_near, expect_not_said, expect_said, generate,
                   report, run, shared_case)


def ranks(gpus, gpu_of, mapping=True, **names):
    """Four processes, each with 20 kernels of 250 µs on its device 0, one after the other in each
    millisecond; process r sees GPU gpu_of(r) as its device 0."""
    export = Export(gpus=0)
    for i in range(gpus):
        export.add("TARGET_INFO_GPU", id=i, cuDevice=i, **GPU,
                   **{key: value(i) for key, value in names.items()})
    for r in range(4):
        pid = 1000 + r
        if mapping:
            export.add("TARGET_INFO_CUDA_DEVICE", gpuId=gpu_of(r), cudaId=0, pid=pid)
        for i in range(20):
            at = (1 + i) * MS + r * 200 * US
            export.launch(f"k{r}", at - 20 * US, at, at + 250 * US, pid=pid)
    return export


def expect_busy(found, gpus, busy_ms, wall_ms):
    ledger = found["gpu.ledger"]
    expect_equal("GPUs", len(ledger), gpus)
    for row in ledger:
        expect_near("busy", row["wall_ms"] - row["idle_ms"], busy_ms, 1e-9)
        expect_near("wall", row["wall_ms"], wall_ms, 1e-9)


@case
def renumbered_gpus():
    """Four processes see one GPU each as number 0: four GPUs, each 5 of 19.25 ms busy."""
    found = report(*shared_case("visible"))
    expect_busy(found, 4, 5, 19.25)
    expect_said("headline", found.text, "4 × NVIDIA H100")


@case
def renumbered_gpus_by_id():
    """The same if the export gives neither UUIDs nor bus addresses, and the order differs."""
    found = report(ranks(4, lambda r: 3 - r).write("ids.sqlite"))
    expect_busy(found, 4, 5, 19.25)
    expect_equal("numbers", sorted(row["device"] for row in found["gpu.ledger"]), [0, 1, 2, 3])


@case
def shared_gpu():
    """Four processes share one GPU: it stays one, busy 0.85 ms of each millisecond."""
    found = report(ranks(1, lambda r: 0, uuid=lambda i: f"GPU-{i + 1}").write("one.sqlite"))
    expect_busy(found, 1, 19 * 0.85 + 0.85, 19.85)


@case
def two_processes_per_gpu():
    """Ranks 0 and 1 share GPU 0, ranks 2 and 3 share GPU 1: 0.45 ms busy of each millisecond."""
    found = report(ranks(2, lambda r: r // 2, uuid=lambda i: f"GPU-{i + 1}").write("two.sqlite"))
    expect_busy(found, 2, 20 * 0.45, 19.45)


@case
def slices_of_a_gpu():
    """Two slices (MIG) of one GPU, one for each process, are two devices."""
    export = Export(gpus=0)
    export.add("TARGET_INFO_GPU", id=0, cuDevice=0, uuid="GPU-1", **GPU)
    for r in range(2):
        export.add("TARGET_INFO_CUDA_DEVICE", gpuId=0, cudaId=0, pid=1000 + r, uuid=f"MIG-{r + 1}",
                   numMultiprocessors=60)
        for i in range(20):
            at = (1 + i) * MS
            export.launch("k", at - 20 * US, at, at + 250 * US, pid=1000 + r)
    expect_busy(report(export.write("mig.sqlite")), 2, 5, 19.25)


@case
def unknown_gpus():
    """Four processes use their number 0 on a host with four GPUs, and the GPU cannot be determined: they
    count as one GPU, and the report says so."""
    found = report(ranks(4, lambda r: r, mapping=False).write("unknown.sqlite"))
    expect_equal("GPUs", len(found["gpu.ledger"]), 1)
    expect_equal("note", found.guess("gpus-by-number"), 1)
    with sqlite3.connect("unknown.sqlite") as db:
        db.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN deviceId TO other")
    found = report("unknown.sqlite")
    expect_equal("GPUs without a number", len(found["gpu.ledger"]), 1)
    expect_equal("note of them", found.guess("gpu-unknown"), 1)


# --- sessions ------------------------------------------------------------------------------------


def steps_of(export, n, at, pid=100, device=0, compute=800 * US, period=MS, module="jit_f",
             collective=None, late=0):
    """n executions of a module of one kernel, and one all-reduce that ends 900 us after the start of each
    (on every device; `late` gives the end on the device's clock)."""
    for i in range(n):
        t = at + i * period + late
        export.range(f"XlaModule:#prefix=jit(f)/jit(main),hlo_module={module},program_id=5#",
                     t - 30 * US, t, pid=pid, domain=1)
        export.range("Thunk:#name=dot,hlo_op=dot.1#", t - 25 * US, t - 15 * US, pid=pid, domain=1)
        export.launch("gemm", t - 20 * US, t, t + compute, pid=pid, device=device)
        if collective:
            export.range("Thunk:#name=all-reduce,hlo_op=all-reduce.1#", t - 14 * US, t - 4 * US,
                         pid=pid, domain=1)
            export.launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(Args)", t - 10 * US,
                          t + compute, t + collective, pid=pid, device=device, stream=20)


def session(path, start_s, n=8, host=None, uuid="GPU-1", pid=100, at=MS, **more):
    export = Export(gpus=0)
    export.add("TARGET_INFO_GPU", id=0, cuDevice=0, uuid=uuid, **GPU)
    export.add("TARGET_INFO_CUDA_DEVICE", gpuId=0, cudaId=0, pid=pid, uuid=uuid,
               numMultiprocessors=132)
    export.domain("TSL", 1, pid)
    export.session(start_s, host)
    steps_of(export, n, at, pid, **more)
    return export.write(path)


def expect_steps(found, devices, processes, steps, period_ms=1):
    """Check steps on each device; each step after the first ends a period."""
    expect_said("head", found.text, rf"{devices} × [^,]*, {processes} process")
    expect_equal("devices", len(found["ledger"]), devices)
    for row in found["ledger"]:
        expect_near("wall", row["wall_ms"], (steps - 1) * period_ms, 1e-6)
    expect_near("step", found["step.period_ms"], period_ms, 1e-6)


@case
def captured_twice():
    """One process on one GPU, two reports of 8 steps of 1 ms each: 16 steps of one GPU."""
    found = report(*shared_case("capture"))
    expect_steps(found, 1, 1, 16)
    expect_equal("note", found.guess("sessions"), 1)


@case
def captured_in_any_order():
    """Eleven reports of two steps each, given in the order of a shell: 22 steps."""
    paths = [session(f"report.{k}.sqlite", 20 * k, n=2) for k in range(1, 12)]
    found = report(*sorted(paths))
    expect_steps(found, 1, 1, 22)
    expect_near("compute", found["ledger.0.compute_ms"], 21 * 0.8, 1e-6)


@case
def captured_without_start_times():
    """The same from an nsys that does not write its start time: the numbers of the files give the order."""
    paths = [session(f"report.{k}.sqlite", None, n=3, host="node1", at=k * MS) for k in (2, 10, 1)]
    expect_steps(report(*paths), 1, 1, 9)


@case
def same_pid_on_two_hosts():
    """Containers number their processes alike: two hosts, process 100 on each, one after the other, with
    different GPUs: two processes on two GPUs."""
    found = report(session("a.sqlite", 0, host="node1", uuid="GPU-1"),
                   session("b.sqlite", 60, host="node2", uuid="GPU-2"))
    expect_steps(found, 2, 2, 8)
    expect_equal("note", found.guess("times-apart"), 2)


@case
def same_pid_and_host_name():
    """Two machines that are both named localhost: their GPUs tell them apart."""
    found = report(session("a.sqlite", 0, host="localhost", uuid="GPU-1"),
                   session("b.sqlite", 60, host="localhost", uuid="GPU-2"))
    expect_steps(found, 2, 2, 8)


@case
def one_gpu_in_two_reports():
    """Two processes, each with its own report, share a GPU at the same time: one GPU. The second process
    begins 0.4 ms after the first. 0.6 ms busy of each millisecond."""
    found = report(*(session(f"rank{r}.sqlite", r * 0.0004, host="node1", pid=100 + r,
                             compute=300 * US) for r in range(2)))
    expect_said("head", found.text, r"1 × [^,]*, 2 processes")
    ledger = found["gpu.ledger"]
    expect_equal("GPUs", len(ledger), 1)
    expect_near("wall", ledger[0]["wall_ms"], 7.7, 1e-6)
    expect_near("busy", ledger[0]["wall_ms"] - ledger[0]["idle_ms"], 8 * 0.6, 1e-6)


def two_ranks(k, host_s=0.0, n=4):
    """Report k of two ranks on two hosts that begin to profile `host_s` apart; each step of 1 ms
    ends in an all-reduce that both leave at the same time."""
    return [session(f"rank{r}.{k}.sqlite", 20 * k + r * host_s, n=n, host=f"node{r}", pid=100 + r,
                    uuid=f"GPU-{r}", collective=900 * US, at=MS + round((1 - r) * host_s * 1e9),
                    compute=(700 + 100 * r) * US) for r in range(2)]


@case
def captured_twice_on_two_ranks():
    """Two ranks on two hosts, three reports of 4 steps of each; rank 1 computes 100 us longer."""
    found = report(*(path for k in range(3) for path in two_ranks(k, 0.0001)))
    expect_steps(found, 2, 2, 11) # and one of warm-up: communicators are made in it
    waiting = [row["exposed_waiting_ms"] for row in found["ledger"]]
    expect_near("waiting", waiting[0], 10 * 0.1, 1e-3)
    expect_near("waiting of the last one", waiting[1], 0, 1)


@case
def hosts_begin_three_seconds_apart():
    """Two hosts that run together, and began to profile 3 s apart: no device starts late."""
    found = report(*two_ranks(0, 3.0, n=12))
    expect_steps(found, 2, 2, 11) # and one of warm-up
    for row in found["alignment"]:
        expect(abs(row["correction_ms"]) < 1e-3, f"correction: {row}")


@case
def programs_of_sessions():
    """A program that is only in the second report, with its number in the process."""
    first = session("report.1.sqlite", 0, n=4)
    export = Export(gpus=0)
    export.add("TARGET_INFO_GPU", id=0, cuDevice=0, uuid="GPU-1", **GPU)
    export.domain("TSL", 1)
    export.session(20)
    steps_of(export, 4, MS)
    export.range("XlaModule:#prefix=jit(g)/jit(main),hlo_module=jit_g,program_id=9#",
                 6 * MS, 6 * MS + 20 * US, domain=1)
    export.range("Thunk:#name=add,hlo_op=add.1#", 6 * MS + US, 6 * MS + 10 * US, domain=1)
    export.launch("add", 6 * MS + 2 * US, 6 * MS + 30 * US, 6 * MS + 40 * US)
    found = report(first, export.write("report.2.sqlite"))
    expect_equal("executions", {row["name"]: row["executions"] for row in found["modules"]},
                 {"jit_f": 8, "jit_g": 1})


# --- runs of jax.profiler --------------------------------------------------------------------------


def traced(folder, start_s, n=8, host="host0", module="jit_f", number=5):
    """A run of one host: steps of 1 ms, of which a kernel runs for 0.8 ms."""
    os.makedirs(folder, exist_ok=True)
    job = xspace.Job(host)
    job.start_ns = 1767322845 * 10**9 + round(start_s * 1e9)
    main = xspace.Computation()
    main.dot(4096, 4096, 4096, name="dot.1")
    job.program(number, module, xspace.module(module, number, main))
    for i in range(n):
        job.execute(0, number, module, (1 + i) * xspace.MS, [("dot.1", "nvjet", 0,
                                                              800 * xspace.US)])
    return job.write(f"{folder}/{host}.xplane.pb")


RUNS = "log/plugins/profile/2026_01_02_03_"


@case
def runs_of_one_log():
    """Three runs of one process in a log: the newest is read, and the others are listed."""
    for k in range(3):
        traced(f"{RUNS}{k:02}_00", 60 * k)
    found = report("log")
    expect_steps(found, 1, 1, 8)
    expect_said("note", found.text, r"2026_01_02_03_00_00.*2026_01_02_03_01_00",
                r"--run all")
    expect_not_said("note", found.text, r"2026_01_02_03_02_00, ")


@case
def all_runs_of_one_log():
    """The same with --run all: 24 steps of one GPU, the minutes between them left out."""
    for k in range(3):
        traced(f"{RUNS}{k:02}_00", 60 * k)
    expect_steps(report("log", "--run", "all"), 1, 1, 24)


@case
def runs_of_two_hosts():
    """Two runs of two hosts, --run all: 16 steps of each of two GPUs."""
    for k in range(2):
        for host in ("host0", "host1"):
            traced(f"{RUNS}{k:02}_00", 60 * k, host=host)
    expect_steps(report("log", "--run", "all"), 2, 2, 16)


# --- inputs of other jobs --------------------------------------------------------------------------


@case
def other_jobs():
    """Inputs of other programs are reported as such, on stderr and at the top of the report."""
    paths = [session("train.sqlite", 0, host="node1", uuid="GPU-1", module="jit_train"),
             session("serve.sqlite", 0, host="node2", uuid="GPU-2", module="jit_serve")]
    code, _, said = run("report", *paths, "-o", "warned", "--format", "json,text")
    expect_equal("exit status", code, 0)
    expect_said("stderr", said, "train.*jit_train.*serve.*jit_serve")
    with open("warned/report.json", encoding="utf-8") as file:
        found = {check["id"]: check for check in json.load(file)["checks"]}
    expect_equal("other jobs", found["other-jobs"]["value"], 1)
    head = open("warned/summary.txt").read()[:1200]
    expect_said("head", " ".join(head.split()), "1 of 2 inputs runs other programs than “train.sqlite”")


@case
def one_job():
    """Ranks of one job, and stages of a pipeline that know each other's programs, are not."""
    paths = two_ranks(0)
    _, _, said = run("report", *paths, "-o", "quiet", "--format", "json,text")
    expect_not_said("stderr", said, "one job")


# --- several kinds of GPU --------------------------------------------------------------------------


@case
def several_kinds():
    """Two hosts, an H100 and an A100, the same program: the page head lists both, each with its own peak
    and its share of it, and no share is a mean over both."""
    folder = "kinds/plugins/profile/2026_01_02_03_04_05"
    os.makedirs(folder)
    a100 = dict(gpu_device_name="NVIDIA A100-SXM4-80GB", core_count=108, clock_rate=1410000,
                compute_cap_major=8, memory_bandwidth=2039 * 10**9)
    for r, gpu in enumerate((None, a100)):
        job, main = xspace.Job(f"host{r}", gpu=gpu), xspace.Computation()
        main.dot(4096, 4096, 4096, name="dot.1")
        job.program(5, "jit_f", xspace.module("jit_f", 5, main))
        for i in range(8):
            job.execute(0, 5, "jit_f", (1 + i) * xspace.MS,
                        [("dot.1", "nvjet", 0, (400 + 400 * r) * xspace.US)])
        job.write(f"{folder}/host{r}.xplane.pb")
    found = report("kinds")
    expect_said("head", found.text, "1 × NVIDIA H100 80GB HBM3, 1 × NVIDIA A100-SXM4-80GB, 2 proc")
    # 2 x 4096^3 FLOPs in bf16 a step, one step a ms, at the dense peaks of the makers' data sheets.
    models = {m["name"]: m for m in found["roofline.models"]}
    for name, peak, gb_s in (("NVIDIA H100 80GB HBM3", 989.4, 3350),
                             ("NVIDIA A100-SXM4-80GB", 311.9, 2039)):
        model = models[name]
        expect_equal("devices", model["devices"], 1)
        expect_near("peak", model["peak_tflops_s"], peak, 0.002)
        expect_near("memory", model["memory_gb_s"], gb_s, 0.002)
        expect_near("step", model["period_ms"], 1, 0.001)
        expect_near("work", model["step_tflop"], 2 * 4096**3 / 1e12, 1e-6)
        expect_near("HFU of the kind", model["hfu"], 2 * 4096**3 / 1e-3 / (1e12 * peak), 0.003)
    expect_said("text", found.text, "By kind of device")
    expect_equal("HFU", found["roofline.step.hfu"], None)
    expect_not_said("headline", found["verdict"], "of peak")


@case
def two_forms_of_one_profile():
    """One process as an archive and as an export counts twice, and a warning says so. Containers of one host
    may have equal process ids: their GPUs or XLA's numbers differ."""
    archive = generate("job.zip", "mnist_vae", "--steps", "3")
    export = generate("job.sqlite", "mnist_vae", "--steps", "3", "--format", "sqlite")
    said = run("report", archive, export, "-f", "-o", "both")[2]
    expect_said("stderr", said, "'job.zip' and 'job.sqlite' come from one process of one host, so its work may count twice")
    paths = []
    for i in range(2):
        job = Export()
        job.session(i / 1000, "node1")
        job.tables["TARGET_INFO_GPU"][0]["uuid"] = f"GPU-{i + 1:08x}-1111-1111-1111-111111111111"
        for k in range(30):
            job.launch("k", k * MS, k * MS + 10 * US, k * MS + 900 * US)
        paths.append(job.write(f"{i}a.sqlite"))
    expect_not_said("stderr", run("report", *paths, "-f", "-o", "containers")[2], "one process of one host")
