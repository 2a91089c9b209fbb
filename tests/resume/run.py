#!/usr/bin/env python3
"""Faults, damage and signals against checkpoints. Every run gives the right answer or a documented error. Emits TAP.

    run.py --program PROGRAM --subject SUBJECT [--shim SHIM] [--golden FOLDER] [--thorough] [--only TEXT] PART

PROGRAM is chromosweep, SUBJECT is resume_subject, SHIM is fault_shim.so (without it no faults are made),
FOLDER has golden-v1, which tests/unit makes. PART is faults, damage or command. --only runs the tests whose name
contains TEXT. --thorough damages every byte; otherwise a sample is damaged, which is smaller if few cases are
wanted. CHROMOSWEEP_TEST_CASES (tests/case_count.h) is the share of the operations of a run that get a fault.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from killing import caught
from power_loss import Disk
from state_layout import regions, reseal_manifest, reseal_state

SECONDS_A_RUN = 300
WORKERS = max(3, len(os.sched_getaffinity(0)))  # runs that wait
FAULTS = ["eio", "enospc", "eintr", "short", "tear", "kill-before", "kill-after", "full", "dead"]
IO_ERROR, USAGE, CHECKPOINT, STOPPED = 1, 2, 5, 75
STATE = re.compile(r"generation-\d{6,}\.state")


class Skip(Exception):
    pass


class Bench:
    """The programs, a folder for all files, and what most tests start from."""

    def __init__(self, arguments, folder):
        self.program, self.subject = arguments.program.resolve(), arguments.subject.resolve()
        self.shim = arguments.shim.resolve() if arguments.shim and arguments.shim.exists() else None
        self.golden, self.thorough = arguments.golden, arguments.thorough
        self.folder = folder
        self.counter = itertools.count()
        self.notes = []

    def note(self, text):
        self.notes.append(text)

    def path(self, name):
        return self.folder / f"{name}-{next(self.counter)}"

    def fasta(self, name, bases):
        path = self.path(name).with_suffix(".fa")
        path.write_text(f">{name}\n{bases}\n")
        return path

    def run(self, command, **environment):
        """Status (negative: killed by that signal), standard output and standard error."""
        done = subprocess.run(
            [str(word) for word in command], env=dict(os.environ, LC_ALL="C", **environment),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=SECONDS_A_RUN)  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def run_subject(self, pair, directory, settings=(), **environment):
        return self.run([self.subject, *pair.settings, *settings, pair.target, pair.query, directory],
                        **environment)  # fmt: skip


class Pair:
    """Two small sequences with ties, how to sweep them on many diagonals, and their answer."""

    settings = ["engine=simd", "threads=2", "blocks=5", "block_threads=1", "alpha=1"]

    def __init__(self, bench, seed, length=260):
        dice = random.Random(seed)
        bases = dice.choices("ACG", k=length)
        changed = [c if dice.random() > 0.1 else dice.choice("ACG") for c in bases[10:]]
        self.target = bench.fasta("target", "".join(bases))
        self.query = bench.fasta("query", "".join(changed))
        status, output, errors = bench.run_subject(self, bench.path("truth"))
        assert status == 0, errors
        self.answer = output.split()[:3]


def expect(condition, *told):
    if not condition:
        raise AssertionError("; ".join(str(text) for text in told))


def expect_answer(pair, seen, *told):
    """Expects the right answer. Returns the cells that were resumed."""
    status, output, errors = seen
    expect(status == 0, *told, f"status {status}", errors)
    expect(output.split()[:3] == pair.answer, *told, f"{output.split()} instead of {pair.answer}", errors)
    return int(output.split()[3])


def expect_tidy(directory, *told):
    """No temporary files; besides what the manifest names, at most what a later save would have removed."""
    names = {path.name for path in directory.iterdir()}
    manifest = json.loads((directory / "manifest.json").read_text())
    named = {entry["file"] for entry in manifest["generations"]}
    states = {name for name in names if STATE.fullmatch(name)}
    traces = {"found-plus-trace.state", "found-minus-trace.state"}
    expect(names - traces == states | {"manifest.json", "lock"}, *told, f"left over: {sorted(names)}")
    expect(named <= states and 1 <= len(named) <= len(states) <= 4, *told, sorted(states), sorted(named))


def interrupted(bench, pair):
    """A folder with two generations, from two runs that were stopped."""
    directory = bench.path("interrupted")
    for _ in range(2):
        status, _, errors = bench.run_subject(pair, directory, ["stop=20"])
        expect(status == STOPPED, f"status {status}", errors)
    states = sorted(path.name for path in directory.iterdir() if STATE.fullmatch(path.name))
    expect(len(states) >= 2, "fewer than two generations", states)
    return directory


def copied(bench, directory):
    copy = bench.path("copy")
    shutil.copytree(directory, copy)
    return copy


def resumed_cells(bench, pair, directory):
    copy = copied(bench, directory)
    cells = expect_answer(pair, bench.run_subject(pair, copy), "undamaged")
    shutil.rmtree(copy)
    return cells


# ---- faults


def shim(bench, directory, **settings):
    if bench.shim is None:
        raise Skip("no shim: sanitizers want to be loaded before it")
    return {"LD_PRELOAD": str(bench.shim), "FAULT_SHIM_FOLDER": str(directory),
            **{"FAULT_SHIM_" + name.upper(): str(value) for name, value in settings.items()}}  # fmt: skip


def sampled(places, kind, seed):
    """As many of the places as CHROMOSWEEP_TEST_CASES wants, by dice, and at least one of each kind."""
    wanted = os.environ.get("CHROMOSWEEP_TEST_CASES", "100%")
    count = len(places) * int(wanted[:-1]) // 100 if wanted.endswith("%") else int(wanted)
    shuffled = random.Random(seed).sample(places, len(places))
    one_of_each = {kind(place): place for place in shuffled}.values()
    others = [place for place in shuffled if place not in one_of_each]
    return sorted([*one_of_each, *others[: max(0, count - len(one_of_each))]])


def kind_of(found):
    """What tells operations apart, numbers aside: what is done to which file. Those after the end are of one kind."""
    return lambda at: re.sub(r"\d+", "", " ".join(found[at - 1])) if at <= len(found) else None


def logged(log):
    """Kind and path of each operation."""
    return [line.split(" ", 2)[1:] for line in log.read_text().splitlines()]


def operations(bench, start, run):
    """The operations of a run without faults."""
    directory, log = start(), bench.path("log")
    status, _, errors = run(directory, shim(bench, directory, log=log))
    expect(status == 0, f"status {status} with the shim alone", errors)
    lines = logged(log)
    shutil.rmtree(directory)
    kinds = {kind for kind, _ in lines}
    expect(kinds >= {"open", "write", "sync", "rename", "close"}, f"the shim saw {kinds} only")
    return lines


def one_fault(bench, pair, start, run, least, fault, at):
    """Makes this fault at this operation of a run. Returns how the run ended, and what the next run resumed."""
    told = f"{fault} at operation {at}"
    directory = start()
    log = bench.path("log")
    seen = run(directory, shim(bench, directory, at=at, do=fault, log=log))
    status, errors = seen[0], seen[2]
    lines = log.read_text().splitlines() if log.exists() else []
    if len(lines) >= at:
        told += f" ({lines[at - 1]})"
    log.unlink(missing_ok=True)
    killed = status == -signal.SIGKILL
    if killed:
        expect(fault in ("tear", "kill-before", "kill-after"), told, "killed")
    elif status == 0:
        expect_answer(pair, seen, told)
    else:
        expect(status in (IO_ERROR, CHECKPOINT), told, f"status {status}", errors)
        expect(errors.strip(), told, "fails without a word")
    expect(status == 0 or killed or fault not in ("short", "eintr"),
           told, f"status {status} for what is no failure", errors)  # fmt: skip
    directory.mkdir(exist_ok=True)  # it may never have been made
    cells = expect_answer(pair, bench.run_subject(pair, directory), told, "afterwards")
    expect(cells >= least, told, f"afterwards {cells} cells are resumed, {least} were there before")
    expect_tidy(directory, told)
    shutil.rmtree(directory)
    return "killed" if killed else "done" if status == 0 else "failed", cells > 0


def sweep_faults(bench, pair, start, run, least, fault):
    found = operations(bench, start, run)
    places = sampled(range(1, len(found) + 3), kind_of(found), fault)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        done = list(pool.map(lambda at: one_fault(bench, pair, start, run, least, fault, at), places))
    ends = {end: sum(1 for seen in done if seen[0] == end) for end in ("done", "failed", "killed")}
    resumed = sum(1 for seen in done if seen[1])
    bench.note(f"{len(places)} of {len(found)} operations: {ends}, {resumed} resumed from a state")
    return resumed


def faults_from_nothing(bench, fault):
    """A run that saves often, from an empty folder."""
    pair = Pair(bench, 1, 260)

    def start():
        directory = bench.path("new")
        directory.mkdir()
        return directory

    def run(directory, environment):
        return bench.run_subject(pair, directory, ["save=6", "wait=1"], **environment)

    resumed = sweep_faults(bench, pair, start, run, 0, fault)
    expect(resumed > 0, "nothing was ever resumed")


def faults_going_on(bench, fault):
    """A run that resumes from two generations: no fault may cost the newest."""
    pair = Pair(bench, 2, 260)
    base = interrupted(bench, pair)
    least = resumed_cells(bench, pair, base)
    expect(least > 0, "nothing was saved")

    def run(directory, environment):
        return bench.run_subject(pair, directory, ["save=8", "wait=1"], **environment)

    sweep_faults(bench, pair, lambda: copied(bench, base), run, least, fault)


def power_lost(bench, start, settings):
    """If all that was not synced is lost at any operation, a run still resumes from what was synced."""
    pair = Pair(bench, 6, 260)
    directory, journal = start(pair), bench.path("journal")
    disk = Disk(directory)
    disk.sync_names()
    status, _, errors = bench.run_subject(pair, directory, settings, **shim(bench, directory, journal=journal))
    expect(status in (0, STOPPED), f"status {status}", errors)
    lines = journal.read_text().splitlines()
    tried = {}
    for line in lines:
        disk.play(line)
        for files in disk.crashes():
            tried[tuple(sorted(files.items()))] = disk.cells, line
    whole = {path.name: path.read_bytes() for path in directory.iterdir() if path.name != "lock"}
    expect(whole == {name: bytes(file.data) for name, file in disk.names.items() if name != "lock"},
           "the journal does not lead to what is there")  # fmt: skip
    chosen = list(tried.items())

    def after(files, cells, line):
        told = f"after {line[:160]!r}: {[(name, len(data)) for name, data in files]}"
        copy = bench.path("crashed")
        copy.mkdir()
        for name, data in files:
            (copy / name).write_bytes(data)
        resumed = expect_answer(pair, bench.run_subject(pair, copy), told)
        expect(resumed >= cells, told, f"{resumed} cells are resumed, {cells} were safe")
        shutil.rmtree(copy)
        return resumed > 0

    resumed = each(bench, after, [(files, cells, line) for files, (cells, line) in chosen])
    bench.note(f"{len(lines)} operations, {len(resumed)} of {len(tried)} states of the disk, {sum(resumed)} resumed")
    expect(disk.cells > 0, "nothing was ever safe")


def power_lost_from_nothing(bench):
    def start(pair):
        directory = bench.path("new")
        directory.mkdir()
        return directory

    power_lost(bench, start, ["save=6", "wait=1"])


def power_lost_going_on(bench):
    power_lost(bench, lambda pair: interrupted(bench, pair), ["save=8", "wait=1"])


def power_lost_stopping(bench):
    power_lost(bench, lambda pair: interrupted(bench, pair), ["stop=2"])


def faults_stopping(bench):
    """A fault in the last save before a stop: the error says so, or the state is there."""
    pair = Pair(bench, 3, 260)
    base = interrupted(bench, pair)
    least = resumed_cells(bench, pair, base)
    log = bench.path("log")
    directory = copied(bench, base)
    status, _, errors = bench.run_subject(pair, directory, ["stop=3"], **shim(bench, directory, log=log))
    expect(status == STOPPED, f"status {status}", errors)
    found = logged(log)
    count = len(found)
    more = resumed_cells(bench, pair, directory)
    expect(more > least, "a stop saved nothing")
    faults = list(itertools.product(["eio", "enospc", "tear", "full", "dead"], range(1, count + 1)))
    kind = kind_of(found)
    for fault, at in sampled(faults, lambda place: (place[0], kind(place[1])), 1):
        told = f"{fault} at operation {at} of {count}"
        directory = copied(bench, base)
        status, _, errors = bench.run_subject(
            pair, directory, ["stop=3"], **shim(bench, directory, at=at, do=fault))  # fmt: skip
        expect(status in (STOPPED, IO_ERROR, CHECKPOINT, -signal.SIGKILL), told, f"status {status}", errors)
        cells = expect_answer(pair, bench.run_subject(pair, directory), told)
        # States that cannot be read when the run begins are left out, with a warning.
        floor = 1 if "using generation" in errors else more if status == STOPPED else least
        expect(cells >= floor, told, errors,
               f"{cells} cells after status {status}, {least} before, {more} without the fault")  # fmt: skip
        shutil.rmtree(directory)


def faults_of_the_command(bench, fault):
    """Faults in the command's last save and in --checkpoint-cleanup, with the output in the same folder."""
    pair = Pair(bench, 4)
    for cleanup in ([], ["--checkpoint-cleanup"]):
        found = []
        places = [0]  # no fault; the others are chosen from what that run does
        for at in places:
            directory = bench.path("command")
            directory.mkdir()
            log = bench.path("log")
            words = [bench.program, "compare", "--format", "tsv", *cleanup, "-o", directory / "out.tsv",
                     "--checkpoint", directory / "state", pair.target, pair.query]  # fmt: skip
            settings = {"log": log} | ({"at": at, "do": fault} if at else {})
            status, _, errors = bench.run(words, **shim(bench, directory, **settings))
            if at == 0:
                expect(status == 0, f"status {status} without a fault", errors)
                found = logged(log)
                places.extend(sampled(range(1, len(found) + 2), kind_of(found), fault))
                expect((directory / "state").exists() == (not cleanup), "what --checkpoint-cleanup left")
            told = f"{fault} at operation {at} of {len(found)}, {cleanup}"
            expect(status in (0, IO_ERROR, CHECKPOINT, -signal.SIGKILL), told, f"status {status}", errors)
            out = directory / "out.tsv"
            if status == 0 or out.exists():
                expect(tsv_answer(out.read_text()) == pair.answer, told, "a wrong output", out.read_text())
            # A state may only be removed when the output is there.
            lines = log.read_text().splitlines() if log.exists() else []
            gone = any(line.endswith("/state/manifest.json") and " unlink " in line for line in lines)
            gone = gone and "could not save the state" not in errors and "could not be saved" not in errors  # which takes its own manifest back
            expect(not (cleanup and gone) or out.exists(), told, "the state went before the output came")
            (directory / "state").mkdir(exist_ok=True)
            expect_answer(pair, bench.run_subject(pair, directory / "state"), told, "afterwards")
            shutil.rmtree(directory)


