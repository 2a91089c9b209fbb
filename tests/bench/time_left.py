#!/usr/bin/env python3
"""time_left.py [-h] [OPTION...] [PROGRAM ARGUMENT...]: how well the time left that is told agrees with the truth.

Runs the command with --progress json, and prints what it told divided by the truth: the least and the most from the
first tenth of the run's time on, as long as at least so many seconds are left (--rest), and so for each stage and for
each tenth of the time. With several rounds, these are the medians of all rounds.

    time_left.py -n 3 build/chromosweep compare --device cpu -t 2 target.fa query.fa
    time_left.py --log progress.jsonl

The truth jumps on a machine that does other work meanwhile. --first runs the command before all other programs, at the
highest ordinary priority in a group of its own (root, Linux). --realtime runs it at real-time priority: there a thread
waits where more threads want to run than there are CPUs, as they do in the stages before a sweep.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

FIRST_SHARE = 0.1


def read_lines(lines):
    return [json.loads(line) for line in lines if line.startswith("{")]


def come_first():
    """In the process that will run the command. A session has a scheduling group of its own, if there are any."""
    os.setsid()
    group = pathlib.Path("/proc/self/autogroup")
    if group.exists():
        group.write_text("-20")
    os.setpriority(os.PRIO_PROCESS, 0, -20)


def run(command, realtime, first):
    done = subprocess.run(
        [*(["chrt", "-f", "1"] if realtime else []), *command, "--progress", "json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=come_first if first else None,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return read_lines(done.stderr.splitlines())


def judge(told, rest):
    """Of one run: its seconds, how many lines counted and told nothing, and all ratios by what they belong to."""
    end = told[-1]["elapsed"]
    ratios, silent = {}, 0
    for line in told:
        left = end - line["elapsed"]
        if line["elapsed"] < FIRST_SHARE * end or left < rest:
            continue
        if line["seconds_left"] is None:
            silent += 1
            continue
        ratio = line["seconds_left"] / left
        stage = line["stage"] + (" of minus" if line["stage_strand"] == "-" else "")
        tenth = f"tenth {int(10 * line['elapsed'] / end) + 1:2}"
        for group in ("all", stage, tenth):
            ratios.setdefault(group, []).append(ratio)
    return end, silent, ratios


def median(values):
    return statistics.median(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rounds", type=int, default=1, help="how often to run the command [1]")
    parser.add_argument("--rest", type=float, default=3, help="seconds that must be left for a line to count [3]")
    parser.add_argument("--first", action="store_true", help="run before all other programs")
    parser.add_argument("--realtime", action="store_true", help="run at real-time priority")
    parser.add_argument("--brief", action="store_true", help="one line, without stages and tenths")
    parser.add_argument("--log", type=pathlib.Path, action="append", help="judge what an earlier run told")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROGRAM ARGUMENT...")
    options = parser.parse_args()
    if bool(options.log) == bool(options.command):
        parser.error("give a command, or --log FILE")
    if options.log:
        runs = [read_lines(path.read_text().splitlines()) for path in options.log]
    else:
        runs = [run(options.command, options.realtime, options.first) for _ in range(options.rounds)]
    judged = [judge(told, options.rest) for told in runs]
    seconds = [end for end, _, _ in judged]
    print(f"{median(seconds):.1f} s ({min(seconds):.1f} to {max(seconds):.1f}), {len(runs)} runs, ", end="")
    print(f"{sum(silent for _, silent, _ in judged)} lines without a time")
    groups = dict.fromkeys(group for _, _, ratios in judged for group in ratios)
    for group in sorted(groups, key=lambda name: (name != "all", name.startswith("tenth"))):
        of_runs = [ratios[group] for _, _, ratios in judged if group in ratios]
        least, most = median([min(some) for some in of_runs]), median([max(some) for some in of_runs])
        if group == "all" or not options.brief:
            print(f"  {group:20} {least:5.2f} to {most:5.2f}")


if __name__ == "__main__":
    main()
