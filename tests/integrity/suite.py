"""Shared code of the cases of this folder: register cases, run the program, check its report."""
import importlib, json, os, re, subprocess, sys, tempfile
import texts

CASES = {}


def case(function):
    """Register a case. Its docstring states what is true of the input by construction."""
    assert function.__name__ not in CASES, f"two cases are named {function.__name__}"
    CASES[function.__name__] = function
    return function


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def run_case(name):
    """Run a case in an empty folder: ("passed" | "failed" | "skipped", one line of detail)."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            CASES[name]()
            return "passed", ""
        except Failed as error:
            return "failed", " ".join(str(error).split())[:600]
        except Skipped as error:
            return "skipped", str(error)
        except Exception as error:
            where = error.__traceback__
            while where.tb_next:
                where = where.tb_next
            return "failed", (f"{type(error).__name__}: {error} "
                              f"({os.path.basename(where.tb_frame.f_code.co_filename)}:"
                              f"{where.tb_lineno})")
        finally:
            os.chdir("/")


def shared(path):
    """Return the absolute path of a file below ../shared; skip the case if it is missing."""
    found = f"{os.environ['SHARED']}/{path}"
    if not os.path.exists(found):
        raise Skipped(f"../shared/{path} is not there")
    return found


def shared_case(name):
    """Build the inputs of a case of ../shared/data/cases/cases.py in the current folder."""
    folder = os.path.dirname(shared("data/cases/cases.py"))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return getattr(importlib.import_module("cases"), name)()[0]


def run(*arguments):
    """Run a command of jaxreport; return (exit status, stdout, stderr)."""
    done = subprocess.run([f"{os.environ['BUILD']}/jaxreport", *arguments], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def report(*arguments, status=0):
    """Report on inputs, with options among them; return the Report. Fail if it exits with another status,
    or if its page contains impossible statements (texts.py)."""
    report.count = getattr(report, "count", 0) + 1
    folder = f"report-{report.count}"
    code, _, said = run("report", *arguments, "-q", "-o", folder, "--format", "json,text,html")
    expect(code == status, f"exit status {code}, not {status}: {said.strip()}")
    with open(f"{folder}/index.html", encoding="utf-8") as page:
        for words in texts.impossible(page.read()):
            raise Failed(f"the page says {words}")
    with open(f"{folder}/report.json", encoding="utf-8") as file, \
            open(f"{folder}/summary.txt", encoding="utf-8") as text:
        text, values = text.read(), json.load(file)
        for words in texts.impossible_values(values):
            raise Failed(words)
        for nothing in (r"\(no rows\)", r"Versions and settings\n-+\n\n\S"):
            expect(not re.search(nothing, text), f"the text has a head with nothing below: {nothing}")
        return Report(values, text)


def generate(path, *options):
    """A generated job of tests/generator, by its scenario and options."""
    subprocess.run([f"{os.environ['BUILD']}/jr-generate", *options, "-o", path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


class Report:
    """report.json, and the text report with its lines joined."""

    def __init__(self, values, text):
        self.values, self.text = values, " ".join(text.split())

    def __getitem__(self, path):
        """Return a value by keys and indices, report["gpu.ledger.0.idle_ms"], or None."""
        at = self.values
        for key in path.split("."):
            if isinstance(at, list):
                at = at[int(key)] if int(key) < len(at) else None
            else:
                at = at.get(key) if isinstance(at, dict) else None
        return at

    def finding(self, rule):
        """Return the finding of a rule, or None."""
        return next((f for f in self.values["findings"] if f["id"] == rule), None)

    def check(self, rule):
        """Return the row of Checks of a rule, or None."""
        return next((c for c in self.values["checks"] if c["id"] == rule), None)

    def guess(self, guess):
        """Return the count of a note, or 0."""
        return next((g["count"] for g in self.values["guesses"] if g["id"] == guess), 0)


def expect(true, message):
    if not true:
        raise Failed(message)


def expect_equal(what, found, true):
    expect(found == true, f"{what}: {found!r}, and {true!r} is true")


def expect_near(what, found, true, share=0.01):
    """Check that a number is within that share of the true one."""
    expect(found is not None and abs(found - true) <= share * abs(true),
           f"{what}: {found!r}, and {true!r} is true, to within {share:.3g} of it")


def advice(finding):
    """Return the cause and the advice of a finding as one text."""
    return f"{finding['why'] or ''} {finding['action'] or ''}"


def expect_said(what, text, *patterns):
    for pattern in patterns:
        expect(text and re.search(pattern, text), f"{what}: does not say {pattern!r}: {text}")


def expect_not_said(what, text, *patterns):
    for pattern in patterns:
        found = re.search(f".{{0,60}}(?:{pattern}).{{0,60}}", text or "")
        expect(not found, f"{what}: says {found and found.group()!r}")
