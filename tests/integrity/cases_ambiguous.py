"""Inputs that state one thing twice, leave it out, or state it in a form that the readers do not expect."""
import lzma, sqlite3

import xspace
from nsys_export import Export, MS, US, process_id
from suite import case, expect, expect_equal, expect_near, expect_not_said, expect_said, generate, report, run
from xspace import Computation, Job, Plane, module, space


def steps(gpus=2, n=10):
    """A trace of `n` steps of 5 ms on each GPU: four kernels of 990 µs, one per ms."""
    job = Job(gpus=gpus)
    for device in range(gpus):
        for i in range(n):
            job.execute(device, 5, "jit_step", (20 + 5 * i) * xspace.MS, [
                (f"fusion.{k}", f"k{k}", k * xspace.MS, 990 * xspace.US) for k in range(4)])
    return job


@case
def planes_of_one_number():
    """Two planes of GPU 0, whose kernels run at the same times: the second is not read, and listed. So is a
    plane of a TPU of that number, and a file that is appended to itself."""
    for name in ("/device:GPU:0", "/device:GPU:00", "/device:TPU:0"):
        job = steps(1)
        again = Plane(name, 9)
        again.line("XLA Ops", [("other", (20 + i) * xspace.MS, 900 * xspace.US) for i in range(50)])
        with open(job.write("again.xplane.pb"), "ab") as file:
            file.write(space([again], host=""))
        found = report("again.xplane.pb")
        expect_near(f"{name}: step", found["step.period_ms"], 5, 1e-9)
        expect_equal(f"{name}: unread", found.guess("unread-events"), 50)
        expect_said("note", found.text, rf"{name} \(an earlier plane has its number\) \(50\)")
    path = steps().write("twice.xplane.pb")
    with open(path, "rb") as file:
        whole = file.read()
    with open(path, "wb") as file:
        file.write(whole + whole)
    found = report(path)
    expect_near("step", found["step.period_ms"], 5, 1e-9)
    expect_equal("unread", found.guess("unread-events"), 80)
    expect_not_said("report", found.text, "in doubt")


@case
def hlo_of_another_program():
    """jit_step ran fusion.0 to fusion.3. HLO of its name and number that contains none of them is not used;
    one that contains all of them is."""
    for names, other in ((("dot.1", "dot.2", "dot.3"), True),
                         (("fusion.0", "fusion.1", "fusion.2", "fusion.3"), False)):
        job, main = steps(), Computation()
        for name in names:
            main.dot(512, 512, 512, name=name)
        job.program(5, "jit_step", module("jit_step", 5, main))
        found = report(job.write("other.xplane.pb"))
        expect_near("step", found["step.period_ms"], 5, 1e-9)
        expect_equal("opcode", {row["opcode"] for row in found["thunks"]}, {None if other else "dot"})
        expect_equal("FLOPs", found["roofline.kinds"] is None, other)
        (expect_said if other else expect_not_said)(
            "report", found.text, r"the HLO dump of program 5 \(jit_step\) is of another program and was "
            "not used: it contains 0 of the 4 instructions that ran")


# --- kernels of unknown instructions


def without_op(job, odd):
    """Leave out what the kernels of `job` state of their instruction; of each second one if `odd`."""
    for streams in job.streams:
        for stream, events in streams.items():
            streams[stream] = [(*event[:3], {k: v for k, v in event[3].items() if k != "hlo_op"})
                               if i % 2 or not odd else event for i, event in enumerate(events)]
    return job


@case
def kernels_without_instruction():
    """Kernels take 79 % of each step, and 80 or 40 of 80 do not state their instruction: their time is no
    idle time of the module, and compute is not said to take 0 % or 40 %."""
    for odd, count, compute in ((False, 80, "How much of the step is compute is unknown"),
                                (True, 40, r"Compute takes 39\.6 % or more of the step")):
        found = report(without_op(steps(), odd).write("unassigned.xplane.pb"))
        expect_equal("kernels", found.check("unassigned-kernels")["value"], count)
        expect_equal("idle time", found.check("idle-inside-modules")["result"], "unknown")
        expect_equal("findings", [f["id"] for f in found["findings"]], ["unassigned-kernels"])
        expect_said("headline", found.text,
                    rf"in doubt: {count} of 80 kernels of modules belong to no instruction", compute)
    expect_equal("whole", report(steps().write("whole.xplane.pb")).check("unassigned-kernels")["value"], 0)


def edited(path, source, *statements):
    """A copy of a database after these statements."""
    with open(source, "rb") as original, open(path, "wb") as copy:
        copy.write(original.read())
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


@case
def ranges_without_instruction():
    """The ranges of half of the instructions are not in an export: half of its kernels are of none. They may
    have hidden transfers, so exposed communication is not judged."""
    generate("whole.sqlite", "transformer_fsdp4", "--format", "sqlite")
    found = report(edited("half.sqlite", "whole.sqlite", """DELETE FROM NVTX_EVENTS WHERE textId IN (
        SELECT id FROM StringIds WHERE value LIKE 'Thunk:%' AND id % 2 = 0)"""))
    expect(found.check("unassigned-kernels")["value"] > 500, "hardly any kernel without an instruction")
    for rule in ("idle-inside-modules", "exposed-communication"):
        expect_equal(rule, found.check(rule)["result"], "unknown")
    expect_equal("whole", report("whole.sqlite").check("unassigned-kernels")["value"], 0)


