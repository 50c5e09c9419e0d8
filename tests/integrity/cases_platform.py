"""TPUs, AMD, CPUs, and traces without HLO: facts in events have precedence over the form of names."""
import gzip, json
from suite import advice, case, expect, expect_equal, expect_near, expect_not_said, expect_said, report
from nsys_export import Export
from suite import run, shared, shared_case
import nsys_export
from xspace import MS, US, Computation, Job, Plane, field, module, packed, space


V6E = dict(device_type_string="TPU v6 Lite", peak_teraflops_per_second=918.0,
           peak_hbm_bw_gigabytes_per_second=1638.0)
GPU_WORDS = (r"\bGPU", "NCCL", "CUDA", "cuDNN", "cuBLAS", "xla_gpu", "nsys", "Nsight", "nvidia-smi",
             "command buffer", "SMs", "streaming multiprocessor")


def tpu(path, ops, lines=(), steps=8, cores=2, program="jit_step(5)", hlo=None, stated=None):
    """A trace of TPUs: `ops` of each step as (text, start us, length us); further lines likewise, by
    name; `stated`: statistics of the metadata of a text."""
    planes = []
    for core in range(cores):
        plane = Plane(f"/device:TPU:{core}", core + 2, V6E)
        for i, (text, stats) in enumerate((stated or {}).items()):
            plane.events[text] = 100 + i
            plane.metadata(100 + i, text, stats)
        plane.line("XLA Modules", [(program, i * MS, 900 * US) for i in range(steps)], 1)
        for number, (name, events) in enumerate((("XLA Ops", ops), *lines), 2):
            plane.line(name, [(text, i * MS + int(at * US), int(length * US))
                              for i in range(steps) for text, at, length in events], number)
        for text in stated or {}:
            del plane.events[text]
        planes.append(plane)
    if hlo:
        programs = Plane("/host:metadata", 90)
        programs.metadata(5, program, {"Hlo Proto": hlo, "program_id": 5})
        planes.append(programs)
    host = Plane("/host:CPU", 91)
    host.line("python", [("x", 0, US)])
    with open(path, "wb") as file:
        file.write(space(planes + [host]))
    return path


def kinds(found):
    return {row["kind"]: row["percent"] for row in found["work_kinds"]}


def steps_of(found):
    return found["step_ledger.0"]


@case
def tpu_named_otherwise():
    """psum.3 is an all-reduce by its text and category: 300 of 1,000 us per step are communication.
    all-reduce.9 is a loop fusion by both, not a collective."""
    text = "%psum.3 = bf16[1024,1024]{1,0} all-reduce(bf16[1024,1024]{1,0} %f), replica_groups={{0,1}}"
    other = "%all-reduce.9 = f32[8]{0} fusion(f32[8]{0} %p), kind=kLoop, calls=%c"
    found = report(tpu("psum.xplane.pb", [("%f = f32[8]{0} fusion(f32[8]{0} %p), calls=%d", 0, 500),
                                          (other, 500, 100), (text, 600, 300)],
                       stated={text: dict(hlo_category="all-reduce"),
                               other: dict(hlo_category="loop fusion")}))
    expect_near("communication", steps_of(found)["exposed_communication_ms"], 0.3)
    expect_near("compute", steps_of(found)["compute_ms"], 0.6)
    expect_equal("collectives", [c["collective"] for c in found["collectives"]], ["all-reduce"])
    expect_equal("message", found["collectives.0.message_bytes"], 1024 * 1024 * 2)
    expect_not_said("words of GPUs", found.text, *GPU_WORDS)


@case
def tpu_states_work():
    """A product of 2e11 FLOPs and 5e8 bytes of the main memory in 400 us: 500 TFLOP/s."""
    text = ("%fusion.1 = bf16[4096,4096]{1,0} fusion(bf16[4096,4096]{1,0} %a, "
            "bf16[4096,4096]{1,0} %b), kind=kOutput, calls=%c")
    moved = b"".join(field(1, field(1, how) + field(2, where) + field(3, size)) for how, where, size
                     in ((1, 1, 4 * 10**8), (2, 1, 10**8), (1, 3, 10**9)))
    found = report(tpu("work.xplane.pb", [(text, 0, 400)], stated={text: dict(
        hlo_category="convolution fusion", model_flops=2 * 10**11, bytes_accessed=15 * 10**8,
        memory_access_breakdown=moved, tf_op="jit(f)/dot_general:Dot", source="/home/a/net.py:7",
        source_stack="/home/a/net.py:7:3\n/home/a/main.py:40:1")}))
    thunk = found["roofline.thunks.0"]
    expect_equal("FLOPs", thunk["flops"], 2 * 10**11)
    expect_equal("bytes", (thunk["bytes_read"], thunk["bytes_written"]), (4 * 10**8, 10**8))
    expect_near("rate", thunk["tflops_s"], 500)
    expect_equal("kind", list(kinds(found)), ["matrix product"])
    expect_equal("source", found["thunks.0.source"], dict(file="/home/a/net.py", line=7))
    expect_equal("op_name", found["thunks.0.op_name"], "jit(f)/dot_general")
    expect_near("of peak", found["roofline.step.hfu"], 2e11 / 918e12 * 1e3, 1e-6)


