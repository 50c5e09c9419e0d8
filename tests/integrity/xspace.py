"""Traces of jax.profiler (XSpace) and programs (HLO), written field by field. Times are ps.
The numbers of the fields are those of src/formats/README.md and proto/."""
from protowire import field, varint

US, MS = 10**6, 10**9
H100 = dict(device_vendor="Nvidia", gpu_device_name="NVIDIA H100 80GB HBM3", clock_rate=1980000,
            core_count=132, memory_bandwidth=3352320000000, memory_size=85029158912,
            compute_cap_major=9, compute_cap_minor=0)
TYPES = {name: i for i, name in enumerate(
    "invalid pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 tuple opaque c64 bf16 token".split())}


def packed(number, values):
    return field(number, b"".join(map(varint, values)))


# --- programs


def shape(kind, sizes, host=False):
    return (field(2, TYPES[kind]) + packed(3, sizes) +
            field(5, packed(1, reversed(range(len(sizes)))) + (field(8, 5) if host else b"")))


class Computation:
    """Instructions, each with operands before it. `first` makes ids unique in a module."""

    def __init__(self, name="main", first=1):
        self.name, self.first, self.encoded = name, first, []

    def add(self, opcode, kind, sizes, operands=(), name=None, extra=b"", parameter=None,
            called=(), target=None, config=None, op_name=None, host=False):
        """Append an instruction and return its id. host: its result is in the host's memory."""
        number = self.first + len(self.encoded)
        self.encoded.append(field(2, b"".join((
            field(1, name or f"{opcode}.{number}"), field(2, opcode), field(3, shape(kind, sizes, host)),
            field(7, field(2, op_name)) if op_name else b"",
            field(9, parameter) if parameter is not None else b"",
            field(28, target) if target else b"", field(35, number), packed(36, operands),
            packed(38, [c.first for c in called]), field(43, config) if config else b"", extra))))
        return number

    def dot(self, m, n, k, kind="bf16", name=None):
        """A product of two parameters."""
        left = self.add("parameter", kind, [m, k], parameter=len(self.encoded))
        right = self.add("parameter", kind, [k, n], parameter=len(self.encoded))
        return self.add("dot", kind, [m, n], [left, right], name=name,
                        extra=field(30, packed(1, [1]) + packed(2, [0])))

    def encode(self):
        return (field(1, self.name) + b"".join(self.encoded) + field(5, self.first) +
                field(6, self.first + len(self.encoded) - 1))


def module(name, number, entry, *others):
    """An HloProto."""
    return field(1, field(1, name) + field(2, entry.name) +
                 b"".join(field(3, c.encode()) for c in (*others, entry)) + field(5, number) +
                 field(6, entry.first))


# --- traces


class Plane:
    def __init__(self, name, number=0, stats=None):
        self.name, self.number, self.events, self.stats, self.body = name, number, {}, {}, b""
        for key, value in (stats or {}).items():
            self.body += field(6, self.stat(key, value))

    def stat(self, name, value):
        number = field(1, self.stats.setdefault(name, len(self.stats) + 1))
        kind = {float: 2, int: 4, str: 5, bytes: 6}[type(value)]
        return number + field(kind, value)

    def line(self, name, events, number=1, start_ns=0, display=None):
        """A line of events (name, start, duration[, stats])."""
        out = field(1, number) + field(2, name) + field(3, start_ns)
        if display:
            out += field(11, display)
        for text, start, length, *stats in sorted(events, key=lambda e: (e[1], -e[2])):
            out += field(4, field(1, self.events.setdefault(text, len(self.events) + 1)) +
                         field(2, start) + field(3, length) +
                         b"".join(field(4, self.stat(key, value))
                                  for key, value in (stats[0] if stats else {}).items()))
        self.body += field(3, out)

    def metadata(self, number, name, stats=None, display=None):
        """An event's metadata with its own stats."""
        self.body += field(4, field(1, number) + field(2, field(1, number) + field(2, name) + (
            field(4, display) if display else b"") + b"".join(
                field(5, self.stat(key, value)) for key, value in (stats or {}).items())))

    def encode(self):
        out = field(1, self.number) + field(2, self.name) + self.body
        for table, number in ((self.events, 4), (self.stats, 5)):
            for name, i in table.items():
                out += field(number, field(1, i) + field(2, field(1, i) + field(2, name)))
        return out


def space(planes, host="host0", errors=(), warnings=()):
    return (b"".join(field(1, p.encode()) for p in planes) +
            b"".join(field(2, e) for e in errors) + b"".join(field(3, w) for w in warnings) +
            (field(4, host) if host else b""))


class Job:
    """One host with GPUs: programs, their executions, events of its threads."""

    DETAILS = ("regs:64 static_shared:0 dynamic_shared:0 grid:132,1,1 block:256,1,1 occ_pct:100")

    def __init__(self, host="host0", gpus=1, gpu=None):
        self.host, self.gpu, self.correlation = host, {**H100, **(gpu or {})}, 0
        self.streams = [{} for _ in range(gpus)]
        self.threads, self.programs, self.errors, self.warnings = {}, [], [], []
        self.start_ns = 1767322845 * 10**9

    def program(self, number, name, proto):
        self.programs.append((number, name, proto))

    def event(self, thread, name, start, length, stats=None):
        self.threads.setdefault(thread, []).append((name, start, length, stats or {}))

    def execute(self, device, number, name, at, kernels, ahead=10 * US):
        """One execution of a program: kernels (op, kernel, start from `at`, duration[, stream])."""
        thread = f"py_xla_execute/{device}"
        self.event(thread, f"{name}:XLA GPU module", at - ahead - US // 50,
                   US // 20 * (len(kernels) + 1))
        for i, (op, kernel, start, length, *stream) in enumerate(kernels):
            self.correlation += 1
            self.event(thread, "cuLaunchKernel", at - ahead + US // 20 * i, US // 25,
                       dict(device_id=device, correlation_id=self.correlation))
            self.streams[device].setdefault(stream[0] if stream else 7, []).append(
                (kernel, at + start, length, dict(
                    correlation_id=self.correlation, kernel_details=self.DETAILS, hlo_op=op,
                    hlo_module=name, program_id=number)))

    def write(self, path):
        planes = []
        for device, streams in enumerate(self.streams):
            plane = Plane(f"/device:GPU:{device}", device + 1, self.gpu)
            for stream, events in streams.items():
                plane.line(f"Stream #{stream}(Compute)", events, stream, 1000)
            planes.append(plane)
        if self.programs:
            programs = Plane("/host:metadata", 90)
            for number, name, proto in self.programs:
                programs.metadata(number, f"{name}({number})",
                                  {"Hlo Proto": proto, "program_id": number})
            planes.append(programs)
        host = Plane("/host:CPU", 91)
        for i, (thread, events) in enumerate(self.threads.items()):
            host.line(thread, events, 5000 + i, 1000)
        environment = Plane("Task Environment", 92, dict(
            profile_start_time=self.start_ns, profile_stop_time=self.start_ns + 10**9))
        with open(path, "wb") as file:
            file.write(space(planes + [host, environment], self.host, self.errors, self.warnings))
        return path
