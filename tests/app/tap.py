# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Test points of a Python program, as TAP."""
import sys


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def point(self, name, passed, *explanation):
        """Says one; explanation is shown where it failed. Returns whether it passed."""
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name}", flush=True)
        if not passed:
            for part in explanation:
                for line in str(part).splitlines()[-20:]:
                    print("#", line, flush=True)
        return bool(passed)

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}", flush=True)

    def end(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
