#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The page of very many runs in the window, with their curves: one JSON line a figure.

usage: bench-runs-page.py WORKBENCH MAKE_RUNS SAMPLES

On a display of its own. Frames are told in time on the processor (app/probe.h), so that what else
runs on the machine does not count. Filter and sort are those of bench-runs.c.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from gi.repository import GLib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app"))
from workbench import Workbench

N_TURNS = 60  # of the wheel, or of Page Down
FRAME = 0.03  # seconds from one to the next


def tell(name, value, goal, what):
    print(json.dumps({"name": name, "value": round(value, 2), "unit": "ms", "goal": goal,
                      "what": what}), flush=True)


def settle(w):
    """The little that is asked here costs the window nothing; all that it shows would be the text
    of 10,000 runs."""
    return w.until(lambda: w.ask("dump-costs")["settled"])


def scroll(w, *command):
    """The worst frame of all; each look begins to measure anew."""
    w.ask("dump-costs")
    worst = 0
    for _ in range(N_TURNS):
        subprocess.run(["xdotool", *command], check=True)
        time.sleep(FRAME)
        worst = max(worst, w.ask("dump-costs")["worst_frame_ms"])
    return worst


def open_page(w):
    """From the press to the first picture with runs in it, the window being open and the table
    read; what assistive technology is told of the rows comes later, a few at a time."""
    w.ask("dump-costs")
    start = time.monotonic()
    w.act("show-page", GLib.Variant("s", "runs"))
    w.until(lambda: w.ask("dump-costs")["worst_frame_ms"] > 0)
    tell("runs-page-open", (time.monotonic() - start) * 1e3, 300,
         "the page with 10,000 runs is opened, wall clock")
    settle(w)


def scroll_rows(w):
    subprocess.run(["xdotool", "mousemove", "700", "400"], check=True)
    tell("runs-page-wheel", scroll(w, "click", "5"), 16,
         "worst frame while the wheel turns, on the processor")
    subprocess.run(["xdotool", "click", "1"], check=True)
    w.wait(lambda s: len(s["table"]["selected"]) == 1)
    tell("runs-page-page-down", scroll(w, "key", "Next"), 16,
         "worst frame while Page Down is held, on the processor")


def main(workbench, make_runs, samples):
    folder = tempfile.mkdtemp()
    try:
        workspace = os.path.join(folder, "workspace")
        os.mkdir(workspace)
        subprocess.run([make_runs, workspace], check=True)
        shutil.copytree(samples, os.path.join(folder, "samples"))
        project = os.path.join(folder, "samples", "digits")  # which the runs are of
        os.rename(os.path.join(folder, "samples", "digits-mlp"), project)
        w = Workbench(workbench, project, workspace)
        settle(w)
        open_page(w)
        scroll_rows(w)
        w.quit()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:4])
