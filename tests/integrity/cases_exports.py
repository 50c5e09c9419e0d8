"""Exports of Nsight Systems of programs without XLA, and the conclusions from them."""
from nsys_export import Export, MS, S, US
from suite import advice, case, expect, expect_equal, expect_near, expect_not_said, expect_said, report, \
    run, shared

# --- charts and launches


@case
def charts_keep_the_longest_bars():
    """27 gaps of 1 ns to 700 ms, a class each; the 11 shortest classes have 5.776 µs of 1.278 s."""
    found = report(shared("data/faults/gapclasses.sqlite"))
    expect_said("chart", found.text, r"500–1000 ms █", "Not shown: 11 shorter bars, 5.776 µs",
                r"500–1000 ms: 700\.0 ms", "19 shorter bars, 2.778 ms")
    expect_not_said("chart", found.text, r"1–2 ns [▏█]")


@case
def charts_of_few_bars_leave_none_out():
    """Eight gaps of two lengths."""
    export = Export()
    for i in range(9):
        export.launch("k", i * MS, i * MS + 10 * US + i % 2 * 40 * US, i * MS + 100 * US)
    expect_not_said("chart", report(export.write("few.sqlite")).text, "shorter bar")


@case
def graphs_have_one_latency_per_launch():
    """20 launches of a graph of 50 nodes on each of two GPUs, which begin 10 µs after the call."""
    export = Export(gpus=2)
    for device in range(2):
        for i in range(20):
            at = 10 * MS + i * MS + device * 500 * US
            call = export.call("cudaGraphLaunch", at, at + 8 * US)
            for node in range(50):
                begin = at + 10 * US + node * 5 * US
                export.kernel(f"k{node}", begin, begin + 4 * US, call, device=device,
                              graphNodeId=(1 << 32) + node)
    found = report(export.write("graph.sqlite"))
    for row in range(2):
        expect_equal("kind", found[f"launch.latency.{row}.kind"], "graph")
        expect_equal("launches", found[f"launch.latency.{row}.count"], 20)
        expect_near("mean", found[f"launch.latency.{row}.mean_ms"], 0.010, 1e-9)
        expect_near("longest", found[f"launch.latency.{row}.max_ms"], 0.010, 1e-9)
    expect_equal("rows", len(found["launch.latency"]), 2)
    expect_equal("classes", [row["count"] for row in found["launch.classes"]], [40])


# --- first use


def loading(first_call="cuModuleLoadDataEx", kernels=8, again=0, ms=100, gpus=1):
    """`kernels` gaps of `ms`, each with a call that loads code and a new kernel at its end; then
    `again` more runs of them, 10 µs apart."""
    export = Export(gpus=gpus)
    for device in range(gpus):
        at, pid = 10 * MS, 100 + device
        for i in range(kernels):
            at += ms * MS
            if first_call:
                export.call(first_call, at - 2 * MS, at - MS, pid)
            export.launch(f"fusion_{i}", at - 20 * US, at, at + 20 * US, pid, device=device)
        for i in range(again):
            at += 30 * US
            export.launch(f"fusion_{i % kernels}", at - 8 * US, at, at + 20 * US, pid,
                          device=device)
    return export


