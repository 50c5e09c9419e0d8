#!/usr/bin/env python3
"""The goals of the bench, and the table of one run: its numbers beside them.

usage: goals.py ROWS_FILE      prints the table of what the scripts of this run measured

Each script calls measured() with the numbers of its work, in the order of the units below; it does
nothing outside `make bench`, which sets BENCH_ROWS. A further kind of work is one entry here and one call.
Numbers of a smaller run than the default say so; fixed costs weigh more in them.
"""
import json
import os
import sys

# Floors, as of November 2026:
# - archive: two fifths of the processor time of the report are liblzma (one decoder, which cannot be
#   divided), a fifth is the rows of the text (csv, numbers, names, tree), a fifth analysis, a tenth
#   writing. So 1.5 x needs two processors and a decoder that nothing else slows. Memory peaks while
#   the rows of the text (72 bytes each, 25 with the tree) and of the trace (about 75) are read.
# - pax: reading takes 50 % of the processor time (liblzma 25, decoding HLO 12, all else 13), analysis
#   18 % (costs 5, replay 2), writing 24 % (page 9, CSV and folded files 5, charts 4, report.json 2).
#   A tenth of all is the kernel's, for new pages of memory: 3 us for each of 17,000 faults. Costs and the
#   search for attention (5.5) run beside the first passes, and flamegraphs and memory side by side. One
#   thread alone still runs the other passes (8), joins what was read (4), starts up (2 to 4, most of it
#   fontconfig and the dynamic linker), and writes the end of the page (2). Then it waits for the disk: a
#   report has 20 MB, half of it two folded files, and a replaced one is removed (2). Giving back freed
#   blocks of 256 KiB (cli/main.c) makes 3,500 of the faults, and saves 2 to 4 MiB.
#   Floor, of variants that stop early, in turns with `xz -dc`: processor time is 2.3 x until the passes begin, 0.8
#   for them and 1.1 for writing: 4.2 in all. Two processors that never wait would take 2.1 x.
# - digests: they keep each row, so that a report equals that of the archives to the byte. No part has more than an
#   eighth of the time: the kernel 12 %, the C library 11, joins and executions 11, sums that passes share 9 (time
#   breakdown 3, instances of collectives 2), columns of digests 8 (half of it times in bits), replay 7, liblzma 6,
#   findings 5, slices of the page 4. Rows of an instance are far apart in the table, so rules that compare its
#   devices miss the cache for each row. Passes that need rows of all ranks at once: replay, critical path and
#   what-if (starts and durations of the sampled steps), instances, stragglers and alignment (starts and ends of
#   collectives), and the timeline (the devices that it shows). Time breakdown, thunks, roofline and lock step need
#   one rank at a time, but their rows are those of the other passes. A rank takes 0.52 MiB, about: thunks 0.30 (15
#   bytes each: op and two times of 4, repeat 2, module 1), rows of collectives 0.09, executions and replay 0.05,
#   the straggler pass at the peak 0.07. Thunks without repeat and with ops of 2 bytes would still take 0.22.
#   Floors, of variants of the program that stop early, in turns with the whole (11 ms on that day): opening,
#   checksum, inflating, columns and HLO take 3.4 ms per rank; joins, executions and overlap too, 6.3. So 5 ms leaves
#   1.6 ms for all else. One rank takes about 80 million instructions, 4,000 for each of its 20,614 rows (8 ranks
#   against 48, when a thunk had 18 bytes; with 28 bytes 3,860): reading 910, joins and executions 740, passes 1,670
#   (replayed steps 400, findings 340, time breakdown 240), slices of the page 240.
# - ranks: two fifths are liblzma, and a seventh is the text of compile traces: fields 5 %, integers 3. A thunk
#   takes 15 bytes, and one that communicates 16 more: 0.35 MiB per rank. The rest are rows of passes. In turns, on
#   a quiet machine, `xz -dc` of the push/pop traces alone took 34 ms of the 59 per rank, and a report of the digests,
#   which has no such text to read, 11. Together that is 45 ms: above the goal, even if the rest of the reading is free.
# - exports: of the processor time, about 35 % is SQLite reading rows, 16 the checksum of the file, 15 writing,
#   14 passes, 8 executions and their times, 5 joins and nesting. A decoder of our own for SQLite's pages was
#   tried and saves a fifth of all; the library stays, because it also checks what it reads. (Since then the checksum
#   reads into an aligned block, which takes a third less.) On two processors,
#   the checksum and two fifths of the passes run beside other work; joins, executions, sums over steps and the
#   other passes run on one thread: about a fifth of the processor time. 82 bytes per row at the peak, 77 since a thunk
#   takes 15: ranges 19, operations 15, calls 8, thunks 9, executions of collectives 11, spans of GPUs 6, and up to 8 of
#   passes that run beside each other; times in 64 bits are 26 of these. Merging needs 68. Times in 32 bits, relative to
#   their block, would save 13 (estimated), and not be enough for 60.
# - traces: of the instructions besides the checksum, a third are reading events, a quarter to a third passes, 12 %
#   joins and nesting, 10 % executions; no function but the walk over fields has more than 3 %. A fifth of the
#   time is the kernel's, for new pages of memory: 185 bytes per event in all, 40 at the peak. A page takes 2.6 us;
#   with huge pages, or filled in advance, it still takes 1.6 to 2.1, so only fewer bytes help. A thunk is written
#   twice until passes read it (32 and 20 bytes). Reusing freed blocks of up to 32 MiB saves nothing that
#   can be measured, and takes a quarter more memory of an export. Floors, of variants that stop early, in turns
#   with the walk: 1.7 x to have read the events, with the checksum; 2.6 with calls, kernels and ranges joined and
#   nested; 2.9 with thunks placed; 3.7 before the passes; 5.3 before writing. So 3 x leaves 0.4 x, or 50 ns per
#   event, for thunks, executions, 17 passes and all files; they take 2.7 x.
GOALS = {
    "archive": ("archive of 2 M thunk rows, against `xz -dc` of its push/pop trace",
                (("x", 1.5), ("bytes per row", 250))),
    "pax": ("pax_fsdp4_4proc_proc0.zip, all default formats, against `xz -dc` of what is read",
            (("x", 2.2), ("MiB", 56))),
    "ranks": ("ranks of 20,000 thunk rows each, directly",
              (("ms of processor time per rank", 40), ("MiB per further rank", 1))),
    "digests": ("the same from digests, once they are made",
                (("ms of processor time per rank", 5), ("MiB per further rank", 0.3))),
    "exports": ("SQLite export of 5 M rows, against its scan", (("x", 2), ("bytes per row", 60))),
    "traces": ("XSpace of 500 MB, against one walk over its fields", (("x", 3),)),
}


def measured(work, *numbers, size=None):
    """Note the numbers of a work; `size`: what a smaller run had."""
    if "BENCH_ROWS" in os.environ:
        with open(os.environ["BENCH_ROWS"], "a", encoding="utf-8") as f:
            f.write(json.dumps([work, numbers, size]) + "\n")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        rows = {work: (numbers, size) for work, numbers, size in map(json.loads, f)}
    print("| work | now | goal |\n|---|---|---|")
    for work, (title, units) in GOALS.items():
        numbers, size = rows.get(work, ((), None))
        now = ", ".join(f"{n:.0f} {unit}" if n >= 100 else f"{n:.3g} {unit}"
                        for n, (unit, _) in zip(numbers, units))
        goal = ", ".join(f"{n:g} {unit}" for unit, n in units)
        print(f"| {title} | {now or 'not measured'}{f' ({size})' if size else ''} | {goal} |")


if __name__ == "__main__":
    main()
