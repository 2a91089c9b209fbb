#!/usr/bin/env python3
"""assemblies.py [-h] [OPTION...] PROGRAM SIMULATE: the map of two assemblies against the truth. Emits TAP.

tests/rearranged.py makes the assemblies. Records are joined by runs of N that no piece of an alignment passes, and one
one-to-one set is made of all; or, with --all-pairs, the program makes one map of all records. Each alignment must

- score what it says, scored anew;
- share no base with another;
- end where a stretch of the truth does. It may end later, if the bases beyond score above 0, as happens by chance, or a
  few bases earlier, if a gap beside the end can be moved over them;
- pair bases as in the truth, but for a few that gaps displace.

Each stretch of the truth that scores enough must be found, unless a better alignment took some of its bases. Of copies in
tandem one is taken, or parts of both.
"""

import argparse
import bisect
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")
BETWEEN = 5000  # Ns
SLIDE = 10  # bases by which a gap may be moved

# From 0, on the forward strands; runs of =, X, D and I along the target.
Row = collections.namedtuple("Row", "query start end minus target target_start target_end score again runs")


def read_fasta(path):
    records = re.findall(r"^>(\S+).*\n([^>]*)", path.read_text(encoding="ascii"), re.M)
    return {name: bases.replace("\n", "") for name, bases in records}


def value(op, count):
    return count if op == "=" else -3 * count if op == "X" else -3 - 2 * count


def read_paf(text):
    rows = []
    for line in text.splitlines():
        f = line.split("\t")
        tags = {tag[:2]: tag[5:] for tag in f[12:]}
        runs = [(op, int(count)) for count, op in re.findall(r"(\d+)([=XDI])", tags["cg"])]
        score = int(tags.get("AS", sum(value(*run) for run in runs)))
        rows.append(Row(f[0], int(f[2]), int(f[3]), f[4] == "-", f[5], int(f[7]), int(f[8]), score, tags["tp"] == "S", runs))
    return rows


class Joined:
    """All records as one."""

    def __init__(self, records, path):
        self.names, self.starts, at = list(records), [], 0
        for bases in records.values():
            self.starts.append(at)
            at += len(bases) + BETWEEN
        path.write_text(">all\n" + ("N" * BETWEEN).join(records.values()) + "\n", encoding="ascii")

    def place(self, start, end):
        k = bisect.bisect(self.starts, start) - 1
        return self.names[k], start - self.starts[k], end - self.starts[k]


def pairs_of(row):
    """(first base in the target, its partner, +1 or -1, length) of each run of pairs."""
    t, q, step = row.target_start, row.end - 1 if row.minus else row.start, -1 if row.minus else 1
    for op, count in row.runs:
        if op in "=X":
            yield t, q, step, count
        t, q = t + count * (op != "I"), q + step * count * (op != "D")
    assert t == row.target_end and q == (row.start - 1 if row.minus else row.end)


def merged(truth):
    """Stretches that go on where the one before ends are one."""
    rows = []
    for row in truth:
        last = rows[-1] if rows else None
        if last and (last.query, last.minus, last.target, last.again) == (row.query, row.minus, row.target, row.again) and (
                last.end == row.start):
            first, second = (row, last) if row.minus else (last, row)
            if first.target_end == second.target_start:
                rows[-1] = row._replace(start=last.start, target_start=first.target_start, target_end=second.target_end,
                                        score=last.score + row.score, runs=first.runs + second.runs)
                continue
        rows.append(row)
    return rows


def trimmed(row):
    """The part of a stretch that scores most: a gap near an end may cost more than what lies beyond it earns."""
    best = here = 0
    start = first = last = 0
    for k, run in enumerate(row.runs):
        if here <= 0:
            here, start = 0, k
        here += value(*run)
        if here > best:
            best, first, last = here, start, k + 1
    before, after = row.runs[:first], row.runs[last:]
    t, t_after = (sum(count for op, count in runs if op != "I") for runs in (before, after))
    q, q_after = (sum(count for op, count in runs if op != "D") for runs in (before, after)[:: -1 if row.minus else 1])
    return row._replace(score=best, start=row.start + q, end=row.end - q_after, target_start=row.target_start + t,
                        target_end=row.target_end - t_after, runs=row.runs[first:last])


