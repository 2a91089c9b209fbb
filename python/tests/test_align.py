"""Alignments: their runs, their positions and their scores."""

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
        targets = [t for t, _ in pairs if t is not None]
        self.assertEqual((min(targets), max(targets)), (found.target_start, found.target_end))

    def test_plus(self):
        found = align(*pair(5000))
        self.check(found, *related(5000))
        result = compare(*pair(5000))
        self.assertEqual((found.score, found.target_end, found.query_end),
                         (result.score, result.target_end, result.query_end))
        self.assertEqual((found.result.score, found.result.target_end), (result.score, result.target_end))

    def test_minus(self):
        target, query = related(3000)
        query = query.translate(COMPLEMENT)[::-1]
        found = align(Sequence.from_bases("t", target), Sequence.from_bases("q", query), strand="both")
        self.assertEqual(found.strand, "-")
        self.check(found, target, query)
        self.assertEqual(found.query_start, found.result.query_end)

    def test_gaps(self):
        found = align(Sequence.from_bases("t", "GGACGTACGTTTGACCAGATTACA"),
                      Sequence.from_bases("q", "GGACGTACGTGACCAGATTACA"))
        self.assertEqual(found.runs, [(9, "="), (2, "D"), (13, "=")])
        self.assertEqual((found.cigar, found.deletions, found.deleted, found.insertions), ("9=2D13=", 1, 2, 0))

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


if __name__ == "__main__":
    unittest.main()