@case
def ids_with_two_texts():
    """Each seventh id of StringIds occurs again with another text, and each fifth with the same: the first
    text counts, the numbers do not change, and a note counts the former."""
    generate("whole.sqlite", "transformer_fsdp4", "--format", "sqlite")
    path = edited("twice.sqlite", "whole.sqlite", "CREATE TABLE kept AS SELECT * FROM StringIds",
                  "DROP TABLE StringIds", "ALTER TABLE kept RENAME TO StringIds",
                  "INSERT INTO StringIds SELECT id, 'other ' || value FROM StringIds WHERE id % 7 = 0",
                  "INSERT INTO StringIds SELECT id, value FROM StringIds WHERE id % 5 = 0 AND id % 7")
    database = sqlite3.connect("whole.sqlite")
    count, = database.execute("SELECT count(*) FROM StringIds WHERE id % 7 = 0").fetchone()
    database.close()
    found, whole = report(path), report("whole.sqlite")
    for key in ("thunks", "kernels", "ledger", "findings"):
        expect_equal(key, found[key], whole[key])
    expect_equal("other texts", found.guess("other-texts"), count)
    expect_equal("whole", whole.guess("other-texts"), 0)


@case
def kernels_without_names():
    """An export without StringIds: kernels may compute or communicate, and are not said to compute. With the
    names of some kernels, both are said."""
    generate("whole.sqlite", "torch_ddp2", "--format", "sqlite")
    for statement, words in (("DROP TABLE StringIds", r"\d %( exposed)? kernels without a name"),
                             ("DELETE FROM StringIds WHERE value LIKE 'ampere%' OR value LIKE '%gemm%'",
                              "compute and kernels without a name"), ("SELECT 1", "% compute, ")):
        found = report(edited("names.sqlite", "whole.sqlite", statement))
        expect_said("headline", found["verdict"], words)
        expect_near("busy", found["gpu.busy_fraction"], 0.902, 1e-3)


@case
def kernels_without_streams():
    """Streams are not stated, so kernels that overlap are not said to be of one stream."""
    export = Export()
    for i in range(40):
        for stream, length in ((7, 900 * US), (8, 90 * US), (9, 95 * US)):
            at = MS + i * MS
            export.launch(f"k{stream}", at - 20 * US, at + stream * US, at + length, stream=stream)
    path = export.write("streams.sqlite")
    for statement in ("SELECT 1", "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN streamId"):
        found = report(edited("edited.sqlite", path, statement))
        expect_equal("overlaps", found.check("overlapping-records")["value"] or 0, 0)
        expect_not_said("report", found.text, "in doubt")


# --- tables that are not stored


def torch():
    generate("whole.sqlite", "torch_ddp2", "--format", "sqlite")
    return "whole.sqlite"


def view(path, table):
    return edited(path, torch(), f"ALTER TABLE {table} RENAME TO kept",
                  f"CREATE VIEW {table} AS SELECT * FROM kept")


def refused_table(name, what):
    """Report on an export of which a table cannot be read: the rest is reported, and said to lack it."""
    found = report(name, status=1)
    expect_said("notes", found.text, rf"tables: table {what}")
    code, _, said = run("report", name, "--strict", "-o", "strict")
    expect_equal("--strict", code, 1)
    expect_said("message", said, f"table {what}")
    return found


@case
def tables_that_are_views():
    """One table of an export is a view. GPUs are busy 90.2 %, of which copies are 12.9 %; without a table of
    operations nothing is concluded from idle time."""
    no_rule = "host-bound"
    for table, busy in (("NVTX_EVENTS", 0.902), ("CUPTI_ACTIVITY_KIND_RUNTIME", 0.902),
                        ("CUPTI_ACTIVITY_KIND_MEMCPY", 0.784), ("ThreadNames", 0.902)):
        found = refused_table(view("view.sqlite", table), f"{table} is a view or a virtual table")
        expect_near(f"{table}: busy", found["gpu.busy_fraction"], busy, 1e-3)
        operations = "MEMCPY" in table
        (expect_said if operations else expect_not_said)(
            "headline", found["verdict"], "in doubt: a table of GPU operations cannot be read")
        expect_equal("of a table", found.check("cut-inputs")["value"], int(operations))
        if operations:
            expect_equal("idle time", found.check(no_rule)["result"], "unknown")
    found = refused_table(view("view.sqlite", "CUPTI_ACTIVITY_KIND_KERNEL"), "CUPTI_ACTIVITY_KIND_KERNEL is")
    expect_said("headline", found["verdict"], "312 kernels were launched, and no row of a kernel can be read")
    expect_not_said("advice", found.text, "nsys status|as new as the driver")


