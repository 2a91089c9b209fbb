#!/usr/bin/env python3
"""ranks.py PROGRAM SEQUENCES [TEST...]

Compares pairs and lists of pairs, searches, and finds identities with 1 to 4 processes under mpirun, on this machine,
and with one process alone: every answer must be the same. Stops them, kills one at random, and resumes with another
number of processes. Emits TAP. Without mpirun, or without the module for MPI beside the library, everything is
skipped. RANKS_KILLS is the number of kills of each kind (1), by hand.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BY_HAND = os.environ.get("RANKS_KILLS")
SECONDS = 300  # a run that takes longer hangs
TRIES = 20  # of what comes too late on a machine that is fast
SLOW_BASES = 50_000
LIST_BASES = 24_000
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_hwloc_base_binding_policy="none",
                   LC_ALL="C")  # fmt: skip
VARYING = {"cells_computed", "cells_skipped", "cells_resumed", "device", "engine", "gcups", "threads", "bits"}


class Work:
    """What takes a slow program seconds: the options of the slow one, and where its states are."""

    def __init__(self, states, slow, *arguments, **environment):
        self.states, self.slow, self.arguments = states, slow, arguments
        self.environment = environment  # of the slow one
        self.output = None  # of one process alone


class Bench:
    def __init__(self, program, sequences, folder):
        self.program, self.folder = program, folder
        self.ape = [str(sequences / "ape_target.fa.gz"), str(sequences / "ape_query.fa.gz")]
        self.repeats = str(sequences / "repeats_query.fa")
        self.slow_pair = self.make_pair()
        self.slow_answer = None  # of one process alone
        self.lists = self.make_lists()
        self.search_files = self.make_search()
        self.genes = self.make_genes()
        self.works = {
            "list": Work("*/manifest.json", ["--engine", "scalar", "-t", "1"],
                         "compare", "--all-pairs", "--device", "cpu", "-v", *self.lists),
            "search": Work("search-*.state", ["-t", "1"],
                           "search", "--device", "cpu", "--format", "tsv", "-n", "20", "--align", *self.search_files,
                           CHROMOSWEEP_SIMD="sse4.1"),
            "identity": Work("identity-*.log", ["-t", "1"],
                             "identity", "--device", "cpu", "--format", "tsv", self.genes, CHROMOSWEEP_SIMD="sse4.1"),
        }  # fmt: skip

    def write(self, name, records):
        path = self.folder / name
        path.write_text("".join(f">{record}\n{bases}\n" for record, bases in records))
        return str(path)

    def make_lists(self):
        """Records of all sizes that are like each other; their pairs take a slow engine seconds."""
        generator = random.Random(23)
        whole = generator.choices("ACGT", k=LIST_BASES)
        lists = []
        for name, count in [("t", 4), ("q", 3)]:
            records = []
            for k in range(count):
                bases = list(whole)
                for _ in range(LIST_BASES // 8):
                    bases[generator.randrange(LIST_BASES)] = generator.choice("ACGTN")
                records.append((f"{name}{k}", "".join(bases[: LIST_BASES * (k + 1) // count])))
            lists.append(self.write(f"{name}_list.fa", records))
        return lists

    def make_search(self):
        """Proteins, of which one in fifty is like a query."""
        generator = random.Random(24)

        def protein(letters):
            return "".join(generator.choices("ARNDCQEGHILKMFPSTWYV", k=letters))

        queries = [(f"query{k}", protein(generator.randint(1, 800))) for k in range(40)]
        records = [(f"record{k}", protein(generator.randint(1, 700))) for k in range(3500)]
        for k in range(0, 3500, 50):
            letters = list(generator.choice(queries)[1])
            for _ in range(len(letters) // 4):
                letters[generator.randrange(len(letters))] = generator.choice("ARND")
            records[k] = (f"record{k}", "".join(letters))
        return [self.write("queries.fa", queries), self.write("database.fa", records)]

    def make_genes(self):
        """One gene with more and more changes."""
        generator = random.Random(25)
        gene = generator.choices("ACGT", k=1500)
        records = []
        for k in range(120):
            gene[generator.randrange(1500)] = generator.choice("ACGT")
            records.append((f"gene{k}", "".join(gene[k % 7 :])))
        self.write("parts.fa", [(name, bases[:200]) for name, bases in records])
        return self.write("genes.fa", records)

    def make_pair(self):
        """Two sequences that take a slow engine seconds. The second one is the first with changes."""
        generator = random.Random(22)
        bases = generator.choices("ACGT", k=SLOW_BASES)
        (self.folder / "target.fa").write_text(">target\n" + "".join(bases) + "\n")
        for _ in range(SLOW_BASES // 5):
            bases[generator.randrange(SLOW_BASES)] = generator.choice("ACGT")
        del bases[20_000:21_000]
        (self.folder / "query.fa").write_text(">query\n" + "".join(bases) + "\n")
        return [str(self.folder / "target.fa"), str(self.folder / "query.fa")]

    def run(self, launcher, *arguments, cwd=None):
        return subprocess.run([*launcher, self.program, *arguments], env=ENVIRONMENT, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=SECONDS, cwd=cwd)  # fmt: skip

    def result(self, ranks, *arguments):
        """ranks 0: without mpirun."""
        done = self.run(launch(ranks), "compare", "--format", "json", *arguments)
        expect(done.returncode == 0, ranks, arguments, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def answer(self, ranks, *arguments):
        """The result without what differs from run to run."""
        return strip(self.result(ranks, *arguments))

    def expect_same(self, ranks, *arguments):
        """The same answer. What a process alone skips is skipped by all, more or less."""
        found, alone = self.result(ranks, *arguments), self.result(0, *arguments)
        expect(strip(found) == strip(alone), ranks, arguments, found, alone)
        skipped = [max(0, result["cells"] - result["cells_computed"]) for result in (found, alone)]
        expect(skipped[0] >= 0.97 * skipped[1], ranks, arguments, "skipped:", skipped)

    def start_slow(self, ranks, state, *arguments):
        """Starts a comparison that saves its state, and waits until it has done so: until a state is named."""
        process = subprocess.Popen(
            [*launch(ranks), self.program, *self.slow_arguments(state), "--engine", "scalar", "-t", "1",
             *arguments],
            env=ENVIRONMENT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        deadline = time.monotonic() + SECONDS
        while not (state / "manifest.json").exists() and process.poll() is None:
            expect(time.monotonic() < deadline, "no state was saved")
            time.sleep(0.02)
        return process

    def start(self, kind, ranks, state, *arguments):
        """Starts a slow list or search that saves its states, and waits until it has saved one."""
        work = self.works[kind]
        process = subprocess.Popen(
            [*launch(ranks), self.program, *work.arguments, *work.slow, "--checkpoint", str(state),
             "--checkpoint-interval", "1s", *arguments],
            env={**ENVIRONMENT, **work.environment}, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)  # fmt: skip
        deadline = time.monotonic() + SECONDS
        while not list(state.glob(work.states)) and process.poll() is None:
            expect(time.monotonic() < deadline, "no state was saved")
            time.sleep(0.02)
        return process

    def expect_text(self, ranks, *arguments):
        """The same standard output as that of one process alone."""
        done, alone = [self.run(launch(count), *arguments) for count in (ranks, 0)]
        expect(alone.returncode == 0 and alone.stdout != "", arguments, alone.returncode, alone.stderr)
        expect(done.returncode == 0 and done.stdout == alone.stdout, ranks, arguments, done.returncode, done.stdout,
               alone.stdout, done.stderr)  # fmt: skip

    def output_of(self, kind):
        """Of one process alone."""
        work = self.works[kind]
        if work.output is None:
            work.output = self.run([], *work.arguments).stdout
            expect(work.output.count("\n") > 10, kind, work.output)
        return work.output

    def expect_output(self, kind, ranks, *options):
        """The same bytes as those of one process alone."""
        done = self.run(launch(ranks), *self.works[kind].arguments, *options)
        expect(done.returncode == 0 and done.stdout == self.output_of(kind), kind, ranks, done.returncode, done.stderr)
        return done

    def expect_goes_on(self, kind, ranks, state):
        done = self.expect_output(kind, ranks, "--checkpoint", str(state))
        kept = any(words in done.stderr for words in ("resuming from", "is complete: all cells are computed"))
        expect(kept, "it began anew", done.stderr)

    def slow_arguments(self, state):
        return ["compare", "--device", "cpu", "--format", "json", "--skip", "none", "--checkpoint", str(state),
                "--checkpoint-interval", "1s", *self.slow_pair]  # fmt: skip

    def slow_pair_answer(self):
        if self.slow_answer is None:
            self.slow_answer = self.answer(0, "--device", "cpu", "--skip", "none", *self.slow_pair)
        return self.slow_answer

    def is_slow_answer(self, output):
        return output != "" and strip(json.loads(output)) == self.slow_pair_answer()

    def expect_resumed(self, ranks, state):
        """The same command, with a faster engine, gives the answer of a run alone and does not begin anew."""
        done = self.run(launch(ranks), *self.slow_arguments(state))
        expect(done.returncode == 0, ranks, done.returncode, done.stderr)
        found = json.loads(done.stdout)
        expect(strip(found) == self.slow_pair_answer(), ranks, found, self.slow_answer)
        expect(found["cells_resumed"] > 0, ranks, "it began anew")


def launch(ranks):
    return ["mpirun", "-n", str(ranks)] if ranks > 0 else []


def expect(good, *told):
    if not good:
        raise AssertionError(" ".join(str(word) for word in told))


def strip(value):
    if isinstance(value, dict):
        return {key: strip(inner) for key, inner in value.items() if key not in VARYING and not key.startswith("seconds")}
    return [strip(inner) for inner in value] if isinstance(value, list) else value


def messages_of(done):
    """The lines of the program, not those of mpirun."""
    return [line for line in done.stderr.splitlines() if line.startswith("chromosweep")]


def expect_message(done, status, *words):
    lines = messages_of(done)
    expect(done.returncode == status and len(lines) == 1, done.returncode, done.stderr)
    for word in words:
        expect(word in lines[0], word, lines[0])


def processes_of(bench):
    """The processes that run this program."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        ours = any(word.startswith(os.fsencode(bench.folder)) for word in words)
        if words[0] == os.fsencode(bench.program) and ours:
            found.append(int(place.name))
    return found


