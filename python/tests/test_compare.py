"""Comparisons: results, arguments, errors, progress, stops before the end."""

import csv
import dataclasses
import gc
import inspect
import logging
import os
import pathlib
import random
import signal
import tempfile
import threading
import time
import unittest
import weakref

import chromosweep
from chromosweep import Comparison, Sequence, compare

from common import SEQUENCES, SLOW, interrupt, pair, start


def known_answers():
    with open(SEQUENCES / "expected.tsv", encoding="ascii") as file:
        for row in csv.reader(file, delimiter="\t"):
            if not row[0].startswith("#"):
                yield row[0], row[1], *map(int, row[2:5])


def file_of(name):
    return next(SEQUENCES.glob(name + ".fa*"))


def wait_for_threads():
    end = time.monotonic() + 300
    while any(thread.name == "chromosweep" for thread in threading.enumerate()):
        if time.monotonic() > end:
            raise AssertionError("a comparison goes on that nobody waits for")
        time.sleep(0.01)


class Answers(unittest.TestCase):
    def test_known(self):
        for target, query, score, target_end, query_end in known_answers():
            with self.subTest(target):
                r = compare(file_of(target), str(file_of(query)))
                self.assertEqual((r.score, r.target_end, r.query_end), (score, target_end, query_end))
                self.assertEqual((r.target.name, r.query.name), (target, query))
                self.assertEqual(r.target.file, str(file_of(target)))
                self.assertEqual(r.cells, r.target.length * r.query.length)
                if r.skip == "none":
                    self.assertGreaterEqual(r.cells_computed, r.cells)
                self.assertGreater(r.gcups, 0)
                self.assertEqual(r.cells_resumed, 0)

    def test_bases(self):
        r = compare(Sequence.from_bases("a", "ACGTACGT"), Sequence.from_bases("b", "TACG"))
        self.assertEqual((r.score, r.target_end, r.query_end), (4, 7, 4))
        self.assertEqual(r.target, chromosweep.Record(None, "a", 8))

    def test_strands(self):
        a, b = Sequence.from_bases("a", "CAAAAC"), Sequence.from_bases("b", "TTTTGTTTT")
        plus = compare(a, b)
        self.assertEqual((plus.strand, plus.score, list(plus.strands)), ("+", 0, ["+"]))
        minus = compare(a, b, strand="minus")
        self.assertEqual((minus.strand, minus.score, minus.target_end, minus.query_start, minus.query_end),
                         ("-", 5, 5, 1, 5))
        both = compare(a, b, strand="both")
        self.assertEqual((both.strand, both.score, both.query_start, both.cells), ("-", 5, 1, 108))
        places = {side: (one.score, one.target_start, one.target_end, one.query_start, one.query_end)
                  for side, one in both.strands.items()}
        self.assertEqual(places, {"+": (None, None, None, None, None), "-": (5, 1, 5, 1, 5)})
        self.assertEqual((both.strands["+"].below, both.strands["-"].below), (5, None))
        self.assertEqual(sum(one.cells_computed or 0 for one in both.strands.values()), both.cells_computed)
        self.assertAlmostEqual(sum(one.seconds or 0 for one in both.strands.values()), both.seconds)
        self.assertEqual(compare(a, b, strand=minus.strand).query_start, 1)
        ends = compare(a, b, strand="minus", starts=False)
        self.assertEqual((ends.target_start, ends.target_end, ends.query_start, ends.query_end), (None, 5, 1, None))
        self.assertEqual(compare(a, b, strand="minus", row_budget=0).target_start, 1)
        self.assertEqual(compare(a, b, strand=plus.strand).score, 0)
        with self.assertRaises(chromosweep.UsageError):
            compare(a, b, strand="=")

    def test_regions(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "two.fa"
            path.write_text(">t\nGGGACGTACCC\n>q:1\nTTTTACGTA\n", encoding="ascii")
            r = compare(path, path, target_region="t:4-8", query_region="{q:1}:5-")
            self.assertEqual((r.score, r.target_end, r.query_end, r.cells), (5, 8, 9, 25))
            self.assertEqual(r.target, chromosweep.Record(str(path), "t", 5, (4, 8)))
            self.assertEqual(r.query.region, (5, 9))
            self.assertEqual(Sequence.load(path, region="t").region, None)
            for wrong in ({"target_region": "t", "target_name": "t"}, {"query_region": "t:x"}):
                with self.assertRaises(chromosweep.UsageError):
                    compare(path, path, **{"target_region": "t", "query_region": "t", **wrong})
            with self.assertRaises(chromosweep.UsageError):
                Sequence.load(path, "t", region="t")
            with self.assertRaises(chromosweep.ContentError):
                Sequence.load(path, region="t:12-")
            with self.assertLogs("chromosweep", "WARNING"):
                clipped = Sequence.load(path, region="t:4-20")
            self.assertEqual((clipped.region, clipped.clipped, len(clipped)), ((4, 11), 9, 8))
            self.assertEqual(Sequence.load(path, region="t:4-11").clipped, 0)
            checkpoint = pathlib.Path(folder) / "checkpoint"
            asked = {"target_region": "t:4-8", "query_region": "{q:1}:5-", "strand": "both"}
            first = compare(path, path, checkpoint=checkpoint, **asked)
            info = chromosweep.info(checkpoint)
            self.assertEqual((info.strand, info.target.region, info.fraction), ("both", (4, 8), 1.0))
            again = chromosweep.resume(checkpoint)
            self.assertEqual(again.strand, first.strand)
            for side, one in first.strands.items():
                found = again.strands[side]
                stages = dataclasses.replace(found.stages, all=one.stages.all)
                found = dataclasses.replace(found, stages=stages)
                self.assertEqual(found, one)
            self.assertEqual(again.cells_resumed, first.cells)

    def test_scoring(self):
        a, b = Sequence.from_bases("a", "AAAAACCCCC"), Sequence.from_bases("b", "AAAAAGGCCCCC")
        r = compare(a, b, match=2, mismatch=1, gap_open=2, gap_extend=1)
        self.assertEqual(r.score, 2 * 10 - 2 - 2)
        self.assertEqual(r.scoring, chromosweep.Scoring(2, 1, 2, 1))
        self.assertEqual(compare(a, b, gap_open=100).score, 5)

    def test_nothing_matches(self):
        r = compare(Sequence.from_bases("a", "AAA"), Sequence.from_bases("c", "CCC"))
        self.assertEqual((r.score, r.target_end, r.query_end), (0, None, None))
        empty = Sequence.from_bases("empty", "")
        self.assertEqual(compare(empty, empty).cells, 0)

    def test_engines_and_grids(self):
        a, b = pair(3000)
        results = [compare(a, b, **more) for more in (
            {}, {"engine": "scalar"}, {"device": "cpu", "threads": 1}, {"grid": (3, 4, 5)},
            {"engine": "scalar", "bits": 64})]
        self.assertEqual(len({dataclasses.astuple(result)[:3] for result in results}), 1)
        self.assertEqual((results[1].engine, results[2].threads), ("scalar", 1))

    def test_side_by_side(self):
        a, b = pair(2000)
        comparisons = [Comparison(a, b, threads=1) for _ in range(20)]
        self.assertEqual(len({each.result().score for each in comparisons}), 1)

    def test_wrong_parameters(self):
        """They are refused in the name of the function that was called."""
        both = ("a.fa", "b.fa")
        for name, call in (("compare", lambda: compare(*both, matsch=2)),
                           ("Comparison", lambda: Comparison(*both, matsch=2)),
                           ("align", lambda: chromosweep.align(*both, matsch=2)),
                           ("plan", lambda: chromosweep.plan(*both, matsch=2)),
                           ("resume", lambda: chromosweep.resume("folder", matsch=2))):
            with self.assertRaisesRegex(TypeError, rf"^{name}\(\): got an unexpected .* 'matsch'$"):
                call()
        with self.assertRaisesRegex(TypeError, r"^compare\(\): missing a required argument: 'query'$"):
            compare("a.fa")

    def test_the_same_parameters(self):
        for one, other in ((compare, Comparison), (chromosweep.resume, Comparison.resume)):
            self.assertEqual(list(inspect.signature(one).parameters.values()),
                             list(inspect.signature(other).parameters.values()))


class Errors(unittest.TestCase):
    def fails(self, kind, *arguments, **more):
        with self.assertRaises(kind) as caught:
            compare(*(arguments or pair(10)), **more)
        self.assertIs(type(caught.exception), kind)
        return str(caught.exception)

    def test_hierarchy(self):
        for kind, status in ((chromosweep.UsageError, 2), (chromosweep.ContentError, 3),
                             (chromosweep.DeviceError, 4), (chromosweep.CheckpointError, 5),
                             (chromosweep.StoppedError, 75)):
            self.assertTrue(issubclass(kind, chromosweep.Error))
            self.assertEqual(kind.status, status)
        self.assertTrue(issubclass(chromosweep.UsageError, ValueError))

    def test_files(self):
        good = file_of("ape_target")
        self.assertEqual(self.fails(chromosweep.NotFoundError, "/nonexistent.fa", good),
                         "cannot open /nonexistent.fa: No such file or directory")
        self.assertIn("/nonexistent.fa", self.fails(chromosweep.NotFoundError, good, "/nonexistent.fa"))
        self.fails(chromosweep.ContentError, SEQUENCES / "expected.tsv", good)
        self.fails(chromosweep.ContentError, good, good, target_name="another")

    def test_usage(self):
        self.assertEqual(self.fails(chromosweep.UsageError, match=0),
                         f"match must be a whole number from 1 to {2**63 - 1}, not 0")
        for wrong in ({"mismatch": -1}, {"gap_open": 2**63}, {"gap_extend": -1}, {"threads": -1},
                      {"threads": 2**32}, {"bits": 17}, {"device": "abacus"}, {"engine": "steam"},
                      {"device": "cpu\0"}, {"grid": (1, 0, 1)}, {"grid": (1, 2000, 1)},
                      {"match": 2**62}, {"checkpoint_interval": 5}, {"checkpoint_fresh": True},
                      {"checkpoint": ""}, {"checkpoint": "x", "checkpoint_interval": 0},
                      {"checkpoint": "x", "checkpoint_interval": float("nan")},
                      {"target_name": "x"}):
            with self.subTest(wrong):
                self.fails(chromosweep.UsageError, **wrong)
        self.fails(chromosweep.DeviceError, device="gpu:99")

    def test_types(self):
        for wrong in ({"match": 1.5}, {"threads": "2"}, {"device": None}, {"engine": b"auto"},
                      {"checkpoint": 3}, {"grid": 5}):
            with self.subTest(wrong):
                self.fails(TypeError, **wrong)
        self.fails(TypeError, 3, "x")

    def test_refused_before_loading(self):
        said = self.fails(chromosweep.UsageError, "/nonexistent.fa", "/nonexistent.fa", engine="steam")
        self.assertIn("steam", said)

    def test_again(self):
        comparison = Comparison("/nonexistent.fa", "/nonexistent.fa")
        for _ in range(2):
            with self.assertRaises(chromosweep.Error):
                comparison.result()
            with self.assertRaises(chromosweep.Error):
                list(comparison)
        self.assertTrue(comparison.done)


class Progress(unittest.TestCase):
    def test_to_the_end(self):
        comparison = Comparison(*pair(20000), engine="scalar")
        seen = list(comparison)
        result = comparison.result()
        self.assertGreater(len(seen), 2)
        for before, after in zip(seen, seen[1:]):
            self.assertLessEqual(before.cells_done, after.cells_done)
            self.assertLessEqual(before.score, after.score)
        for each in seen:
            self.assertEqual(each.cells, result.cells)
            self.assertEqual(each.gcups > 0, each.seconds > 0)
            self.assertEqual(each.strand, "+")
            self.assertIsNone(each.next_checkpoint)
            self.assertGreaterEqual(each.elapsed, each.seconds)
            self.assertGreaterEqual(each.cells_expected, each.cells_computed)
            if each.cells_done < each.cells:
                self.assertEqual((each.stage, each.stage_strand, each.lower_bound), ("sweep", None, None))
        last = seen[-1]
        self.assertEqual((last.fraction, last.seconds_left, last.score, last.target_end, last.query_end),
                         (1.0, 0.0, result.score, result.target_end, result.query_end))
        self.assertEqual(comparison.progress, last)
        self.assertEqual(list(comparison), [last])  # it is over

    def test_stages(self):
        """Progress names the stages before a sweep and foretells the time left; then it has their lower bound."""
        bases = "".join(random.Random(1).choices("ACGT", k=300000))
        target = Sequence.from_bases("target", bases)
        query = Sequence.from_bases("query", bases.replace("ACGTA", "ACCTA"))
        comparison = Comparison(target, query, skip="bounds", threads=1)
        seen = list(comparison)
        before = [each for each in seen if each.stage != "sweep" and each.fraction == 0]
        for each in before:
            self.assertIn(each.stage, ("seeds", "chain", "corridor", "bounds"))
            self.assertEqual((each.stage_strand, each.fraction), ("+", 0.0))
            self.assertGreaterEqual(each.seconds_left, 0)
        self.assertEqual(seen[-1].lower_bound, comparison.result().lower_bound)

    def test_nothing_to_do(self):
        empty = Sequence.from_bases("empty", "")
        seen = list(Comparison(empty, empty))
        self.assertEqual([(p.fraction, p.gcups, p.seconds_left) for p in seen], [(1.0, 0.0, 0.0)])

    def test_slow_reader(self):
        """A slow reader gets only the newest progress, not every one."""
        comparison = Comparison(*pair(20000), **SLOW)
        first = next(iter(comparison))
        comparison.result()
        self.assertLess(first.fraction, 1)
        self.assertEqual([p.fraction for p in comparison], [1.0])

    def test_notes(self):
        if any(device.gpu for device in chromosweep.devices()):
            self.skipTest("there is a GPU here, and perhaps nothing to remark")
        with self.assertLogs("chromosweep", logging.DEBUG) as logs:
            compare(*pair(100))
        self.assertIn("not using a GPU", logs.output[0])


class Ends(unittest.TestCase):
    """Stops comparisons that would take hours."""

    @classmethod
    def setUpClass(cls):
        cls.endless = pair(2_000_000)

    def begin(self):
        return Comparison(*self.endless, **SLOW)

    def tearDown(self):
        wait_for_threads()

    def test_stop(self):
        comparison = self.begin()
        self.assertFalse(comparison.done)
        for _ in comparison:  # no error, because the stop was requested
            comparison.stop()
        with self.assertRaisesRegex(chromosweep.StoppedError, "stopped after"):
            comparison.result()

    def test_stop_at_once(self):
        comparison = self.begin()
        comparison.stop()
        with self.assertRaises(chromosweep.StoppedError):
            comparison.result()

    def test_stop_too_late(self):
        comparison = Comparison(*pair(10))
        score = comparison.result().score
        comparison.stop()
        self.assertEqual(comparison.result().score, score)

    def test_context(self):
        with self.begin() as comparison:
            next(iter(comparison))
        self.assertTrue(comparison.done)
        with self.assertRaises(ZeroDivisionError):
            with self.begin() as comparison:
                raise ZeroDivisionError
        with self.assertRaises(chromosweep.StoppedError):
            comparison.result()

    def test_dropped(self):
        """Drops comparisons at every moment, even before the first cell. Their sequences are freed too."""
        for pause in (0, 0.001, 0.05, 0.3):
            target = Sequence.from_bases("target", "ACGT" * 250000)
            gone = weakref.ref(target)
            comparison = Comparison(target, self.endless[1], **SLOW)
            del target
            time.sleep(pause)
            del comparison
            gc.collect()
            wait_for_threads()
            gc.collect()
            self.assertIsNone(gone())

    def test_dropped_iterator(self):
        for progress in self.begin():
            self.assertLess(progress.fraction, 1)
            break
        gc.collect()

    def test_many(self):
        a, b = pair(50)
        for _ in range(300):
            Comparison(a, b, threads=1)
        for _ in range(300):
            compare(a, b, threads=1)


class Programs(unittest.TestCase):
    """Interrupts programs that compute, and lets them end."""

    BEGIN = ("import chromosweep, sys, time\n"
             "a = chromosweep.Sequence.from_bases('a', 'ACGTTGCA' * 250000)\n"
             "options = dict(engine='scalar', threads=1, skip='none')\n")

    def ends(self, program, during=lambda process: None):
        with start(self.BEGIN + program) as process:
            try:
                during(process)
                output, errors = process.communicate(timeout=300)
            finally:
                process.kill()
        return process.returncode, output, errors

    @staticmethod
    def interrupt(process):
        process.stdout.readline()  # it computes
        time.sleep(0.1)
        interrupt(process)

    def interrupted(self, program):
        status, _, errors = self.ends(program, self.interrupt)
        self.assertEqual(status, -signal.SIGINT, errors)
        self.assertTrue(errors.endswith("KeyboardInterrupt\n"), errors)

    def test_interrupt_compare(self):
        self.interrupted("print(flush=True)\nchromosweep.compare(a, a, **options)")

    def test_interrupt_iteration(self):
        self.interrupted("for p in chromosweep.Comparison(a, a, **options): print(flush=True)")

    def test_interrupt_body(self):
        self.interrupted("for p in chromosweep.Comparison(a, a, **options):\n"
                         "    print(flush=True)\n    time.sleep(100)")

    def test_interrupt_handled(self):
        status, output, errors = self.ends(
            "try:\n    print(flush=True)\n    chromosweep.compare(a, a, **options)\n"
            "except KeyboardInterrupt: print('interrupted')\n"
            "print(chromosweep.compare(*[chromosweep.Sequence.from_bases('b', 'ACGT')] * 2).score)",
            self.interrupt)
        self.assertEqual((status, output, errors), (0, "interrupted\n4\n", ""))

    def test_interrupt_loading(self):
        """Stops while a sequence is read from a pipe that gets no data."""
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder) / "pipe.fa"
            os.mkfifo(pipe)
            self.interrupted(f"print(flush=True)\nchromosweep.compare({str(pipe)!r}, a)")

    def test_signal_handler(self):
        status, output, errors = self.ends(
            "import signal\n"
            "comparison = chromosweep.Comparison(a, a, **options)\n"
            "signal.signal(signal.SIGTERM, lambda *_: comparison.stop())\n"
            "print(flush=True)\n"
            "try: comparison.result()\n"
            "except chromosweep.StoppedError as error: sys.exit(error.status)",
            lambda process: (process.stdout.readline(), process.terminate()))
        self.assertEqual((status, output, errors), (75, "", ""))

    def test_end_while_computing(self):
        for last in ("", "sys.exit(3)", "del c", "c.stop()", "c._run.waited_for = False"):
            with self.subTest(last):
                status, _, errors = self.ends(
                    f"c = chromosweep.Comparison(a, a, **options)\nnext(iter(c))\n{last}")
                self.assertEqual((status, errors), (3 if "exit" in last else 0, ""))

    def test_error_while_computing(self):
        status, _, errors = self.ends("c = chromosweep.Comparison(a, a, **options)\n1 / 0")
        self.assertEqual(status, 1)
        self.assertTrue(errors.endswith("ZeroDivisionError: division by zero\n"), errors)

    def test_fork(self):
        status, output, errors = self.ends(
            "import os\n"
            "c = chromosweep.Comparison(a, a, **options)\n"
            "child = os.fork()\n"
            "if child == 0: sys.exit(7)\n"
            "print(os.waitpid(child, 0)[1] >> 8)")
        self.assertEqual((status, output), (0, "7\n"), errors)
