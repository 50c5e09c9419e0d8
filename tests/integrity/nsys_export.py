"""SQLite exports of Nsight Systems, written row by row. Times are ns."""
import os, sqlite3

US, MS, S = 1000, 10**6, 10**9
KERNEL = dict(contextId=1, registersPerThread=64, gridX=132, gridY=1, gridZ=1, blockX=256, blockY=1,
              blockZ=1, staticSharedMemory=0, dynamicSharedMemory=0)
GPU = dict(name="NVIDIA H100 80GB HBM3", smCount=132, memoryBandwidth=3352320000000,
           totalMemory=85028896768, clockRate=1980000000, computeMajor=9, computeMinor=0)
# Tables that the reader expects even without rows.
EMPTY = {"CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, eventClass, globalTid, correlationId, nameId",
         "DIAGNOSTIC_EVENT": "timestamp, timestampType, source, severity, text, globalPid",
         "META_DATA_CAPTURE": "name, value"}


def process_id(pid):
    return 1 << 48 | pid << 24


class Export:
    """One export. A table has the columns of its rows."""

    def __init__(self, gpus=1, schema="3.24.0", product="2025.5.2.266"):
        self.tables, self.texts, self.correlation = {}, {}, 0
        self.add("META_DATA_EXPORT", name="EXPORT_PRODUCT_VERSION", value=product)
        self.add("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION", value=schema)
        for i in range(gpus):
            self.add("TARGET_INFO_GPU", id=i, cuDevice=i, **GPU)

    def add(self, table, **row):
        self.tables.setdefault(table, []).append(row)

    def text(self, text):
        """Return the id of a text."""
        return self.texts.setdefault(text, len(self.texts) + 1)

    def call(self, name, start, end, pid=100, tid=None, correlation=None):
        """Add a call of CUDA; return its correlation id, a new one unless given."""
        if correlation is None:
            self.correlation += 1
            correlation = self.correlation
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0,
                 globalTid=process_id(pid) + (tid or pid), correlationId=correlation,
                 nameId=self.text(name), returnValue=0)
        return correlation

    def kernel(self, name, start, end, correlation, pid=100, device=0, stream=7, **more):
        brief = name.split("(")[0].split("<")[0]
        self.add("CUPTI_ACTIVITY_KIND_KERNEL", **{**KERNEL, **dict(
            start=start, end=end, deviceId=device, streamId=stream, correlationId=correlation,
            globalPid=process_id(pid), demangledName=self.text(name),
            shortName=self.text(brief)), **more})

    def copy(self, start, end, size, correlation, pid=100, device=0, stream=14, kind=1, source=1,
             target=2):
        """kind, source and target as CUDA numbers them: 1 = host to device, pinned to device."""
        self.add("CUPTI_ACTIVITY_KIND_MEMCPY", start=start, end=end, deviceId=device, contextId=1,
                 streamId=stream, correlationId=correlation, globalPid=process_id(pid), bytes=size,
                 copyKind=kind, srcKind=source, dstKind=target)

    def launch(self, name, at, start, end, pid=100, tid=None, call="cuLaunchKernel", length=2 * US,
               **more):
        """Add a call at `at` and the kernel from `start` to `end` that it launched."""
        correlation = self.call(call, at, at + length, pid, tid)
        self.kernel(name, start, end, correlation, pid, **more)
        return correlation

    def session(self, start_s=None, host=None):
        """Set the date of time 0, in seconds after a morning of 2026, and the name of the host."""
        if start_s is not None:
            self.add("TARGET_INFO_SESSION_START_TIME",
                     utcEpochNs=1767322845 * S + round(start_s * S), utcTime="", localTime="")
        if host:
            self.add("TARGET_INFO_SYSTEM_ENV", globalVid=0, devStateName="Local", name="Hostname",
                     nameEnum=1, value=host)

    def range(self, name, start, end, pid=100, tid=None, domain=0):
        """Add a push/pop range of NVTX; domain 1 is TSL, XLA's own."""
        self.add("NVTX_EVENTS", start=start, end=end, eventType=59, text=None, rangeId=None,
                 globalTid=process_id(pid) + (tid or pid), endGlobalTid=None,
                 textId=self.text(name), domainId=domain)

    def domain(self, name, number, pid=100):
        self.add("NVTX_EVENTS", start=0, end=None, eventType=75, text=name, rangeId=None,
                 globalTid=process_id(pid) + pid, endGlobalTid=None, textId=None, domainId=number)

    def message(self, text, at=1, severity=2):
        """Add a message of nsys: severity 2 is a warning, 3 an error."""
        self.add("DIAGNOSTIC_EVENT", timestamp=at, timestampType=1, source=1, severity=severity,
                 text=text, globalPid=None)

    def setting(self, name, value):
        self.add("META_DATA_CAPTURE", name=name, value=value)

    def write(self, path):
        if os.path.exists(path):
            os.remove(path)
        database = sqlite3.connect(path)
        for table, columns in EMPTY.items():
            if table not in self.tables:
                database.execute(f"CREATE TABLE {table} ({columns})")
        for text, number in self.texts.items():
            self.add("StringIds", id=number, value=text)
        for table, rows in self.tables.items():
            columns = list(dict.fromkeys(column for row in rows for column in row))
            database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
            database.executemany(
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})",
                [[row.get(column) for column in columns] for row in rows])
        database.commit()
        database.close()
        return path