@case
def tpu_waits_at_done():
    """all-gather-start 2 us, fusion 300, all-gather-done 100 us: 300 of 402 us are hidden, 102 not."""
    start = "%all-gather-start.1 = (bf16[1024]{0}, bf16[4096]{0}) all-gather-start(...)"
    done = "%all-gather-done.1 = bf16[4096]{0} all-gather-done(...)"
    found = report(tpu("done.xplane.pb", [
        (start, 10, 2), ("%fusion.2 = f32[8]{0} fusion(...)", 12, 300), (done, 312, 100),
        ("%fusion.3 = f32[8]{0} fusion(...)", 412, 450)], [("Async XLA Ops", [(start, 10, 402)])]))
    expect_near("exposed", steps_of(found)["exposed_communication_ms"], 0.102)
    expect_near("compute", steps_of(found)["compute_ms"], 0.75)
    expect_near("hidden share", found["communication.hidden_fraction"], 300 / 402)


@case
def tpu_waits_at_async_done():
    """The same of a collective that async-start wraps, matched by the operand of its async-done."""
    start = "%ag-start = ((bf16[8]), bf16[16]) async-start(bf16[8]{0} %x), calls=%wrapped_all-gather"
    done = "%end.7 = bf16[16]{0} async-done(((bf16[8]), bf16[16]) %ag-start)"
    found = report(tpu("async.xplane.pb", [
        (start, 0, 2), ("%fusion.2 = f32[8]{0} fusion(...)", 2, 300), (done, 302, 100)]))
    expect_near("hidden share", found["communication.hidden_fraction"], 300 / 402)
    expect_near("exposed", steps_of(found)["exposed_communication_ms"], 0.102)


@case
def tpu_trace_for_chrome():
    """The same facts in the args of a trace for Chrome: kinds, FLOPs, bytes, sources, on 2 TPUs."""
    events = []
    for d in (0, 1):
        events.append(dict(ph="M", pid=3 + d, name="process_name",
                           args=dict(name=f"/device:TPU:{d}")))
        for tid, name in ((2, "XLA Modules"), (3, "XLA Ops")):
            events.append(dict(ph="M", pid=3 + d, tid=tid, name="thread_name",
                               args=dict(name=name)))
        for i in range(8):
            events.append(dict(ph="X", pid=3 + d, tid=2, ts=1000.0 * i, dur=900.0,
                               name="jit_step(77)", args={}))
            events.append(dict(ph="X", pid=3 + d, tid=3, ts=1000.0 * i, dur=600.0, name="fusion.1",
                               args=dict(hlo_category="convolution fusion", model_flops="6000000",
                                         bytes_accessed="3000", source="/a/b.py:12", long_name=
                                         "%fusion.1 = bf16[8]{0} fusion(bf16[8]{0} %p), calls=%c")))
            events.append(dict(ph="X", pid=3 + d, tid=3, ts=1000.0 * i + 600, dur=300.0,
                               name="psum.3", args=dict(hlo_category="all-reduce", long_name=
                               "%psum.3 = bf16[8]{0} all-reduce(bf16[8]{0} %f), to_apply=%a")))
    with gzip.open("chrome.trace.json.gz", "wt") as file:
        json.dump(dict(displayTimeUnit="ns", metadata={"highres-ticks": True},
                       traceEvents=[*events, {}]), file)
    found = report("chrome.trace.json.gz")
    expect_near("communication", steps_of(found)["exposed_communication_ms"], 0.3)
    expect_equal("kinds", sorted(kinds(found)), ["all-reduce", "convolution"])
    thunk = next(t for t in found["roofline.thunks"] if t["name"] == "fusion.1")
    expect_equal("FLOPs and bytes", (thunk["flops"], thunk["bytes_read"] + thunk["bytes_written"]),
                 (6000000, 3000))
    expect_equal("source", found["thunks.0.source"], dict(file="/a/b.py", line=12))
    expect_said("devices", found.text, "2 × TPU")
    expect_not_said("words of GPUs", found.text, *GPU_WORDS)


@case
def shared_tpu_server():
    """vLLM on 2 TPUs: matrix products, attention and all-reduces from facts in the events."""
    found = report(shared("data/trace_json/vllm_tpu_fc65.trace.json.gz"))
    percent = kinds(found)
    expect_near("matrix products", percent["matrix product"], 62.7)
    expect_near("attention", percent["attention"], 25.4)
    expect("unknown" not in percent or percent["unknown"] < 0.5, f"unknown: {percent}")
    expect_equal("a message", max(c["message_bytes"] for c in found["collectives"]),
                 1024 * 5120 * 2)
    expect_said("devices", found.text, "2 × TPU")
    expect_said("text", found.text, "FLOPs and bytes are as recorded in the events")
    expect_not_said("text", found.text, "gradients")
    expect_not_said("words of GPUs", found.text, *GPU_WORDS)


