"""Searches from Python: hits as they come, summaries, errors, what happens if nobody wants more."""

import gc
import os
import pathlib
import tempfile
import threading
import unittest

import chromosweep
from chromosweep import search
from common import join_threads, left_open

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
        return list(self.search(**options))

    def search(self, **options):
        return search(self.file("q.fa", QUERIES), self.file("d.fa", DATABASE), **options)

    def many(self):
        """More queries with hits than may wait until somebody takes them, so that the search does not end by itself."""
        return search(self.file("m.fa", "".join(f">{k}\nMKWVTFISLL\n" for k in range(200))), self.file("d.fa", DATABASE))

    def test_summary(self):
        found = self.search()
        self.assertIsNone(found.summary)
        next(found)
        summary = found.summary
        self.assertEqual((summary.type, summary.queries, summary.records, summary.letters, summary.matrix),
                         ("protein", 2, 3, 99, "BLOSUM62"))
        self.assertEqual((summary.gap_open, summary.gap_extend), (11, 1))
        list(found)
        self.assertEqual(found.summary, summary)

    def test_no_hits(self):
        found = self.search(min_score=10**6)
        self.assertEqual(list(found), [])
        self.assertEqual(found.summary.records, 3)

    def test_proteins(self):
        found = self.proteins(number=2, align=True)
        first, second = found[:2]
        self.assertEqual((first.query, first.target, first.target_number, second.target_number),
                         ("zinc", "near", 2, 3))
        self.assertEqual((first.score, first.query_start, first.query_end, first.target_start, first.target_end),
                         (120, 1, 30, 5, 34))
        self.assertEqual((first.columns, first.matches, first.gap_openings), (30, 20, 0))
        self.assertAlmostEqual(first.identity, 20 / 30)
        self.assertAlmostEqual(first.bits, 50.8, 1)
        self.assertLess(first.evalue, 1e-14)
        self.assertEqual({hit.query_number for hit in found}, {1, 2})

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
        found = search(*pair, type="protein")
        next(found)
        self.assertEqual(found.summary.type, "protein")

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
            self.search(checkpoint_interval=3)
        for state in folder.glob("search-*.state"):
            state.write_bytes(state.read_bytes()[:-1])
        with self.assertLogs("chromosweep", "WARNING") as logs, self.assertRaises(chromosweep.CheckpointError):
            self.proteins(checkpoint=folder)
        self.assertIn("search-", logs.output[0])
        chromosweep.remove_checkpoint(folder)
        self.assertFalse(folder.exists())

    def test_errors(self):
        queries, database = self.file("q.fa", QUERIES), self.file("d.fa", DATABASE)
        for options in ({"number": 0}, {"type": "dna"}, {"strand": "up"}, {"max_evalue": -1.0}, {"match": 0},
                        {"gap_open": -1}, {"threads": 0}):
            with self.subTest(options), self.assertRaises(chromosweep.UsageError):
                search(queries, database, **options)
        with self.assertRaises(chromosweep.UsageError):
            list(search(queries, database, matrix="BLOSUM63"))
        with self.assertRaises(chromosweep.ContentError):
            list(search(queries, self.file("bad.fa", ">a\nM-K\n")))
        found = search(queries, self.folder / "absent.fa")
        with self.assertRaises(FileNotFoundError):
            list(found)
        self.assertIsNone(found.summary)
        self.assertEqual(list(found), [])

    def test_as_queries_complete(self):
        threads = threading.active_count()
        found = self.many()
        self.assertEqual(threading.active_count(), threads)  # it begins when somebody asks
        self.assertEqual(next(found).query, "0")
        self.assertEqual(threading.active_count(), threads + 1)
        self.assertEqual([hit.query_number for hit in found], sorted([1, 1, *range(2, 201), *range(2, 201), *range(2, 201)]))
        join_threads(self, threads)

    def test_enough(self):
        """Who takes no more hits stops the search, whether it has begun or not."""
        threads = threading.active_count()
        found = self.many()
        next(found)
        found.close()
        join_threads(self, threads)
        self.assertEqual(list(found), [])
        with self.many() as found:
            next(found)
        join_threads(self, threads)
        found = self.many()
        next(found)
        del found
        gc.collect()
        join_threads(self, threads)
        self.many().close()
        join_threads(self, threads)

    def test_stopped(self):
        """What a search has saved when nobody wants more is where the next one goes on."""
        folder, wanted = self.folder / "run", list(self.many())
        with search(self.folder / "m.fa", self.folder / "d.fa", checkpoint=folder) as found:
            next(found)
        self.assertEqual(list(search(self.folder / "m.fa", self.folder / "d.fa", checkpoint=folder)), wanted)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork()")
    def test_fork(self):
        """A fork has no thread to wait for."""
        found = self.many()
        next(found)
        child = os.fork()
        if child == 0:
            found.close()
            os._exit(7)
        self.assertEqual(os.waitpid(child, 0)[1], 7 << 8)
        self.assertEqual(len(list(found)), 599)

    def test_left_open(self):
        self.many()
        left_open(self, f"found = chromosweep.search({str(self.folder / 'm.fa')!r}, {str(self.folder / 'd.fa')!r})")


if __name__ == "__main__":
    unittest.main()