def tsv_answer(text):
    names, values = (line.split("\t") for line in text.splitlines()[:2])
    row = dict(zip(names, values))
    return [row["score"], row["target_end"], row["query_end"]]


def disk_full(bench):
    """On a file system that is too small for any state: a warning, and the answer is right."""
    pair = Pair(bench, 5)
    long = Long(bench, 3000, 12000)
    mount = bench.path("small")
    mount.mkdir()
    small = ["-t", "tmpfs", "-o", "size=16k", "none", str(mount)]
    if shutil.which("mount") is None or subprocess.run(["mount", *small], capture_output=True).returncode:
        raise Skip("no small file system can be mounted here")
    try:
        (mount / "filler").write_bytes(bytes(12288 - 4096))
        seen = bench.run(long.command("compare", "--checkpoint", mount / "state"))
        expect(seen[0] == 0, f"status {seen[0]}", seen[2])
        expect(tsv_answer(seen[1]) == long.answer, seen[1])
        expect("No space left on device" in seen[2] and "warning" in seen[2], seen[2])
        # With room for the first state but not for another, that one stays.
        (mount / "filler").unlink()
        shutil.rmtree(mount / "state")
        directory = mount / "state"
        status, _, errors = bench.run_subject(pair, directory, ["stop=5"])
        expect(status == STOPPED, f"status {status}", errors)
        least = resumed_cells(bench, pair, directory)
        with (mount / "filler").open("wb", 0) as filler:
            try:
                while True:
                    filler.write(bytes(512))
            except OSError:
                pass
        seen = bench.run_subject(pair, directory, ["save=3", "wait=1"])
        expect_answer(pair, seen, "on a full disk") if seen[0] == 0 else expect(seen[0] == IO_ERROR, seen)
        bench.note(f"a full disk at the start: status {seen[0]}, {seen[2].strip()!r}")
        cells = resumed_cells(bench, pair, directory)
        expect(cells >= least, f"{cells} cells, {least} were there before the disk was full")
        (mount / "filler").unlink()
        expect_answer(pair, bench.run_subject(pair, directory), "with room again")
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=False)


