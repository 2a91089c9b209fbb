#!/usr/bin/env python3
"""test_scripts.py TOOLS: do tools/check, check_aarch64, quickstart and bundle spare existing files?

They run in a small project made for the test, and install nothing. So do a bundle's run-tests and run-bench.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(sys.argv[1]).resolve()
PROJECT = """project('small')
sh = find_program('sh')
assert(get_option('word') != 'bad')
test('passes', sh, args: ['-c', 'exit 0'], suite: 'unit')
"""


def run(folder, *command, **environment):
    return subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, env=os.environ | environment)


def need(truth, why):
    if not truth:
        raise AssertionError(why)


def give_quick_meson(folder):
    """The scripts ask Meson for its version again and again, which takes as long as a set-up."""
    meson = shutil.which("meson")
    version = subprocess.check_output([meson, "--version"], text=True).strip()
    (folder / "meson").write_text(f'#!/bin/sh\n[ "$*" != --version ] || exec echo {version}\nexec {meson} "$@"\n')
    (folder / "meson").chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


def make_project(folder):
    (folder / "tools").mkdir()
    for name in ("bench", "bundle", "check", "check_aarch64", "quickstart", "run_bench", "test_debian", "lib.sh",
                 "count_tests.py"):
        shutil.copy(TOOLS / name, folder / "tools")
    with open(folder / "tools" / "lib.sh", "a", encoding="utf-8") as library:
        library.write("install_missing() { :; }\n")
    (folder / "meson.build").write_text(PROJECT)
    (folder / "meson_options.txt").write_text("".join(
        f"option('{name}', type: 'string', value: '{value}')\n"
        for name, value in {"word": "first", "cuda": "auto", "gpu_archs": ""}.items()))


def option(build, name):
    options = json.loads((build / "meson-info" / "intro-buildoptions.json").read_text())
    return next(each["value"] for each in options if each["name"] == name)


def word(build):
    return option(build, "word")


def passes(folder, *arguments):
    check = run(folder, "tools/check", *arguments)
    need(check.returncode == 0 and check.stdout.endswith("\n1 passed, 0 failed, 0 skipped\n"),
         f"{arguments}: {check.stdout}{check.stderr}")


def refuses(folder, status, *command):
    """Checks that a command fails and says why; wrong usage must give one line."""
    failure = run(folder, *command)
    need(failure.returncode == status, f"{command}: status {failure.returncode}, not {status}")
    said = failure.stderr.count("\n") if status == 2 else len(failure.stderr + failure.stdout)
    need(said == 1 if status == 2 else said > 0, f"{command}: {failure.stderr}")
    return failure


def typing_errors(folder):
    passes(folder)
    (folder / "build" / "product").touch()
    for program in "tools/check", "tools/check_aarch64", "tools/quickstart":
        for wrong in ["--suite", "unit"], ["-Dword"], ["--wipe"], ["-x"], ["build"]:
            refuses(folder, 2, program, *wrong)
    for program in "tools/check", "tools/quickstart":
        for wrong in "-Dbogus=1", "-Dword=bad", "--suite=unit":
            refuses(folder, 1, program, wrong)
    refuses(folder, 2, "tools/check", "--all", "-Dword=second")
    refuses(folder, 2, "tools/check", "-C")
    refuses(folder, 2, "tools/check", "-C", "-Dword=second")
    (folder / "meson.build").write_text("project(\n")
    refuses(folder, 1, "tools/check")
    (folder / "meson.build").write_text(PROJECT)
    passes(folder)
    need((folder / "build" / "product").exists(), "the build is gone")


def first_errors(folder):
    refuses(folder, 1, "tools/check", "-Dbogus=1")
    passes(folder)


def new_options(folder):
    passes(folder, "-Dword=second")
    need(word(folder / "build") == "second", "the option was not heard")
    passes(folder)
    need(word(folder / "build") == "first", "the option stayed")
    (folder / "build" / "build.ninja").unlink()
    passes(folder)


def new_cross_file(folder):
    for cpu in "one", "two":
        (folder / "cross.txt").write_text("[host_machine]\nsystem = 'linux'\ncpu_family = 'aarch64'\n"
                                          f"cpu = '{cpu}'\nendian = 'little'\n")
        passes(folder, "--cross-file=cross.txt")
        product = folder / "build" / "product"
        need(not product.exists(), "the old cross file stayed")
        product.touch()
        passes(folder, "--cross-file=cross.txt")
        need(product.exists(), "set up anew for nothing")


NVCC = """#!/bin/sh
[ "$1" != --list-gpu-code ] || printf 'sm_80\\nsm_90\\n'
"""

# The GPUs that nvidia-smi names, whether there is nvcc, the options given, the options that result, and the messages.
QUICKSTARTS = [
    ("", False, [], "auto", "", ""),
    ("9.0", False, [], "auto", "", "although this machine has a GPU"),
    ("", True, [], "disabled", "", "this machine has no GPU"),
    ("", True, ["-Dcuda=enabled"], "enabled", "", ""),
    ("", True, ["-Dword=second"], "disabled", "", "this machine has no GPU"),
    ("8.0\n9.0", True, [], "auto", "native", ""),
    ("9.0", True, ["-Dgpu_archs=8.0"], "auto", "8.0", ""),
    ("12.0", True, [], "auto", "", ""),
]


def quickstart_devices(folder):
    """Compiles for the GPUs of this machine, or for those given. Keeps a folder of tools/check, which in turn replaces
    the folder of this script."""
    # Only the program and the simulator can be built.
    copy = "custom_target(input: '{}', output: '{}', command: ['cp', '@INPUT@', '@OUTPUT@'])\n".format
    (folder / "meson.build").write_text(
        PROJECT + copy("program", "chromosweep") + "subdir('tools')\n"
        "custom_target(output: 'never', command: 'false', build_by_default: true)\n")
    (folder / "tools" / "meson.build").write_text(copy("quickstart", "chromosweep-simulate"))
    (folder / "bin").mkdir()
    meson = pathlib.Path(shutil.which("meson")).parent
    place = {"PATH": f"{folder / 'bin'}:{meson}:/usr/bin:/bin", "CUDA_HOME": str(folder)}

    def put(name, text):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    for gpus, nvcc, options, cuda, archs, said in QUICKSTARTS:
        put("bin/nvidia-smi", f"#!/bin/sh\necho '{gpus}'\n")
        put("bin/nvcc", NVCC)
        if not nvcc:
            (folder / "bin" / "nvcc").unlink()
            if shutil.which("nvcc", path=place["PATH"]) or pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
                continue  # the scripts always look for it here
        has = "no" if not nvcc or cuda == "disabled" else "yes"
        put("program", f"#!/bin/sh\necho 'CUDA: {has}'\n")
        shutil.rmtree(folder / "build", ignore_errors=True)
        what = f"{gpus!r}, {nvcc}, {options}: "
        for _ in range(2):
            ran = run(folder, "tools/quickstart", *options, **place)
            need(ran.returncode == 0, what + ran.stderr)
            need((folder / "build" / "tools" / "chromosweep-simulate").exists(), what + "no simulator")
            need((option(folder / "build", "cuda"), option(folder / "build", "gpu_archs")) == (cuda, archs), what)
            need(said in ran.stderr and ("this machine has" in ran.stderr) == (said != ""), what + ran.stderr)
    run(folder, "tools/check", **place)
    (folder / "build" / "product").touch()
    run(folder, "tools/quickstart", **place)
    need((folder / "build" / "product").exists() and option(folder / "build", "gpu_archs") == "", "set up anew")
    put("bin/nvidia-smi", "#!/bin/sh\nexit 9\n")
    shutil.rmtree(folder / "build")
    for words in ["tools/check"], ["tools/quickstart"], ["tools/check"]:
        run(folder, *words, **place)
        need(option(folder / "build", "gpu_archs") == "9.0", f"{words}: not for one device")
        need(words == ["tools/check"] or (folder / "build" / "product").exists(), f"{words}: set up anew")
        (folder / "build" / "product").touch()
    run(folder, "tools/check", "-Dcuda=enabled", **place)
    need(option(folder / "build", "gpu_archs") == "", "for one device although options name them")


def set_up_by_hand(folder):
    run(folder, "meson", "setup", "build", "--prefix=/opt/x", "-Dword=own")
    (folder / "build" / "product").touch()
    passes(folder)
    refuses(folder, 1, "tools/check", "-Dbogus=1")
    need(word(folder / "build") == "own", "the option is gone")
    passes(folder, "-Dword=second")
    need(word(folder / "build") == "second", "the option was not heard")
    need((folder / "build" / "product").exists(), "the build is gone")


def other_folders(folder):
    for name in "other/meson-private", "several/files":
        (folder / name).mkdir(parents=True)
    (folder / "file").touch()
    for name in "other", "several", "file", ".":
        refuses(folder, 1, "tools/check", "-C", name)
    need((folder / "other/meson-private").is_dir() and (folder / "several/files").is_dir(), "deleted")
    (folder / "empty").mkdir()
    passes(folder, "-C", "empty")
    passes(folder, "-C", "a/new one")


def no_tests(folder):
    check = run(folder, "tools/check", "--", "--suite", "nosuch")
    # If Python's tqdm is installed, Meson may show progress on standard error.
    need(check.returncode == 1, f"status {check.returncode}: {check.stderr}")
    need(check.stdout.endswith("\nNo suitable tests defined.\n0 passed, 1 failed, 0 skipped\n"),
         check.stdout)


def help_from_anywhere(folder):
    for program in "bench", "bundle", "check", "check_aarch64", "quickstart", "test_debian":
        for option in "-h", "--help":
            shown = run(folder / "tools", f"./{program}", option)
            need(shown.returncode == 0 and shown.stdout.startswith(f"tools/{program} ["), shown.stderr)
    need(not (folder / "build").exists(), "help builds")


def bundle_replaces_bundles_only(folder):
    (folder / "mine").mkdir()
    for name in "mine/file", "notes.tar.gz", "notes":
        (folder / name).write_text("mine")
    for name in "mine", "notes.tar.gz", "notes", ".", "tools":
        refuses(folder, 1, "tools/bundle", "-o", name)
    for wrong in ["-o"], ["-o", "-C"], ["-o", "new.zip"], ["-C"], ["new"], ["-Dword"]:
        refuses(folder, 2, "tools/bundle", *wrong)
    for name in "mine/file", "notes.tar.gz", "notes":
        need((folder / name).read_text() == "mine", name)
    need(not (folder / "build").exists(), "builds all the same")


BUNDLED = {  # the output of a program, its status, and the resulting counts
    "passes": ("1..2\nok 1 /a\nok 2 /b", 0, (2, 0, 0)),
    "one_fails": ("1..3\nok 1 /a\nnot ok 2 /b\nok 3 /c # SKIP no device", 1, (1, 1, 1)),
    "all_skipped": ("1..0 # SKIP no device", 0, (0, 0, 1)),
    "stops_early": ("1..3\nok 1 /a", 0, (1, 1, 0)),
    "crashes_late": ("1..1\nok 1 /a", 3, (1, 1, 0)),
    "crashes_before": ("1..2", 3, (0, 1, 0)),
    "inner": ("1..1\n    not ok 1 inside\nok 1 # TODO", 0, (1, 0, 0)),
    "no_tap": ("hello", 0, (1, 0, 0)),
    "no_tap_fails": ("hello", 1, (0, 1, 0)),
    "silent_skip": ("", 77, (0, 0, 1)),
}


def bundled_tests(folder):
    bundle = folder / "a bundle"
    for name in "bin", "tests":
        (bundle / name).mkdir(parents=True)
    (bundle / ".chromosweep-bundle").touch()
    shutil.copy(TOOLS / "run_bundled_tests", bundle / "run-tests")
    programs = {f"tests/test_{name}": said for name, said in BUNDLED.items()}
    programs |= {"bin/chromosweep": ("one", 0, (1, 0, 0)), "tests/fasta_replay": ("", 0, (1, 0, 0))}
    for name, (text, status, _) in programs.items():
        (bundle / name).write_text(f"#!/bin/sh\necho '{text}'\nexit {status}\n")
        (bundle / name).chmod(0o755)
    for name, expected in BUNDLED.items():
        ran = run(folder, bundle / "run-tests", "--only", f"test_{name}")
        counts = "{} passed, {} failed, {} skipped".format(*expected[2])
        need(ran.stdout.endswith(f"\n{counts}\n"), f"{name}: {ran.stdout}{ran.stderr}")
        need(ran.returncode == (1 if expected[2][1] else 0), f"{name}: status {ran.returncode}")
    every = run(bundle, "sh", "run-tests")
    totals = [sum(counts) for counts in zip(*(said[2] for said in programs.values()))]
    need(every.stdout.endswith("\n{} passed, {} failed, {} skipped\n".format(*totals)), every.stdout)
    need("no device" in every.stdout, "it does not say why tests were skipped")
    for wrong in ["--cases"], ["--cases", "x"], ["-x"], ["nowhere"], ["--only", "nothing"]:
        refuses(bundle, 2, "./run-tests", *wrong)


PROGRAM = """#!/bin/sh
case "$*" in
--version) echo 'chromosweep 9' ;;
*--preset*) ;;
*)
    echo x >>"$0.runs"
    printf '#cells\\tseconds\\tseconds_total\\tscore\\ttarget_end\\tquery_end\\tdevice\\tengine\\tthreads\\n'
    printf '8000000\\t%s\\t2.5\\t7\\t1\\t2\\tGPU X\\tcuda\\t1\\n' \
        "$(sed -n "$(wc -l <"$0.runs")p" "$0.seconds")"
    ;;
