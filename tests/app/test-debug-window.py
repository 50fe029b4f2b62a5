#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A training run stops in the window, and goes on, as TAP.

usage: test-debug-window.py WORKBENCH SAMPLES [--pictures DIR]

On a display and a session bus of its own.
"""
import os
import shutil
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, take_picture


class Debug:
    def __init__(self, program, samples, pictures):
        self.program, self.samples, self.pictures = program, samples, pictures
        self.tap = Tap()

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def open(self, sample, workspace):
        """A copy of it: layouts are saved beside it."""
        folder = workspace + "-" + sample
        shutil.copytree(os.path.join(self.samples, sample), folder)
        path = os.path.join(folder, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("=../data/", f"={os.path.abspath(self.samples)}/data/")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        w = Workbench(self.program, folder, workspace)
        w.wait(lambda s: s["settled"] and s["graph"]["items"])
        return w

    def button(self, w, label):
        return w.find_accessible("button", label)

    def non_finite(self, workspace):
        """A learning rate a thousand times too large: where it shows, and a stop of the run."""
        w = self.open("digits-lenet", workspace)
        press_keys("ctrl+shift+F9")
        w.act("start-run", GLib.Variant("(sas)", ("", ["learning-rate=50"])))
        state = w.wait(lambda s: s["stop"])
        self.tap.point("the run stops at the first bad node",
                       "stopped behind L2Loss “conv1/norm” on CPU:0" in state["stop"],
                       state["stop"])
        state = w.wait(lambda s: s["graph"]["selection"] == "conv1/norm")
        self.tap.point("which is selected", True)
        text = w.until(lambda: next((o.label() for o in w.accessible().tree()
                                     if "input conv1/weights/read:0" in o.label()), None))
        self.tap.point("its inputs are finite, its output is not",
                       text and "not finite" not in text.split("output")[0]
                       and "output conv1/norm:0  float [] = inf" in text, text)
        self.picture("debug-nan")
        w.act("stop")
        state = w.wait(lambda s: s["control"] == "idle")
        self.tap.point("a stop ends the run, which need not go on to its loss", not state["stop"],
                       state["stop"])
        w.quit()

    def steps(self, workspace):
        w = self.open("digits-mlp", workspace)
        w.act("select", GLib.Variant("s", "logits/matmul"))
        w.wait(lambda s: s["graph"]["selection"] == "logits/matmul")
        press_keys("shift+F9")
        w.wait(lambda s: "logits/matmul" in s["told"])
        press_keys("F5")
        state = w.wait(lambda s: s["stop"])
        self.tap.point("a breakpoint that a key has set stops the run that a key began",
                       state["stop"].startswith("Step 1: stopped before MatMul “logits/matmul”"),
                       state["stop"])
        self.picture("debug-step")
        press_keys("ctrl+F10")
        state = w.wait(lambda s: s["stop"] and "logits/matmul" not in s["stop"])
        self.tap.point("one node further", "Step 1: stopped before" in state["stop"],
                       state["stop"])
        press_keys("ctrl+F6")
        state = w.wait(lambda s: s["stop"].startswith("Step 2"))
        self.tap.point("another key goes on to the next stop", "logits/matmul" in state["stop"],
                       state["stop"])
        w.act("select", GLib.Variant("s", "logits/matmul"))
        self.button(w, "Next stop").act()
        w.wait(lambda s: s["stop"].startswith("Step 3"))
        w.act("toggle-breakpoint")
        press_keys("ctrl+F5")
        w.wait(lambda s: not s["stop"] and s["step"] > 3)
        self.tap.point("without the breakpoint it trains on", True)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.quit()

    def run(self):
        workspace = tempfile.mkdtemp()
        try:
            self.non_finite(os.path.join(workspace, "a"))
            self.steps(os.path.join(workspace, "b"))
        finally:
            shutil.rmtree(workspace, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    pictures = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
    Debug(sys.argv[1], sys.argv[2], pictures).run()