# ---- damage


def newest_first(directory):
    return sorted((p for p in directory.iterdir() if STATE.fullmatch(p.name)), reverse=True)


def flipped(data, at, bit):
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


class Damage:
    """Two generations with known numbers of cells, to be damaged in many ways."""

    def __init__(self, bench):
        self.bench, self.pair = bench, Pair(bench, 7)
        self.base = interrupted(bench, self.pair)
        self.newest, self.older = [path.name for path in newest_first(self.base)[:2]]
        self.cells = resumed_cells(bench, self.pair, self.base)
        copy = copied(bench, self.base)
        (copy / self.newest).unlink()
        self.cells_older = expect_answer(self.pair, bench.run_subject(self.pair, copy), "without the newest")
        expect(0 < self.cells_older < self.cells, self.cells_older, self.cells)

    def data(self, name):
        return (self.base / name).read_bytes()

    def after(self, changes):
        """Runs on a copy in which some files have other content, or are gone (None)."""
        copy = copied(self.bench, self.base)
        for name, data in changes.items():
            (copy / name).unlink(missing_ok=True)
            if data is not None:
                (copy / name).write_bytes(data)
        seen = self.bench.run_subject(self.pair, copy)
        shutil.rmtree(copy)
        return seen

    def expect_older(self, data, *told):
        """If the newest generation is damaged so, the older one is used, with a warning."""
        seen = self.after({self.newest: data})
        cells = expect_answer(self.pair, seen, *told)
        expect(cells == self.cells_older, *told, f"{cells} cells resumed", seen[2])
        expect("warning" in seen[2] and re.search(r"generation \d+", seen[2]), *told, "no warning", seen[2])

    def expect_right_or_refused(self, changes, *told):
        seen = self.after(changes)
        if seen[0] == CHECKPOINT:
            expect(seen[2].strip(), *told, "refused without a word")
            return False
        expect_answer(self.pair, seen, *told)
        return True


