"""Checkpoints: stopping, resuming, reading and removing them."""

import datetime
import logging
import pathlib
import re
import tempfile
import time
import unittest

import chromosweep
from chromosweep import Comparison, compare

from common import SLOW, interrupt, pair, start, write_pair


class Checkpoint(unittest.TestCase):
    LENGTH = 60000  # ten seconds of slow computing or more; the test stops it long before that, even on a busy machine

    @classmethod
    def setUpClass(cls):
        cls.truth = compare(*pair(cls.LENGTH))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.directory = self.folder / "checkpoint"
        self.files = write_pair(self.folder, self.LENGTH)

    def check(self, result):
        truth = self.truth
        self.assertEqual((result.score, result.target_end, result.query_end, result.cells),
                         (truth.score, truth.target_end, truth.query_end, truth.cells))

    def stop_on_the_way(self, sources=(), beyond=0.02, **more):
        comparison = Comparison(*(sources or self.files), checkpoint=self.directory, **SLOW, **more)
        for progress in comparison:
            if progress.fraction > beyond:
                comparison.stop()
        with self.assertRaises(chromosweep.StoppedError):
            comparison.result()

    def test_stop_and_resume(self):
        self.stop_on_the_way(mismatch=4)
        held = chromosweep.info(self.directory, verify=True)
        self.assertGreater(held.fraction, 0.02)
        self.assertLess(held.fraction, 1)
        self.assertEqual(held.scoring, chromosweep.Scoring(1, 4, 3, 2))
        result = chromosweep.resume(str(self.directory))
        self.truth = compare(*self.files, mismatch=4)
        self.check(result)
        self.assertEqual(result.cells_resumed, held.newest.cells_done)
        self.assertEqual(result.scoring, held.scoring)

    def test_progress_goes_on(self):
        self.stop_on_the_way()
        newest = chromosweep.info(self.directory).newest
        done = newest.cells_done
        with Comparison.resume(self.directory) as comparison:
            seen = list(comparison)
            self.check(comparison.result())
        self.assertEqual(seen[0].fraction, newest.fraction)
        self.assertEqual(seen[-1].fraction, 1)
        for progress in seen:  # only this run counts for the speed
            self.assertGreaterEqual(progress.cells_done, done)
            self.assertEqual(progress.cells_before, done)
            self.assertGreater(progress.seconds_before, 0)
            self.assertGreaterEqual(progress.seconds, progress.seconds_before)

    def test_progress_from_the_first(self):
        files = write_pair(self.folder, 20000)
        seen = list(Comparison(*files, checkpoint=self.directory, checkpoint_interval=1000, **SLOW))
        for progress in seen:
            self.assertEqual((progress.cells_before, progress.seconds_before), (0, 0.0))
            self.assertEqual(progress.gcups > 0, progress.seconds > 0)
        sweeping = [each for each in seen if each.next_checkpoint is not None]  # none is due at the end
        for before, after in zip(sweeping, sweeping[1:]):
            self.assertGreater(before.next_checkpoint, after.next_checkpoint)
        self.assertLessEqual(seen[0].next_checkpoint, 1000)
        self.assertIsNone(seen[-1].next_checkpoint)

    def test_events(self):
        place = re.escape(str(self.directory))
        with self.assertLogs("chromosweep", logging.INFO) as logs:
            self.stop_on_the_way()
            chromosweep.resume(self.directory)
            chromosweep.resume(self.directory)
            compare(*self.files, checkpoint=self.directory, checkpoint_fresh=True)
        told = [record.getMessage() for record in logs.records if record.levelno == logging.INFO]
        self.assertEqual(len(told), 4, told)
        for message, expected in zip(told, (f"starting with the first cell; saving states in {place}",
                                            rf"resuming from {place}, after [0-9.]+% of the work",
                                            f"{place} is complete: all cells are computed",
                                            f"starting over; the states in {place} are kept")):
            self.assertRegex(message, f"^{expected}$")

    def test_compare_again(self):
        """A comparison of sequences made in memory is resumed by the same call again."""
        sources = pair(self.LENGTH)
        self.stop_on_the_way(sources)
        held = chromosweep.info(self.directory)
        self.assertIsNone(held.target.file)
        with self.assertRaisesRegex(chromosweep.UsageError, "target was made in memory"):
            chromosweep.resume(self.directory)
        result = compare(*sources, checkpoint=self.directory)
        self.check(result)
        self.assertGreater(result.cells_resumed, 0)

    def test_complete(self):
        result = compare(*self.files, checkpoint=bytes(self.directory), checkpoint_interval=0.01)
        self.check(result)
        self.assertEqual(chromosweep.info(self.directory).fraction, 1)
        again = chromosweep.resume(self.directory)
        self.check(again)
        self.assertEqual(again.cells_resumed, again.cells)
        self.assertEqual(again.seconds, result.seconds)

    def test_fresh(self):
        compare(*self.files, checkpoint=self.directory)
        result = compare(*self.files, checkpoint=self.directory, checkpoint_fresh=True)
        self.check(result)
        self.assertEqual(result.cells_resumed, 0)

    def test_another_comparison(self):
        self.stop_on_the_way()
        with self.assertRaisesRegex(chromosweep.CheckpointError, "belongs to another comparison"):
            compare(*self.files, checkpoint=self.directory, gap_open=7)

    def test_in_use(self):
        self.stop_on_the_way(beyond=0)
        with Comparison.resume(self.directory, **SLOW) as comparison:
            next(iter(comparison))
            self.assertIn("process", chromosweep.info(self.directory).holder)
            with self.assertRaisesRegex(chromosweep.CheckpointError, "in use"):
                compare(*self.files, checkpoint=self.directory)
            with self.assertRaisesRegex(chromosweep.CheckpointError, "in use"):
                chromosweep.remove_checkpoint(self.directory)
        self.assertIsNone(chromosweep.info(self.directory).holder)

    def test_info(self):
        before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=2)
        self.stop_on_the_way()
        held = chromosweep.info(self.directory, verify=True)
        self.assertEqual((held.target.file, held.target.name, held.target.length),
                         (str(self.files[0]), "target", self.LENGTH))
        self.assertEqual((held.query.name, held.strand, held.memo, held.holder, held.fault),
                         ("query", "+", None, None, None))
        self.assertRegex(held.target_digest, "^[0-9a-f]{32}$")
        self.assertEqual(held.program_version, chromosweep.version())
        newest = held.generations[0]
        self.assertEqual(newest, held.newest)
        self.assertEqual(newest.bytes, (self.directory / newest.file).stat().st_size)
        self.assertLessEqual(before, newest.saved)
        self.assertLess(newest.saved - before, datetime.timedelta(minutes=10))
        self.assertGreater(newest.seconds, 0)

    def test_damaged(self):
        self.stop_on_the_way()
        for state in self.directory.glob("*.state"):
            state.write_bytes(state.read_bytes()[:-1])
        held = chromosweep.info(self.directory, verify=True)
        self.assertIsNotNone(held.generations[0].fault)
        self.assertIsNone(held.newest)
        self.assertEqual(held.fraction, 0)
        with self.assertRaises(chromosweep.CheckpointError):
            chromosweep.resume(self.directory)

    def test_remove(self):
        compare(*self.files, checkpoint=self.directory)
        chromosweep.remove_checkpoint(self.directory)
        self.assertFalse(self.directory.exists())
        for function in (chromosweep.info, chromosweep.resume):
            with self.assertRaises(chromosweep.Error):
                function(self.directory)

    def test_interrupt(self):
        """At any moment, Ctrl-C saves the state before it ends the program."""
        done = 0
        for wait in ("c.result()", "for p in c: pass", "time.sleep(100)"):
            self.begin_and_interrupt(wait)
            before, done = done, chromosweep.info(self.directory).newest.cells_done
            self.assertGreater(done, before, wait)
        self.check(chromosweep.resume(self.directory))

    def begin_and_interrupt(self, wait):
        program = ("import chromosweep, time\n"
                   f"c = chromosweep.Comparison({str(self.files[0])!r}, {str(self.files[1])!r}, "
                   f"checkpoint={str(self.directory)!r}, engine='scalar', threads=1, skip='none')\n"
                   f"next(p for p in c if p.cells_done > p.cells_before)\nprint(flush=True)\n{wait}")
        with start(program) as process:
            try:
                process.stdout.readline()
                time.sleep(0.2)
                interrupt(process)
                errors = process.communicate(timeout=300)[1]
            finally:
                process.kill()
        self.assertTrue(errors.endswith("KeyboardInterrupt\n"), errors)