def expect_gone(bench):
    """mpirun may end before its processes do, above all if it is killed."""
    start = time.monotonic()
    while processes_of(bench):
        expect(time.monotonic() < start + SECONDS, "processes stayed", processes_of(bench))
        time.sleep(0.05)


def same_answers(bench):
    """Both strands, with starts, ambiguous bases in the pair; what bounds let skip; two members in each process."""
    bench.expect_same(4, "--device", "cpu", "--strand", "both", *bench.ape)
    bench.expect_same(3, "--device", "cpu", "--no-start", "--skip", "bounds", *bench.ape)
    options = ["--engine", "scalar", "-r", "ape_target:1-2,000", *bench.ape]
    found = bench.answer(2, "--device", "cpu,cpu", *options)
    expect(found == bench.answer(0, "--device", "cpu", *options), found)


def same_lists(bench):
    """Rows in their order; a pair twice; a pair that is too large for its share is swept by all."""
    for ranks in [1, 2, 4]:
        bench.expect_output("list", ranks)
    pairs = bench.folder / "pairs"
    pairs.write_text("t3\tq2\nt0\tq0\nt1\tq2\nt0\tq0\n")
    options = ["compare", "--device", "cpu", "--strand", "both", "--min-score", "60", "--pairs", str(pairs)]
    alone = bench.run([], *options, *bench.lists)
    together = bench.run(launch(3), *options, "--checkpoint", str(bench.folder / "twice"), *bench.lists)
    expect(together.stdout == alone.stdout and messages_of(together) == messages_of(alone), together.stdout, together.stderr)


