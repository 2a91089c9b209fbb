"""Sets of alignments: what belongs to them, what they amount to, and which options they take."""

import random
import tempfile
import unittest

import chromosweep
from chromosweep import Sequence, align, align_set

from common import SEQUENCES, SLOW, interrupt, related, start

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def reverse_complement(bases):
    return bases.translate(COMPLEMENT)[::-1]


def rearranged():
    """A target, and a query with a stretch inverted and another moved to the end."""
    bases = random.Random(7).choices("ACGT", k=6000)
    for end, what in ((996, "C"), (1000, "A"), (1996, "A"), (2000, "A"), (2996, "G"), (3000, "C"), (5996, "C")):
        bases[end : end + 4] = what * 4  # so that no alignment runs past the end of a stretch by chance
    target = "".join(bases)
    query = target[:1000] + reverse_complement(target[1000:2000]) + target[3000:] + target[2000:3000]
    return target, query


def sequences(target, query):
    return Sequence.from_bases("target", target), Sequence.from_bases("query", query)


def place(alignment):
    return (alignment.strand, alignment.target_start, alignment.target_end, alignment.query_start,
            alignment.query_end)


class OneToOne(unittest.TestCase):
    def test_rearranged(self):
        found = align_set(*sequences(*rearranged()), min_score=500)
        self.assertEqual(sorted(place(each) for each in found),
                         [("+", 1, 1000, 1, 1000), ("+", 2001, 3000, 5001, 6000), ("+", 3001, 6000, 2001, 5000),
                          ("-", 1001, 2000, 1001, 2000)])
        self.assertEqual(len(found), 4)
        self.assertEqual([each.score for each in found], [3000, 1000, 1000, 1000])
        self.assertEqual(found.secondary, [False] * 4)
        self.assertEqual(found.summary,
                         chromosweep.SetSummary(alignments=4, target_covered=6000, query_covered=6000, columns=6000,
                                                matches=6000, strand="+", inversions=1, translocations=1,
                                                duplications=0))
        self.assertEqual(found.summary.identity, 1.0)
        first = found.alignments[0]
        self.assertEqual((first.cigar, first.result, first.pieces, first.drops), ("3000=", None, [], []))
        self.assertEqual(len(set(first.gapped())), 1)

    def test_several_records(self):
        target, query = rearranged()
        targets = [Sequence.from_bases(name, bases) for name, bases in (("t1", target[:2000]), ("t2", target[2000:]))]
        queries = [Sequence.from_bases(name, bases) for name, bases in
                   (("q1", query[5000:]), ("q2", query[:2000]), ("q3", query[2000:5000]))]
        for several in (targets, tuple(targets)):
            found = align_set(several, queries, min_score=500)
            self.assertEqual([(each.target_number, each.query_number, *place(each), each.cigar) for each in found],
                             [(1, 2, "+", 1001, 4000, 1, 3000, "3000="), (0, 1, "+", 1, 1000, 1, 1000, "1000="),
                              (1, 0, "+", 1, 1000, 1, 1000, "1000="), (0, 1, "-", 1001, 2000, 1001, 2000, "1000=")])
        self.assertEqual(found.alignments[2].gapped(), (target[2000:3000],) * 2)
        self.assertEqual((found.summary.target_covered, found.summary.query_covered), (6000, 6000))
        self.assertEqual({(each.target_number, each.query_number) for each in
                          align_set(targets, queries, rule="all", min_score=500)}, {(0, 1), (1, 0), (1, 2)})
        self.assertEqual([place(each) for each in align_set(targets[:1], queries[1:2], min_score=500)],
                         [("+", 1, 1000, 1, 1000), ("-", 1001, 2000, 1001, 2000)])

    def test_wrong_records(self):
        one = Sequence.from_bases("one", "ACGT")
        for wrong in ([], [one, "file.fa"], [one, None]):
            with self.assertRaisesRegex(TypeError, "several records of the query"):
                align_set(one, wrong, number=1)
        with self.assertRaisesRegex(TypeError, "only align_set"):
            align([one, one], one)
        with self.assertRaisesRegex(chromosweep.UsageError, "target_name"):
            align_set([one, one], one, target_name="one", number=1)

    def test_first_is_the_best(self):
        pair = sequences(*related(3000))
        self.assertEqual(place(align_set(*pair, number=1, max_drop=10**9).alignments[0]),
                         place(align(*pair, strand="both")))

    def test_number(self):
        found = align_set(*sequences(*rearranged()), number=2)
        self.assertEqual([each.score for each in found], [3000, 1000])

    def test_strand(self):
        found = align_set(*sequences(*rearranged()), number=1, strand="minus")
        self.assertEqual([place(each) for each in found], [("-", 1001, 2000, 1001, 2000)])

    def test_max_drop(self):
        """By default an alignment is split at drops of min_score."""
        chance = random.Random(3)
        one, other, between = ("".join(chance.choices("ACGT", k=n)) for n in (2000, 2000, 400))
        pair = sequences(one + other, one + between + other)
        whole = 4000 - 3 - 2 * 400
        self.assertEqual([each.score for each in align_set(*pair, number=9, min_score=1500)], [whole])
        self.assertEqual([each.score for each in align_set(*pair, number=9, min_score=700)], [2000, 2000])
        self.assertEqual([each.score for each in align_set(*pair, number=1)], [whole])
        self.assertEqual([each.score for each in align_set(*pair, number=2, max_drop=802)], [2000, 2000])

    def test_none(self):
        found = align_set(Sequence.from_bases("t", "AAAA"), Sequence.from_bases("q", "CCCC"), number=1)
        self.assertEqual((found.alignments, found.secondary, len(found)), ([], [], 0))
        self.assertEqual((found.summary.alignments, found.summary.identity), (0, 0.0))

    def test_files(self):
        found = align_set(SEQUENCES / "inverted_target.fa", SEQUENCES / "inverted_query.fa", min_score=1000)
        self.assertEqual({each.strand for each in found}, {"+", "-"})
        self.assertGreater(found.summary.inversions, 0)


