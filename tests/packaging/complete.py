#!/usr/bin/env python3
"""Type into a shell, press Tab, and check the completion: complete.py bash|zsh|fish PREFIX

PREFIX is where `make install` put the completions. Prints problems, and nothing on success.
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

# (typed text, its completion; a blank after it does not count)
TYPED = [
    ("jaxreport com", "jaxreport com"),              # compare or combine
    ("jaxreport comp", "jaxreport compare"),
    ("jaxreport --warm", "jaxreport --warmup"),
    ("jaxreport --warmup n", "jaxreport --warmup none"),
    ("jaxreport compare --inconclusive p", "jaxreport compare --inconclusive pass"),
    ("jaxreport compare --toler", "jaxreport compare --tolerance"),
    ("jaxreport combine --keep", "jaxreport combine --keep-nsys-rep"),
    ("jaxreport combine --toler", "jaxreport combine --toler"),  # not an option of combine
    ("jaxreport --format html,benc", "jaxreport --format html,benchmark"),
    ("jaxreport --gate communication.h", "jaxreport --gate communication.hidden"),
    ("jaxreport pro", "jaxreport profile.zip"),      # profile.txt is not an input
    ("jaxreport summary -o x pro", "jaxreport summary -o x profile.zip"),
    ("jaxreport @li", "jaxreport @list.txt"),
    ("jaxreport -o fol", "jaxreport -o folder"),     # and not folder.zip; a slash may follow
    ("jaxreport --gates ga", "jaxreport --gates gates.txt"),
    ("jaxreport hi", "jaxreport history"),
    ("jaxreport history s", "jaxreport history show"),  # and not spare.zip
    ("jaxreport history add --com", "jaxreport history add --commit"),
    ("jaxreport history show --com", "jaxreport history show --com"),  # not an option of show
    ("jaxreport history show ru", "jaxreport history show runs.jsonl"),
]
FILES = ["profile.zip", "profile.txt", "list.txt", "folder.zip", "gates.txt", "runs.jsonl", "runs.txt",
         "spare.zip"]
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; bind 'set page-completions off';"
             "bind 'set completion-query-items 0'; source {0}/share/bash-completion/completions/jaxreport"),
    "zsh": (["zsh", "-f", "-i"],
            "unsetopt beep zle_bracketed_paste prompt_sp; unset zle_bracketed_paste; setopt no_auto_menu;"
            "fpath=({0}/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D"),
}


def read_until(fd, mark, seconds=20):
    seen, end = "", time.monotonic() + seconds
    while mark not in seen and time.monotonic() < end:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                seen += os.read(fd, 65536).decode(errors="replace")
            except OSError:
                break
    return seen


def interactive(shell, prefix, folder):
    """Return each line's completion, through a function that prints its arguments."""
    command, setup = SHELLS[shell]
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", PS1="", HOME=folder, LC_ALL="C.UTF-8", COLUMNS="300", INPUTRC="/dev/null")
        os.execvp(command[0], command)
    os.write(fd, ("stty -echo; PS1=; " + setup.format(prefix) + "\n").encode())
    os.write(fd, b"jaxreport() { printf '<<jaxreport'; printf ' %s' \"$@\"; echo '>>'; }; echo rea''dy\n")
    read_until(fd, "ready")
    found = []
    for typed, _ in TYPED:
        os.write(fd, typed.encode() + b"\t")
        time.sleep(0.3)
        os.write(fd, b"\n")
        seen = read_until(fd, ">>")
        match = re.search(r"<<(.*?)>>", seen, re.S)
        found.append(match.group(1).strip() if match else repr(seen))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(fd)
    return found


def fish(prefix, folder):
    """fish lists its candidates itself; the completion is their common prefix."""
    found = []
    for typed, _ in TYPED:
        out = subprocess.run(
            ["fish", "--no-config", "-c",
             f"source {prefix}/share/fish/vendor_completions.d/jaxreport.fish; complete -C '{typed}'"],
            cwd=folder, capture_output=True, text=True, check=False,
            env=dict(os.environ, HOME=folder, LC_ALL="C.UTF-8")).stdout
        candidates = [line.split("\t")[0] for line in out.splitlines()]
        begun = typed.rpartition(" ")[2]
        common = os.path.commonprefix(candidates) if candidates else begun
        found.append(typed[:len(typed) - len(begun)] + (common or begun))
    return found


def main():
    shell, prefix = sys.argv[1], os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            with open(os.path.join(folder, name), "w", encoding="utf-8"):
                pass
        os.mkdir(os.path.join(folder, "folder"))
        found = fish(prefix, folder) if shell == "fish" else interactive(shell, prefix, folder)
    wrong = [(typed, seen, right) for (typed, right), seen in zip(TYPED, found) if seen.rstrip("/") != right]
    for typed, seen, right in wrong:
        print(f"{shell}: '{typed}' became '{seen}', not '{right}'")
    return 1 if wrong else 0


sys.exit(main())
