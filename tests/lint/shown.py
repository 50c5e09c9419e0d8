"""What people read besides findings: reports, comparisons, histories, help, and messages of the sources."""
import re
import subprocess
import textwrap

import english
import texts

SAMPLES = ("mnist_vae", "transformer_fsdp4", "torch_ddp2 --format sqlite", "mnist_vae --format xspace")
COMMANDS = ("report", "compare", "history add", "history show", "combine", "record", "summary")
NAMES = re.compile(r"\d[\d,.]*|`[^`]*`|“[^”]*”|\\|[µmk]?[sBKMGT]+\b|\([^()]*:\d+\)")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 1, 4, 5):
        raise RuntimeError(f"{command}: {done.stderr[:500]}")
    return done.stdout


def put(text, indent="  "):
    print(textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent + "  "))


class Once:
    """Print each wording once, below the heading of the place that has it first."""

    def __init__(self):
        self.seen, self.heads, self.printed, self.n = set(), [], None, 0

    def head(self, level, text):
        self.heads = self.heads[:level] + [text]

    def text(self, text):
        key = NAMES.sub("", text)
        if key in self.seen or not re.search("[A-Za-z]{2}", key):
            return
        self.seen.add(key)
        self.n += 1
        if self.printed != self.heads:
            print("\n" + " / ".join(self.heads))
            self.printed = list(self.heads)
        put(text)


def markdown(once, name, path):
    """Headings, paragraphs, items and titles of columns; rows of tables and outlines only have data."""
    once.head(0, name)
    rows = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        table = line.startswith("|")
        heading = re.match(r"#+ (.*)", line)
        if heading:
            once.head(1, heading[1])
            once.text(heading[1])
        elif table and not rows:
            once.text(line.strip("| "))
        elif line.strip() and not table and not line.startswith("    "):
            once.text(line.strip())
        rows = table


def of_reports(once, build, scratch):
    made = []
    for i, sample in enumerate(SAMPLES):
        ending = "sqlite" if "sqlite" in sample else "zip"
        run(f"{build}/jr-generate", *sample.split(), "-o", f"{scratch}/{i}.{ending}")
        made += sorted(scratch.glob(f"{i}*"))[:1]
        run(f"{build}/jaxreport", str(made[-1]), "-q", "-o", f"{scratch}/r{i}", "--format", "md")
        markdown(once, f"report.md of {sample}", scratch / f"r{i}/report.md")
    slow = scratch / "slow.zip"
    run(f"{build}/jr-generate", "mnist_vae", "--slow-thunk", "input_reduce_fusion:30", "-o", str(slow))
    for name, base, new in (("a slower run", made[0], slow), ("the same run", made[0], made[0]),
                            ("another program", made[1], made[0])):
        run(f"{build}/jaxreport", "compare", str(base), str(new), "-q", "-o", f"{scratch}/c", "-f", "--format", "md")
        markdown(once, f"report.md of a comparison: {name}", scratch / "c/report.md")
    for i, archive in enumerate((made[0], made[0], slow)):
        run(f"{build}/jaxreport", "history", "add", f"{scratch}/store", str(archive), "--commit", f"c{i}", "-q")
    run(f"{build}/jaxreport", "history", "show", f"{scratch}/store", "-q", "-o", f"{scratch}/h", "--format", "md")
    markdown(once, "report.md of a history of three runs", scratch / "h/report.md")


def of_help(once, build):
    for command in COMMANDS:
        once.head(0, f"jaxreport {command} --help")
        entry = []
        for line in run(f"{build}/jaxreport", *command.split(), "--help").split("\n") + [""]:
            if entry and not line.startswith(" " * 20):
                once.text(" ".join(entry))
                entry = []
            if line.strip():
                entry.append(line.strip())


def of_sources(once):
    """Templates of errors, warnings, notes, assumptions, reasons for missing data; texts of the page's scripts."""
    for text in texts.all_of("."):
        words = re.sub(r"%?PRI\w+", "N", text.words.replace("%PRI", "PRI"))
        if text.kind == "literal" and english.read(text) and len(words.split()) > 1 and (
                "message" in english.kinds(text) or words.startswith("not available") or
                text.path.startswith("templates/") and re.match("[A-Z]", words)):
            once.head(0, text.path)
            once.text(words)


def show(build, scratch):
    once = Once()
    of_reports(once, build, scratch)
    of_help(once, build)
    of_sources(once)
    return once.n
