#!/usr/bin/env python3
"""Compares chromosweep search with ssearch36 and blastp, where they are installed. Emits TAP.

    search_tools.py PROGRAM [QUERIES.fa DATABASE.fa]

Without files, proteins are made: some like the queries, most of them random. All scores must be those of ssearch36,
with several matrices and gap costs, and E-values and bits must be those that blastp prints without composition-based
statistics, wherever it finds an alignment with the same score.
"""

import gzip
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
# A matrix, the cost of a gap and that of each of its letters. FASTA's own PAM250 is another than NCBI's, so that it gets
# the files that are built in here.
SCORINGS = [("BLOSUM62", 11, 1), ("BLOSUM50", 13, 2), ("PAM250", 14, 2), ("PAM30", 9, 1), ("BLOSUM62", 0, 4)]
MATRICES = pathlib.Path(__file__).resolve().parents[2] / "src/search/matrices"


def make(folder):
    """Two files of random proteins, of which some records have parts of the queries."""
    chance = random.Random(23)
    queries = ["".join(chance.choices(AMINO_ACIDS, k=length)) for length in (30, 144, 375, 1000, 1500)]
    records = []
    for k in range(300):
        record = "".join(chance.choices(AMINO_ACIDS, k=chance.randrange(1, 700)))
        if k % 5 == 0:
            part = list(chance.choice(queries))
            for _ in range(len(part) // 4):
                part[chance.randrange(len(part))] = chance.choice(["", *AMINO_ACIDS])
            record += "".join(part)
        records.append(record)
    paths = []
    for name, texts in ("q", queries), ("d", records):
        paths.append(folder / f"{name}.fa")
        paths[-1].write_text("".join(f">{name}{k}\n{text}\n" for k, text in enumerate(texts)), encoding="ascii")
    return paths


def plain(path, folder):
    """The file itself, or what it holds if it is compressed."""
    if path.suffix != ".gz":
        return path
    text = folder / path.stem
    text.write_bytes(gzip.decompress(path.read_bytes()))
    return text


def search(program, pair, columns, *options):
    """The columns of all hits."""
    run = subprocess.run([program, "search", "-n", "1000000", "--columns", columns, *options, *pair], check=True,
                         stdout=subprocess.PIPE, text=True)
    return [line.split("\t") for line in run.stdout.splitlines()[1:]]


def ssearch_scores(pair, folder, matrix, gap_open, gap_extend):
    raw = folder / "raw"
    subprocess.run(["ssearch36", "-q", "-s", MATRICES / matrix, "-f", str(-gap_open), "-g", str(-gap_extend), "-d", "0", "-b", "1",
                    "-R", raw, *pair], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    scores, query = {}, None
    for line in raw.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if line.startswith(">>>"):
            query = line.split("\t")[1].split()[0]
        elif words and not line.startswith(("#", "/", ">")) and len(words) > 5:
            scores[query, words[0]] = int(words[5])
    return scores


def check_scores(program, pair, folder):
    for matrix, gap_open, gap_extend in SCORINGS:
        wanted = ssearch_scores(pair, folder, matrix, gap_open, gap_extend)
        found = search(program, pair, "query,target,score", "-M", matrix, "-O", str(gap_open), "-E", str(gap_extend))
        found = {(query, target): int(score) for query, target, score in found}
        faults = [f"{key}: {found.get(key, 0)}, ssearch36 has {score}" for key, score in wanted.items()
                  if found.get(key, 0) != score]
        yield f"{len(wanted)} scores of ssearch36 with {matrix} {gap_open}/{gap_extend}", faults or not wanted


def same_evalue(ours, theirs):
    """Whether blastp would print our E-value, which has three digits, as its own, which may have fewer."""
    digits = len(theirs.split("e")[0].replace(".", "").lstrip("0")) or 1
    unit = 10.0 ** (int(f"{float(theirs):e}".split("e")[1]) - digits + 1)
    return abs(ours - float(theirs)) <= 0.5 * unit + 0.006 * ours


def check_evalues(program, pair, folder):
    subprocess.run(["makeblastdb", "-in", pair[1], "-dbtype", "prot", "-out", folder / "db"], check=True,
                   stdout=subprocess.DEVNULL)
    run = subprocess.run(["blastp", "-query", pair[0], "-db", folder / "db", "-comp_based_stats", "0", "-seg", "no",
                          "-outfmt", "6 qseqid sseqid score evalue bitscore"], check=True, stdout=subprocess.PIPE, text=True)
    hits = search(program, pair, "query,target,score,evalue,bits")
    ours = {(query, target, score): (float(evalue), float(bits)) for query, target, score, evalue, bits in hits}
    faults, count = [], 0
    for line in run.stdout.splitlines():
        query, target, score, evalue, bits = line.split("\t")
        here = ours.get((query, target, score))
        if here is None or float(evalue) == 0:
            continue
        count += 1
        if not same_evalue(here[0], evalue) or abs(here[1] - float(bits)) > (0.051 if "." in bits else 1):
            faults.append(f"{query} {target} {score}: {here}, blastp has {evalue} {bits}")
    yield f"{count} E-values and bits of blastp", faults or not count


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    checks = [(check_scores, "ssearch36"), (check_evalues, "blastp")]
    there = [check for check, tool in checks if shutil.which(tool)]
    if not there:
        print("1..0 # SKIP neither ssearch36 nor blastp is installed")
        return 0
    count = failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pair = [plain(pathlib.Path(path), folder) for path in sys.argv[2:4]] or make(folder)
        for check in there:
            for what, faults in check(program, pair, folder):
                count += 1
                failures += bool(faults)
                print("not ok" if faults else "ok", count, "-", what)
                for fault in (faults if isinstance(faults, list) else [])[:20]:
                    print("#  ", fault)
    print(f"1..{count}")
    return 1 if failures else 0


sys.exit(main())
