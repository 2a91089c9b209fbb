"""run.py [NAME...]: runs the tests in its folder, or those with these names. Emits TAP."""

import pathlib
import sys
import unittest

HERE = str(pathlib.Path(__file__).parent)


class TapResult(unittest.TestResult):
    """Prints a line per test. Failures go to standard error."""

    count = 0

    def _line(self, word, test, remark=""):
        self.count += 1
        print(f"{word} {self.count} - {test.id().replace('#', ' ')}{remark}", flush=True)

    def _failed(self, test, trouble):
        self._line("not ok", test)
        print(trouble, file=sys.stderr, flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._line("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._failed(test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._failed(test, self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._failed(subtest, self._exc_info_to_string(err, test))


def main():
    sys.path.insert(0, HERE)
    loader = unittest.TestLoader()
    suite = (loader.loadTestsFromNames(sys.argv[1:]) if len(sys.argv) > 1
             else loader.discover(HERE, pattern="test_*.py"))
    result = TapResult()
    suite.run(result)
    print(f"1..{result.count}", flush=True)
    return 0 if result.wasSuccessful() and result.count > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
