"""The package fits the library, even the offset of each member."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import chromosweep
from chromosweep import _errors, _library


class Layout(unittest.TestCase):
    """ctypes and the C compiler lay out the structs in the same way."""

    @classmethod
    def setUpClass(cls):
        run = subprocess.run([os.environ["CHROMOSWEEP_TEST_LAYOUT"]], text=True, check=True,
                             stdout=subprocess.PIPE)
        cls.structs, cls.members, cls.enumerators = {}, {}, {}
        for line in run.stdout.splitlines():
            kind, name, *words = line.split()
            if kind == "struct":
                cls.structs[name] = int(words[0])
            elif kind == "member":
                cls.members.setdefault(name, []).append((words[0], int(words[1]), int(words[2])))
            else:
                cls.enumerators[name] = int(words[0])

    def test_every_struct_is_known(self):
        # The package has no tiles, neither plans of searches nor what their states hold, and likewise of identity.
        without = {"CsTileOptions", "CsTiles", "CsSearchSaved", "CsSearchCheckpointInfo", "CsSearchPlan",
                   "CsIdentityProgress", "CsIdentityCheckpointInfo", "CsIdentityPlan"}
        self.assertEqual({struct.__name__ for struct in _library.STRUCTS}, set(self.structs) - without)

    def test_members_and_offsets(self):
        for struct in _library.STRUCTS:
            name = struct.__name__
            here = [(member, getattr(struct, member).offset, getattr(struct, member).size)
                    for member, _ in struct._fields_]
            with self.subTest(name):
                self.assertEqual(here, self.members[name])

    def test_sizes(self):
        for struct in _library.STRUCTS:
            name = struct.__name__
            with self.subTest(name):
                self.assertEqual(ctypes.sizeof(struct), self.structs[name])
                self.assertEqual(_library.library.cs_struct_size(name.encode()), self.structs[name])
        self.assertEqual(_library.library.cs_struct_size(b"CsNothing"), 0)

    def test_errors(self):
        codes = {value for name, value in self.enumerators.items() if name.startswith("CS_ERROR_")}
        self.assertEqual(codes, set(_errors.BY_CODE))

    def test_details(self):
        names = {5: "NOT_FOUND", 6: "NOT_PERMITTED", 7: "IS_FOLDER"}
        self.assertEqual(set(names), set(_errors.BY_DETAIL))
        for detail, name in names.items():
            self.assertEqual(self.enumerators.get(f"CS_DETAIL_{name}"), detail)

    def test_controls(self):
        for name in ("CS_CONTROL_GO_ON", "CS_CONTROL_STOP"):
            self.assertEqual(getattr(_library, name), self.enumerators[name])


class Import(unittest.TestCase):
    """The errors if there is no library, or one that does not fit."""

    def fails(self, **environment):
        run = subprocess.run([sys.executable, "-c", "import chromosweep"], text=True,
                             stderr=subprocess.PIPE, env={**os.environ, **environment}, check=False)
        self.assertEqual(run.returncode, 1)
        return run.stderr.splitlines()[-1]

    def test_no_library(self):
        said = self.fails(CHROMOSWEEP_LIBRARY="/nonexistent/library.so")
        self.assertTrue(said.startswith("ImportError: cannot load libchromosweep: "), said)
        self.assertIn("CHROMOSWEEP_LIBRARY", said)

    def test_another_library(self):
        said = self.fails(CHROMOSWEEP_LIBRARY="libc.so.6")
        self.assertEqual(said, "ImportError: libchromosweep of unknown version (libc.so.6) does not "
                         "match this package: it has no function cs_version()")

    def test_another_layout(self):
        """A library of a version whose options have one more member."""
        package = pathlib.Path(chromosweep.__file__).parent
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "chromosweep"
            shutil.copytree(package, copy)
            text = (copy / "_library.py").read_text(encoding="utf-8")
            member = '        ("control_data", c_void_p),\n'
            self.assertIn(member, text)
            (copy / "_library.py").write_text(text.replace(member, ""), encoding="utf-8")
            said = self.fails(PYTHONPATH=folder)
        self.assertRegex(said, r"^ImportError: libchromosweep [0-9.]+ \(.*\) does not match this package: "
                         r"CsCompareOptions has \d+ bytes in the library, \d+ in the package$")


IN_LITTLE_MEMORY = """
import ctypes, resource, sys, threading
with open("/proc/self/statm", encoding="ascii") as file:
    pages = int(file.read().split()[0])
limit = pages * resource.getpagesize() + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    import chromosweep
    bases = chromosweep.Sequence.from_bases("bases", "ACGT" * 1000)
    print(chromosweep.compare(bases, bases, device="cpu", threads=1).score)
except BaseException as error:
    print(type(error).__name__, error)
"""


class Memory(unittest.TestCase):
    def test_little(self):
        """Under any limit of address space there is the answer, or an exception that names memory."""
        told = []
        for mebibytes in [*range(0, 32, 2), 512]:
            run = subprocess.run([sys.executable, "-c", IN_LITTLE_MEMORY, str(mebibytes)], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            if run.returncode == 0 and run.stdout:  # else Python itself, or GLib, could not even say so
                told.append(run.stdout.strip())
        for each in told:
            self.assertRegex(each, r"^(4000|MemoryError.*|DeviceError .*(memory|ulimit|allocate).*)$")
        self.assertEqual(told[-1], "4000")


class Install(unittest.TestCase):
    """The installed package works without being told where anything is."""

    def test_install(self):
        meson, build = os.environ["CHROMOSWEEP_TEST_MESON"], os.environ["CHROMOSWEEP_TEST_BUILD"]
        if not meson:
            self.skipTest("no program meson here")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder,
                            "--tags", "runtime,python-runtime"], check=True, stdout=subprocess.DEVNULL)
            packages = list(pathlib.Path(folder).rglob("chromosweep/__init__.py"))
            self.assertEqual(len(packages), 1)
            package = packages[0].parent
            environment = {**os.environ, "PYTHONPATH": str(package.parent)}
            del environment["CHROMOSWEEP_LIBRARY"]
            run = subprocess.run([sys.executable, "-c", "import chromosweep\n"
                                  "print(chromosweep.__file__)\nprint(open('/proc/self/maps').read())"],
                                 text=True, env=environment, stdout=subprocess.PIPE, check=True)
            self.assertEqual(run.stdout.splitlines()[0], str(packages[0]))
            self.assertRegex(run.stdout, folder + r"/.*/libchromosweep\.so\.")
            source = pathlib.Path(chromosweep.__file__).parent
            self.assertEqual({path.name for path in package.iterdir() if path.name != "__pycache__"},
                             {path.name for path in source.iterdir() if path.name != "__pycache__"})


class Devices(unittest.TestCase):
    def test_all(self):
        devices = chromosweep.devices()
        self.assertIn(("cpu", "scalar"), [(each.device, each.engine) for each in devices])
        self.assertEqual(sum(each.automatic for each in devices), 1)
        for each in devices:
            self.assertEqual(each.gpu, each.device.startswith("gpu:"))

    def test_cpu(self):
        self.assertEqual({each.device for each in chromosweep.devices("cpu")}, {"cpu"})

    def test_nonsense(self):
        with self.assertRaises(chromosweep.UsageError):
            chromosweep.devices("abacus")

    def test_version(self):
        self.assertEqual(chromosweep.version(), chromosweep.__version__)
        self.assertIn("engines: ", chromosweep.build_info())
