"""Alignments: their runs, their positions and their scores."""

import random
import tempfile
import unittest

import chromosweep
from chromosweep import Sequence, align, compare

from common import pair, related, write_pair

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def score(found):
    return sum(length if op == "=" else -3 * length if op == "X" else -3 - 2 * length for length, op in found.runs)


class Alignments(unittest.TestCase):
    def check(self, found, target, query):
        pairs = list(found.aligned_pairs())
        bases = [(target[t - 1], query[q - 1] if found.strand == "+" else query[q - 1].translate(COMPLEMENT))
                 for t, q in pairs if t is not None and q is not None]
        self.assertEqual(sum(a == b for a, b in bases), found.matches)
        self.assertEqual(len(bases) - found.matches, found.mismatches)
        self.assertEqual(len(pairs), found.columns)
        self.assertEqual(score(found), found.score)
        queries = [q for _, q in pairs if q is not None]
        self.assertEqual((min(queries), max(queries)), (found.query_start, found.query_end))
        shown = [("-" if t is None else target[t - 1],
                  "-" if q is None else query[q - 1] if found.strand == "+" else query[q - 1].translate(COMPLEMENT))
                 for t, q in pairs]
        self.assertEqual(found.gapped(), tuple("".join(row) for row in zip(*shown)))
        targets = [t for t, _ in pairs if t is not None]
        self.assertEqual((min(targets), max(targets)), (found.target_start, found.target_end))

    def test_plus(self):
        found = align(*pair(5000))
        self.check(found, *related(5000))
        self.assertNotIn("runs", repr(found), "thousands of them")
        result = compare(*pair(5000))
        self.assertEqual((found.score, found.target_start, found.target_end, found.query_start, found.query_end),
                         (result.score, result.target_start, result.target_end, result.query_start, result.query_end))
        self.assertEqual((found.result.score, found.result.target_end), (result.score, result.target_end))

    def test_minus(self):
        target, query = related(3000)
        query = query.translate(COMPLEMENT)[::-1]
        found = align(Sequence.from_bases("t", target), Sequence.from_bases("q", query), strand="both")
        self.assertEqual(found.strand, "-")
        self.check(found, target, query)
        self.assertEqual((found.query_start, found.query_end), (found.result.query_start, found.result.query_end))

    def test_gaps(self):
        found = align(Sequence.from_bases("t", "GGACGTACGTTTGACCAGATTACA"),
                      Sequence.from_bases("q", "GGACGTACGTGACCAGATTACA"))
        self.assertEqual(found.runs, [(9, "="), (2, "D"), (13, "=")])
        self.assertEqual((found.cigar, found.deletions, found.deleted, found.insertions), ("9=2D13=", 1, 2, 0))

    def test_gapped(self):
        found = align(Sequence.from_bases("t", "ccGGACGTACGTTTGACCNGATTACA"),
                      Sequence.from_bases("q", "GGACGTACGTGACCAGATTACA"), match=2)
        self.assertEqual(found.gapped(), ("GGACGTACGTTTGACCNGATTACA", "GGACGTACG--TGACCAGATTACA"))

    def test_regions(self):
        with tempfile.TemporaryDirectory() as folder:
            target, query = related(4000)
            files = write_pair(folder, 4000)
            plus = align(*files, target_region="target:301-3500", query_region="query:401-3600")
            self.check(plus, target, query)
            self.assertGreater(plus.target_start, 300)
            minus = Sequence.from_bases("m", query.translate(COMPLEMENT)[::-1])
            found = align(files[0], minus, target_region="target:301-3500", strand="minus")
            self.check(found, target, query.translate(COMPLEMENT)[::-1])

    def test_pieces(self):
        target, query = related(6000)
        query = query[:2000] + query[2300:4000] + "ACGT" * 50 + query[4000:]
        for strand in "plus", "minus":
            other = query if strand == "plus" else query.translate(COMPLEMENT)[::-1]
            found = align(Sequence.from_bases("t", target), Sequence.from_bases("q", other), strand=strand,
                          max_drop=300, verify=True)
            self.check(found, target, other)
            self.assertEqual(len(found.pieces), 3)
            for piece in found.pieces:
                self.check(piece, target, other)
                self.assertGreater(piece.score, 300)
            self.assertTrue(all(drop.score < -300 for drop in found.drops))
            self.assertEqual(sum(part.score for part in [*found.pieces, *found.drops]), found.score)
            ends = [(piece.target_start, piece.target_end) for piece in found.pieces]
            drops = [(drop.target_start - 1, drop.target_end + 1) for drop in found.drops]
            self.assertEqual(drops, [(ends[0][1], ends[1][0]), (ends[1][1], ends[2][0])])
        whole = align(*pair(500), max_drop=10**9)
        self.assertEqual((whole.pieces[0].runs, whole.drops), (whole.runs, []))
        self.assertEqual(align(*pair(500)).pieces, [])

    def test_circular(self):
        """A turned copy is aligned whole, over the origin."""
        chance = random.Random(2)
        bases = "".join(chance.choices("ACGT", k=700))
        turned = bases[300:] + bases[:300]
        for strand, query in (("+", turned), ("-", turned.translate(COMPLEMENT)[::-1])):
            pair = Sequence.from_bases("t", bases), Sequence.from_bases("q", query)
            found = align(*pair, strand="both", circular="target", max_drop=100)
            self.assertEqual((found.strand, found.score, found.target_start, found.target_end), (strand, 700, 301, 300))
            self.assertEqual((found.query_start, found.query_end, found.cigar), (1, 700, "700="))
            self.assertEqual(found.result.target_end, 300)
            self.assertEqual(found.result.strands[strand].target_end, 300)
            pairs = list(found.aligned_pairs())
            self.assertEqual([t for t, _ in pairs], [*range(301, 701), *range(1, 301)])
            self.assertEqual(found.gapped(), (turned, turned))
            found = align(*pair, strand="both", circular="query")
            self.assertEqual((found.score, found.target_start, found.target_end), (700, 1, 700))
            self.assertEqual((found.query_start, found.query_end), (401, 400) if strand == "+" else (301, 300))
            self.assertEqual(sorted(q for _, q in found.aligned_pairs()), list(range(1, 701)))
            self.assertEqual(found.gapped(), (bases, bases))
            self.assertEqual(compare(*pair, strand="both", circular="both").score, 700)
            self.assertLess(compare(*pair, strand="both").score, 450)

    def test_none(self):
        self.assertIsNone(align(Sequence.from_bases("t", "AAAA"), Sequence.from_bases("q", "CCCC")))

    def test_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            files = write_pair(folder, 4000)
            whole = compare(*files, checkpoint=folder + "/run")
            found = align(*files, checkpoint=folder + "/run")
            self.assertEqual((found.score, found.result.cells_resumed), (whole.score, whole.cells))

    def test_errors(self):
        with self.assertRaises(chromosweep.UsageError):
            align(*pair(100), match=0)
        with self.assertRaises(chromosweep.UsageError):
            align(*pair(100), max_drop=-1)
        with self.assertRaises(chromosweep.UsageError):
            align(*pair(100), circular="yes")
        with tempfile.TemporaryDirectory() as folder:
            found = align(*pair(100), circular="both", checkpoint=folder + "/run")
            again = align(*pair(100), circular="both", checkpoint=folder + "/run")
            self.assertEqual((again.score, again.cigar), (found.score, found.cigar))
            with self.assertRaisesRegex(chromosweep.CheckpointError, "kind is local, both circular there"):
                align(*pair(100), circular="target", checkpoint=folder + "/run")


if __name__ == "__main__":
    unittest.main()
