"""Identities from Python: pairs in their order, what they hold, what happens if nobody wants more."""

import pathlib
import tempfile
import threading
import unittest

import chromosweep
from chromosweep import identity
from common import join_threads, left_open

FAMILY = ">one x\nACGTACGTACGTTTACG\n>two\nACGTACGTACGATTACG\n>three\nGGGGACGTACGTACG\n"
PROTEINS = ">p\nMKTAYIAKQRQISFVKSHFSRQ\n>q\nMKTAYIAKQRQISFKSHFSRQ\n"


class Identity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="ascii")
        return path

    def family(self, **options):
        return list(identity(self.file("a.fa", FAMILY), **options))

    def test_pairs(self):
        pairs = self.family()
        self.assertEqual([(pair.first, pair.second) for pair in pairs], [("one", "two"), ("one", "three"), ("two", "three")])
        self.assertEqual([(pair.first_number, pair.second_number) for pair in pairs], [(1, 2), (1, 3), (2, 3)])
        first = pairs[0]
        self.assertEqual((first.first_length, first.second_length, first.score, first.matches, first.columns, first.cigar),
                         (17, 17, 13, 16, 17, None))
        self.assertAlmostEqual(first.identity, 16 / 17)

    def test_two_files(self):
        pairs = list(identity(self.file("a.fa", FAMILY), self.file("b.fa", ">b\nACGTACGTACGTTTACG\n")))
        self.assertEqual([(pair.first, pair.second) for pair in pairs], [("one", "b"), ("two", "b"), ("three", "b")])
        self.assertEqual(pairs[0].identity, 1)

    def test_options(self):
        self.assertEqual([(pair.first, pair.second) for pair in self.family(min_identity=0.9)], [("one", "two")])
        self.assertEqual(self.family(align=True)[0].cigar, "11=1X5=")
        self.assertEqual(self.family(match=5, mismatch=4, gap_open=0, gap_extend=8)[0].score, 76)
        over = {name: self.family(over=name)[1] for name in ("longest", "shortest", "columns")}
        self.assertEqual(over["longest"].identity, over["longest"].matches / 17)
        self.assertEqual(over["shortest"].identity, over["shortest"].matches / 15)
        self.assertEqual(over["columns"].identity, over["columns"].matches / over["columns"].columns)
        self.assertEqual(self.family(threads=1), self.family(threads=3))

    def test_proteins(self):
        (pair,) = identity(self.file("p.fa", PROTEINS), matrix="BLOSUM62")
        self.assertEqual((pair.matches, pair.columns), (21, 22))

    def test_many(self):
        """More pairs than are handed over at a time, and more than may wait."""
        records = "".join(f">{k}\n{'ACGT' * (k % 5 + 1)}\n" for k in range(400))
        seen = [(pair.first_number, pair.second_number) for pair in identity(self.file("m.fa", records), type="nucleotide")]
        self.assertEqual(seen, [(i, j) for i in range(1, 401) for j in range(i + 1, 401)])

    def test_enough(self):
        """Who takes no more pairs stops the run, whether it has begun or not."""
        records = "".join(f">{k}\n{'ACGT' * 20}\n" for k in range(400))
        threads = threading.active_count()
        pairs = identity(self.file("m.fa", records))
        self.assertEqual(next(pairs).second_number, 2)
        pairs.close()
        identity(self.folder / "m.fa").close()
        join_threads(self, threads)
        left_open(self, f"found = chromosweep.identity({str(self.folder / 'm.fa')!r})")

    def test_checkpoint(self):
        folder = self.folder / "run"
        pairs = self.family(checkpoint=folder)
        self.assertTrue(folder.is_dir())
        self.assertEqual(self.family(checkpoint=folder), pairs)
        self.assertEqual(self.family(checkpoint=folder, checkpoint_fresh=True, checkpoint_interval=1), pairs)
        with self.assertRaises(chromosweep.CheckpointError):
            self.family(checkpoint=folder, match=2)

    def test_errors(self):
        path = self.file("a.fa", FAMILY)
        for options in ({"over": "blast"}, {"type": "dna"}, {"min_identity": 1.5}, {"min_identity": -1.0}, {"match": 0},
                        {"gap_open": -1}, {"threads": 0}, {"checkpoint_fresh": True}):
            with self.subTest(options), self.assertRaises(chromosweep.UsageError):
                identity(path, **options)
        with self.assertRaises(chromosweep.UsageError):
            list(identity(path, matrix="BLOSUM63"))
        with self.assertRaises(chromosweep.ContentError):
            list(identity(self.file("bad.fa", ">a\nAC!T\n")))
        with self.assertRaises(FileNotFoundError):
            list(identity(self.folder / "absent.fa"))


if __name__ == "__main__":
    unittest.main()
