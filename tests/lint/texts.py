"""Texts of the source tree: literals of C and JavaScript, comments, paragraphs of documents, help of make.

Each is a Text: its kind, its words, and the line of each of its characters.
"""
import bisect
import os
import re
import subprocess

TOP = ("src", "render", "templates", "proto", "examples", "tests", ".ci")
# Literals of these reach people; of others only comments are read.
SHOWN = ("src/", "render/", "templates/")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
SCRIPT = re.compile(TOKEN.pattern + r"|`(?:\\.|[^`\\])*`", re.S)
BETWEEN = re.compile(r"(?:\s|\+|\\\n|\bPRI\w+\b|\bJR_[A-Z_]+\b\(?|\))*\Z")
NAMED = re.compile(r"\b(?:PRI\w+|JR_[A-Z_]+\b(?!\())")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.S)
COMMENT_EDGE = re.compile(r"^[ \t]*(?:/\*+|\*/|\*|//+|#+!?|<!--)?[ \t]?|[ \t]*(?:\*/|-->)[ \t]*$")
PRINTED = re.compile(r"\s*(PRI\w+)\s*,")


class Text:
    """`kind` is literal, comment, prose or help; `pieces` are (line, words)."""

    def __init__(self, kind, path, pieces, call=""):
        self.kind, self.path, self.call = kind, path, call
        self.starts, self.lines, self.words = [], [], ""
        for line, words in pieces:
            self.starts.append(len(self.words))
            self.lines.append(line)
            self.words += words

    def line(self, at):
        return self.lines[bisect.bisect_right(self.starts, at) - 1]


def unescaped(literal):
    def one(m):
        c = m[1]
        if c[0] == "u" and len(c) == 5:
            return chr(int(c[1:], 16))
        return {"n": "\n", "t": "\t"}.get(c, c[-1] if len(c) == 1 and not c.isdigit() else "")
    return ESCAPE.sub(one, literal[1:-1])


def stripped(line, text):
    """Lines of a comment without its marks: [(line, words)]."""
    return [(line + i, COMMENT_EDGE.sub("", part) + " ") for i, part in enumerate(text.split("\n"))]


def of_code(path, text):
    """Literals, adjacent ones joined, with the function that they are given to; and comments."""
    found, pieces, end, call, remarks, last = [], [], 0, "", [], 0

    def flush():
        if pieces:
            found.append(Text("literal", path, list(pieces), call))
        pieces.clear()

    def flush_remarks():
        if remarks:
            found.append(Text("comment", path, list(remarks)))
        remarks.clear()

    line = 1
    at = 0
    for m in (SCRIPT if path.endswith(("js", "mjs")) else TOKEN).finditer(text):
        line += text.count("\n", at, m.start())
        at = m.start()
        token = m[0]
        if token[0] == "/":
            if token[1] == "*" or text[last:m.start()].strip():
                flush_remarks()
            remarks += stripped(line, token)
            last = m.end()
            if token[1] == "*":
                flush_remarks()
            continue
        if token[0] == "'" and not path.endswith(".js"):
            continue
        between = text[end:m.start()]
        if not pieces or not BETWEEN.match(between):
            flush()
            named = re.search(r"(\w+)\s*\([^()\"]*$", text[max(0, m.start() - 200):m.start()])
            if named or re.search(r"[(){};]", between):
                call = named[1] if named else ""
        elif NAMED.search(between):
            pieces.append((line, NAMED.search(between)[0]))
        after = PRINTED.match(text, m.end())
        pieces.append((line, unescaped(token)))
        if after:
            pieces.append((line, after[1]))
        end = m.end()
    flush()
    flush_remarks()
    return found


def of_document(path, text):
    """Paragraphs and items of Markdown, without tables and blocks of code. Cells of tables are `cell`."""
    found, pieces, fenced = [], [], False

    def flush():
        if pieces:
            found.append(Text("prose", path, list(pieces)))
        pieces.clear()

    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("```"):
            fenced = not fenced
            flush()
        elif fenced:
            continue
        elif bare.startswith("|"):
            flush()
            found.append(Text("cell", path, [(number, bare)]))
        elif not bare or bare.startswith("#") or re.match(r"(?:[-*+]|\d+\.) ", bare):
            flush()
            if bare:
                pieces.append((number, bare.lstrip("#*+-0123456789. ") + " "))
            if bare.startswith("#"):
                flush()
        else:
            pieces.append((number, bare + " "))
    flush()
    return found


def of_man(path, text):
    """Paragraphs of a page for man."""
    found, pieces = [], []
    for number, line in enumerate(text.split("\n") + ["."], 1):
        if line.startswith(".") or not line.strip():
            macro = re.match(r"\.([BI]|BR|IR|BI) (.*)", line)
            if macro:
                pieces.append((number, macro[2] + " "))
                continue
            if pieces:
                found.append(Text("prose", path, list(pieces)))
            pieces.clear()
        else:
            pieces.append((number, re.sub(r"\\f[BIPR]", "", line).replace("\\-", "-") + " "))
    return found


def of_script(path, text):
    """Comments of a script or makefile, one Text for adjacent lines, and help of targets."""
    found, pieces = [], []
    for number, line in enumerate(text.split("\n") + [""], 1):
        target = re.match(r"[\w .-]+:.*?## (.*)", line)
        if target:
            found.append(Text("help", path, [(number, target[1])]))
        if re.match(r"\s*#(?!!|include|define|if|endif|else|undef|error)", line):
            pieces += stripped(number, line)
        elif pieces:
            found.append(Text("comment", path, list(pieces)))
            pieces.clear()
    return found


def of_markup(path, text):
    """What of a page or a style sheet is no tag: its words."""
    words = re.sub(r"<style.*?</style>|<[^>]*>|\{\{.*?\}\}", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    if path.endswith(".css"):
        return [t for t in of_code(path, text) if t.kind == "comment"]
    return [Text("literal", path, [(n, line + "\n")]) for n, line in enumerate(words.split("\n"), 1) if line.strip()]


def of(path, text):
    if path.endswith((".c", ".h", ".def", ".js", ".proto", ".mjs")):
        return of_code(path, text)
    if path.endswith(".md"):
        return of_document(path, text)
    if path.endswith(".1.in"):
        return of_man(path, text)
    if path.endswith((".html", ".css")):
        return of_markup(path, text)
    return of_script(path, text)


def files():
    """Paths of what the tree has of texts, in order: what git knows, or all."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                            check=False).stdout.split()
    if not listed or not os.path.isdir(".git") and not os.path.isfile(".git"):
        listed = [os.path.join(d, n)[2:] for d, _, names in os.walk(".") for n in names]
    skipped = re.compile(r"tests/(golden|generator/sources|fuzz/corpus)/|proto/hlo\.proto|.*(package(-lock)?\.json"
                         r"|\.(csv|json|jsonl|sqlite|zip|xz|parquet|folded|bin|dict|txt|supp))$|build/")
    return [p for p in sorted(listed) if not skipped.match(p)]


def all_of(root):
    os.chdir(root)
    for path in files():
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        yield from of(path, text)
