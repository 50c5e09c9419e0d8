#!/usr/bin/env python3
"""Plain English in what people read: terms, spelling, fillers and the length of sentences.

RULES is the table of terms; each row has a text that breaks it, which --selftest plants. Comments are only
held against terms and spelling; names of files, options and functions are no words.

usage: english.py [ROOT | --selftest]
"""
import functools
import re
import sys

import texts

MOST_WORDS = 35
ALL, READ = ("literal", "prose", "cell", "help", "comment"), ("literal", "prose", "cell", "help")
MEASURE = (r"ms|µs|ns|s|bytes|[kMGT]i?B|[Tt]ime|Lost|FLOPs?|%|[Oo]nce|kernels|calls|copies|launches|lines?|rows?|"
           r"files?|seconds?|times|samples")
UNIT = r"step|device|row|rank|execution|GPU|kernel|process|thunk|run|call|byte|job|thread|second|node|host|section"

# (regular expression, what to write, kinds of text, a text that breaks the rule)
RULES = [
    # Terms.
    (rf"(?:{MEASURE}) an? (?:{UNIT})(?! of\b)", "per", ALL, "12 ms a step"),
    (r"\d+ %?s? ?an? (?:step|device|rank|row)(?! of\b)", "per", ALL, "at most 3 a device"),
    (r"tells? (?:what|how|which|why|whether|where)", "show, report, list, print", ALL, "It tells what changed."),
    (r"(?:cannot|can not|could not|can) be told(?! apart)", "cannot be determined", ALL, "what cannot be told"),
    (r"(?:is|are) told(?! apart)|[Tt]old of", "report, know", READ, "figures are told"),
    (r"figures?", "number, value (chart, for a chart)", READ, "These figures are exact."),
    (r"pictures?", "chart, plot", ALL, "a picture of the step"),
    (r"flame graphs?", "flamegraph", ALL, "a flame graph"),
    (r"most to win|be won|would (?:it|a change) win|(?:what|to|can|could) win", "potential saving, biggest opportunity",
     ALL, "what is most to win"),
    (r"time ledger", "time breakdown", ALL, "the time ledger"),
    (r"step view", "step timeline", ALL, "the step view"),
    (r"(?:its|the|their|of a|no|a) roofs?", "roofline", ALL, "at the roof"),
    (r"sets? aside", "allocate", ALL, "XLA sets aside 2 GB"),
    (r"play(?:ed|s)? +again", "replayed", ALL, "steps are played" " again"),
    (r"in the mean(?!time|while)", "on average", ALL, "12 ms in the mean"),
    (r"(?:no|not|with) (?:\w+ ){0,3}beside(?: it| them)?(?=[.,;:)]|\Z)", "overlapped with, while no … runs", ALL,
     "with no kernel beside"),
    (r"beside comput\w+", "overlapped with compute", ALL, "copies beside compute"),
    (r"costs the others|last to come", "the slowest device, the last device to arrive", ALL,
     "who costs the others most"),
    (r"h[oe]lds? (?:the |it |them )?(?:others|other devices|up)|h[oe]lds? \w+ up", "delays the other devices", ALL,
     "it holds the others up"),
    (r"h[au]ngs? on", "depends on", ALL, "it hangs on the data"),
    (r"next to nothing", "shorter than 5 µs", ALL, "next to nothing to do"),
    (r"(?:is|are) not read(?!\))", "is not supported", ("literal",), "This format is not read."),
    (r"what (?:was|is) (?:given|there)", "input, file", ALL, "of what was given"),
    (r"(?:attention|that) (?:is|are) not fused", "unfused", ALL, "attention that is not fused"),
    (r"threads? of the host", "host thread", ALL, "a thread of the host"),
    (r"can be trusted for", "data quality", ALL, "what it can be trusted for"),
    (r"hidden by(?! default)", "overlapped with", ALL, "copies hidden by compute"),
    (r"initializations? executions?|executions? of initializations?", "warm-up", ALL, "an initialization execution"),
    (r"takes? (?:it|them) apart", "breaks down", ALL, "which takes it apart"),
    (r"[Aa]ll else is", "everything else is", ALL, "All else is the same."),
    (r"said of", "true for", READ, "said of others it fails"),
    (r"whe[nr]e? the results bear", "if the lower precision is acceptable", ALL, "where the results bear it"),
    # Messages.
    (r"(?<!there )(?:is|are) no(?: \w+)+", "is not", ("message",), "'%s' is no archive"),
    (r"holds? no|holds? neither|is without|are without", "does not contain", READ, "'%s' holds no profile"),
    # Fillers.
    (r"[Ss]imply|of course|[Pp]lease|[Oo]bviously", "leave it out", ALL, "simply run it"),
    (r"(?<!not )(?<!has )(?<!have )(?<!is )[Jj]ust(?= (?!as|before|after|under|over|above|below|been))", "leave it out",
     READ, "just run it"),
    (r"\w+n['’]t|(?:[Ii]t|[Tt]hat|[Tt]here|[Ww]hat)['’]s|(?:[Yy]ou|[Ww]e|[Tt]hey)['’](?:re|ll|ve)", "no contractions",
     ALL, "it doesn't run"),
    (r"[a-z]{2,}!", "no exclamation marks", READ, "It works!"),
    # American spelling.
    (r"\w*[a-z](?:colour|behaviour|favour|honour|labour|neighbour)\w*|(?:[Cc]olour|[Bb]ehaviour|[Ff]avour|[Hh]onour|"
     r"[Ll]abour|[Nn]eighbour|[Hh]umour)\w*", "-or", ALL, "the colour"),
    (r"\w+[a-z]isations?|\w+[a-z]ising", "-ization, -izing", ALL, "initialisation"),
    (r"(?:re)?(?:\w*initial|material|normal|optim|organ|recogn|real|summar|util|special|general|serial|synchron|"
     r"parallel|minim|maxim|emphas|author|character|categor|custom|final|local|memor|priorit|quant|random|"
     r"standard|symbol|token|vector|visual|canonical|finger|penal|apolog|sanit|neutral|"
     r"dramat|item)is(?:e|es|ed|er|ers|able)|"
     r"\w*(?:anal|paral|catal)ys(?:e|ed|er|ing)", "-ize, -yze", ALL, "it normalises"),
    (r"[Gg]rey(?:s|ed|er)?", "gray", ALL, "a grey line"),
    (r"[Cc]entres?|[Cc]entred", "center", ALL, "in the centre"),
    (r"(?:kilo|milli|nano)?metres?", "meter", ALL, "a metre"),
    (r"(?:[Ll]icence|[Dd]efence|[Oo]ffence)s?", "license", ALL, "its licence"),
    (r"(?:[Ll]abell|[Mm]odell|[Cc]ancell|[Tt]ravell|[Ss]ignall|[Tt]otall|[Ll]evell|[Ff]uell)(?:ed|ing|er)|unlabelled",
     "one l", ALL, "labelled"),
    (r"[Pp]rogrammes?|[Cc]atalogues?|[Aa]rtefacts?|[Ww]hilst|[Aa]mongst|[Dd]ialogues?|[Aa]nalogues?",
     "program, catalog, artifact, while", ALL, "whilst it runs"),
    (r"[Cc]heque|[Jj]udgement|[Tt]owards|[Ll]earnt|[Ss]pelt|[Ff]ulfil|[Ss]keptic|[Ss]ceptic\w*",
     "judgment, toward, learned", ALL, "towards the end"),
]
EDGES = r"(?<![\w./@-])(?:{})(?![\w/(]|\.\w|-\w)"


