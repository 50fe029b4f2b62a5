#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What tests/trackers.md says of Sluice stands on tests that are there, as TAP.

usage: test-trackers.py SOURCE-FOLDER
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

HEADING = ["feature", "Sluice", "test", "W&B", "Aim"]
TEST = re.compile(r'`([^`]+)` "([^"]+)"( \([^)]+\))?$')
THEIRS = re.compile(r"[●◐–] ([WA]:|https://)\S+( \([^)]+\))?$")


def read_rows(text):
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells != HEADING and set(line) - set("|-"):
                yield cells


def find_faults(cells, source, registered):
    """What is wrong with a row, in words."""
    if len(cells) != len(HEADING):
        return [f"{len(cells)} cells"]
    _, ours, test, *theirs = cells
    faults = [] if ours in "●◐–" else [f"'{ours}' is no mark"]
    match = TEST.match(test)
    if ours == "–":
        faults += [] if test == "–" else ["what is not there has no test"]
    elif match is None:
        faults.append(f"'{test}' names no test")
    else:
        path = source / match[1]
        if not path.is_file():
            faults.append(f"there is no {match[1]}")
        elif match[2] not in path.read_text(encoding="utf-8"):
            faults.append(f"'{match[2]}' does not stand in {match[1]}")
        elif path.stem.removeprefix("test-") not in registered:
            faults.append(f"{match[1]} is not run")
        if ours == "◐" and match[3] is None:
            faults.append("what is lacking is not said")
    faults += [f"'{cell}' names no documentation" for cell in theirs
               if cell != "–" and not THEIRS.match(cell)]
    return faults


def main(source):
    tap, source = Tap(), pathlib.Path(source)
    registered = "".join(path.read_text(encoding="utf-8")
                         for path in (source / "tests").rglob("meson.build"))
    text = (source / "tests" / "trackers.md").read_text(encoding="utf-8")
    rows = list(read_rows(text))
    wrong = [f"{cells[0]}: {fault}" for cells in rows
             for fault in find_faults(cells, source, registered)]
    tap.point(f"{len(rows)} rows stand on tests and on documentation",
              len(rows) > 40 and not wrong, *wrong)
    bad = ["a", "●", '`tests/app/test-none.py` "x"', "– ", "● yes"]
    tap.point("a test that is not there is found", len(find_faults(bad, source, registered)) == 3,
              find_faults(bad, source, registered))
    tap.point("what is lacking is listed", "## What we lack" in text)
    tap.end()


main(*sys.argv[1:])