@case
def points_that_are_drawn():
    """8 of the 602 collectives of a TPU's profile have a bandwidth: the chart has 8 points."""
    run("report", shared("data/xplane/xprof_tpu_inference_2_a.xplane.pb"), "-q", "-o", "out",
        "--format", "md")
    with open("out/report.md", encoding="utf-8") as file:
        expect_said("chart", file.read(), r"plot of 8 values; Message .* Bus bandwidth")


@case
def shared_tpu_psum():
    """The faults tpu_psum.*: 300 of 1,001 us per step are an all-reduce."""
    for name in ("tpu_psum.xplane.pb", "tpu_psum.trace.json.gz"):
        found = report(shared(f"data/faults/{name}"))
        expect_near(name, steps_of(found)["exposed_communication_ms"], 0.3)


@case
def two_hosts():
    """A product of 500 us and an all-reduce of 300 us across two hosts: every FLOP is known."""
    found = report(*shared_case("two_hosts"))
    expect_equal("not counted", found["roofline.not_counted.active_percent"], 0)
    expect_not_said("text", found.text, "Not counted:", r"\(\)", "Triton and Pallas", "at least 6")
    expect_said("text", found.text, "link rate is not known")


@case
def pallas_estimate():
    """A Pallas call whose author gives 137 GFLOP and 101 MB, in 400 us: 344 TFLOP/s. At the peak it takes
    150 us, so it can save at most 250 us per step."""
    main = Computation()
    left = main.add("parameter", "bf16", [4096, 4096], parameter=0)
    right = main.add("parameter", "bf16", [4096, 4096], parameter=1)
    main.add("custom-call", "bf16", [4096, 4096], [left, right], "splash.1", target="tpu_custom_call",
             config=json.dumps({"custom_call_config": {"body": "QUJD", "cost_estimate": {
                 "flops": "137438953472", "transcendentals": "0", "bytes_accessed": "100663296"}}}))
    found = report(tpu("pallas.xplane.pb", [("%splash.1 = bf16[4096,4096]{1,0} custom-call(...)",
                                             10, 400)], cores=1, hlo=module("jit_step", 5, main)))
    thunk = found["roofline.thunks.0"]
    expect_equal("FLOPs", thunk["flops"], 137438953472)
    expect_equal("bytes", thunk["bytes_read"] + thunk["bytes_written"], 100663296)
    expect_near("rate", thunk["tflops_s"], 343.6)
    for finding in found["findings"]:
        if "splash" in finding["title"]:
            expect(finding["step_recoverable_ms"] <= 0.2504, f"{finding['title']}: more than 250 us")


@case
def ragged_moves_its_operand():
    """ragged-all-to-all of 4 MB, with an output of 64 MB and four arrays of sizes: 4 MB move."""
    main = Computation()
    sizes = [("bf16", [2048, 1024]), ("bf16", [32768, 1024]), *[("s32", [8])] * 4]
    operands = [main.add("parameter", kind, shape, parameter=i)
                for i, (kind, shape) in enumerate(sizes)]
    main.add("ragged-all-to-all", "bf16", [32768, 1024], operands, "ragged.1",
             extra=field(49, packed(1, [0, 1])))
    job = Job(gpus=2)
    job.program(7, "jit_moe", module("jit_moe", 7, main))
    for i in range(8):
        for device in range(2):
            job.execute(device, 7, "jit_moe", (1 + i) * MS, [("ragged.1", "nccl", 0, 300 * US)])
    found = report(job.write("ragged.xplane.pb"))
    expect_equal("message", found["collectives.0.message_bytes"], 2048 * 1024 * 2)
    expect_equal("buffers", found["collectives.0.buffers"], 1)


def product(gpu, length, size=8192):
    """Six steps of one bf16 product of size^3 on a device."""
    main, job = Computation(), Job(gpu=gpu)
    main.dot(size, size, size, name="dot.1")
    job.program(7, "jit_s", module("jit_s", 7, main))
    for i in range(6):
        job.execute(0, 7, "jit_s", (1 + 20 * i) * MS, [("dot.1", "nvjet", 0, length)])
    return job.write("product.xplane.pb")


def nvidia(name, capability, sms, gb_s, mhz):
    return dict(gpu_device_name=name, compute_cap_major=capability // 10,
                compute_cap_minor=capability % 10, core_count=sms, memory_bandwidth=gb_s * 10**9,
                clock_rate=mhz * 1000)


@case
def capped_h20():
    """An H20 reaches 148 TFLOP/s of dense bf16: 1.1 TFLOP in 9 ms are 82.5 % of that."""
    found = report(product(nvidia("NVIDIA H20", 90, 78, 4000, 1980), 9 * MS))
    expect_near("peak", found["roofline.device.0.peaks_flops_s.bf16"], 148e12, 0.002)
    expect_near("efficiency", found["roofline.thunks.0.efficiency"], 0.825)


