"""Searches from Python: hits, summaries, errors."""

import pathlib
import tempfile
import unittest

import chromosweep
from chromosweep import search

QUERIES = ">zinc finger\nKPYKCPECGKSFSQSSNLQKHQRTHTGEKP\n>acid\nDDDDEEEEDDDD\n"
DATABASE = (">far\nMSTNPKPQRKTKRNTNRRPQDVKFPGG\n>near\nAAGEKPYKCEECGKAFNRSSTLTRHKIIHTGEKPYK\n"
            ">near\nAAGEKPYKCEECGKAFNRSSTLTRHKIIHTGEKPYK\n")
BASES = ">n\nACGTACGTTTGACCAGTAG\n"
GENOME = ">minus\nGGGCTACTGGTCAAACGTACGTGGG\n"


class Search(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="ascii")
        return path

    def proteins(self, **options):
        return search(self.file("q.fa", QUERIES), self.file("d.fa", DATABASE), **options)

    def test_proteins(self):
        found = self.proteins(number=2, align=True)
        self.assertEqual((found.type, found.queries, found.records, found.letters, found.matrix),
                         ("protein", 2, 3, 99, "BLOSUM62"))
        self.assertEqual((found.gap_open, found.gap_extend), (11, 1))
        first, second = list(found)[:2]
        self.assertEqual((first.query, first.target, first.target_number, second.target_number),
                         ("zinc", "near", 2, 3))
        self.assertEqual((first.score, first.query_start, first.query_end, first.target_start, first.target_end),
                         (120, 1, 30, 5, 34))
        self.assertEqual((first.columns, first.matches, first.gap_openings), (30, 20, 0))
        self.assertAlmostEqual(first.identity, 20 / 30)
        self.assertAlmostEqual(first.bits, 50.8, 1)
        self.assertLess(first.evalue, 1e-14)
        self.assertEqual({hit.query_number for hit in found}, {1, 2})
        self.assertEqual(len(found), len(found.hits))

    def test_limits(self):
        self.assertEqual([hit.score for hit in self.proteins(min_score=100)], [120, 120])
        self.assertEqual([hit.score for hit in self.proteins(max_evalue=1e-10)], [120, 120])
        found = self.proteins(number=1, gap_open=0, gap_extend=5)
        self.assertEqual([(hit.bits, hit.evalue, hit.cigar, hit.identity) for hit in found], [(None,) * 4] * 2)

    def test_nucleotides(self):
        pair = self.file("q.fa", BASES), self.file("d.fa", GENOME)
        (hit,) = search(*pair)
        self.assertEqual((hit.strand, hit.score, hit.target_start, hit.target_end), ("-", 19, 4, 22))
        (hit,) = search(*pair, match=5, strand="minus")
        self.assertEqual(hit.score, 95)
        self.assertEqual(search(*pair, type="protein").type, "protein")

    def test_threads(self):
        self.assertEqual(self.proteins(threads=1), self.proteins(threads=5))

    def test_checkpoint(self):
        folder = self.folder / "run"
        found = self.proteins(checkpoint=folder)
        self.assertTrue(list(folder.glob("search-*.state")))
        self.assertEqual(self.proteins(checkpoint=folder), found)
        self.assertEqual(self.proteins(checkpoint=folder, checkpoint_fresh=True, checkpoint_interval=1), found)
        with self.assertRaises(chromosweep.CheckpointError):
            self.proteins(checkpoint=folder, number=7)
        with self.assertRaises(chromosweep.UsageError):
            self.proteins(checkpoint_interval=3)
        chromosweep.remove_checkpoint(folder)
        self.assertFalse(folder.exists())

    def test_errors(self):
        queries, database = self.file("q.fa", QUERIES), self.file("d.fa", DATABASE)
        for options in ({"number": 0}, {"type": "dna"}, {"strand": "up"}, {"max_evalue": -1.0}, {"match": 0},
                        {"matrix": "BLOSUM63"}, {"gap_open": -1}, {"threads": 0}):
            with self.subTest(options), self.assertRaises(chromosweep.UsageError):
                search(queries, database, **options)
        with self.assertRaises(chromosweep.ContentError):
            search(queries, self.file("bad.fa", ">a\nM-K\n"))
        with self.assertRaises(FileNotFoundError):
            search(queries, self.folder / "absent.fa")


if __name__ == "__main__":
    unittest.main()