@case
def columns_that_are_generated():
    """The end of kernels is a stored column of start and length, which is read like any other; one that is
    computed when it is read is not, and is not said to be absent."""
    kernels = "CUPTI_ACTIVITY_KIND_KERNEL"
    computed = edited("computed.sqlite", torch(), f'ALTER TABLE {kernels} RENAME COLUMN "end" TO ends',
                      f'ALTER TABLE {kernels} ADD COLUMN "end" GENERATED ALWAYS AS (ends)')
    refused_table(computed, rf"{kernels}: column 'end' is computed")
    database = sqlite3.connect(torch())
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({kernels})") if row[1] != "end"]
    database.close()
    names = ", ".join(columns)
    stored = edited(
        "stored.sqlite", "whole.sqlite", f"ALTER TABLE {kernels} RENAME TO kept",
        f'CREATE TABLE {kernels} ({names}, length, "end" GENERATED ALWAYS AS (start + length) STORED)',
        f'INSERT INTO {kernels} ({names}, length) SELECT {names}, "end" - start FROM kept',
        "DROP TABLE kept")
    expect_equal("kernels", report(stored)["kernels"], report("whole.sqlite")["kernels"])


# --- secrets in what is shown


@case
def credentials_in_settings():
    """Variables that a report shows have URLs with passwords, and one has a token. No output contains them,
    and other values are whole."""
    values = {"JAX_COMPILATION_CACHE_DIR": "https://me:hunter2@cache.example:8443/xla",
              "JAX_COORDINATOR_ADDRESS": "10.0.0.1:1234", "JAX_CACHE_TOKEN": "hunter2",
              "NCCL_CONF": "ftp://hunter2@h/x,file:///etc/nccl@2.conf", "XLA_FLAGS": "--a=s3://hunter2@b/c"}
    shown = {"JAX_COMPILATION_CACHE_DIR": "https://***@cache.example:8443/xla",
             "JAX_COORDINATOR_ADDRESS": "10.0.0.1:1234",
             "NCCL_CONF": "ftp://***@h/x,file:///etc/nccl@2.conf", "XLA_FLAGS": "--a=s3://***@b/c"}
    for by_device in (True, False):
        export = Export()
        for i in range(40):
            export.launch("gemm", MS + i * MS, MS + i * MS + 20 * US, MS + i * MS + 800 * US)
        if by_device:
            export.add("TARGET_INFO_SYSTEM_ENV", name="DeviceEnvironment", nameEnum=1, value=";".join(
                f"{name}={value}" for name, value in values.items()))
        else:
            for name, value in values.items():
                export.setting("PROCESS_0:ENVIRONMENT_VARIABLE", f'{name}="{value}"')
        found = report(export.write("settings.sqlite"))
        expect_equal("settings", found["provenance.flags"], shown)
        for name in ("report.json", "summary.txt", "index.html"):
            with open(f"report-{report.count}/{name}", encoding="utf-8") as file:
                expect("hunter2" not in file.read(), f"{name} shows a password")


@case
def secrets_of_the_job_in_outputs():
    """An export has the command line and the whole environment of the job, and a message with a password.
    Neither its reports nor its digest have any of that; a digest makes the same report."""
    export = Export()
    for i in range(40):
        export.launch("gemm", MS + i * MS, MS + i * MS + 20 * US, MS + i * MS + 800 * US)
    shown = "NCCL_DEBUG=INFO"
    environment = f"WANDB_API_KEY=hunter2;HF_TOKEN=hunter2;{shown};USER=hunter2"
    export.add("TARGET_INFO_SYSTEM_ENV", name="DeviceEnvironment", nameEnum=1, value=environment)
    export.add("TARGET_INFO_SYSTEM_ENV", name="CommandLine", nameEnum=2, value="train --key hunter2")
    for variable in environment.split(";"):
        export.setting("PROCESS_0:ENVIRONMENT_VARIABLE", variable.replace("=", '="') + '"')
    export.setting("PROCESS_0:COMMAND_LINE", "python train.py --api-key hunter2")
    export.add("PROCESSES", globalPid=process_id(100), pid=100, name="python train.py --api-key=hunter2")
    export.message("upload failed: Authorization: Bearer hunter2, https://me:hunter2@host/a?sig=hunter2")
    path = export.write("job.sqlite")
    expect_equal("digest", run("digest", path, "-o", "job.jrd")[0], 0)
    for input in (path, "job.jrd"):
        found = report(input)
        expect_equal("settings", found["provenance.flags"], {"NCCL_DEBUG": "INFO"})
        expect_said("message", found.text, r"upload failed: Authorization: Bearer \*\*\*, https://\*\*\*@host/a\?\*\*\*")
        for name in ("report.json", "summary.txt", "index.html"):
            with open(f"report-{report.count}/{name}", encoding="utf-8") as file:
                expect("hunter2" not in file.read(), f"{name} of {input} has a secret")
    with open("job.jrd", "rb") as file:
        parts, kept = file.read().partition(b"\n")[2], b""
    while parts:
        size = int.from_bytes(parts[:8], "little")
        kept += lzma.decompress(parts[8:8 + size])
        parts = parts[8 + size:]
    expect(shown.split("=")[0].encode() in kept, "the digest was not read")
    expect(b"hunter2" not in kept, "the digest has a secret")
