#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Two windows on one workspace, as TAP.

usage: test-two-windows.py WORKBENCH COMMAND SAMPLES

On a display and a session bus of its own. Both train what waits: each run is trained once, and
comes to what it would have come to; what is begun in one is seen in the other.
"""
import os
import pathlib
import shutil
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from queue_command import Queue
from tap import Tap
from workbench import Workbench

STEPS = 300
N_RUNS = 5


def open_both(program, project, queue):
    (queue.workspace / "window.ini").write_text("[launch]\nworks=true\n")
    return [Workbench(program, str(project), str(queue.workspace)) for _ in range(2)]


def check_queue(tap, windows, queue, wanted):
    for window in windows:
        window.wait(lambda s: s["launch"]["queue"] == [] and s["control"] == "idle")
    found = queue.outcome()
    tap.point("two windows train each run of the queue once", found == wanted,
              *(f"{part}: {found[part]}"[:2000] for part in wanted if found[part] != wanted[part]))


def check_begun(tap, windows, queue):
    one, other = windows
    one.act("start-run", GLib.Variant("(sas)", ("from one", ["steps=100000000"])))
    one.wait(lambda s: s["step"] > 0)
    other.wait(lambda s: s["runs"] == N_RUNS + 1)
    tap.point("a run that is begun in one is seen in the other", True)
    other.act("start-run", GLib.Variant("(sas)", ("from other", ["steps=100000000"])))
    other.wait(lambda s: s["step"] > 0)
    states = queue.states()
    tap.point("each trains a run of its own", states["from one"] == states["from other"]
              == "running", states)
    answer = queue.call("control", "from one", "stop")
    one.wait(lambda s: s["control"] == "idle")
    state = other.state()
    tap.point("who is asked to stop stops, and the other goes on", answer.returncode == 0
              and queue.states()["from one"] == "stopped" and state["control"] != "idle",
              answer.stderr, queue.states(), state["control"])
    other.act("stop")
    other.wait(lambda s: s["control"] == "idle")
    one.wait(lambda s: s["runs"] == N_RUNS + 2)


def main(program, command, samples):
    tap = Tap()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shutil.copytree(samples, folder / "samples")
        project = folder / "samples" / "digits-mlp"
        calm, queue = Queue(command, folder / "calm"), Queue(command, folder / "shared")
        for one in (calm, queue):
            one.fill(project, STEPS, N_RUNS)
        calm.call("queue", "run")
        windows = open_both(program, project, queue)
        check_queue(tap, windows, queue, calm.outcome())
        check_begun(tap, windows, queue)
        tap.point("both end well", [window.quit() for window in windows] == [0, 0])
    tap.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
