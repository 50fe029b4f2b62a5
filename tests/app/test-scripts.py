#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The scripts of data/samples/scripts make models that learn, as TAP.

usage: test-scripts.py SLUICE SOURCE-FOLDER

Each is trained for some steps only; what it comes to in the end stands in the script.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

# Steps, and what is said of the test split then: at least this accuracy, at most so many bits.
BOUNDS = {"digits-mlp": (200, "accuracy", 0.93), "digits-lenet": (100, "accuracy", 0.9),
          "digits-resnet8": (40, "accuracy", 0.8), "characters-lstm": (40, "bits", 4.6),
          "characters-transformer": (40, "bits", 4.8)}


def check_script(tap, sluice, source, folder, name):
    scripts = source / "data/samples/scripts"
    steps, what, bound = BOUNDS[name]
    project = folder / name
    project.mkdir()
    settings = (scripts / f"{name}.ini").read_text().replace("../data/", f"{scripts.parent}/data/")
    (project / "project.ini").write_text(settings)
    edited = subprocess.run([sluice, "edit", "--new", "--script", scripts / f"{name}.txt", "--out",
                             project / "model.pbtxt"], capture_output=True, text=True, check=False)
    trained = subprocess.run([sluice, "train", project, "--workspace", folder / f"{name}-runs",
                              "--steps", str(steps)], capture_output=True, text=True, check=False)
    found = re.search(rf"test {what} ([0-9.]+)", trained.stdout)
    value = float(found.group(1)) if found else None
    good = found and (value >= bound if what == "accuracy" else value <= bound)
    tap.point(f"{name} learns: test {what} {bound} after {steps} steps", bool(good), edited.stderr,
              trained.stdout, trained.stderr)


def main():
    tap = Tap()
    source = pathlib.Path(sys.argv[2]).resolve()
    found = {path.stem for path in (source / "data/samples/scripts").glob("*.txt")}
    tap.point("each script has its bound", found == set(BOUNDS), found)
    with tempfile.TemporaryDirectory() as folder:
        for name in BOUNDS:
            check_script(tap, sys.argv[1], source, pathlib.Path(folder), name)
    tap.end()


main()