esac
"""


def bundled_bench(folder):
    bundle = folder / "a bundle"
    (bundle / "bin").mkdir(parents=True)
    (bundle / ".chromosweep-bundle").touch()
    (bundle / "commit").write_text("0123abc\n")
    shutil.copy(TOOLS / "run_bench", bundle / "run-bench")
    for name in "chromosweep", "chromosweep-simulate":
        (bundle / "bin" / name).write_text(PROGRAM)
        (bundle / "bin" / name).chmod(0o755)
    (bundle / "bin" / "chromosweep.seconds").write_text("2\n0.000001\n0.8\n1.25\n")
    table = run(folder, bundle / "run-bench", "--runs", "4", "--only", "random-1m")
    need(table.returncode == 0, table.stderr)
    lines = table.stdout.splitlines()
    need("program    chromosweep 9" in lines and "commit     0123abc" in lines, table.stdout)
    # 4, 8 * 10^6, 10 and 6 million cells per second: the median is 8 of 10^6 million
    need(lines[-1].split() == ["random-1m", "1000000", "x", "1000000", "8000000", "1.025", "1.475", "0.000",
                               "0.000", "8.000", "3.7", "7", "at", "1,2", "GPU", "X"], lines[-1])
    for wrong in ["--runs"], ["--runs", "0"], ["--scale", "x"], ["-x"], ["now"], ["--only", "no"], ["--only", ""]:
        refuses(bundle, 2, "./run-bench", *wrong)
    need(run(bundle, "sh", "run-bench", "--help").stdout.startswith("run-bench ["), "no help")
    refuses(folder, 2, "tools/run_bench")


def run_test(number, test):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        make_project(folder)
        try:
            test(folder)
            print(f"ok {number} {test.__name__}", flush=True)
        except AssertionError as failure:
            print(f"not ok {number} {test.__name__}", flush=True)
            print("# " + str(failure).replace("\n", "\n# "))


def main():
    tests = [typing_errors, first_errors, new_options, new_cross_file, set_up_by_hand, other_folders,
             no_tests, help_from_anywhere, quickstart_devices, bundle_replaces_bundles_only, bundled_tests, bundled_bench]
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory() as programs:
        give_quick_meson(pathlib.Path(programs))
        for number, test in enumerate(tests, 1):
            run_test(number, test)


main()
