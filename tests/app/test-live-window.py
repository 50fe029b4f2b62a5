#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What the graph page tells of a run while it is under way, as TAP.

usage: test-live-window.py WORKBENCH SAMPLES [--pictures DIR]

On a display and a session bus of its own.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, take_picture


class Live:
    def __init__(self, program, samples, pictures):
        self.program, self.samples, self.pictures = program, samples, pictures
        self.tap = Tap()
        self.workspace = tempfile.mkdtemp()

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def select(self, w, name):
        w.act("select", GLib.Variant("s", name))
        return w.wait(lambda s: s["graph"]["selection"] == name and s["settled"]
                      and s["inspector"].startswith(name + "\n"))

    def told(self, w, pattern):
        """The inspector's text once it has the pattern."""
        return w.wait(lambda s: re.search(pattern, s["inspector"]))["inspector"]

    def digits(self):
        w = Workbench(self.program, os.path.join(self.samples, "digits-lenet"), self.workspace)
        w.wait(lambda s: s["settled"] and s["graph"]["items"])
        state = self.select(w, "conv2/relu")
        self.tap.point("before a run it is said that values will come",
                       "Values appear here" in state["inspector"], state["inspector"])
        w.act("start")
        text = self.told(w, r"min · mean · max: \S+ · \S+ · \S+\n")
        self.tap.point("values of a node while the run is under way",
                       re.search(r"zeros: \d[\d.]*\u202f?.%\nnon-finite: none\n", text), text)
        text = self.told(w, r"Time, this step: [\d.]+\u202f[mµ]s\nmedian · 95 %: [\d.]+\u202f[mµ]s")
        self.tap.point("and times", True)
        text = self.told(w, r"mean · steps \d.* to \d")
        self.tap.point("and their history", True)
        self.picture("live-relu")
        w.act("pause")
        w.wait(lambda s: s["control"] == "paused")
        return w

    def neighbours(self, w):
        link = w.find_accessible("button", next(
            o.label() for o in w.accessible().tree()
            if o.role() == "button" and o.label().startswith("Input 0: conv2/")))
        name = re.match(r"Input 0: ([^,]+),", link.label()).group(1)
        link.act()
        w.wait(lambda s: s["graph"]["selection"] == name)
        self.tap.point("an input is a way to its node", True)
        state = self.select(w, "conv2/weights")
        self.tap.point("no raw attributes", "DT_" not in state["inspector"], state["inspector"])
        self.picture("live-weights")

    def run(self):
        try:
            w = self.digits()
            self.neighbours(w)
            w.act("stop")
            w.wait(lambda s: s["control"] == "idle")
            self.tap.point("the window ends well", w.quit() == 0)
        except (RuntimeError, StopIteration, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
            self.picture("live-failed")
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    where = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
    Live(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), where).run()