def each(bench, work, items):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda item: work(*item), items))


def few_are_wanted():
    """Whether the share of cases is so small that less is damaged (case_count_is_low())."""
    wanted = os.environ.get("CHROMOSWEEP_TEST_CASES", "100%")
    return int(wanted.removesuffix("%")) < (20 if wanted.endswith("%") else 2)


def places_in(regions_found, thorough, dice):
    """The bytes to flip: the first, the last and some others of each region, or all."""
    others = 1 if few_are_wanted() else 4
    for name, start, end in regions_found:
        inside = range(start, end)
        chosen = inside if thorough else {start, end - 1, *dice.sample(inside, min(others, len(inside)))}
        yield from ((name, at) for at in sorted(chosen))


def truncated(bench):
    damage = Damage(bench)
    data = damage.data(damage.newest)
    found = regions(data)
    ends = {0, 1, len(data) - 1} | {start for _, start, _ in found} | {end - 1 for _, _, end in found}
    each(bench, lambda size: damage.expect_older(data[:size], f"cut to {size} of {len(data)}"),
         [(size,) for size in sorted(ends) if size < len(data)])  # fmt: skip
    damage.expect_older(data + b"\0", "one byte too many")
    damage.expect_older(data + data, "twice")
    damage.expect_older(None, "gone")
    bench.note(f"{len(ends)} lengths of {len(data)} bytes, regions {[name for name, _, _ in found]}")


def bits_flipped(bench):
    damage = Damage(bench)
    data, dice = damage.data(damage.newest), random.Random(1)
    places = list(places_in(regions(data), bench.thorough, dice))
    each(bench, lambda name, at: damage.expect_older(flipped(data, at, dice.randrange(8)), name, f"byte {at}")
         if name != "version" else
         damage.expect_right_or_refused({damage.newest: flipped(data, at, dice.randrange(8))}, name),
         places)  # fmt: skip
    bench.note(f"{len(places)} bytes of {len(data)}")


def older_damaged(bench):
    """Damage to files that are not used costs nothing."""
    damage = Damage(bench)
    data = damage.data(damage.older)
    for told, changed in [("gone", None), ("empty", b""), ("cut", data[:-9]), ("flipped", flipped(data, 40, 3))]:
        seen = damage.after({damage.older: changed})
        expect(expect_answer(damage.pair, seen, told) == damage.cells, told, seen)


def manifest_damaged(bench):
    damage = Damage(bench)
    data, dice = damage.data("manifest.json"), random.Random(2)
    cuts, flips = (8, 40) if few_are_wanted() else (25, 120)
    sizes = range(len(data)) if bench.thorough else [0, 1, *dice.sample(range(len(data)), cuts), len(data) - 1]
    places = range(len(data)) if bench.thorough else dice.sample(range(len(data)), flips)
    changes = [({"manifest.json": data[:size]}, f"cut to {size} of {len(data)}") for size in sizes]
    changes += [({"manifest.json": flipped(data, at, dice.randrange(8))}, f"flipped at {at}") for at in places]
    right = each(bench, damage.expect_right_or_refused, changes)
    bench.note(f"{len(right)} manifests: {sum(right)} resumed, {len(right) - sum(right)} refused")
    expect(sum(right) > len(right) / 2, "a damaged manifest is got round too seldom")
    for told, changed in [("gone", None), ("empty", b""), ("no JSON", b"{"), ("an array", b"[]\n"),
                          ("a string", b'"x"'), ("NUL", bytes(4096)), ("deep", b"[" * 100000)]:  # fmt: skip
        seen = damage.after({"manifest.json": changed})
        expect(expect_answer(damage.pair, seen, told) == damage.cells, told, seen)
        expect("warning" in seen[2], told, "no warning", seen[2])