class All(unittest.TestCase):
    def test_repeat(self):
        """Of two copies in the target both are found; the second repeats the first in the query."""
        chance = random.Random(5)
        copy, left, right = ("".join(chance.choices("ACGT", k=n)) for n in (500, 700, 600))
        found = align_set(*sequences(copy + left + copy, right + copy), rule="all", min_score=400)
        self.assertEqual([place(each) for each in found], [("+", 1, 500, 601, 1100), ("+", 1201, 1700, 601, 1100)])
        self.assertEqual(found.secondary, [False, True])
        self.assertEqual((found.summary.duplications, found.summary.target_covered, found.summary.query_covered),
                         (1, 1000, 500))

    def test_with_itself(self):
        chance = random.Random(6)
        copy, left = ("".join(chance.choices("ACGT", k=n)) for n in (500, 700))
        pair = sequences(copy + left + copy, copy + left + copy)
        found = align_set(*pair, rule="all", min_score=400, with_itself=True)
        self.assertEqual([place(each) for each in found], [("+", 1, 500, 1201, 1700)])
        self.assertEqual(len(align_set(*pair, rule="all", min_score=400)), 3)


class Checkpoints(unittest.TestCase):
    def test_again(self):
        """A complete set is in the checkpoint, also for other limits; a set of another rule is refused."""
        pair = sequences(*rearranged())
        with tempfile.TemporaryDirectory() as folder:
            first = align_set(*pair, min_score=500, checkpoint=folder + "/set")
            again = align_set(*pair, min_score=500, checkpoint=folder + "/set")
            self.assertEqual([(place(each), each.runs) for each in again], [(place(each), each.runs) for each in first])
            self.assertEqual(len(align_set(*pair, number=1, max_drop=500, checkpoint=folder + "/set")), 1)
            with self.assertRaisesRegex(chromosweep.UsageError, "another set"):
                align_set(*pair, rule="all", number=1, checkpoint=folder + "/set")


class Errors(unittest.TestCase):
    def refused(self, words, **options):
        with self.assertRaisesRegex(chromosweep.UsageError, words):
            align_set(*sequences("ACGT", "ACGT"), **options)

    def test_options(self):
        self.refused("needs min_score or number")
        self.refused("min_score must be", min_score=0)
        self.refused("number must be", number=0)
        self.refused("max_drop must be", number=1, max_drop=-1)
        self.refused("rule must be", number=1, rule="some")
        self.refused("splits nothing", number=1, rule="all", max_drop=5)
        self.refused("with_itself needs", number=1, with_itself=True)
        self.refused("strand must be", number=1, strand="up")

    def test_other_sequence(self):
        with self.assertRaisesRegex(chromosweep.UsageError, "not the same sequence"):
            align_set(*sequences("ACGT", "AGGT"), rule="all", number=1, with_itself=True)

    def test_unknown(self):
        with self.assertRaisesRegex(TypeError, r"^align_set\(\): "):
            align_set(*sequences("ACGT", "ACGT"), number=1, verify=True)

    def test_interrupt(self):
        """Ctrl-C stops the search."""
        process = start("import chromosweep\n"
                        "one = chromosweep.Sequence.from_bases('one', 'ACGTTGCA' * 50000)\n"
                        "print('begins', flush=True)\n"
                        f"chromosweep.align_set(one, one, number=1, **{SLOW})\n")
        self.assertEqual(process.stdout.readline(), "begins\n")
        interrupt(process)
        _, told = process.communicate(timeout=300)
        self.assertIn("KeyboardInterrupt", told)


if __name__ == "__main__":
    unittest.main()
