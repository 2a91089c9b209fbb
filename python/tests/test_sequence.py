"""Sequences from files and from bases."""

import copy
import errno
import gc
import os
import pathlib
import pickle
import tempfile
import unittest

import chromosweep
from chromosweep import Sequence

from common import SEQUENCES


class Bases(unittest.TestCase):
    def test_kinds(self):
        for given in ("ACGTN", b"acgun", bytearray(b"ACGTN"), memoryview(b"ACGTN")):
            sequence = Sequence.from_bases("name", given)
            self.assertEqual((len(sequence), sequence.ambiguous, sequence.name, sequence.file),
                             (5, 1, "name", None))
        self.assertEqual(len(Sequence.from_bases("", "")), 0)
        self.assertEqual(repr(sequence), "<chromosweep.Sequence 'name', 5 bases>")

    def test_names(self):
        for name in ("", "Ähre 1", "\udcff"):
            self.assertEqual(Sequence.from_bases(name, "A").name, name)

    def test_no_bases(self):
        for given, offset in (("AC T", 2), ("ACGÄ", 3), (b"AC\0", 2), (b">x", 0)):
            with self.assertRaisesRegex(chromosweep.ContentError, f"at offset {offset} "):
                Sequence.from_bases("name", given)

    def test_wrong_types(self):
        for name, given in (("name", 5), ("name", None), (b"name", "A"), (None, "A")):
            with self.assertRaises(TypeError):
                Sequence.from_bases(name, given)
        with self.assertRaises(TypeError):
            Sequence()
        with self.assertRaises(chromosweep.UsageError):
            Sequence.from_bases("a\0b", "A")


class Files(unittest.TestCase):
    def test_load(self):
        path = SEQUENCES / "ape_target.fa.gz"
        for given in (path, str(path), bytes(path)):
            sequence = Sequence.load(given)
            self.assertEqual((sequence.name, sequence.file, len(sequence)),
                             ("ape_target", str(path), 60000))

    def test_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "two.fa"
            path.write_text(">one first\nACGT\n>two\nACGTN\n", encoding="ascii")
            self.assertEqual(len(Sequence.load(path, "two")), 5)
            for name in (None, "three"):
                with self.assertRaises(chromosweep.ContentError):
                    Sequence.load(path, name)

    def test_missing(self):
        for kind in (FileNotFoundError, chromosweep.Error, OSError):
            with self.assertRaises(kind) as caught:
                Sequence.load("/nonexistent/file.fa")
            self.assertIs(type(caught.exception), chromosweep.NotFoundError)
            for error in (caught.exception, copy.copy(caught.exception),
                          pickle.loads(pickle.dumps(caught.exception))):
                self.assertIs(type(error), chromosweep.NotFoundError)
                self.assertEqual((error.status, error.errno, error.strerror, error.filename),
                                 (1, errno.ENOENT, "No such file or directory", "/nonexistent/file.fa"))
                self.assertEqual(str(error), "cannot open /nonexistent/file.fa: No such file or directory")
        for path in ("", "a\0b"):
            with self.assertRaises(chromosweep.UsageError):
                Sequence.load(path)
        with self.assertRaises(TypeError):
            Sequence.load(3)

    def expect_like_open(self, error, path):
        with self.assertRaises(OSError) as caught:
            path.read_text(encoding="ascii")
        opened = caught.exception
        self.assertIsInstance(error, type(opened))
        self.assertEqual((error.errno, error.strerror, error.filename),
                         (opened.errno, opened.strerror, str(path)))
        self.assertIn(str(path), str(error))

    def test_kinds_of_failures(self):
        """Each error is both the one that open() raises and the package's own."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            with self.assertRaises(IsADirectoryError) as caught:
                Sequence.load(place)
            self.assertIsInstance(caught.exception, chromosweep.IsFolderError)
            self.expect_like_open(caught.exception, place)
            for path, function in ((place / "a.fa", lambda path: chromosweep.compare(path, place / "b.fa")),
                                   (place / "run", chromosweep.info), (place / "run", chromosweep.resume)):
                with self.assertRaises(FileNotFoundError) as caught:
                    function(path)
                self.expect_like_open(caught.exception, path)
            (place / "file").write_text(">a\nACGT\n", encoding="ascii")
            with self.assertRaises(chromosweep.Error) as caught:
                Sequence.load(place / "file" / "below")
            self.assertIs(type(caught.exception), chromosweep.Error)
            if os.geteuid() != 0:
                (place / "file").chmod(0)
                with self.assertRaises(PermissionError) as caught:
                    Sequence.load(place / "file")
                self.expect_like_open(caught.exception, place / "file")


def resident():
    """The bytes of memory that this process uses."""
    status = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


class Memory(unittest.TestCase):
    """Calls do not leak: 10,000 calls that each leaked a kilobyte would show."""

    def check(self, body):
        for _ in range(1000):
            body()
        gc.collect()
        before = resident()
        for _ in range(10000):
            body()
        gc.collect()
        self.assertLess(resident() - before, 4 << 20)

    def test_sequences(self):
        data = b"A" * 1000
        self.check(lambda: Sequence.from_bases("name", data))

    def test_errors(self):
        path = "/nonexistent/" + "x/" * 500

        def fail():
            try:
                Sequence.load(path)
            except chromosweep.Error:
                pass
        self.check(fail)

    def test_lists(self):
        self.check(lambda: chromosweep.devices("cpu"))
