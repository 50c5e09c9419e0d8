#!/usr/bin/env python3
"""Documents, sections and files that texts of the project name must exist.

- A word that ends in .md is a file: from the top, from src/, or next to the text that names it or its
  folder (rooms share the document of their layer). So is the target of a Markdown link, with its anchor.
- "section 3.2" follows the document that has it, as in "analysis/README.md, section 3.2", or an RFC; in
  a document it may be one of its own. "a README.md, sections 4 and 6" are two.
- A path that begins like one of the tree's ("tests/unit/...") exists; parts in capitals stand for any
  name.

usage: citations.py [ROOT]
"""
import fnmatch
import functools
import glob
import os
import re
import sys

TOP = ("src", "render", "tests", "templates", "proto", "examples")
ENDINGS = (".c", ".h", ".def", ".py", ".sh", ".md", ".js", ".proto", ".1.in", ".mk")
# Files that the program writes; documents of Apache Parquet and Thrift, on the web; a lesson's file.
WRITTEN = {"report.md", "summary.md"}
FOREIGN = {"Encodings.md", "Compression.md", "LogicalTypes.md", "thrift-compact-protocol.md"}
LESSON = {"src/analysis/thunk_lengths.c", "src/model/kinds/kind_demo_trace.c", "src/report/text/titles_writer.c"}
DOCUMENT = re.compile(r"(?<![\w*./-])((?:[\w.-]+/)*[\w.-]+\.md)\b")
NUMBER = r"\d+(?:\.\d+)*"
SECTION = re.compile(rf"\b[Ss]ections? +({NUMBER}(?:(?:,| +and| +to) +{NUMBER})*)")
HEADING = re.compile(r"^#+ (\d+(?:\.\d+)*)\.? ", re.M)
LINK = re.compile(r"\]\(([^()\s]+)\)")
PATH = re.compile(rf"(?<![\w./$}}-])((?:{'|'.join(TOP)})/[\w./*{{}},-]+)")
FOUND = []


def say(path, text, at, what):
    line = text.count("\n", 0, at) + 1
    FOUND.append(f"{path}:{line}: {what}")


@functools.lru_cache(None)
def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def find(name, beside):
    """Return the document of that name, or None."""
    for folder in (os.path.dirname(beside), os.path.dirname(os.path.dirname(beside)), ".", "src"):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(path):
            return path
    return None


@functools.lru_cache(None)
def headings(path):
    return set(HEADING.findall(read(path)))


@functools.lru_cache(None)
def anchors(path):
    names = re.findall(r"^#+ (.*)$", read(path), re.M)
    return {re.sub(r"[^\w -]", "", n.lower()).replace(" ", "-") for n in names}


def joined(text):
    """Join comments and paragraphs into one line each; character positions do not change."""
    return re.sub(r"\n[ \t]*(?:\*|//|#(?!#))?[ \t]*", lambda m: " " * len(m[0]), text)


def check_documents(path, text):
    """Return the named documents and their places: [(at, end, file)]."""
    seen = []
    for m in DOCUMENT.finditer(text):
        name = m[1]
        if os.path.basename(name) in WRITTEN | FOREIGN:
            continue
        document = find(name, path)
        if document:
            seen.append((m.start(), m.end(), document))
        elif not name.startswith(("http", "www")) and "://" not in text[max(0, m.start() - 60):m.start()]:
            say(path, text, m.start(), f"'{name}' is not there")
    for m in re.finditer(r"\b(?:SURVEY|field survey)\b", text):
        say(path, text, m.start(), f"'{m[0]}' is not there")
    return seen


def check_sections(path, text, documents):
    """Check sections: each follows its document, with only a few words between."""
    flat = joined(text)
    for m in SECTION.finditer(flat):
        ahead = re.sub(r" +", " ", flat[max(0, m.start() - 200):m.start()])
        if re.search(r"RFC \d+,? $", ahead):
            continue
        last = [d for d in documents if d[1] <= m.start()][-1:]
        between = re.sub(r" +", " ", flat[last[0][1]:m.start()]) if last else None
        document = path if path.endswith(".md") else None
        if between is not None and re.fullmatch(r"[`,: ]*", between):
            document = last[0][2]
        if not document:
            say(path, text, m.start(), f"'{re.sub(' +', ' ', m[0])}' of which document?")
            continue
        for number in re.findall(NUMBER, m[1]):
            if number not in headings(document):
                say(path, text, m.start(), f"{document} has no section {number}")


def check_links(path, text):
    for m in LINK.finditer(text):
        target, _, anchor = m[1].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not os.path.exists(file):
            say(path, text, m.start(), f"the link '{m[1]}' leads nowhere")
        elif anchor and file.endswith(".md") and anchor not in anchors(file):
            say(path, text, m.start(), f"{file} has no heading '#{anchor}'")


def is_made(name):
    """Return whether a build writes this file into the tree, as .gitignore lists it."""
    if not os.path.exists(".gitignore"):
        return False
    with open(".gitignore", encoding="utf-8") as f:
        return any(fnmatch.fnmatch("/" + name, line.strip()) for line in f)


def check_paths(path, text):
    for m in PATH.finditer(text):
        name = re.sub(r"[A-Z][A-Z_]+[A-Z]|\bT\b", "*", m[1].rstrip(".,-"))
        name = re.sub(r"\{[^}]*\}", "*", name)
        if not glob.glob(name) and name not in LESSON and not is_made(name):
            say(path, text, m.start(), f"'{m[1]}' is not there")


def comments(text, path):
    """Keep only comments; character positions do not change."""
    if path.endswith(".md"):
        return re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    if path.endswith((".c", ".h", ".def", ".js", ".proto")):
        token = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
        out, last = [], 0
        for m in token.finditer(text):
            if m[0][0] == "/":
                out.append(re.sub(r"[^\n]", " ", text[last:m.start()]) + m[0])
                last = m.end()
        return "".join(out) + re.sub(r"[^\n]", " ", text[last:])
    return "".join(re.sub(r"[^\n]", " ", line) if not re.match(r"\s*#", line) else line
                   for line in text.splitlines(keepends=True))


def files():
    for top in TOP:
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(f for f in folders if f not in ("node_modules", "cases", "corpus"))
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith(ENDINGS) or ("." not in name and open(path, "rb").read(2) == b"#!"):
                    yield path
    yield from (f for f in ("README.md", "Makefile") if os.path.exists(f))


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else ".")
    for path in files():
        text = comments(read(path), path)
        documents = check_documents(path, text)
        check_sections(path, text, documents)
        check_paths(path, text)
        if path.endswith(".md"):
            check_links(path, text)
    print("\n".join(FOUND), end="\n" if FOUND else "")
    return 1 if FOUND else 0


sys.exit(main())