def all_damaged(bench):
    """If nothing good is left, the run is refused. It never starts over unasked."""
    damage = Damage(bench)
    names = [path.name for path in newest_first(damage.base)]
    dice = random.Random(3)
    ways = {
        "empty": lambda data: b"",
        "cut": lambda data: data[: len(data) // 2],
        "flipped": lambda data: flipped(data, dice.randrange(16, len(data)), 5),
        "gone": lambda data: None,
    }
    for told, way in ways.items():
        states = {name: way(damage.data(name)) for name in names}
        for manifest in ({}, {"manifest.json": b"x"}, {"manifest.json": None}):
            if told == "gone" and manifest:
                continue  # then nothing shows that there was a state
            status, output, errors = damage.after(states | manifest)
            expect(status == CHECKPOINT, told, manifest, f"status {status}", output, errors)
    seen = damage.after({name: None for name in [*names, "manifest.json"]})
    expect(expect_answer(damage.pair, seen, "nothing there") == 0, seen)


def versions(bench):
    """Files of a newer program are refused by their version, never left out."""
    damage = Damage(bench)
    state, manifest = damage.data(damage.newest), json.loads(damage.data("manifest.json"))
    newer_state = reseal_state(state, version=2)
    newer_manifest = reseal_manifest(damage.data("manifest.json"), version=2)
    for told, changes in [("state", {damage.newest: newer_state}),
                          ("state, manifest gone", {damage.newest: newer_state, "manifest.json": None}),
                          ("manifest", {"manifest.json": newer_manifest})]:  # fmt: skip
        status, output, errors = damage.after(changes)
        expect(status == CHECKPOINT, told, f"status {status}", output, errors)
        expect("format version" in errors and re.search(r"\b2\b", errors) and re.search(r"\b1\b", errors),
               told, errors)  # fmt: skip
    expect(manifest["version"] == 1, manifest["version"])
    same = damage.after({damage.newest: reseal_state(state), "manifest.json": reseal_manifest(damage.data("manifest.json"))})
    expect(expect_answer(damage.pair, same, "sealed again as they were") == damage.cells, same)


def heads_forged(bench):
    """Heads that make no sense, with right checksums, count as damage."""
    damage = Damage(bench)
    state = damage.data(damage.newest)
    head = json.loads(regions(state, head=True))
    step = head["steps"][0] if head["steps"] else None
    forged = [{"row": -1}, {"row": head["m"] + 1}, {"row": 10**18}, {"row": "x"}, {"row": None}, {"m": 0},
              {"n": head["n"] + 1}, {"n": 2**62}, {"m": -1}, {"steps": None}, {"steps": [[0, 0, 0, 0]]},
              {"steps": [[1, 2]]}, {"steps": [[0, 2**62, 1, 0]]}, {"cells": head["cells"] + 1}, {"cells": -1},
              {"best": {"score": -1, "i": 0, "j": 0}}, {"best": {"score": 2**62, "i": 1, "j": 1}},
              {"best": {"score": 1, "i": head["m"] + 1, "j": 1}}, {"best": {}}, {"generation": -1},
              {"identity": {}}, {"identity": None}, {"format": "another"}, {"corner": 2**62}]  # fmt: skip
    if step:
        forged += [{"steps": head["steps"][1:]}, {"steps": head["steps"] + [step]},
                   {"steps": [[step[0], step[1], head["n"] + 1, step[3]]] + head["steps"][1:]},
                   {"steps": [[step[0], step[1], -5, step[3]]] + head["steps"][1:]},
                   {"steps": list(reversed(head["steps"])) + [[0, 1, 1, 0]]}]  # fmt: skip
    right = each(bench, lambda change: damage.expect_right_or_refused(
        {damage.newest: reseal_state(state, **{"head": change})}, f"head with {change}"),
        [(change,) for change in forged])  # fmt: skip
    bench.note(f"{len(right)} heads: {sum(right)} resumed from before, {len(right) - sum(right)} refused")
    # Lengths that are not there.
    for told, at, data in [("head of 64 MiB", 12, (64 << 20).to_bytes(4, "little")),
                           ("head of 4 GiB", 12, b"\xff\xff\xff\xff"), ("no head", 12, bytes(4))]:  # fmt: skip
        damage.expect_older(state[:at] + data + state[at + 4 :], told)


def exchanged(bench):
    """Good states in the wrong place."""
    damage = Damage(bench)
    newest, older = damage.data(damage.newest), damage.data(damage.older)
    other_pair = Pair(bench, 8)
    other = newest_first(interrupted(bench, other_pair))[0].read_bytes()
    ways = {
        "each other's": {damage.newest: older, damage.older: newest},
        "twice the older": {damage.newest: older},
        "another comparison's newest": {damage.newest: other},
        "another comparison's, both": {damage.newest: other, damage.older: other},
        "a later one that nobody names": {"generation-000099.state": older},
        "a later one that nobody names, no manifest": {"generation-000099.state": older, "manifest.json": None},
    }
    for told, changes in ways.items():
        right = damage.expect_right_or_refused(changes, told)
        bench.note(f"{told}: {'resumed' if right else 'refused'}")
    seen = damage.after({damage.newest: other, damage.older: other})
    expect(seen[0] == CHECKPOINT, "another comparison's states", seen)


def bystanders(bench):
    """Temporary files of a crash are removed; other people's files stay."""
    pair = Pair(bench, 9)
    directory = interrupted(bench, pair)
    ours = ["manifest.json.tmp", "generation-000077.state.tmp"]
    theirs = ["notes.txt", "data.tmp", "generation-x.state.tmp", "manifest.json.bak", "generation-1.state~"]
    for name in ours + theirs:
        (directory / name).write_text("not a state\n")
    (directory / "lock").write_bytes(b"\xff" * 10000)
    expect_answer(pair, bench.run_subject(pair, directory), "with files around")
    left = {path.name for path in directory.iterdir()}
    expect(left >= set(theirs), f"gone: {set(theirs) - left}")
    expect(not left & set(ours), f"left: {left & set(ours)}")


# ---- the command


class Long:
    """A pair that takes one thread of the scalar engine several seconds. The vector engine finishes it."""

    def __init__(self, bench, target=60000, query=52000, seed=11):
        dice = random.Random(seed)
        bases = dice.choices("ACGT", k=target)
        changed = [c if dice.random() > 0.05 else dice.choice("ACGT") for c in bases[target // 7 :]]
        changed = (dice.choices("ACGT", k=max(0, query - len(changed))) + changed)[:query]
        self.bench = bench
        self.target, self.query = bench.fasta("target", "".join(bases)), bench.fasta("query", "".join(changed))
        status, output, errors = bench.run(self.command("compare"))
        assert status == 0, errors
        self.answer = tsv_answer(output)

    def command(self, *words, target=None, query=None):
        return [self.bench.program, *words, "--columns", "all", target or self.target, query or self.query]

    def slow(self, directory, *words):
        """Starts the comparison on one slow thread."""
        return subprocess.Popen(
            [str(w) for w in self.command("compare", "--skip", "none", "--engine", "scalar", "-t", "1", "--checkpoint",
                                          directory, "--checkpoint-interval", "1s", *words)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(os.environ, LC_ALL="C"))  # fmt: skip

    def expect_resumed(self, directory, *told):
        """The same command on a faster engine gives the answer, and resumes where the first run ended."""
        before = info(self.bench, directory)["generations"]
        status, output, errors = self.bench.run(self.command("compare", "--checkpoint", directory))
        expect(status == 0, *told, f"status {status}", errors)
        expect(tsv_answer(output) == self.answer, *told, output, self.answer)
        names, values = (line.split("\t") for line in output.splitlines()[:2])
        resumed = int(dict(zip(names, values))["cells_resumed"])
        expect(resumed > 0, *told, "nothing was resumed", before)
        return resumed


_long = []


def long_pair(bench):
    """One pair for all tests, in a folder that outlives their own. Under a sanitizer, where there is no shim, engines are
    slower, and half as many bases take as long."""
    if not _long:
        own, bench.folder = bench.folder, bench.folder.parent
        _long.append(Long(bench) if bench.shim else Long(bench, 30000, 26000))
        bench.folder = own
    _long[0].bench = bench
    return _long[0]


def info(bench, directory):
    status, output, errors = bench.run([bench.program, "info", "--format", "json", directory])
    expect(status in (0, CHECKPOINT), f"info: status {status}", errors)
    return json.loads(output) if status == 0 else {"generations": []}


def wait_until(process, condition, what):
    """Waits until the condition holds. The process must not end before that."""
    end = time.monotonic() + SECONDS_A_RUN
    while not condition():
        if process.poll() is not None:
            raise AssertionError(f"ended before {what}: {process.returncode}, {process.communicate()}")
        expect(time.monotonic() < end, f"never: {what}")
        time.sleep(0.02)


def generations(directory):
    return {path.name for path in directory.glob("generation-*.state")} if directory.is_dir() else set()


def signalled(bench, number):
    long, directory = long_pair(bench), bench.path("signalled")
    process = long.slow(directory)
    try:
        wait_until(process, lambda: generations(directory), "the first state")
        process.send_signal(number)
        output, errors = process.communicate(timeout=SECONDS_A_RUN)
    finally:
        process.kill()
    expect(process.returncode == -number, f"status {process.returncode}", output, errors)
    expect(output == "", "a result nonetheless", output)
    resumed = long.expect_resumed(directory, signal.Signals(number).name)
    bench.note(f"{resumed} cells resumed")


def signalled_twice(bench):
    """A second signal ends the run at once without saving. What was saved stays."""
    long, directory = long_pair(bench), bench.path("signalled")
    process = long.slow(directory, "--max-time", "1s")
    process.communicate(timeout=SECONDS_A_RUN)
    before = generations(directory)
    expect(process.returncode == STOPPED and before, f"status {process.returncode}", before)
    # A stop waits for the blocks in progress, which are large here. On a machine that is too fast, this is retried.
    for _ in range(5):
        process = long.slow(directory, "--checkpoint-interval", "2d", "--grid", "1,1,1000000")
        try:
            wait_until(process, lambda: caught(process, signal.SIGTERM), "a handler of SIGTERM")
            process.send_signal(signal.SIGTERM)
            time.sleep(1)  # so that they are not one, however late the first comes
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=SECONDS_A_RUN)
        finally:
            process.kill()
        expect(process.returncode == -signal.SIGTERM, f"status {process.returncode}")
        at_once, before = generations(directory) == before, generations(directory)
        if at_once:
            break
    expect(at_once, "the first signal was answered each time")
    long.expect_resumed(directory)


def through_a_shell(bench):
    """The shell sees the status 128 + the signal."""
    long, directory = long_pair(bench), bench.path("shell")
    words = long.command("compare", "--skip", "none", "--engine", "scalar", "-t", "1", "--checkpoint", directory,
                         "--checkpoint-interval", "1s")  # fmt: skip
    shell = subprocess.Popen(
        ["sh", "-c", '"$@" & echo $!; wait $!; echo $?', "sh", *[str(w) for w in words]],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    child = int(shell.stdout.readline())
    try:
        wait_until(shell, lambda: generations(directory), "the first state")
        os.kill(child, signal.SIGTERM)
        output, errors = shell.communicate(timeout=SECONDS_A_RUN)
    finally:
        if shell.poll() is None:
            os.kill(child, signal.SIGKILL)
            shell.kill()
    expect(output.strip() == "143", output, errors)


def saved_on_demand(bench):
    """After SIGUSR1 the state is saved and the run goes on, however early the signal comes."""
    long, directory = long_pair(bench), bench.path("usr1")
    process = long.slow(directory, "--checkpoint-interval", "2d")
    try:
        wait_until(process, lambda: (directory / "lock").exists(), "the lock")
        process.send_signal(signal.SIGUSR1)
        wait_until(process, lambda: generations(directory), "the state that was wished for")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=SECONDS_A_RUN)
    finally:
        process.kill()
    long.expect_resumed(directory)


def time_limit(bench):
    long, directory = long_pair(bench), bench.path("limit")
    process = long.slow(directory, "--max-time", "1s")
    try:
        output, errors = process.communicate(timeout=SECONDS_A_RUN)
    finally:
        process.kill()
    expect(process.returncode == STOPPED, f"status {process.returncode}", output, errors)
    expect("resume" in errors and str(directory) in errors, errors)
    status, output, errors = bench.run([bench.program, "resume", "--format", "tsv", directory])
    expect(status == 0 and tsv_answer(output) == long.answer, status, output, errors)
    again = bench.run([bench.program, "resume", "--format", "tsv", directory])
    expect(again[0] == 0 and tsv_answer(again[1]) == long.answer, again)


class LongSet:
    """A set whose first sweeps take the scalar engine on one thread some seconds. The others are short. Under a sanitizer
    half as many bases do, as of long_pair(). On circles one alignment takes many sweeps, so fewer bases do."""

    def __init__(self, bench, rule):
        dice = random.Random(5)
        bases = (26000 if bench.shim else 13000) // (13 if rule == CIRCLES else 1)
        target = dice.choices("ACGT", k=bases)
        changed = [c if dice.random() > 0.05 else dice.choice("ACGT") for c in target]
        query = changed[bases // 2 :] + changed[: bases // 2]
        self.bench, self.rule = bench, rule
        self.target, self.query = bench.fasta("target", "".join(target)), bench.fasta("query", "".join(query))
        status, self.answer, errors = bench.run([bench.program, "align", "-q", *rule, self.target, self.query])
        assert status == 0 and self.answer.count("\n") > 1, errors

    def start(self, directory, *words):
        command = [self.bench.program, "align", *self.rule, "--skip", "none", "--engine", "scalar", "-t", "1",
                   "--checkpoint", directory, *words, self.target, self.query]  # fmt: skip
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=dict(os.environ, LC_ALL="C"))  # fmt: skip


ONE_TO_ONE = ["--one-to-one", "--min-score", "100", "--strand", "plus"]
ALL = ["--all", "-n", "3", "--strand", "plus"]
CIRCLES = ["--circular", "both", "--strand", "plus"]


def set_requeued(bench, rule):
    """Runs that are all shorter than a sweep come to an end, and find the same set. A run must only be longer than one
    trace, which takes more than a second under sanitizers on a busy machine."""
    long, directory = LongSet(bench, rule), bench.path("requeued")
    status, output, runs = STOPPED, "", 0
    while status == STOPPED:
        process = long.start(directory, "--max-time", f"{1 + runs // 10}s")
        try:
            output, errors = process.communicate(timeout=SECONDS_A_RUN)
        finally:
            process.kill()
        status, runs = process.returncode, runs + 1
        expect(runs < 100, "no progress", errors)
        expect(status == 0 or "stopped at the time limit after" in errors, errors)
    expect(status == 0 and output == long.answer, f"status {status}", output, errors)
    expect(not (directory / "box").exists() and not list(directory.glob("*-tiles*")), sorted(directory.iterdir()))
    bench.note(f"{runs} runs")


def set_killed(bench, rule):
    """SIGKILL again and again, each time after more of what was kept, then a run to the end."""
    long, directory = LongSet(bench, rule), bench.path("killed")
    for seconds in (0.5, 1.5, 2.5):
        process = long.start(directory, "--checkpoint-interval", "1s")
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate(timeout=SECONDS_A_RUN)
        expect(output in ("", long.answer), output)
    process = long.start(directory)
    output, errors = process.communicate(timeout=SECONDS_A_RUN)
    expect(process.returncode == 0 and output == long.answer, process.returncode, output, errors)


def two_at_once(bench):
    """A second run is refused as long as the first lives, however the first one ends."""
    long, directory = long_pair(bench), bench.path("two")
    process = long.slow(directory)
    try:
        wait_until(process, lambda: generations(directory), "the first state")
        for words in (["compare", "--checkpoint", directory], ["compare", "--no-resume", "--checkpoint", directory]):
            status, output, errors = bench.run(long.command(*words))
            expect(status == CHECKPOINT, f"status {status}", output, errors)
            expect(str(process.pid) in errors, "the holder is not named", errors)
        expect(process.poll() is None, "the first run ended too soon", process.returncode)
        process.kill()
        process.communicate()
    finally:
        process.kill()
    # A killed run holds nothing.
    long.expect_resumed(directory)
    # Many runs at once on a small pair: at least one completes, and all that complete are right.
    pair, directory = Pair(bench, 12, 600), bench.path("crowd")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda _: bench.run_subject(pair, directory, ["save=1", "wait=1"]), range(8)))
    for status, output, errors in seen:
        expect(status in (0, CHECKPOINT), f"status {status}", errors)
        expect(status != 0 or output.split()[:3] == pair.answer, output)
    expect(any(status == 0 for status, _, _ in seen), "nobody got through", seen)
    bench.note(f"of 8 at once {sum(status == 0 for status, _, _ in seen)} were done, the others refused")
    expect_answer(pair, bench.run_subject(pair, directory), "afterwards")
    expect_tidy(directory)


def refused(bench):
    """Another sequence, scoring or order gives status 5 and both values. The state stays as it was."""
    pair = Pair(bench, 13)
    base = interrupted(bench, pair)
    bases = pair.target.read_text().splitlines()[1]
    other = bench.fasta("target", ("C" if bases[0] == "A" else "A") + bases[1:])
    longer = bench.fasta("target", bases + "A")
    ways = {
        "target": ([], other, pair.query, "digest"),
        "length": ([], longer, pair.query, "length|digest"),
        "query": ([], pair.target, bench.fasta("query", bases), "digest|length"),
        "swapped": ([], pair.query, pair.target, "digest|length"),
        "match": (["match=2"], pair.target, pair.query, "match is 1 there and 2"),
        "mismatch": (["mismatch=4"], pair.target, pair.query, "mismatch is 3 there and 4"),
        "gap open": (["open=9"], pair.target, pair.query, "gap_open is 3 there and 9"),
        "gap extend": (["extend=1"], pair.target, pair.query, "gap_extend is 2 there and 1"),
    }
    files = lambda folder: {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "lock"}
    before = files(base)
    for told, (settings, target, query, pattern) in ways.items():
        status, output, errors = bench.run([bench.subject, *pair.settings, *settings, target, query, base])
        expect(status == CHECKPOINT, told, f"status {status}", output, errors)
        expect(re.search(pattern, errors), told, errors)
        expect(files(base) == before, told, "the directory was changed")
    # The same bases in another form are the same sequence.
    wrapped = bench.path("wrapped").with_suffix(".fa")
    wrapped.write_text(">another name\n" + "\n".join(re.findall(".{1,7}", bases.lower())) + "\n")
    seen = bench.run([bench.subject, *pair.settings, wrapped, pair.query, base])
    expect(expect_answer(pair, seen, "wrapped anew") > 0, "nothing resumed", seen)


def bad_directories(bench):
    """An unwritable folder is reported at the start, before anything is computed."""
    pair = Pair(bench, 14)
    file = bench.path("file")
    file.write_text("x")
    ways = {"a file": file, "in a file": file / "state", "two levels": bench.path("none") / "a" / "state"}
    if os.geteuid() != 0:
        closed = bench.path("closed")
        closed.mkdir(0o500)
        ways["read-only"] = closed
    for told, directory in ways.items():
        status, output, errors = bench.run_subject(pair, directory)
        expect(status == IO_ERROR and errors.strip(), told, f"status {status}", output, errors)


def golden(bench):
    """Format version 1 stays readable forever."""
    folder = bench.golden and bench.golden / "golden-v1"
    if not folder or not folder.is_dir():
        raise Skip("no golden directory")
    copy = bench.path("golden")
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    words = [bench.program, "compare", "--columns", "all", "-A", "2", "-B", "3", "-O", "5", "-E", "1"]
    files = [copy / "target.fa", copy / "query.fa"]
    cells = max(each["cells"] for each in json.loads((copy / "manifest.json").read_text())["generations"])
    status, output, errors = bench.run([bench.program, "info", copy])
    expect(status == 0, f"info: status {status}", output, errors)
    status, expected, errors = bench.run([*words, *files])
    expect(status == 0, f"status {status}", errors)
    status, output, errors = bench.run([*words, "--checkpoint", copy, *files])
    expect(status == 0, f"status {status}", errors)
    expect(tsv_answer(output) == tsv_answer(expected), output, expected)
    names, values = (line.split("\t") for line in output.splitlines())
    resumed = values[names.index("cells_resumed")]
    expect(resumed == str(cells), f"{cells} cells were saved", output)
    expect("warning" not in errors, errors)


# ----


def tests_of(part):
    if part == "faults":
        for fault in FAULTS:
            yield f"{fault} anywhere, from nothing", lambda bench, f=fault: faults_from_nothing(bench, f)
            yield f"{fault} anywhere, going on", lambda bench, f=fault: faults_going_on(bench, f)
        yield "faults while stopping", faults_stopping
        yield "power lost, from nothing", power_lost_from_nothing
        yield "power lost, going on", power_lost_going_on
        yield "power lost, stopping", power_lost_stopping
        for fault in ("eio", "enospc", "eintr", "kill-before", "dead"):
            yield f"{fault} anywhere in the command", lambda bench, f=fault: faults_of_the_command(bench, f)
        yield "a full disk", disk_full
    elif part == "damage":
        yield from [("cut short", truncated), ("bits flipped", bits_flipped), ("the older generation", older_damaged),
                    ("the manifest", manifest_damaged), ("everything damaged", all_damaged),
                    ("newer versions", versions), ("forged heads", heads_forged),
                    ("states that belong elsewhere", exchanged), ("bystanders", bystanders)]  # fmt: skip
    else:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            yield f"{number.name} and resume", lambda bench, n=number: signalled(bench, n)
        for rule in (ONE_TO_ONE, ALL, CIRCLES):
            yield f"{rule[0]} again and again", lambda bench, r=rule: set_requeued(bench, r)
            yield f"{rule[0]} killed", lambda bench, r=rule: set_killed(bench, r)
        yield from [("two signals", signalled_twice), ("status in a shell", through_a_shell),
                    ("SIGUSR1", saved_on_demand), ("--max-time", time_limit), ("two at once", two_at_once),
                    ("another comparison", refused), ("bad directories", bad_directories),
                    ("golden directory", golden)]  # fmt: skip


def memory():
    """A folder in memory if possible, so that thousands of small runs do not wait for a disk."""
    return "/dev/shm" if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK) else None