@functools.lru_cache(None)
def any_of(mine):
    """One expression for all rules of these kinds: most texts break none."""
    return re.compile(EDGES.format("|".join(r for r, _, held, _ in RULES if not mine.isdisjoint(held))))


@functools.lru_cache(None)
def rule(expression):
    return re.compile(EDGES.format(expression))


MESSAGE = re.compile(r"(?:jr_)?(?:\w*fail|say_(?!verbose|progress)\w+|profile_(?:guess|warn|missing)|missing|warn|wrong|"
                     r"wrong_at|bad_list|too_many|fault|lack|unclear|bad\w*)$")
# A message is one line: input, what is wrong, and what to do.
MOST_OF_A_MESSAGE = 60
SENTENCE = re.compile(r"(?<=[.!?;])[)”\"'’]*\s+|(?<=:)\s+(?=[^a-z])|\n")
# A literal of one small word is a key or an element, no text.
KEY = re.compile(r"[\W_]*[a-z0-9_-]*[\W_]*\Z")
# Code in a comment or document.
CODE = re.compile(r"`[^`]*`|“[^”]*”")


def kinds(text):
    return frozenset({text.kind, "message"} if text.kind == "literal" and MESSAGE.match(text.call) else {text.kind})


def check(text):
    """What is wrong with a text: [(line, found, preferred)]."""
    found = []
    if text.kind == "literal" and KEY.match(text.words):
        return found
    mine = kinds(text)
    words = CODE.sub(lambda m: re.sub(r"\S", "`", m[0]), text.words)
    for expression, preferred, held, _ in RULES if any_of(mine).search(words) else ():
        for m in () if mine.isdisjoint(held) else rule(expression).finditer(words):
            found.append((text.line(m.start()), m[0], preferred))
    if "message" in mine:
        if "\n" in words.strip():
            found.append((text.line(words.find("\n")), "line end in a message", "one line"))
        if len(words.split()) > MOST_OF_A_MESSAGE:
            found.append((text.line(0), f"message of {len(words.split())} words", f"at most {MOST_OF_A_MESSAGE}"))
    if text.kind in ("literal", "prose"):
        at = 0
        for part in SENTENCE.split(words):
            n = len(part.split())
            if n > MOST_WORDS:
                at = max(0, words.find(part))
                found.append((text.line(at), f"sentence of {n} words: {part[:60]}…", f"at most {MOST_WORDS}"))
    return found