class Map:
    def __init__(self, target, query, truth, rows):
        self.target, self.query, self.truth, self.rows = target, query, truth, rows
        self.partners = collections.defaultdict(set)
        for row in truth:
            for t, q, step, count in pairs_of(row):
                for k in range(count):
                    self.partners[row.target, t + k].add((row.query, q + step * k))

    def is_copied(self, row):
        """Whether it has or touches copies in tandem: which is taken, and where it changes over, is not known."""
        return any(other.again and other.target == row.target and other.target_start <= row.target_end
                   and row.target_start <= other.target_end for other in self.truth)

    def better_beside(self, row):
        """Whether an alignment that is not the stretch's own scores more, and took some of its bases."""
        return any(other.score > row.score and not self.shares(row, other) and (
            other.target == row.target and other.target_start < row.target_end and row.target_start < other.target_end
            or other.query == row.query and other.start < row.end and row.start < other.end) for other in self.rows)

    @staticmethod
    def shares(row, other):
        return (row.query, row.minus, row.target) == (other.query, other.minus, other.target) and (
            min(row.end, other.end) - max(row.start, other.start) > 100
            and min(row.target_end, other.target_end) - max(row.target_start, other.target_start) > 100)

    def scores(self, _least):
        for row in self.rows:
            total = 0
            for t, q, step, count in pairs_of(row):
                a = self.target[row.target][t : t + count]
                b = self.query[row.query][q : q + count] if step > 0 else (
                    self.query[row.query][q - count + 1 : q + 1].translate(COMPLEMENT)[::-1])
                total += sum(1 if x == y != "N" else -3 for x, y in zip(a, b, strict=True))
            total += sum(value(*run) for run in row.runs if run[0] in "DI")
            assert total == row.score, row[:8]
        return f"{len(self.rows)} alignments"

    def once(self, _least):
        for name, start, end in ("target", "target_start", "target_end"), ("query", "start", "end"):
            spans = sorted((getattr(row, name), getattr(row, start), getattr(row, end)) for row in self.rows)
            for (one, _, before), (other, after, _) in zip(spans, spans[1:]):
                assert one != other or before <= after, (one, before, after)
        return ""

    def found(self, least):
        """Of the bases of the target that have a true partner in a stretch that scores enough, nearly all must have it."""
        mapped = {}
        for row in self.rows:
            for t, q, step, count in pairs_of(row):
                for k in range(count):
                    mapped[row.target, t + k] = row.query, q + step * k
        number = 0
        for row in self.truth:
            if row.score < least or row.again:
                continue
            number += 1
            total = right = 0
            for t, _, _, count in pairs_of(row):
                for k in range(count):
                    total += 1
                    right += mapped.get((row.target, t + k)) in self.partners[row.target, t + k]
            damaged = self.is_copied(row) or self.better_beside(row)
            assert right >= (0.5 if damaged else 0.99) * total, (row[:8], right, total)
        return f"{number} stretches"

    def right(self, _least):
        """Of the pairs that were found, how many are true."""
        total = wrong = 0
        for row in self.rows:
            bad = sum((row.query, q + step * k) not in self.partners.get((row.target, t + k), ())
                      for t, q, step, count in pairs_of(row) for k in range(count))
            total, wrong = total + row.target_end - row.target_start, wrong + bad
        assert wrong <= 0.003 * total, (wrong, total)
        return f"{wrong} of {total} pairs are not those of the truth"

    def ends(self, least):
        """Compares the ends of stretches, in the target, with those of the alignments that have most of them."""
        exact = beyond = before = 0
        for row in self.truth:
            if row.score < least or self.is_copied(row) or self.better_beside(row):
                continue
            shared = [other for other in self.rows if self.shares(row, other)]
            assert len(shared) == 1, (row[:8], [r[:8] for r in shared])
            for end in False, True:
                over = self.overhang(row, shared[0], end)
                exact, beyond, before = exact + (over == 0), beyond + (over > 0), before + (over < 0)
        assert exact >= beyond + before and exact > 0, (exact, beyond, before)
        return f"{exact} ends are those of the truth; {beyond} lie beyond, {before} before"

    @staticmethod
    def overhang(wanted, row, end):
        """How many bases of the target an alignment has beyond the wanted end; they must score more than nothing."""
        over = row.target_end - wanted.target_end if end else wanted.target_start - row.target_start
        assert over >= -SLIDE, (wanted[:8], row[:8])
        score, left = 0, over
        for op, count in reversed(row.runs) if end else row.runs:
            if left <= 0:
                break
            count = min(count, left) if op != "I" else count
            score += value(op, count)
            left -= count if op != "I" else 0
        assert over <= 0 or score > 0, (wanted[:8], row[:8], over, score)
        return over


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=120_000, help="of each assembly")
    parser.add_argument("--records", type=int, default=8)
    parser.add_argument("--events", type=int, default=2, help="of each kind")
    parser.add_argument("--min-score", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-pairs", action="store_true", help="one map of all records, which are not joined")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("simulate", type=pathlib.Path)
    return parser.parse_args()


def align(options, target, query, folder):
    command = [options.program.resolve(), "align", "-q", "--one-to-one", "--min-score", str(options.min_score)]
    if options.all_pairs:
        files = ["--all-pairs", folder / "target.fa", folder / "query.fa"]
    else:
        joined = Joined(target, folder / "t.fa"), Joined(query, folder / "q.fa")
        files = [folder / "t.fa", folder / "q.fa"]
    rows = read_paf(subprocess.run(command + files, check=True, capture_output=True, text=True).stdout)
    for k, row in enumerate([] if options.all_pairs else rows):
        name, start, end = joined[1].place(row.start, row.end)
        other, target_start, target_end = joined[0].place(row.target_start, row.target_end)
        rows[k] = row._replace(query=name, start=start, end=end, target=other, target_start=target_start, target_end=target_end)
    return rows


def find(options, folder):
    subprocess.run([sys.executable, HERE.parent / "rearranged.py", f"--seed={options.seed}", f"--length={options.length}",
                    f"--records={options.records}", f"--events={options.events}",
                    f"--shortest={2 * options.min_score}", options.simulate, folder], check=True)
    target, query = read_fasta(folder / "target.fa"), read_fasta(folder / "query.fa")
    rows = align(options, target, query, folder)
    truth = merged(read_paf((folder / "truth.paf").read_text(encoding="ascii")))
    return Map(target, query, [trimmed(row) for row in truth], rows)


def main():
    options = arguments()
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        it = find(options, pathlib.Path(name))
        checks = {"every alignment scores what it says": it.scores, "no base is taken twice": it.once,
                  "all stretches are found": it.found, "pairs are those of the truth": it.right,
                  "to the base": it.ends}
        print(f"1..{len(checks)}")
        for number, (what, check) in enumerate(checks.items(), 1):
            try:
                print(f"# {check(options.min_score)}")
                print(f"ok {number} - {what}")
            except AssertionError as error:
                failures += 1
                print(f"not ok {number} - {what}: {str(error)[:300]}")
    sys.exit(failures > 0)


main()