@case
def code_is_loaded_once():
    """Seven gaps of 100 ms, each of which loads code: 699.86 of 699.86 ms of idle."""
    found = report(shared("data/faults/jit.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "first-use")
    expect_near("idle", first["recoverable_ms"], 699.86, 1e-6)
    expect_said("title", first["title"], "Code loading on first use")
    expect_said("measured", first["evidence"], "700 ms of 700 ms of idle time")
    expect_equal("times", first["times"], 7)
    expect_equal("host-bound", found.finding("host-bound"), None)
    expect_not_said("report", found.text, "loader|one batch ahead|input pipeline")


@case
def code_is_loaded_by_other_names():
    """The same for each call that loads code, on two GPUs, and with 1,000 later runs of 8 kernels."""
    for call in ("cuLibraryLoadData", "cuLinkComplete", "cudaGraphInstantiate", "hipModuleLoadData",
                 "cuModuleLoadFatBinary"):
        found = report(loading(call, again=1000, gpus=2).write("load.sqlite"))
        first = found["findings.0"]
        expect_equal(f"{call}: first finding", first["id"], "first-use")
        expect_near(f"{call}: idle", first["recoverable_ms"], 2 * 7 * 99.98, 1e-6)
        expect_said(f"{call}: title", first["title"], "Code loading on first use")


@case
def kernels_run_for_the_first_time():
    """No call loads code, but seven gaps of 100 ms end in first runs of kernels: later ones are short."""
    found = report(loading(None, again=1000).write("first.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "first-use")
    expect_said("title", first["title"], "^First runs of kernels")
    expect_near("idle", first["recoverable_ms"], 7 * 99.98, 1e-6)


@case
def gaps_of_every_step_are_not_first_use():
    """Gaps of 5 ms before all 20 runs of two kernels: the host is late each time."""
    export = Export()
    for i in range(40):
        at = 10 * MS + i * 5 * MS
        export.launch(f"k{i % 2}", at - 10 * US, at, at + 50 * US)
    found = report(export.write("late.sqlite"))
    expect_equal("first use", found.finding("first-use"), None)
    expect_equal("first finding", found["findings.0.id"], "host-bound")
    expect_near("host-bound", found["findings.0.recoverable_ms"], 39 * 4.95, 1e-6)


@case
def graphs_that_are_built_each_time():
    """A graph is instantiated before each of 20 launches, 5 ms each: only the first is first use."""
    export = Export()
    for i in range(21):
        at = 10 * MS + i * 6 * MS
        export.call("cudaGraphInstantiate", at - 5 * MS, at - 20 * US)
        call = export.call("cudaGraphLaunch", at - 10 * US, at - 5 * US)
        export.kernel("node", at, at + MS, call, graphNodeId=(1 << 32) + 1)
    found = report(export.write("graphs.sqlite"))
    expect_near("host-bound", found.finding("host-bound")["recoverable_ms"], 19 * 5, 1e-6)


@case
def input_that_is_loaded():
    """Each step waits 20 ms for a batch, in a range “DataLoader” of PyTorch, or without a range."""
    for name, kernel, said, not_said in (
            ("DataLoader.__next__", "void at::native::gemm<float>(int)", r"num_workers", "first use"),
            ("compute_fluxes", "flux_kernel", "other work outside CUDA", "loader|batch|PyTorch|weights")):
        export = Export()
        for i in range(20):
            at = 10 * MS + i * 30 * MS
            export.range(name, at - 19 * MS, at - 100 * US)
            export.launch(kernel, at - 50 * US, at, at + 10 * MS)
        first = report(export.write("input.sqlite"))["findings.0"]
        expect_equal("first finding", first["id"], "host-bound")
        expect_said("advice", advice(first), said)
        expect_not_said("advice", advice(first), not_said)


# --- waits of the host


def waiting(call="cudaStreamSynchronize", steps=20, copy="h2d", kernel="gemm", size=8, source=0):
    """Steps of ten kernels of 1 ms: after the fifth launch the host waits for them, with or without a
    small copy; the next launches come 300 µs later."""
    export = Export()
    at = 10 * MS
    for _ in range(steps):
        for i in range(10):
            export.launch(kernel, at - (10 - i) * 5 * US, at + i * MS, at + (i + 1) * MS)
        end = at + 10 * MS
        if copy:
            kind = dict(h2d=1, d2h=2)[copy]
            ends = dict(source=source, target=2) if kind == 1 else dict(source=2, target=source)
            number = export.call("cudaMemcpyAsync", at + 10 * US, at + 20 * US)
            export.copy(end, end + 2 * US, size, number, stream=7, kind=kind, **ends)
        export.call(call, at + 25 * US, end + 10 * US)
        at = end + 302 * US
    return export


@case
def host_waits_after_small_copies():
    """Twenty waits of 9.985 ms for copies of 8 B from pageable memory; 19 gaps of 300 µs follow."""
    found = report(waiting(kernel="void at::native::gemm<float>(int)").write("wait.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "host-bound")
    expect_near("idle", first["recoverable_ms"], 19 * 0.3, 1e-6)
    expect_said("measured", first["evidence"], r": 5\.70 ms of 206 ms \(2\.77 %\), of which 5\.70 ms follows waits "
                r"in “cudaStreamSynchronize”")
    expect_said("advice", advice(first), r"host to device, at most 8 B, pageable memory",
                r"20 times, 9\.98 ms each", "non_blocking=True")
    expect_not_said("advice", advice(first), "loader|batch")
    expect_near("idle after waits", found["gaps.waits.0.idle_ms"], 19 * 0.3, 1e-6)
    expect_near("waited", found["gaps.waits.0.waited_ms"], 20 * 9.985, 1e-6)


@case
def host_waits_otherwise():
    """The same with other calls: for a result that is read back, and for kernels only."""
    for call, copy, said, not_said in (
            ("cudaDeviceSynchronize", None, "Do not wait between launches", "PyTorch|torch|item"),
            ("hipStreamSynchronize", "d2h", "Read results back less often", r"\.item\(\)"),
            ("cudaEventSynchronize", "d2h", "Read results back less often", r"\.item\(\)")):
        found = report(waiting(call, copy=copy).write("wait.sqlite"))
        first = found["findings.0"]
        expect_near(f"{call}: idle", first["recoverable_ms"], 19 * (0.3 if copy else 0.302), 1e-6)
        expect_said(f"{call}: measured", first["evidence"], f"follows waits in “{call}”")
        expect_said(f"{call}: advice", advice(first), said)
        expect_not_said(f"{call}: advice", advice(first), not_said)


@case
def host_waits_in_two_calls():
    """In each of 20 steps 300 µs of idle time follow one wait, and 200 µs another."""
    export = Export()
    at = 10 * MS
    for _ in range(20):
        export.launch("k", at - 10 * US, at, at + 5 * MS)
        export.call("cudaDeviceSynchronize", at, at + 5 * MS)
        export.launch("k", at + 5290 * US, at + 5300 * US, at + 9800 * US)
        export.call("cudaStreamSynchronize", at + 5300 * US, at + 9800 * US)
        at += 10 * MS
    found = report(export.write("both.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "host-bound")
    expect_near("idle", first["recoverable_ms"], 20 * 0.3 + 19 * 0.2, 1e-6)
    expect_said("measured", first["evidence"], r": 9\.80 ms of 200 ms \(4\.90 %\), of which 6\.00 ms follows waits")


@case
def gpus_that_are_recorded_for_other_times():
    """Two GPUs: one is profiled for 20 ms, the other for 100 ms. Their mean is the time of neither."""
    export = Export(gpus=2)
    for device, n in ((0, 20), (1, 100)):
        for i in range(n):
            export.launch("k", i * MS, i * MS + 10 * US, i * MS + 510 * US, device=device)
    found = report(export.write("two.sqlite"))
    expect_said("verdict", found["verdict"], r"The 2 GPUs were busy .* of 59\.50 ms on average \(.* %"
                r" to .* % of 19\.50 ms to 99\.50 ms\): ")
    expect_said("measured", found["findings.0.evidence"], r" of 59\.5 ms per GPU on average \(")


@case
def gpus_that_are_busy_for_other_shares():
    """What is said of both GPUs holds for each of them."""
    for longer, said in ((0, r"Both GPUs were busy 50\.\d % of 99\.\d\d ms: "),
                         (250, r"The 2 GPUs were busy 62\.\d % of 99\.\d\d ms on average \(50\.\d % to 75\.\d %\): ")):
        export = Export(gpus=2)
        for device in (0, 1):
            for i in range(100):
                export.launch("k", i * MS, i * MS + 10 * US, i * MS + (510 + longer * device) * US, device=device)
        expect_said("verdict", report(export.write(f"shares{longer}.sqlite"))["verdict"], said)


# --- copies


@case
def copies_above_half_come_first():
    """76 of 89.24 ms are copies without a kernel, 12.9 ms are idle: not copying saves 76 ms."""
    found = report(shared("data/faults/copybound.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "exposed-copies")
    expect_near("saving", first["recoverable_ms"], 76.0, 1e-9)


@case
def pageable_copies():
    """98.9 of 100 ms are pageable copies without a kernel, at 4 GB/s; kernels could overlap 0.99 ms."""
    found = report(shared("data/faults/pageable.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "exposed-copies")
    expect_near("saving", first["recoverable_ms"], 98.9, 1e-9)
    expect_said("advice", advice(first), r"Pin host memory \(cudaMallocHost")
    expect_said("evidence", first["evidence"], "At most 990 µs of copies can overlap with kernels")
    expect_not_said("advice", advice(first), "batch|weights|PyTorch")


@case
def copies_of_two_directions():
    """30 % copies to the device, 25 % from it, 40 % idle: copies come first, with advice on both."""
    export = Export()
    for i in range(20):
        at = 10 * MS + i * 10 * MS
        export.copy(at, at + 3 * MS, 75 * 10**6, export.call("cudaMemcpyAsync", at - 20 * US, at))
        export.launch("k", at + 2 * MS, at + 3 * MS, at + 3500 * US)
        number = export.call("cudaMemcpyAsync", at + 2100 * US, at + 2200 * US)
        export.copy(at + 3500 * US, at + 6 * MS, 60 * 10**6, number, kind=2, source=2, target=1)
    found = report(export.write("both.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "exposed-copies")
    expect_near("saving", first["recoverable_ms"], 20 * 5.5, 1e-9)
    expect_said("advice", advice(first), "Copy less: ", r"For copies \(device to host\): ")


@case
def copies_without_kernels():
    """40 pageable copies of 9 ms, each 1 ms after the previous one, and no kernel: 360 of 399 ms."""
    export = Export()
    for i in range(40):
        at = 10 * MS + i * 10 * MS
        call = export.call("cudaMemcpy", at - 20 * US, at + 9 * MS)
        export.copy(at, at + 9 * MS, 36 * 10**6, call, source=0)
    found = report(export.write("only.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "exposed-copies")
    expect_near("saving", first["recoverable_ms"], 360, 1e-9)
    expect_said("advice", advice(first), r"Pin host memory \(cudaMallocHost")
    expect_not_said("finding", first["title"] + advice(first), "kernel")


@case
def pages_that_migrate():
    """200 pages of 64 KiB migrate, 50 µs each: 100 while a kernel runs, 100 after it."""
    found = report(shared("data/faults/uvm.sqlite"))
    first = found["findings.0"]
    expect_equal("first finding", first["id"], "page-migrations")
    expect_near("saving", first["recoverable_ms"], 10.0, 1e-9)
    expect_said("advice", advice(first), "cudaMemPrefetchAsync", "cudaMemAdvise", "cudaMalloc")
    expect_not_said("report", found.text, "layouts that do not match")


@case
def pages_that_are_prefetched():
    """Twenty prefetches of 2 MiB, 100 µs each, between kernels: advice does not ask for prefetches."""
    export = Export()
    for i in range(20):
        at = 10 * MS + i * MS
        call = export.call("cudaMemPrefetchAsync", at - 20 * US, at - 10 * US)
        export.copy(at, at + 100 * US, 2 << 20, call, kind=11, source=3, target=2)
        export.launch("k", at - 5 * US, at + 100 * US, at + MS - 50 * US)
    found = report(export.write("prefetch.sqlite")).finding("page-migrations")
    expect_near("saving", found["recoverable_ms"], 2.0, 1e-9)
    expect_said("advice", advice(found), "already prefetches pages")
    expect_not_said("advice", advice(found), "Move them before their use")


# --- communication and attention


def communicating(outer, inner="nccl:all_to_all", kernel="ncclDevKernel_SendRecv(args)", gpus=2):
    """Steps of 2 ms: 1 ms of compute and 1 ms of communication, launched in two ranges."""
    export = Export(gpus=gpus)
    for device in range(gpus):
        for i in range(20):
            at, pid = 10 * MS + i * 2 * MS, 100 + device
            export.launch("void at::native::gemm<float>(int)", at - 50 * US, at, at + MS, pid,
                          device=device)
            export.range(outer, at - 40 * US, at - 20 * US, pid)
            export.range(inner, at - 35 * US, at - 25 * US, pid)
            export.launch(kernel, at - 30 * US, at + MS, at + 2 * MS, pid, device=device)
    return export


@case
def advice_follows_the_range_around_communication():
    """An all-to-all of attention, FSDP, DDP, and ranges without a hint."""
    for outer, inner, kernel, said, not_said in (
            ("AllToAll4D", "nccl:all_to_all", "ncclDevKernel_SendRecv(a)", "Split the all-to-all by heads",
             "bucket|FSDP|DDP"),
            ("FullyShardedDataParallel.forward", "nccl:_all_gather_base",
             "ncclDevKernel_AllGather_RING_LL(a)", "forward_prefetch", "bucket|heads"),
            ("DistributedDataParallel.backward", "nccl:all_reduce",
             "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(a)", "bucket_cap_mb", "FSDP|heads"),
            ("tensor_parallel", "nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(a)",
             r"async_op=True", "bucket|FSDP|heads")):
        found = report(communicating(outer, inner, kernel).write("nccl.sqlite"))
        finding = found.finding("exposed-nccl")
        expect_said(f"{outer}: advice", advice(finding), said)
        expect_not_said(f"{outer}: advice", advice(finding), not_said)
        expect_said(f"{outer}: evidence", finding["evidence"], f"launched in “{outer}”")


@case
def attention_of_an_older_generation():
    """FlashAttention 2 takes half of the time of an H100; FlashAttention 3, or an A100, has no finding."""
    for kernel, capability, found_it in (
            ("void flash::flash_fwd_kernel<traits>(params)", 9, True),
            ("void pytorch_flash::flash_fwd_splitkv_kernel<traits>(params)", 9, True),
            ("void cutlass::device_kernel<flash::FlashAttnFwdSm90<traits>>(params)", 9, False),
            ("void flash::flash_fwd_kernel<traits>(params)", 8, False)):
        export = Export()
        export.tables["TARGET_INFO_GPU"][0]["computeMajor"] = capability
        for i in range(20):
            at = 10 * MS + i * 2 * MS
            export.launch(kernel, at - 50 * US, at, at + MS)
            export.launch("gemm", at - 40 * US, at + MS, at + 2 * MS)
        found = report(export.write("flash.sqlite")).finding("flash-attention-2")
        expect_equal(f"{kernel} on {capability}.0", found is not None, found_it)
        if found:
            expect_said("title", found["title"], r"20\.0 ms of 40\.0 ms \(50\.0 %\)")


@case
def impossible_properties():
    """No GPU has so many SMs or so much memory: both are unknown, and the other properties are kept."""
    export = Export()
    gpu = export.tables["TARGET_INFO_GPU"][0]
    gpu.update(smCount=2 ** 63 - 1, totalMemory=2 ** 60)
    export.launch("gemm", MS - 20 * US, MS, 2 * MS)
    found = report(export.write("properties.sqlite"))
    device = found["devices"][0]
    expect_equal("unknown", [device["sm_count"], device["memory_bytes"]], [None, None])
    expect_equal("bandwidth", device["memory_bandwidth_bytes_s"], gpu["memoryBandwidth"])
    expect_equal("note", [g["count"] for g in found["guesses"] if g["id"] == "impossible-properties"], [2])


@case
def words_of_other_programs():
    """The report of a fluid solver does not mention batches, weights, layers, PyTorch, or loaders."""
    found = report(shared("data/nsys_sqlite/pipit-perlmutter-cloverleaf-cuda.sqlite"))
    for finding in found["findings"]:
        for key in ("title", "why", "action", "evidence"):
            expect_not_said(finding["id"], finding[key],
                            r"[Pp]y[Tt]orch|torch\.|\bbatch|[Ww]eights|layers|[Ll]oader|\.item|[Gg]radient|token")
    expect_said("first finding", found["findings.0.evidence"], "cudaDeviceSynchronize")


@case
def one_small_copy_per_layer():
    """33 waits of 9.834 ms in two processes, each after a pageable copy of 8 B: 324.52 ms."""
    found = report(shared("data/nsys_sqlite/nsys-ai-mfu_2gpu_before.sqlite"))
    first = found["findings.0"]
    expect_said("measured", first["evidence"], "follows waits in “cudaStreamSynchronize”")
    expect_said("advice", advice(first), "at most 8 B, pageable memory", "33 times over all GPUs",
                r"9\.83 ms each, 162 ms of 299 ms")
    expect_said("communication", advice(found.finding("exposed-nccl")), "all-to-all")
    expect(found.finding("flash-attention-2"), "FlashAttention 2 is not found")
    expect_not_said("report", found.text, "loader workers|bucket_cap_mb")


@case
def three_operations():
    """../shared/data/faults/three.sqlite: a kernel of 1 s between copies of 9 and 1 ms, and two gaps of
    1 ms. There is much time and few operations, so no rule may claim a share of it."""
    found = report(shared("data/faults/three.sqlite"))
    row = found["gpu.ledger.0"]
    expect_equal("ledger", [row[f"{part}_ms"] for part in ("compute", "exposed_copy", "idle", "wall")],
                 [1000, 10, 2, 1012])
    expect_said("headline", found["verdict"], "Only 3 operations", r"1\.010 s in all")
    expect_equal("findings", [f["id"] for f in found["findings"]], ["few-operations"])
    expect_not_said("text", found.text, "so little time", "none is given")


@case
def steps_of_ranges():
    """The faults steps_a and steps_b: 30 steps of 30 and of 10 ms, ranges "step N" of the host, whose
    kernels leave 100 µs of each; a step is from one to the next, 29 of them."""
    for name, ms in (("steps_a", 30), ("steps_b", 10)):
        found = report(shared(f"data/faults/{name}.sqlite"))
        expect_equal(name, found["step.period_ms"], ms)


@case
def calls_recorded_twice():
    """Ten copies of 1 ms, each a call that contains the versioned call of the interface with the same id,
    as some versions of nsys write it; and two calls of one name one after the other."""
    export = Export()
    for i in range(10):
        at = (1 + 5 * i) * MS
        id = export.call("cudaMemcpy_v3020", at + 10 * US, at + MS - 10 * US)
        export.call("cudaMemcpy", at, at + MS, correlation=id)
        export.copy(at + 20 * US, at + 900 * US, 1 << 20, id)
        for k in range(2):
            export.launch("k", at + (2 + k) * MS, at + (2 + k) * MS + 10 * US, at + (2 + k) * MS + MS)
    export.write("twice.sqlite")
    calls = {c["name"]: c for c in report("twice.sqlite")["cuda_api.calls"]}
    expect_equal("copies", (calls["cudaMemcpy"]["count"], calls["cudaMemcpy"]["sum_ms"]), (10, 10))
    expect_equal("launches", calls["cuLaunchKernel"]["count"], 20)


@case
def recorded_by_an_older_version():
    """Recorded by 2022.2.1 and exported by 2024.5.1; a full launch queue is an overhead of CUDA, and a
    flush of buffers is an overhead of the profiler."""
    export = Export(product="2024.5.1.113")
    export.add("TARGET_INFO_SYSTEM_ENV", name="TargetInstallDir",
               value="/opt/Nsight-Systems/2022.2.1/target-linux-x64")
    export.launch("k", 1 * MS, 2 * MS, 3 * MS)
    for table, name in (("CUPTI_ACTIVITY_KIND_OVERHEAD", "Command Buffer Full"),
                        ("PROFILER_OVERHEAD", "CUPTI Buffer flush")):
        export.add(table, start=1 * MS, end=2 * MS, globalTid=1, nameId=export.text(name))
    found = report(export.write("older.sqlite"))
    expect_said("version", found.text, r"Nsight Systems +2022\.2\.1 ")
    expect_equal("overhead", {row["name"]: row["by"] for row in found["profiler_overhead"]},
                 {"Command Buffer Full": "CUDA", "CUPTI Buffer flush": "profiler"})
