#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Counts what `meson test` really ran, from its log; the last line is "N passed, N failed".

A TAP program counts by its plan: a point of the plan that was never reported (a crash, a timeout)
has failed, and so has a program without a plan. Any other program counts as one test.
usage: count-tests.py [--all] BUILD-FOLDER      --all: a registered test that did not run has failed
"""
import json
import pathlib
import re
import sys

PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*(?:skip\S*)?\s*(.*))?$", re.I)
POINT = re.compile(r"^(not )?ok\b\s*\d*\s*-?\s*([^#]*?)\s*(?:#\s*(.*))?$")


class Count:
    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []

    def add_tap(self, name, output, ended_well):
        planned, seen, failed = None, 0, 0
        for line in output.splitlines():
            plan, point = PLAN.match(line), POINT.match(line)
            if plan:
                planned = int(plan.group(1))
                if planned == 0:
                    self.skips.append(f"{name}: {plan.group(2) or 'no reason given'}")
            elif point:
                seen += 1
                title, directive = f"{name}: {point.group(2)}", point.group(3) or ""
                if point.group(1):
                    failed += 1
                    self.failures.append(title)
                elif directive.upper().startswith("SKIP"):
                    self.skips.append(f"{title}: {directive[4:].strip() or 'no reason given'}")
                else:
                    self.passed += 1
        if planned is None:
            self.failures.append(f"{name}: no TAP plan in its output")
        elif seen != planned:
            never = max(planned - seen, 1)
            self.failures += [f"{name}: {seen} of {planned} planned tests reported"] * never
        elif not ended_well and not failed:
            self.failures.append(f"{name}: every test passed, and then the program failed")

    def add_program(self, name, result):
        if result == "OK":
            self.passed += 1
        elif result == "SKIP":
            self.skips.append(f"{name}: the program ended with 77")
        else:
            self.failures.append(f"{name}: {result}")


def count(entries, registered, expect_all):
    """entries: those of testlog.json; registered: those of intro-tests.json."""
    result = Count()
    protocols = {test["name"]: test["protocol"] for test in registered}
    ran = set()
    for entry in entries:
        name = entry["name"].split(" / ")[-1]
        ran.add(name)
        if protocols.get(name) == "tap":
            ended_well = entry["result"] in ("OK", "SKIP")
            result.add_tap(name, entry.get("stdout") or "", ended_well)
        else:
            result.add_program(name, entry["result"])
    if expect_all:
        result.failures += [f"{name}: did not run" for name in protocols if name not in ran]
    return result


def main(arguments):
    build = pathlib.Path(arguments[-1])
    logs = build.glob("meson-logs/testlog*.json")  # one; under valgrind it is testlog-valgrind
    lines = [line for log in logs for line in log.read_text().splitlines()]
    registered = json.loads((build / "meson-info/intro-tests.json").read_text())
    result = count([json.loads(line) for line in lines], registered, "--all" in arguments)
    for skip in result.skips:
        print("skipped:", skip)
    for failure in result.failures:
        print("FAILED:", failure)
    tail = f", {len(result.skips)} skipped" if result.skips else ""
    print(f"{result.passed} passed, {len(result.failures)} failed{tail}")
    return 1 if result.failures or not result.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
