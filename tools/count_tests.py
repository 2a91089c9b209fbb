#!/usr/bin/env python3
"""count_tests.py LOG: sums up a run of `meson test --logbase`, LOG being the log without .json.

Prints the output of failed programs (Meson itself writes their standard output only to its logs). The
last line is `N passed, N failed, N skipped`, and counts the tests inside the test programs (TAP) and the
other tests. The exit status is 1 if one failed. With Meson 1.0, both of its logs are needed: only the
JUnit log has the tests inside a program, but it shows programs that time out, or that crash after their
last test, as passed.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
RESULTS = {"OK": PASSED, "EXPECTEDFAIL": PASSED, "SKIP": SKIPPED}


def inner_results(junit):
    """The results inside each program, by the name of its suite, PROJECT.PROGRAM."""
    suites = {}
    for suite in xml.etree.ElementTree.parse(junit).getroot().iter("testsuite"):
        suites[suite.get("name")] = [
            FAILED if case.find("failure") is not None or case.find("error") is not None
            else SKIPPED if case.find("skipped") is not None
            else PASSED
            for case in suite.iter("testcase")]
    return suites


def show(program):
    said = [line for line in (program["stdout"] or "").splitlines() if not line.startswith("ok ")]
    print(f"-- {program['name']}: {program['result']}", *said[-100:], sep="\n")


def count(log):
    counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    suites = inner_results(log.with_name(log.name + ".junit.xml"))
    for line in log.with_name(log.name + ".json").read_text(encoding="utf-8").splitlines():
        program = json.loads(line)
        result = RESULTS.get(program["result"], FAILED)
        inner = next((results for name, results in suites.items()
                      if name.endswith("." + program["name"])), None)
        if inner is None:
            inner = [result]
        elif result == FAILED and FAILED not in inner:
            inner.append(FAILED)  # it crashed, timed out or stopped before its plan was done
        if result == FAILED:
            show(program)
        for each in inner:
            counts[each] += 1
    return counts


def main():
    try:
        counts = count(pathlib.Path(sys.argv[1]))
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        print(f"count_tests.py: no log of a whole test run: {error}", file=sys.stderr)
        counts = {PASSED: 0, FAILED: 1, SKIPPED: 0}
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return 1 if counts[FAILED] > 0 else 0


sys.exit(main())