def read(text):
    """Whether a text reaches people: literals of tests and tools do not."""
    return text.kind != "literal" or text.path.startswith(texts.SHOWN) and not text.path.startswith("src/tools/")


# Texts that no rule may find.
CLEAN = ("12 ms per step; a step of 3 ms", "Each rank has a device.", "copies overlapped with compute", "a kernel's time",
         "The report shows what changed.", "not just as before", "devices that are told apart", "labeled, normalized",
         "raise an otherwise wise promise, precise and concise", "analysis and analyses", "`colour` is an option's name",
         "in the meantime", "%s: not a zip archive. Give the archive of nsys-jax.", "https://a.b/behaviour/colour")


def selftest():
    """Each rule finds its own text, and none finds a clean one."""
    failed = 0
    for expression, preferred, held, broken in RULES:
        call = "jr_fail" if held == ("message",) else ""
        planted = texts.Text("literal" if call else held[0], "src/a.c", [(1, f"It is so: {broken}, or not")], call)
        if not rule(expression).search(planted.words) or preferred not in [found[2] for found in check(planted)]:
            failed += 1
            print(f"english.py: '{broken}' is not found ({preferred})")
    for message in ("%s: is cut short.\nCopy it again.", "word, " * (MOST_OF_A_MESSAGE + 1)):
        if not check(texts.Text("literal", "src/a.c", [(1, message)], "jr_fail")):
            failed += 1
            print(f"english.py: '{message[:20]}' is not found")
    long = texts.Text("prose", "a.md", [(1, "word " * (MOST_WORDS + 1))])
    if not check(long):
        failed += 1
        print("english.py: a long sentence is not found")
    for clean in CLEAN:
        for _, found, preferred in check(texts.Text("literal", "src/a.c", [(1, clean)], "jr_fail")):
            failed += 1
            print(f"english.py: '{found}' is found in '{clean}' ({preferred})")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    n = 0
    for text in texts.all_of(sys.argv[1] if len(sys.argv) > 1 else "."):
        for line, what, preferred in check(text) if read(text) else ():
            n += 1
            print(f"{text.path}:{line}: {what} → {preferred}")
    return 1 if n else 0


if __name__ == "__main__":
    sys.exit(main())
