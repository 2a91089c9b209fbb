#!/usr/bin/env python3
"""test_count_tests.py COUNT_TESTS: does it count the tests that Meson ran, however they end?"""

import pathlib
import subprocess
import sys
import tempfile

# For each test: its protocol, its shell command, and what it adds to passed, failed and skipped.
CASES = {
    "passes": ("tap", "echo 1..2; echo ok 1 a; echo ok 2 b", (2, 0, 0)),
    "skips": ("tap", "echo 1..2; echo ok 1 a; echo 'ok 2 b # SKIP no device'", (1, 0, 1)),
    "skips-all": ("tap", "echo 1..2; echo 'ok 1 a # SKIP'; echo 'ok 2 b # SKIP'", (0, 0, 2)),
    "skips-whole": ("tap", "echo '1..0 # SKIP no folder'", (0, 0, 1)),
    "fails": ("tap", "echo 1..3; echo ok 1 a; echo not ok 2 b; echo ok 3 c", (2, 1, 0)),
    "fails-status": ("tap", "echo 1..2; echo ok 1 a; echo not ok 2 b; exit 1", (1, 1, 0)),
    "status-only": ("tap", "echo 1..1; echo ok 1 a; exit 1", (1, 1, 0)),
    "bails-out": ("tap", "echo 1..2; echo ok 1 a; echo 'Bail out! assertion'; kill -ABRT $$", (1, 1, 0)),
    "crashes": ("tap", "echo 1..2; echo ok 1 a; kill -SEGV $$", (1, 1, 0)),
    "crashes-first": ("tap", "kill -SEGV $$", (0, 1, 0)),
    "stops-short": ("tap", "echo 1..2; echo ok 1 a", (1, 1, 0)),
    "hangs": ("tap", "echo 1..2; echo ok 1 a; exec sleep 60", (1, 1, 0)),
    "exit-passes": ("exitcode", "exit 0", (1, 0, 0)),
    "exit-fails": ("exitcode", "exit 1", (0, 1, 0)),
    "exit-skips": ("exitcode", "exit 77", (0, 0, 1)),
    "exit-crashes": ("exitcode", "kill -SEGV $$", (0, 1, 0)),
    "exit-hangs": ("exitcode", "exec sleep 60", (0, 1, 0)),
}


HANGING_SECONDS = 5  # within which a shell starts, on a busy machine too


def run(command, folder, **more):
    return subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **more)


def write_project(folder):
    lines = ["project('counted')", "sh = find_program('sh')"]
    for name, (protocol, command, _) in CASES.items():
        seconds = HANGING_SECONDS if "hangs" in name else 300
        (folder / name).write_text(command + "\n")
        lines.append(f"test('{name}', sh, args: files('{name}'), protocol: '{protocol}', timeout: {seconds},"
                     f" suite: 'of-{protocol}')")
    (folder / "meson.build").write_text("\n".join(lines) + "\n")


def counted(folder, *selection):
    """The last line that COUNT_TESTS prints, and its exit status."""
    run(["meson", "test", "-C", "build", "--logbase", "counted", *selection], folder)
    count = run([sys.executable, sys.argv[1], "build/meson-logs/counted"], folder)
    return count.stdout.splitlines()[-1], count.returncode


def check_cases(folder):
    total = [sum(each) for each in zip(*(counts for _, _, counts in CASES.values()))]
    expected = [(name, counts) for name, (_, _, counts) in CASES.items() if "hangs" not in name] + [("", total)]
    for name, (passed, failed, skipped) in expected:
        last, status = counted(folder, *([name] if name else []))
        wanted = f"{passed} passed, {failed} failed, {skipped} skipped"
        assert last == wanted, f"{name or 'all'}: {last!r}, not {wanted!r}"
        assert status == (1 if failed else 0), f"{name or 'all'}: status {status}"


def check_no_log(folder):
    count = run([sys.executable, sys.argv[1], "build/meson-logs/none"], folder)
    assert count.stdout.endswith("0 passed, 1 failed, 0 skipped\n"), count.stdout
    assert count.returncode == 1


def main():
    print("1..2")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_project(folder)
        setup = run(["meson", "setup", "build"], folder)
        for number, check in enumerate([check_cases, check_no_log], 1):
            try:
                assert setup.returncode == 0, setup.stdout
                check(folder)
                print(f"ok {number} {check.__name__}")
            except AssertionError as failure:
                print(f"not ok {number} {check.__name__}")
                print("# " + str(failure).replace("\n", "\n# "))


main()