@case
def gb10_by_capability():
    """A GB10 (12.1) is not in the table by name: its peak is that of its capability."""
    found = report(product(nvidia("NVIDIA GB10", 121, 48, 273, 2418), 15 * MS))
    expect_near("peak", found["roofline.device.0.peaks_flops_s.bf16"], 118.8e12, 0.002)


@case
def capability_of_tomorrow():
    """A capability that is not in the table: the table is the reason, not the profile."""
    found = report(product(nvidia("NVIDIA Next", 150, 48, 273, 2418), 15 * MS))
    expect_equal("peak", found["roofline.device.0.peaks_flops_s.bf16"], None)
    expect_said("reason", found.text, r"device table does not contain compute capability 15\.0")


@case
def compiled_on_the_cpu():
    """XLA's CPU client compiled for 27 ms and ran for 45 ms: one number everywhere, and no advice to
    install another jaxlib."""
    job = Job(gpus=0)
    job.event("python", "TfrtCpuClient::Compile", MS, 27 * MS)
    job.event("python", "CpuCompiler::RunBackend", 3 * MS // 2, 26 * MS)
    job.event("python", "TfrtCpuExecutable::Execute", 30 * MS, 45 * MS)
    found = report(job.write("cpu.xplane.pb"))
    expect_near("section", found["compilation.process_ms"], 27, 1e-9)
    expect_near("module", found["compilation.modules.0.total_s"], 0.027, 1e-9)
    expect_equal("phases", {p["name"]: p["self_ms"] for p in found["compilation.phases"]},
                 {"CpuCompiler::RunBackend": 26, "TfrtCpuClient::Compile": 1})
    expect_equal("loading of libraries, not recorded", found["compilation.loading_ms"], None)
    expect_equal("check", found.check("compiled-inside")["value"], 1)
    expect_said("headline", found["verdict"], "CPU", r"27\.0\d? ms")
    expect_said("finding", found.finding("compiled-inside")["title"], r"27\.0 ms")
    expect_not_said("text", found.text, "jaxlib", "Library loading [1-9]", "GPUs",
                    "no compilation was profiled")


@case
def compiled_in_another_words():
    """A compilation of 1.5 s on a TPU's host, recorded by backend_compile around the compiler's own call,
    and another of 0.5 s that only the client records. The work of an LLVM thread is part of one."""
    job = Job(gpus=0)
    job.event("python", "backend_compile", MS, 1500 * MS)
    job.event("python", "TfrtTpuCompiler::Compile", 100 * MS, 1300 * MS)
    job.event("python", "PjRtStreamExecutorClient::CompileAndLoad", 2000 * MS, 500 * MS)
    job.event("codegen", "JitCompiler::Compile", 2100 * MS, 100 * MS)
    found = report(job.write("words.xplane.pb"))
    expect_near("section", found["compilation.process_ms"], 2000, 1e-9)
    expect_equal("check", found.check("compiled-inside")["value"], 2)


@case
def idle_after_the_last_operation():
    """A TPU's module of 900 us whose only operation ends after 410: no launch is late."""
    found = report(tpu("tail.xplane.pb", [("%fusion.1 = f32[8]{0} fusion(...)", 10, 400)]))
    finding = found.finding("idle-inside-modules")
    expect_equal("cause", finding["cause"], "waiting")
    expect_said("evidence", finding["evidence"], r"after the last kernel: 490 µs")
    expect_not_said("detail", advice(finding), "launched", "host callbacks")


@case
def shared_reactant():
    """A profile of Reactant on CPUs (one compilation of 27.3 ms), and one on two GTX 1080 Ti."""
    found = report(shared("data/xplane/reactant_cpu_cbcd.xplane.pb"))
    expect_near("compilation", found["compilation.process_ms"], 27.318)
    expect_not_said("text", found.text, "jaxlib", "no compilation was profiled", r"jax\.(devices|config)", "start_trace")
    for rule in ("lost-kernels", "lost-nodes", "lost-launches", "overlapping-records", "before-launch"):
        expect_equal(f"{rule}, with no operation", found.check(rule)["result"], "unknown")
    expect_said("device", advice(found.finding("no-device")), "check which devices the program finds")
    found = report(shared("data/xplane/reactant_gpu_1e5f.xplane.pb"))
    expect_not_said("text", found.text, r"jax\.(jit|lax|config|devices)", "start_trace")
    expect_equal("kinds", list(kinds(found)), ["elementwise"])
    expect_not_said("text", found.text, "tells too little")
    expect_equal("a kernel of 2 us, too short for its roof", found.finding("hot-thunk"), None)
    expect_near("peak", found["roofline.device.0.peaks_flops_s.f32"], 28 * 256 * 1582e6, 1e-6)


@case
def advice_for_programs_of_jax_alone():
    """The same four steps of a program with a name of JAX and without one: XLA also runs other programs."""
    for program, said in (("jit_step(5)", "start_trace"), ("cluster_step(5)", "while the trace is taken")):
        found = report(tpu("few.xplane.pb", [("%fusion.1 = f32[8]{0} fusion(...)", 0, 500)],
                           program=program, steps=4))
        expect_said(program, advice(found.finding("few-steps")), said)
        if said != "start_trace":
            expect_not_said(program, found.text, r"jax\.(jit|lax|device_put)", "start_trace", "np\.")


@case
def cycle_of_ten_programs():
    """Ten programs in turn on an MI300: a step is all of them, in text and in charts."""
    found = report(shared("data/xplane/tracelens_mi300_elementwise08.xplane.pb"))
    expect_said("chart", found.text, "cycle of 10 programs: 2\.063 ms, of which Compute")
    expect_not_said("chart", found.text, "jit_multiply: 2\.063 ms")


@case
def devices_that_arrive_together():
    """Both TPUs begin each all-reduce at the same time: no device arrived last."""
    text = "%ar.1 = f32[8]{0} all-reduce(f32[8]{0} %x), replica_groups={{0,1}}"
    found = report(tpu("ties.xplane.pb", [("%fusion.1 = f32[8]{0} fusion(...)", 0, 500),
                                          (text, 500, 300)]))
    expect_equal("arrived last", [row["last_arrivals"] for row in found["stragglers"]], [0, 0])


def kernels(names, path, **device):
    """An export of kernels of 40 us, one after the other, each 50 us after the last."""
    export = Export()
    for row in export.tables["TARGET_INFO_GPU"]:
        row.update(device)
    for i in range(40):
        at = nsys_export.MS + i * 50 * nsys_export.US
        export.launch(names[i % len(names)], at - 20 * nsys_export.US, at, at + 40 * nsys_export.US)
    return export, path


@case
def kernels_of_other_libraries():
    """Half of the kernels are all-reduces of vLLM, of NVSHMEM, and of DeepEP: half of the GPU's busy
    time is communication. The device's name ends in blanks."""
    export, path = kernels(["gemm", "void vllm::cross_device_reduce_1stage<__half, 2>(int)", "gemm",
                            "nvshmem_allreduce_kernel", "gemm",
                            "void deep_ep::internode::combine<8>(int)"], "libraries.sqlite",
                           name="NVIDIA H100 80GB HBM3   ")
    found = report(export.write(path))
    ledger = found["gpu.ledger.0"]
    expect_near("communication", ledger["exposed_communication_ms"], 20 * 0.04)
    expect_near("compute", ledger["compute_ms"], 20 * 0.04)
    expect_equal("device", found["devices.0.gpu_name"], "NVIDIA H100 80GB HBM3")


@case
def repeated_correlation_ids():
    """Two calls have the id of an earlier one that had ended: the report counts them."""
    export, path = kernels(["gemm"], "ids.sqlite")
    for i in range(2):
        export.call("cuLaunchKernel", (8 + i) * nsys_export.MS, (8 + i) * nsys_export.MS + 2000,
                    correlation=5)
    expect_equal("counted", report(export.write(path)).guess("same-correlation-ids"), 2)


@case
def gate_of_another_name():
    """An export has no step, so `busy` is not measured; the report lists what is measured."""
    export, path = kernels(["gemm"], "gate.sqlite")
    export.write(path)
    said = "".join(map(str, run("compare", path, path, "--gate", "busy>=0.5", "-o", "out")))
    expect_said("gate", said, r"it has gpu\.busy")


@case
def benchmark_without_zeros():
    """benchmark.json contains no value of 0, because its reader would divide by it."""
    report(tpu("zeros.xplane.pb", [("%fusion.1 = f32[8]{0} fusion(...)", 0, 500)]))
    run("report", "zeros.xplane.pb", "-o", "zeros", "--format", "benchmark", "-q")
    with open("zeros/benchmark.json", encoding="utf-8") as file:
        values = [entry["value"] for entry in json.load(file)]
    expect(values and all(values), f"values: {values}")


def lanes_of(found):
    return {(row["core"], row["line"], row["name"]): row for row in found["lanes"]}


@case
def stages_of_a_kernel():
    """A Pallas kernel of 400 us waits for its input for 300 and runs for 100. One stage is outside."""
    found = report(tpu("stages.xplane.pb", [
        ('%my.1 = f32[8]{0} custom-call(f32[8] %p), custom_call_target="tpu_custom_call"', 10, 400)],
        [("XLA TraceMe", [("ep_wait_in", 10, 300), ("ep_run", 310, 100), ("barrier", 500, 50)])]))
    lanes = lanes_of(found)
    wait, barrier = (lanes["TPU", "XLA TraceMe", name] for name in ("ep_wait_in", "barrier"))
    expect_equal("instruction", (wait["of"], barrier["of"]), ("my.1", None))
    expect_near("share", wait["share"], 0.75)
    expect_near("time", wait["sum_ms"], 2 * 8 * 0.3)
    expect_said("finding", found.finding("hot-thunk")["evidence"],
                "“ep_wait_in” 75.0 %, “ep_run” 25.0 %")
    expect_said("advice", advice(found.finding("hot-thunk")), "waits for data for 75.0 %")
    expect_near("saving", found.finding("hot-thunk")["step_recoverable_ms"], 0.3)


@case
def shared_pallas_stages():
    """The fault pallas: of 1,000 us of the kernel 750 are a wait for input."""
    row = lanes_of(report(shared("data/faults/pallas.xplane.pb")))["TPU", "XLA TraceMe", "ep_wait_in"]
    expect_equal("wait", (row["of"], row["count"], row["sum_ms"]), ("my_kernel.1", 12, 9.0))


@case
def sparse_cores_and_megascale():
    """A SparseCore gathers 4 times for 50 us. Megascale moves 3 messages of 4 MB in 200 us each, with 80 us
    of slack and 20 us of stall; only the length of a fourth is known."""
    main = tpu("lanes.xplane.pb", [("%fusion.1 = f32[8]{0} fusion(...)", 0, 500)])
    sparse = Plane("/device:TPU:0 SparseCore 1", 50)
    sparse.line("XLA Ops", [("%gather.5 = f32[8]{0} custom-call(...)", i * MS, 50 * US)
                            for i in range(4)])
    scale = Plane("/device:CUSTOM:Megascale Trace", 51)
    stated = dict(dcn_label="all-reduce.7", payload_size_bytes=4 << 20, slack_us=80.0,
                  stall_duration_us=20)
    scale.line("0", [("transfer", i * MS, 200 * US, stated) for i in range(3)] +
               [("received", 4 * MS, 0, dict(dcn_label="all-reduce.7", duration_us=150))])
    with open(main, "ab") as file:
        file.write(space([sparse, scale], host=""))
    found = report(main)
    lanes = lanes_of(found)
    gather = lanes["SparseCore 1", "XLA Ops", "gather.5"]
    expect_equal("gather", (gather["count"], gather["sum_ms"], gather["of"]), (4, 0.2, None))
    moved = lanes["Megascale Trace", "0", "transfer"]
    expect_equal("transfer", [moved[key] for key in ("of", "count", "sum_ms", "bytes", "slack_ms",
                 "stall_ms")], ["all-reduce.7", 3, 0.6, 3 * (4 << 20), 0.24, 0.06])
    expect_equal("length", lanes["Megascale Trace", "0", "received"]["sum_ms"], 0.15)
    expect_equal("unread", found.guess("unread-events"), 0)


@case
def transfer_between_slices():
    """send 5 us, fusion 300, send-done 10, recv 1, recv-done 100 us: the transfer lasts 416 us, has 311 us
    of slack (end of the send to the recv-done), and stalls the device for 115 us. All four are
    communication."""
    attributes = (', channel_id=3, is_host_transfer=true, frontend_attributes={'
                  '_xla_host_transfer_handler_name="xla_megascale_runtime",'
                  '_xla_host_transfer_rendezvous="all-reduce.7_1"}')
    send = "%send.1 = (bf16[8]{0}, u32[], token[]) send(bf16[8]{0} %p, token[] %t)" + attributes
    sent = "%send-done.1 = token[] send-done((bf16[8]{0}, u32[], token[]) %send.1)" + attributes
    receive = "%recv.1 = (bf16[8]{0}, u32[], token[]) recv(token[] %t)" + attributes
    done = "%recv-done.1 = (bf16[8]{0}, token[]) recv-done((bf16[8], u32[]) %recv.1)" + attributes
    found = report(tpu("dcn.xplane.pb", [
        (send, 0, 5), ("%fusion.1 = f32[8]{0} fusion(...)", 5, 300), (sent, 305, 10),
        (receive, 315, 1), (done, 316, 100)]))
    row = lanes_of(found)["TPU", "DCN transfers", "all-reduce.7_1"]
    expect_equal("count", row["count"], 2 * 8)
    for key, us in (("mean_ms", 416), ("slack_ms", 16 * 311), ("stall_ms", 16 * 115)):
        expect_near(key, row[key], us / 1e3)
    expect_near("communication", steps_of(found)["exposed_communication_ms"], 0.116)
    expect_near("compute", steps_of(found)["compute_ms"], 0.3)


@case
def copy_from_the_host():
    """A copy out of the host's memory takes 5 ms of a step of 6 ms: no layout is the cause."""
    main, job = Computation(), Job()
    kept = main.add("parameter", "bf16", [8192, 16384], parameter=0, host=True)
    main.add("copy", "bf16", [8192, 16384], [kept], name="copy.1")
    job.program(7, "jit_s", module("jit_s", 7, main))
    for i in range(6):
        job.execute(0, 7, "jit_s", (1 + 6 * i) * MS, [("copy.1", "MemcpyH2D", 0, 5 * MS)], ahead=20 * MS)
    detail = advice(report(job.write("offloaded.xplane.pb")).finding("hot-thunk"))
    expect_said("advice", detail, "waits for copies of offloaded arrays", "Offload less")
    expect_not_said("advice", detail, "layout")


@case
def one_short_kernel():
    """A step is one kernel of 2 us that is always short: a larger one saves nothing in this step. Seven of
    eight such kernels can go: the host is ahead by more than all steps."""
    main = Computation()
    for i in range(8):
        left = main.add("parameter", "f32", [8], parameter=2 * i)
        right = main.add("parameter", "f32", [8], parameter=2 * i + 1)
        main.add("add", "f32", [8], [left, right], name=f"add.{i}")
    for n, name in ((1, "jit_one"), (8, "jit_eight")):
        job = Job()
        job.program(7, name, module(name, 7, main))
        for step in range(6):
            job.execute(0, 7, name, MS + 3 * n * step * US,
                        [(f"add.{i}", "loop_add", 3 * i * US, 2 * US) for i in range(n)],
                        ahead=200 * US)
        found = report(job.write(f"{name}.xplane.pb")).finding("latency-bound")
        expect_near(name, found["step_recoverable_ms"] or 0, (n - 1) * 2e-3, 0.02)
        expect_said("launches", found["evidence"], r"\b1 launch per" if n == 1 else r"\b8 launches per")


@case
def advice_for_a_server():
    """Without instructions of a backward pass no gradients are summed. With one, they are."""
    text = "%psum.3 = bf16[1024,1024]{1,0} all-reduce(bf16[1024,1024]{1,0} %f), replica_groups={{0,1}}"
    other = "%fusion.1 = f32[8]{0} fusion(f32[8]{0} %p), kind=kLoop, calls=%c"
    for name, said, not_said in (("jit(f)/mul", "does not need their result", "gradients|backward"),
                                 ("jit(f)/transpose(jvp(g))/mul", "gradients", "needs the sum|Split the batch")):
        found = report(tpu("server.xplane.pb", [(other, 0, 500), (text, 500, 300)], stated={
            text: dict(hlo_category="all-reduce", tf_op="jit(f)/psum:AllReduce"),
            other: dict(hlo_category="loop fusion", tf_op=f"{name}:Mul")}))
        detail = advice(found.finding("exposed-communication"))
        expect_said(name, detail, said)
        expect_not_said(name, detail, not_said)


@case
def advice_without_cudnn():
    """A softmax and a product at HIGHEST dominate, on a TPU and on AMD: neither has cuDNN, and a TPU has
    neither tensor cores nor tf32."""
    found = report(tpu("softmax.xplane.pb", [("%softmax.3 = f32[8]{0} fusion(...)", 0, 800)],
                       stated={"%softmax.3 = f32[8]{0} fusion(...)": dict(
                           hlo_category="loop fusion", model_flops=10**6)}))
    expect_said("TPU", advice(found.finding("hot-thunk")), "It is not a matrix product", "Pallas")
    main = Computation()
    left = main.add("parameter", "f32", [4096, 4096], parameter=0)
    right = main.add("parameter", "f32", [4096, 4096], parameter=1)
    main.add("dot", "f32", [4096, 4096], [left, right], name="dot.1", extra=field(
        30, packed(1, [1]) + packed(2, [0])) + field(51, packed(1, [2, 2])))
    highest = report(tpu("highest.xplane.pb", [("%dot.1 = f32[4096,4096]{1,0} dot(...)", 0, 890)],
                         hlo=module("jit_step", 5, main)))
    main, job = Computation(), Job(gpu=dict(device_vendor="AMD", gpu_device_name="AMD Instinct X"))
    left = main.add("parameter", "f32", [1024, 1024], parameter=0)
    main.add("exponential", "f32", [1024, 1024], [left], name="softmax.3")
    job.program(7, "jit_s", module("jit_s", 7, main))
    for i in range(8):
        job.execute(0, 7, "jit_s", (1 + i) * MS, [("softmax.3", "softmax.kd", 0, 900 * US)])
    amd = report(job.write("amd.xplane.pb"))
    expect_said("AMD", advice(amd.finding("hot-thunk")), "It is not a matrix product", "jax_triton")
    expect_said("TPU", advice(highest.finding("f32-products")), "passes", r"precision\('bfloat16'\)")
    for each in (found, highest, amd):
        expect_not_said("text", each.text, "cudnn", "cuDNN", "tensor ?cores", "tensorfloat32")
    expect_not_said("words of GPUs", highest.text, *GPU_WORDS)


@case
def command_buffers_off_for_the_profiler():
    """100 kernels of 5 us, 5 us apart, and XLA's range that says why they ran one by one."""
    main, job = Computation(), Job()
    left = main.add("parameter", "f32", [1024], parameter=0)
    for k in range(100):
        main.add("exponential", "f32", [1024], [left], name=f"exp.{k}")
    job.program(7, "jit_s", module("jit_s", 7, main))
    for i in range(8):
        job.execute(0, 7, "jit_s", (2 + 2 * i) * MS,
                    [(f"exp.{k}", f"exp_{k}", 10 * k * US, 5 * US) for k in range(100)])
    before = report(job.write("graphs.xplane.pb"))
    expect_said("before", advice(before.finding("idle-inside-modules")), "No command buffer")
    job.event("py_xla_execute/0", "WARNING: CommandBuffer disabled when profiling", MS, US)
    found = report(job.write("no_graphs.xplane.pb"))
    expect_said("after", advice(found.finding("idle-inside-modules")), "command buffers .* off",
                "--xla_enable_command_buffers_during_profiling=true")
    expect_not_said("after", found.text, "No command buffer")


def markdown(path):
    expect_equal("exit status", run("report", path, "--format", "md", "-o", f"{path}.md")[0], 0)
    with open(f"{path}.md/report.md", encoding="utf-8") as file:
        return file.read()


@case
def names_in_words_of_other_platforms():
    """Modules called "GPU" and "{gpu} CUDA graph" keep their names on a TPU and on AMD, also in titles,
    where a name has no quotes."""
    said = markdown(tpu("gpu.xplane.pb", [("%my_NCCL = f32[8]{0} fusion(...)", 0, 800)], program="GPU(5)"))
    expect_said("TPU", said, "One step of GPU", "my_NCCL")
    expect_not_said("TPU", said, "step of TPU")
    job = Job(gpu=dict(device_vendor="AMD", gpu_device_name="AMD Instinct X"))
    main, name = Computation(), "{gpu} CUDA graph"
    main.add("exponential", "f32", [1024, 1024], [main.add("parameter", "f32", [1024, 1024], parameter=0)],
             name="NCCL.3")
    job.program(7, name, module(name, 7, main))
    for i in range(8):
        job.execute(0, 7, name, (1 + i) * MS, [("NCCL.3", "GPU_thing", 0, 900 * US)])
    said = markdown(job.write("amd.xplane.pb"))
    expect_said("AMD", said, r"One step of \\?\{gpu\\?\} CUDA graph", r"NCCL\.3", "GPU_thing")
    expect_not_said("AMD", said, "HIP graph", r"RCCL\.3")


@case
def trace_that_was_read_as_text():
    """A trace whose bytes above 7F are U+FFFD: it says so, and not that the file is cut short."""
    with open(tpu("whole.xplane.pb", [("%fusion.1 = f32[8]{0} fusion(...)", 0, 500)]), "rb") as file:
        text = file.read().decode(errors="replace")
    for name in ("text.xplane.pb", "text.bin"):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        code, _, said = run("report", name, "-o", "out")
        expect_equal("exit status", code, 1)
        expect_said(name, said, f"{name}.*damaged: it was converted as text")


@case
def host_alone():
    """The device is unknown: the report does not claim that there was no device."""
    job = Job(gpus=0)
    job.event("python", "PjitFunction(f)", MS, 2 * MS)
    detail = advice(report(job.write("host.xplane.pb")).finding("no-device"))
    expect_said("detail", detail, "used no such device, or the profiler did not record it")
    expect_not_said("detail", detail, "jaxlib")


@case
def slow_device_of_twenty():
    """The faults dev20: 20 TPUs run one instruction per step of 1 ms; on the last one it takes the whole
    step, on the others half."""
    found = report(shared("data/faults/dev20.xplane.pb"))
    rows = {row["device"]: row for row in found["ledger"]}
    expect_equal("devices", len(rows), 20)
    for device, row in rows.items():
        expect_equal(f"device {device} computes", row["compute_ms"], 3 if device == 19 else 1.5)
        expect_equal(f"device {device}", row["wall_ms"], 3.003)
    expect_equal("period", found["step.period_ms"], 1.001)
    expect_said("text", found.text, "longest 1.00 ms on device 19, ", "probably limited by memory bandwidth")
    expect_not_said("text", found.text, "launch time", *GPU_WORDS)


@case
def compiled_on_cpu():
    """The faults cpu_compile: 27 ms of TfrtCpuClient::Compile, with a phase of 26 ms within."""
    found = report(shared("data/faults/cpu_compile.xplane.pb"))
    expect_said("headline", found["verdict"], "XLA used the CPU", "compilation took 27.00 ms")
    expect_said("check", found.finding("compiled-inside")["title"], r"1 compilation .*27\.0 ms")
    expect_not_said("text", found.text, "jaxlib", "nsys", "NCCL", "xla_gpu")


@case
def compiled_for_tpu():
    """The faults tpu_compile: steps of 1.001 ms, and 1.5 s of backend_compile with 1.4 s within."""
    found = report(shared("data/faults/tpu_compile.xplane.pb"))
    expect_equal("period", found["step.period_ms"], 1.001)
    expect_said("check", found.finding("compiled-inside")["title"], r"1 compilation .*1\.50 s")
    expect_not_said("text", found.text, "no compilation", "not profiled", *GPU_WORDS)
