"""Inputs that state one thing twice, or in a form that the readers do not expect."""
import xspace
from suite import case, expect_equal, expect_near, expect_not_said, expect_said, report
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