def same_alignments(bench):
    """One alignment with its proof, sets, and circular records: of one pair, of a list, of all records."""
    bench.expect_text(4, "align", "--device", "cpu", "--strand", "both", "--verify", *bench.ape)
    bench.expect_text(2, "align", "-t", "1", "--device", "cpu", "--one-to-one", "--min-score", "60", *bench.ape)
    bench.expect_text(3, "align", "-t", "1", "--device", "cpu", "--all", "--min-score", "300", *bench.ape)
    circles = ["compare", "-t", "1", "--device", "cpu", "--circular", "query", "--strand", "plus", "--columns", "score,query_start"]
    bench.expect_text(2, *circles, *bench.ape)
    bench.expect_text(3, *circles, "--all-pairs", *bench.lists)


def stopped_alignment(bench):
    """In the proof, or before; another number of processes goes on, in the end by `resume`."""
    state = str(bench.folder / "alignment")
    command = ["align", "--device", "cpu", "--verify", "--skip", "none", "--checkpoint", state, *bench.slow_pair]
    slow = ["--engine", "scalar", "-t", "1", "--checkpoint-interval", "1s"]
    process = subprocess.Popen([*launch(3), bench.program, *command, *slow, "--max-time", "2s"], env=ENVIRONMENT,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    expect(process.wait(timeout=SECONDS) in (0, 75), process.returncode)
    alone = bench.run([], "align", "--device", "cpu", *bench.slow_pair)
    for ranks, arguments in [(2, command), (4, ["resume", state])]:
        done = bench.run(launch(ranks), *arguments)
        expect(done.returncode == 0 and done.stdout == alone.stdout != "", ranks, done.returncode, done.stderr)


def same_hits(bench):
    """Of proteins with alignments, and of nucleotides on both strands, whose database is standard input."""
    bench.expect_output("search", 4)
    options = ["search", "--device", "cpu", "--format", "tsv", bench.repeats]
    alone = bench.run([], *options, bench.lists[0])
    with open(bench.lists[0], encoding="ascii") as database:
        together = subprocess.run([*launch(3), bench.program, *options, "-"], env=ENVIRONMENT, capture_output=True,
                                  text=True, stdin=database, timeout=SECONDS)  # fmt: skip
    expect(together.stdout == alone.stdout != "", together.stdout, together.stderr)


def same_identities(bench):
    """With filters, alignments and a checkpoint of fewer processes, too."""
    for ranks in [4]:
        bench.expect_output("identity", ranks)
    options = ["identity", "--min-identity", "0.98", "--align", "--format", "tsv", *2 * [str(bench.folder / "parts.fa")]]
    alone = bench.run([], *options)
    for ranks in [3, 0]:
        done = bench.run(launch(ranks), *options, "--checkpoint", str(bench.folder / "genes"))
        expect(done.returncode == 0 and done.stdout == alone.stdout != "", ranks, done.stderr)


def one_folder(bench):
    """A relative checkpoint is where process 0 is, and the others read no file."""
    folder = bench.folder / "elsewhere"
    folder.mkdir()
    command = ["compare", "--all-pairs", "--device", "cpu", "--checkpoint", "state", *bench.lists]
    places = [bench.folder, folder]
    launcher = ["mpirun", "-n", "1", "-wdir", str(places[0]), bench.program, *command,
                ":", "-n", "1", "-wdir", str(places[1])]  # fmt: skip
    done = bench.run(launcher, *command)
    expect(done.returncode == 0 and not list(folder.iterdir()), done.stderr)


def another_disk(bench):
    """A process that does not see the folder of the checkpoint, here because the name means another one to it."""
    places = [bench.folder / "disk0", bench.folder / "disk1"]
    for place in places:
        place.mkdir()
    command = ["compare", "--all-pairs", "--device", "cpu", "--checkpoint", "/proc/self/cwd/state", *bench.lists]
    launcher = ["mpirun", "-n", "1", "-wdir", str(places[0]), bench.program, *command,
                ":", "-n", "1", "-wdir", str(places[1])]  # fmt: skip
    done = bench.run(launcher, *command)
    *failures, sum_of_all = messages_of(done)
    expect(done.returncode == 1 and len(failures) > 0, done.returncode, done.stderr)
    for line in failures:
        expect(": process 1: " in line and "the folder of the checkpoint must be one that all nodes share" in line, line)
    expect(f"{len(failures)} of 12 pairs failed" in sum_of_all, sum_of_all)
    folders = [path for path in (places[0] / "state").iterdir() if path.is_dir()]
    expect(len(folders) == 12 - len(failures) and not list(places[1].iterdir()), folders)
    expect(len(done.stdout.splitlines()) == 1 + len(folders), done.stdout)
    alone = bench.run([], *command, cwd=places[0])
    expect(alone.returncode == 0 and len(alone.stdout.splitlines()) == 13, alone.stderr)


def plans(bench):
    """What each process gets of a pair, or of the largest of a list; with one device each, and with two."""
    for ranks, device, names in [(3, "cpu", ["cpu", "process:1:cpu", "process:2:cpu"]),
                                 (2, "cpu,cpu", ["cpu", "cpu", "process:1:cpu", "process:1:cpu"])]:  # fmt: skip
        for inputs in [bench.slow_pair, ["--all-pairs", *bench.lists]]:
            options = ["plan", "-t", "2", "--device", device, "--skip", "none", "--format", "json"]
            done = bench.run(launch(ranks), *options, *inputs)
            expect(done.returncode == 0 and not messages_of(done), done.returncode, done.stderr)
            found = json.loads(done.stdout)
            expect([member["device"] for member in found["members"]] == names, found["members"])
            expect(all(member["rows"] > 0 for member in found["members"]), found["members"])
            expect(found["slurm"].startswith(f"--ntasks={ranks} --mem="), found["slurm"])
            expect(found["gcups"] > 0, found["gcups"])


def refusals(bench):
    """Each message once, whatever the number of processes."""
    expect_message(bench.run(launch(3), "devices"), 2, "devices runs as one process")
    expect_message(bench.run(launch(2), "plan", "search", *bench.search_files), 2, "plan search runs as one process")
    expect_message(bench.run(launch(2), "plan", "--all", "-n", "1", *bench.ape), 2, "plan of a set runs as one process")
    expect_message(bench.run(launch(2), "search", "/nowhere.fa", bench.ape[1]), 1, "/nowhere.fa")
    expect_message(bench.run(launch(2), "compare", "/nowhere.fa", bench.ape[1]), 1, "/nowhere.fa")
    launcher = ["mpirun", "-n", "1", bench.program, "compare", *bench.ape, ":", "-n", "1"]
    expect_message(bench.run(launcher, "compare", *reversed(bench.ape)), 4, "process 1 was started with another command")


def other_files(bench):
    """A file must be the same one on all nodes, here in two folders."""
    places = [bench.folder / "node0", bench.folder / "node1"]
    for place in places:
        place.mkdir()
        shutil.copy(bench.ape[0], place / "t.fa.gz")
        shutil.copy(bench.ape[1], place / "q.fa.gz")
    command = ["compare", "--device", "cpu", "--format", "json", "t.fa.gz", "q.fa.gz"]
    launcher = ["mpirun", "-n", "1", "-wdir", str(places[0]), bench.program, *command,
                ":", "-n", "1", "-wdir", str(places[1])]  # fmt: skip
    with open(places[1] / "q.fa.gz", "r+b") as file:  # the time of the gzip header: the bases are the same
        file.seek(4)
        file.write(b"\1\2\3\4")
    host = os.uname().nodename
    expect_message(bench.run(launcher, *command), 1, f"q.fa.gz of process 1 on {host} differs")
    (places[1] / "t.fa.gz").unlink()
    expect_message(bench.run(launcher, *command), 1, f"process 1 on {host}: cannot open t.fa.gz: No such file")


def end_by_signal(bench, process):
    """SIGTERM to mpirun. Whether it came before all was done."""
    process.terminate()
    process.communicate(timeout=SECONDS)
    expect_gone(bench)
    return process.returncode != 0


def stopped(bench):
    """SIGUSR1 to all saves and goes on, SIGTERM to mpirun saves and ends all."""
    for k in range(TRIES):
        state = bench.folder / f"stopped{k}"
        process = bench.start_slow(3, state)
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
        expect(process.poll() in (None, 0), "SIGUSR1 ended it", process.returncode)
        if end_by_signal(bench, process):
            break
    expect(process.returncode != 0, "it was done each time")
    bench.expect_resumed(2, state)


def out_of_time(bench):
    """By hand."""
    state = bench.folder / "time"
    process = bench.start_slow(2, state, "--max-time", "1s")
    _, errors = process.communicate(timeout=SECONDS)
    expect(process.returncode == 75, process.returncode, errors)
    bench.expect_resumed(0, state)


def kill_one(bench, process, is_all):
    """All end after one of them. One that is killed when it has done all may be no failure to mpirun; then is_all() is
    true of what was printed."""
    time.sleep(random.uniform(0, 0.5))
    running = processes_of(bench)
    victim = random.choice([*running, process.pid]) if running else None
    if victim is not None:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            victim = None
    output, _ = process.communicate(timeout=SECONDS)
    expect_gone(bench)
    expect(process.returncode != 0 or is_all(output), running, victim, output)


def killed(bench):
    """All end, and what was saved last counts."""
    for k in range(int(BY_HAND or 1)):
        state = bench.folder / f"killed{k}"
        process = bench.start_slow(random.randint(2, 4), state)
        kill_one(bench, process, bench.is_slow_answer)
        if process.returncode != 0:
            bench.expect_resumed(random.choice([0, 1, 2, 3, 4]), state)


def stopped_works(bench):
    """A list by its limit of time, a search by SIGTERM; both go on with another number of processes. The limit grows, for
    a machine on which nothing is saved so soon."""
    state, seconds = bench.folder / "list", 2
    while not list(state.glob(bench.works["list"].states)):
        process = bench.start("list", 3, state, "--max-time", f"{seconds}s")
        _, errors = process.communicate(timeout=SECONDS)
        expect(process.returncode in (0, 75), process.returncode, errors)
        seconds *= 2
    bench.expect_goes_on("list", random.choice([0, 1, 2, 4]), state)
    for k in range(TRIES):
        state = bench.folder / f"search{k}"
        process = bench.start("search", 3, state)
        if end_by_signal(bench, process):
            break
    expect(process.returncode != 0, "it was done each time")
    bench.expect_goes_on("search", random.choice([0, 1, 2, 4]), state)


def killed_works(bench):
    """As `killed`, of lists, searches and identities."""
    for k in range(3 * int(BY_HAND or 1)):
        kind = ["list", "search", "identity"][k % 3]
        state = bench.folder / f"{kind}-killed{k}"
        kill_one(bench, bench.start(kind, random.randint(2, 4), state), lambda output: output == bench.output_of(kind))
        if list(state.glob(bench.works[kind].states)):
            bench.expect_goes_on(kind, random.choice([0, 1, 2, 3, 4]), state)


def main():
    program, sequences = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    module = pathlib.Path(program).parent / "src" / "libchromosweep-mpi.so"
    if shutil.which("mpirun") is None or not module.exists():
        print("1..0 # SKIP no mpirun, or a build without MPI")
        return 0
    failed = 0
    random.seed(None if BY_HAND else 1)
    tests = [same_answers, same_lists, same_alignments, same_hits, same_identities, plans, refusals, other_files, one_folder, another_disk, stopped,
             stopped_alignment, stopped_works, *([out_of_time] if BY_HAND else []), killed, killed_works]  # fmt: skip
    wanted = [test for test in tests if len(sys.argv) == 3 or test.__name__ in sys.argv[3:]]
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(program, sequences, pathlib.Path(name))
        print(f"1..{len(wanted)}", flush=True)
        for number, test in enumerate(wanted, 1):
            start = time.monotonic()
            try:
                test(bench)
                print(f"ok {number} - {test.__name__} # {time.monotonic() - start:.1f} s", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failed += 1
                text = str(failure)[:3000].replace("\n", "\n# ")
                print(f"not ok {number} - {test.__name__}\n# {text}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
