"""Plans: they agree with what compare() then does and takes, and leave nothing behind."""

import inspect
import os
import pathlib
import tempfile
import unittest

import chromosweep
from chromosweep import Sequence, compare, plan

from common import pair


class Plans(unittest.TestCase):
    def test_figures(self):
        target, query = pair(30_000)
        p = plan(target, query, strand="both", device="cpu", threads=2, probe=0.5)
        r = compare(target, query, strand="both", device="cpu", threads=2)
        self.assertEqual((p.cells, p.engine, p.device, p.threads), (r.cells, r.engine, r.device, r.threads))
        self.assertTrue(p.works)
        self.assertIsNone(p.fault)
        self.assertEqual(p.cells_done, 0)
        self.assertGreater(p.cells_a_second, 0)
        self.assertGreater(p.seconds, p.cells / p.cells_a_second + p.seconds_before)
        self.assertEqual((p.skip, p.lower_bound, p.cells_expected), ("none", None, p.cells))
        self.assertEqual(p.host_bytes, p.host_bytes_program + p.host_bytes_sequences + p.host_bytes_buses
                         + p.host_bytes_engine + p.host_bytes_checkpoint + p.host_bytes_skip + p.row_bytes)
        self.assertEqual(p.disk_bytes, 0)
        self.assertIsNone(p.disk_bytes_free)

    def test_members(self):
        target, query = pair(30_000)
        p = plan(target, query, device="cpu,cpu,cpu", threads=2, probe=0)
        self.assertEqual([(each.device, each.threads) for each in p.members], [("cpu", 1), ("cpu", 1), ("cpu", 0)])
        self.assertEqual(sum(each.rows for each in p.members), max(len(target), len(query)))
        self.assertEqual(p.members[2].rows, 0)
        r = compare(target, query, device="cpu,cpu,cpu", threads=2)
        self.assertEqual((r.engine, r.score), ("ring", compare(target, query, device="cpu").score))
        self.assertEqual(plan(target, query, device="cpu", probe=0).members, ())

    def test_no_probe(self):
        p = plan(Sequence.from_bases("a", "ACGT"), Sequence.from_bases("b", "ACG"), probe=0)
        self.assertEqual(p.cells, 12)
        self.assertEqual((p.cells_a_second, p.seconds, p.seconds_left), (None, None, None))

    def test_skip(self):
        target, _ = pair(30_000)
        p = plan(target, target, skip="bounds", device="cpu")
        r = compare(target, target, skip="bounds", device="cpu")
        self.assertEqual((p.skip, p.lower_bound), (r.skip, r.lower_bound))
        self.assertTrue(0 < p.cells_expected < 0.3 * p.cells)
        self.assertTrue(0 < r.cells_computed < 0.3 * r.cells)
        stages = r.stages.seeds + r.stages.chain + r.stages.corridor
        self.assertTrue(0 < stages <= r.stages.all + 1e-9)
        self.assertTrue(0 < r.stages.bounds <= r.stages.all + 1e-9)
        p = plan(target, target, skip="bounds", device="cpu", probe=0)
        self.assertEqual((p.skip, p.lower_bound, p.cells_expected), ("bounds", None, None))
        p = plan(target, target, skip="best", device="cpu", probe=0.1)
        self.assertEqual((p.skip, p.lower_bound, p.cells_expected), ("best", None, None))

    def test_checkpoint(self):
        target, query = pair(3_000)
        with tempfile.TemporaryDirectory() as folder:
            directory = pathlib.Path(folder) / "run"
            p = plan(target, query, checkpoint=directory, probe=0)
            self.assertEqual(os.listdir(folder), [])
            self.assertGreater(p.disk_bytes, p.disk_bytes_expected)
            compare(target, query, checkpoint=directory)
            p = plan(target, query, checkpoint=directory, probe=0.1)
            self.assertEqual(p.cells_done, p.cells)
            self.assertEqual(p.seconds_left, 0)
            with self.assertRaises(chromosweep.CheckpointError):
                plan(target, query, match=2, checkpoint=directory)

    def test_errors(self):
        target, query = pair(300)
        with self.assertRaises(chromosweep.UsageError):
            plan(target, query, probe=-1)
        with self.assertRaises(chromosweep.UsageError):
            plan(target, query, checkpoint_fresh=True)
        with self.assertRaises(chromosweep.Error):
            plan("/nonexistent", query)

    def test_arguments(self):
        """The parameters are those of compare(), with the same defaults, and one more."""
        theirs, ours = inspect.signature(compare).parameters, inspect.signature(plan).parameters
        self.assertEqual({name: ours[name] for name in theirs}, dict(theirs))
        self.assertEqual(set(ours) - set(theirs), {"probe"})