def attempt(test, bench):
    """Runs a test. Returns "ok" or "not ok", the directive, and lines to print."""
    try:
        test(bench)
    except Skip as why:
        return "ok", f" # SKIP {why}", []
    except (AssertionError, OSError, ValueError, LookupError, subprocess.TimeoutExpired) as error:
        return "not ok", "", f"{type(error).__name__}: {error}".splitlines()
    return "ok", "", []


def main():
    # Signals that nohup or a shell's & made this process ignore would be ignored by its programs too.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    parser = argparse.ArgumentParser()
    for name in ("program", "subject", "shim", "golden"):
        parser.add_argument("--" + name, type=pathlib.Path, required=name in ("program", "subject"))
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("part", choices=["faults", "damage", "command"])
    arguments = parser.parse_args()
    tests = [(name, test) for name, test in tests_of(arguments.part) if arguments.only in name]
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="chromosweep-resume-", dir=memory()) as top:
        for number, (name, test) in enumerate(tests, start=1):
            folder = pathlib.Path(top).resolve() / str(number)
            folder.mkdir()
            bench = Bench(arguments, folder)
            verdict, why, told = attempt(test, bench)
            failed += verdict == "not ok"
            print(f"{verdict} {number} - {name}{why}")
            for text in bench.notes + told:
                print(f"#   {text}")
            sys.stdout.flush()
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
